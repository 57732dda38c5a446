// SPDX-License-Identifier: GPL-2.0-or-later
/* iwarp-gen simulate: random conversations with a known verdict, checked in this process. */
#include "traffic-gen/cli/command.h"
#include "traffic-gen/simulate/simulate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

struct simulate_options {
    gint64 seed, count;
    gdouble seconds;
    gint keep_going; /* failures until the run ends */
    gboolean conforming, reduce, verbose;
    char *inject, *skip, *output;
    struct plan_wish wish;
};

struct simulate_sums {
    uint64_t played, conforming, faults, provoked, distorted, visible, failed;
};

static void simulate_count(struct simulate_sums *sums, const struct simulation *simulation)
{
    sums->played++;
    sums->conforming += !simulation->plan->fault;
    sums->faults += simulation->plan->fault != NULL;
    sums->provoked += simulation->provoked;
    sums->distorted += simulation->distorted;
    sums->visible += simulation->visible;
    sums->failed += simulation->outcome != SIMULATE_RIGHT;
}

static int write_simulation(const struct simulation *simulation, const char *path)
{
    if (simulation->view && view_write(simulation->view, &simulation->packets, path))
        return COMMAND_DONE;
    return command_fail("%s: %s", path, simulation->view ? g_strerror(errno) : "the conversation cannot be played");
}

static void simulate_say(const struct simulation *simulation)
{
    GString *text = g_string_new(NULL);

    simulation_append_text(text, simulation);
    fputs(text->str, stdout);
    fflush(stdout);
    g_string_free(text, TRUE);
}

static int simulate_seed(const struct simulate_options *options, struct judge *judge, uint64_t seed,
                         struct simulate_sums *sums)
{
    struct simulation *simulation = simulation_new(seed, &options->wish);
    int status = COMMAND_DONE;

    simulate(simulation, judge);
    simulate_count(sums, simulation);
    if (simulation->outcome != SIMULATE_RIGHT || options->verbose)
        simulate_say(simulation);
    if (simulation->outcome != SIMULATE_RIGHT && options->reduce) {
        simulate_reduce(simulation, judge);
        puts("reduced:");
        simulate_say(simulation);
    }
    if (options->output)
        status = write_simulation(simulation, options->output);
    simulation_free(simulation);
    return status;
}

static int simulate_run(const struct simulate_options *options, struct judge *judge)
{
    struct simulate_sums sums = {0};
    const gint64 begun = g_get_monotonic_time();
    int status = COMMAND_DONE;
    double seconds = 0;

    for (gint64 i = 0;
         status == COMMAND_DONE && (options->seconds > 0 ? seconds < options->seconds : i < options->count) &&
         sums.failed < (uint64_t)options->keep_going;
         i++) {
        status = simulate_seed(options, judge, (uint64_t)options->seed + (uint64_t)i, &sums);
        seconds = (double)(g_get_monotonic_time() - begun) / 1e6;
    }
    printf("seeds %" PRId64 " to %" PRIu64 ": %" PRIu64 " conversations, %" PRIu64 " conforming, %" PRIu64
           " with a fault (%" PRIu64 " provoked), %" PRIu64 " captures distorted (%" PRIu64
           " faults visible in them); %" PRIu64 " failures; %.1f s, %.0f a second\n",
           options->seed, (uint64_t)options->seed + sums.played - 1, sums.played, sums.conforming, sums.faults,
           sums.provoked, sums.distorted, sums.visible, sums.failed, seconds, (double)sums.played / MAX(seconds, 1e-6));
    return status != COMMAND_DONE ? status : sums.failed > 0 ? COMMAND_FAILED : COMMAND_DONE;
}

static int simulate_checked(struct simulate_options *options)
{
    const struct command_range ranges[] = {
        {"--count", (double)options->count, 1, 1e12, NULL},
        {"--seconds", options->seconds, 0, 1e7, " seconds"},
        {"--failures", options->keep_going, 1, 1e9, NULL},
    };
    int status = command_check_ranges(ranges, G_N_ELEMENTS(ranges));
    g_autofree char *error = NULL;
    struct judge *judge;

    if (status != COMMAND_DONE)
        return status;
    if (options->output && options->count != 1)
        return command_fail("-w writes the capture of one seed; it needs --count=1");
    options->wish.conforming = options->conforming;
    if (options->inject && !(options->wish.fault = fault_find(options->inject)))
        return command_fail("no fault '%s' (see: iwarp-gen list faults)", options->inject);
    judge = judge_new(options->skip, &error);
    if (!judge)
        return command_fail("%s", error);
    status = simulate_run(options, judge);
    judge_free(judge);
    return status;
}

int command_simulate(int argc, char **argv)
{
    static const struct command_usage usage = {
        "",
        "Plays random conversations, conforming and with a fault, and compares the checker's verdict with what was "
        "planted.",
        "Each seed is one conversation, and is the same one alone: --seed=N --count=1.",
    };
    struct simulate_options options = {.seed = 1, .count = 1000, .keep_going = 10};
    const GOptionEntry entries[] = {
        {"seed", 0, 0, G_OPTION_ARG_INT64, &options.seed, "the first seed (default 1)", "N"},
        {"count", 0, 0, G_OPTION_ARG_INT64, &options.count, "seeds (default 1000)", "N"},
        {"seconds", 0, 0, G_OPTION_ARG_DOUBLE, &options.seconds, "instead of --count: as many as fit", "S"},
        {"failures", 0, 0, G_OPTION_ARG_INT, &options.keep_going, "end after so many failures (default 10)", "N"},
        {"inject", 0, 0, G_OPTION_ARG_STRING, &options.inject, "each conversation has this fault", "ID"},
        {"conforming", 0, 0, G_OPTION_ARG_NONE, &options.conforming, "no conversation has a fault", NULL},
        {"skip", 0, 0, G_OPTION_ARG_STRING, &options.skip, "rules that the checker does not judge", "LIST"},
        {"reduce", 0, 0, G_OPTION_ARG_NONE, &options.reduce, "make what is wrong as short as possible", NULL},
        {"verbose", 'v', 0, G_OPTION_ARG_NONE, &options.verbose, "show every conversation", NULL},
        {"write", 'w', 0, G_OPTION_ARG_FILENAME, &options.output, "write the capture of the only seed", "FILE"},
        G_OPTION_ENTRY_NULL,
    };
    int status;

    if (command_parse(&usage, entries, &argc, &argv, 0, 0, &status))
        status = simulate_checked(&options);
    command_clear(entries);
    return status;
}
