// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/tester/suite/run/soak.h"

#include "traffic-gen/tester/suite/expect/alive.h"
#include "traffic-gen/tester/suite/run/case.h"

#include <string.h>

enum { SLICE = 8 /* cases between two checks of the clock */, GROWTH_MAX = 12 };

struct soak {
    const struct run_options *options;
    const GArray *chosen;
    GArray *order;              /* guint: the rest of this round */
    struct case_tally *tallies; /* one for each chosen case */
    GRand *random;
    unsigned rounds, cases, resets, failures;
    int64_t saved_ns;
};

static const int64_t save_every_ns = 1000000000;

/* ---- growth ---- */

/* "MemFree:  1000 kB" */
static bool soak_split(const char *line, char **name, gint64 *number, const char **unit)
{
    const char *colon = strchr(line, ':');
    char *end;

    if (!colon)
        return false;
    *number = g_ascii_strtoll(colon + 1, &end, 10);
    if (end == colon + 1)
        return false;
    *name = g_strndup(line, (gsize)(colon - line));
    *unit = end;
    return true;
}

static bool find_number(char *const *lines, const char *wanted, gint64 *number)
{
    for (unsigned i = 0; lines[i]; i++) {
        g_autofree char *name = NULL;
        const char *unit;

        if (soak_split(lines[i], &name, number, &unit) && strcmp(name, wanted) == 0)
            return true;
    }
    return false;
}

/*
 * Changes between two texts of lines "NAME: NUMBER UNIT", like /proc/meminfo: "MemFree: 1000 kB, 900 kB at the end
 * (-100)". Appends to out (char *).
 */
static void add_growth(const char *first, const char *last, GPtrArray *out)
{
    g_auto(GStrv) before = g_strsplit(first, "\n", -1), after = g_strsplit(last, "\n", -1);

    for (unsigned i = 0, n = 0; before[i] && n < GROWTH_MAX; i++) {
        g_autofree char *name = NULL;
        const char *unit;
        gint64 was, is;

        if (!soak_split(before[i], &name, &was, &unit) || !find_number(after, name, &is) || is == was)
            continue;
        n++;
        g_ptr_array_add(out, g_strdup_printf("%s: %" G_GINT64_FORMAT "%s, %" G_GINT64_FORMAT
                                             "%s at the end (%+" G_GINT64_FORMAT ")",
                                             name, was, unit, is, unit, is - was));
    }
}

/* ---- rounds ---- */

static void soak_shuffle(struct soak *soak)
{
    for (guint i = 0; i < soak->chosen->len; i++)
        g_array_append_val(soak->order, i);
    for (guint i = soak->order->len - 1; i > 0; i--) {
        guint *order = (guint *)(void *)soak->order->data;
        guint k = (guint)g_rand_int_range(soak->random, 0, (gint32)i + 1), kept = order[i];

        order[i] = order[k];
        order[k] = kept;
    }
    soak->rounds++;
}

static unsigned resets_in(const struct case_result *result)
{
    unsigned n = 0;

    for (guint i = 0; i < result->steps->len; i++) {
        const struct case_step *step = g_ptr_array_index(result->steps, i);

        n += !step->ours && !step->octets && strcmp(step->caption, "RST") == 0;
    }
    return n;
}

static struct case_tally *soak_tally_of(struct soak *soak, const char *id)
{
    for (guint i = 0; i < soak->chosen->len; i++) {
        g_autofree char *name = suite_case_id(g_array_index(soak->chosen, struct chosen_case, i).row);

        if (strcmp(name, id) == 0)
            return &soak->tallies[i];
    }
    return NULL;
}

static void soak_take(struct soak *soak, struct suite_report *part, struct suite_report *report)
{
    while (part->results->len > 0) {
        struct case_result *result = g_ptr_array_steal_index(part->results, 0);

        soak->cases++;
        soak->failures += case_result_failed(result) && !result->waived;
        soak->resets += resets_in(result);
        case_tally_add(soak_tally_of(soak, result->id), result);
    }
    suite_report_take(report, part);
}

/* Saves the report so far, in case the run is killed. */
static void soak_save(struct soak *soak, const struct run_options *options, struct suite_report *report)
{
    if (!options->saved || talk_now() - soak->saved_ns < save_every_ns)
        return;
    soak->saved_ns = talk_now();
    for (guint i = 0; i < soak->chosen->len; i++) {
        struct case_tally tally = soak->tallies[i];

        if (tally.n == 0)
            continue;
        tally.worst = case_result_copy(tally.worst);
        g_ptr_array_add(report->results, case_tally_result(&tally));
    }
    report->finished = report->results->len;
    options->saved(options->ctx, report);
    g_ptr_array_set_size(report->results, 0);
}

/* False: the device stays dead, or the run was stopped. */
static bool run_slice(struct soak *soak, struct talk_run *run, struct suite_report *report)
{
    g_autoptr(GArray) slice = g_array_new(FALSE, FALSE, sizeof(struct chosen_case));
    struct suite_report *part = suite_report_new();
    bool alive;

    if (soak->order->len == 0)
        soak_shuffle(soak);
    while (slice->len < SLICE && soak->order->len > 0) {
        guint at = g_array_index(soak->order, guint, soak->order->len - 1);

        g_array_append_val(slice, g_array_index(soak->chosen, struct chosen_case, at));
        g_array_set_size(soak->order, soak->order->len - 1);
    }
    run_cases(run, slice, soak->options, part);
    soak_take(soak, part, report);
    alive = strcmp(report->state, device_life_names[DEVICE_ALIVE]) == 0;
    suite_report_free(part);
    return alive;
}

void soak_run(struct talk_run *run, const GArray *chosen, const struct run_options *options,
              const struct soak_options *how, struct suite_report *report)
{
    struct run_options once = *options;
    int64_t began = talk_now();
    struct soak soak = {.options = &once,
                        .chosen = chosen,
                        .order = g_array_new(FALSE, FALSE, sizeof(guint)),
                        .tallies = g_new0(struct case_tally, chosen->len),
                        .random = g_rand_new_with_seed(how->seed)};
    g_autofree char *first = how->device_info ? how->device_info(how->ctx) : NULL, *last = NULL;

    once.repeat = once.confirm = 1;
    once.earlier = NULL;
    once.saved = NULL;
    while (run_slice(&soak, run, report) && talk_now() - began < how->duration &&
           (options->stop_after == 0 || soak.failures < options->stop_after))
        soak_save(&soak, options, report);
    for (guint i = 0; i < chosen->len; i++) {
        if (soak.tallies[i].n > 0)
            g_ptr_array_add(report->results, case_tally_result(&soak.tallies[i]));
        case_tally_clear(&soak.tallies[i]);
    }
    report->finished = report->results->len;
    report->seconds = (double)(talk_now() - began) / 1e9;
    g_ptr_array_add(report->soak,
                    g_strdup_printf("%u cases in %u rounds and %.0f s, %.1f a minute, in the order of --seed=%u",
                                    soak.cases, soak.rounds, report->seconds,
                                    soak.cases * 60 / MAX(report->seconds, 1e-3), how->seed));
    g_ptr_array_add(report->soak, g_strdup_printf("%u connections reset by the device", soak.resets));
    last = first ? how->device_info(how->ctx) : NULL;
    if (first && last)
        add_growth(first, last, report->soak);
    g_array_unref(soak.order);
    g_free(soak.tallies);
    g_rand_free(soak.random);
}
