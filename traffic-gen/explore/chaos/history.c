// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/explore/chaos/history.h"

enum { CALM_OF_TEN = 4, STEPS_PER_RESTART = 25, RESTARTS_SEED = 0x52535452 };

static enum chaos_fault history_draw_fault(GRand *random, enum chaos_operation operation)
{
    enum chaos_fault fault;

    if (g_rand_int_range(random, 0, 10) < CALM_OF_TEN)
        return CHAOS_CALM;
    do {
        fault = (enum chaos_fault)g_rand_int_range(random, CHAOS_CALM + 1, CHAOS_FAULTS);
    } while (fault == CHAOS_READ_FAILS && operation != CHAOS_WRITE);
    return fault;
}

/* Restarts have their own random source, so that the rest of the history is the same without them. */
static void add_restarts(GArray *steps, uint32_t seed)
{
    GRand *random = g_rand_new_with_seed(seed ^ RESTARTS_SEED);

    for (guint i = 0; i < steps->len; i++) {
        struct chaos_step *step = &g_array_index(steps, struct chaos_step, i);

        if (g_rand_int_range(random, 0, STEPS_PER_RESTART) == 0)
            step->fault = g_rand_boolean(random) ? CHAOS_RESTART_BEFORE : CHAOS_RESTART_AFTER;
        step->unstable = step->operation == CHAOS_WRITE && g_rand_boolean(random);
    }
    g_rand_free(random);
}

GArray *chaos_history(uint32_t seed, unsigned n, bool restarts)
{
    GArray *steps = g_array_sized_new(FALSE, FALSE, sizeof(struct chaos_step), n);
    GRand *random = g_rand_new_with_seed(seed);

    for (unsigned i = 0; i < n; i++) {
        struct chaos_step step = {.operation = (enum chaos_operation)g_rand_int_range(random, 0, CHAOS_OPERATIONS)};

        step.fault = history_draw_fault(random, step.operation);
        step.which =
            (unsigned)g_rand_int_range(random, 0, step.operation == CHAOS_WRITE ? CHAOS_BLOCKS : CHAOS_FOLDERS);
        step.pattern = (uint8_t)g_rand_int_range(random, 1, 256);
        g_array_append_val(steps, step);
    }
    g_rand_free(random);
    if (restarts)
        add_restarts(steps, seed);
    return steps;
}

char *chaos_step_text(const struct chaos_step *step)
{
    static const char *const faults[] = {[CHAOS_CALM] = "",
                                         [CHAOS_RESET_BEFORE] = "; RST before the Call",
                                         [CHAOS_HALF_SENT] = "; RST within the FPDU of the Call",
                                         [CHAOS_RESET_AFTER] = "; RST after the Call",
                                         [CHAOS_FIN_AFTER] = "; FIN after the Call",
                                         [CHAOS_READ_FAILS] = "; its Read chunk can be read only in part",
                                         [CHAOS_MALFORMED] = "; a message of version 9 before the Call",
                                         [CHAOS_RESTART_BEFORE] = "; the server is restarted before the Call",
                                         [CHAOS_RESTART_AFTER] = "; the server is restarted after the Call"};
    g_autofree char *what = NULL;

    switch (step->operation) {
    case CHAOS_MAKE:
        what = g_strdup_printf("make directory %u", step->which);
        break;
    case CHAOS_REMOVE:
        what = g_strdup_printf("remove directory %u", step->which);
        break;
    case CHAOS_WRITE:
        what = g_strdup_printf("write 0x%02x into block %u%s", step->pattern, step->which,
                               step->unstable ? ", unstable" : "");
        break;
    default:
        what = g_strdup("read the file");
    }
    return g_strconcat(what, faults[step->fault], NULL);
}

uint32_t chaos_apply(struct chaos_world *world, const struct chaos_step *step)
{
    bool *folder = &world->folders[step->which];

    switch (step->operation) {
    case CHAOS_MAKE:
        if (*folder)
            return CHAOS_EXIST;
        *folder = true;
        return CHAOS_OK;
    case CHAOS_REMOVE:
        if (!*folder)
            return CHAOS_NOENT;
        *folder = false;
        return CHAOS_OK;
    case CHAOS_WRITE:
        world->blocks[step->which] = step->pattern;
        world->written = MAX(world->written, step->which + 1);
        return CHAOS_OK;
    default:
        return CHAOS_OK;
    }
}

uint32_t chaos_apply_again(const struct chaos_world *world, const struct chaos_step *step)
{
    struct chaos_world same = *world;

    return chaos_apply(&same, step);
}
