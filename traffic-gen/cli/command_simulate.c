// SPDX-License-Identifier: GPL-2.0-or-later
/* iwarp-gen simulate: random conversations with a known verdict, checked in this process. */
#include "traffic-gen/cli/command.h"
#include "traffic-gen/explore/simulate/simulate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

struct simulate_options {
    gint64 seed, count;
    gdouble seconds;
    gint failures; /* wrong conversations until the run ends */
    gboolean conforming, reduce, verbose;
    char *inject, *output, *adversary, **check;
    enum adversary who;
    struct plan_wish wish;
};

struct simulate_sums {
    uint64_t played, conforming, faults, provoked, distorted, visible, forged, failed;
};

static void simulate_count(struct simulate_sums *sums, const struct simulation *simulation)
{
    sums->played++;
    sums->conforming += !simulation->plan->fault;
    sums->faults += simulation->plan->fault != NULL;
    sums->provoked += simulation->provoked;
    sums->distorted += simulation->distorted;
    sums->visible += simulation->visible;
    sums->forged += simulation->forged && simulation->forgeries->len > 0;
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
    struct simulation *simulation = simulation_new(seed, &options->wish, options->who);
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

static void simulate_say_sums(const struct simulate_sums *sums, uint64_t first, double worked)
{
    printf("seeds %" PRIu64 " to %" PRIu64 ": %" PRIu64 " conversations in %.1f s of processor time, %.0f a second\n"
           "  %" PRIu64 " conforming, %" PRIu64 " with a fault, of which %" PRIu64 " were provoked\n"
           "  %" PRIu64 " captures with distortions; %" PRIu64 " faults stay visible in them\n",
           first, first + sums->played - 1, sums->played, worked, (double)sums->played / MAX(worked, 1e-3),
           sums->conforming, sums->faults, sums->provoked, sums->distorted, sums->visible);
    if (sums->forged > 0)
        printf("  %" PRIu64 " captures with forged packets\n", sums->forged);
    printf("  %" PRIu64 " wrong\n", sums->failed);
}

static int simulate_run(const struct simulate_options *options, struct judge *judge)
{
    struct simulate_sums sums = {0};
    const gint64 begun = g_get_monotonic_time(), first = options->seed;
    const clock_t worked = clock();
    int status = COMMAND_DONE;
    double elapsed = 0;

    while (status == COMMAND_DONE && sums.failed < (uint64_t)options->failures &&
           (options->seconds > 0 ? elapsed < options->seconds : sums.played < (uint64_t)options->count)) {
        status = simulate_seed(options, judge, (uint64_t)first + sums.played, &sums);
        elapsed = (double)(g_get_monotonic_time() - begun) / G_USEC_PER_SEC;
    }
    simulate_say_sums(&sums, (uint64_t)first, (double)(clock() - worked) / CLOCKS_PER_SEC);
    return status != COMMAND_DONE ? status : sums.failed > 0 ? COMMAND_FAILED : COMMAND_DONE;
}

static int simulate_checked(struct simulate_options *options)
{
    const struct command_range ranges[] = {
        {"--count", (double)options->count, 1, 1e12, NULL},
        {"--seconds", options->seconds, 0, 1e7, " seconds"},
        {"--failures", options->failures, 1, 1e9, NULL},
    };
    int status = command_check_ranges(ranges, G_N_ELEMENTS(ranges));
    g_autofree char *error = NULL;
    struct judge *judge;

    if (status != COMMAND_DONE)
        return status;
    if (options->output && options->count != 1)
        return command_fail("-w writes the capture of one seed; it needs --count=1");
    if (options->adversary && !(options->who = adversary_named(options->adversary)))
        return command_fail("no adversary '%s': outsider, blind, initiator or responder", options->adversary);
    options->wish.conforming = options->conforming;
    if (options->inject && !(options->wish.fault = fault_find(options->inject)))
        return command_fail("no fault '%s' (see: iwarp-gen list faults)", options->inject);
    judge = judge_open((const char *const *)options->check, &error);
    if (!judge)
        return command_fail("%s", error);
    status = simulate_run(options, judge);
    judge_close(judge);
    return status;
}

int command_simulate(int argc, char **argv)
{
    static const struct command_usage usage = {
        "",
        "Plays random conversations, conforming or with one planted fault, and compares the checker's findings with "
        "the plan.",
        "A seed always gives the same conversation, also alone: --seed=N --count=1.",
    };
    struct simulate_options options = {.seed = 1, .count = 1000, .failures = 10};
    const GOptionEntry entries[] = {
        {"seed", 0, 0, G_OPTION_ARG_INT64, &options.seed, "the first seed (default 1)", "N"},
        {"count", 0, 0, G_OPTION_ARG_INT64, &options.count, "number of seeds (default 1000)", "N"},
        {"seconds", 0, 0, G_OPTION_ARG_DOUBLE, &options.seconds, "instead of --count: as many seeds as fit", "S"},
        {"failures", 0, 0, G_OPTION_ARG_INT, &options.failures, "stop after N wrong conversations (default 10)", "N"},
        {"inject", 0, 0, G_OPTION_ARG_STRING, &options.inject, "plant this fault in each conversation", "ID"},
        {"conforming", 0, 0, G_OPTION_ARG_NONE, &options.conforming, "plant no fault", NULL},
        {"adversary", 0, 0, G_OPTION_ARG_STRING, &options.adversary,
         "forge packets that no receiver accepts: outsider, blind, initiator or responder; the verdict must stay",
         "WHO"},
        {"check", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.check,
         "option of iwarp-check for the checker, such as --skip=ID; may be repeated", "OPTION"},
        {"reduce", 0, 0, G_OPTION_ARG_NONE, &options.reduce, "shorten each wrong conversation", NULL},
        {"verbose", 'v', 0, G_OPTION_ARG_NONE, &options.verbose, "show every conversation", NULL},
        {"write", 'w', 0, G_OPTION_ARG_FILENAME, &options.output, "write the seed's capture; needs --count=1", "FILE"},
        G_OPTION_ENTRY_NULL,
    };
    int status;

    if (command_parse(&usage, entries, &argc, &argv, 0, 0, &status))
        status = simulate_checked(&options);
    command_clear(entries);
    return status;
}
