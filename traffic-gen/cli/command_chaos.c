// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/cli/command_chaos.h"

#include "traffic-gen/cli/command.h"
#include "traffic-gen/explore/chaos/chaos.h"
#include "traffic-gen/tester/suite/expect/learn_device.h"
#include "traffic-gen/tester/suite/rpc/nfs_run.h"
#include "traffic-gen/tester/suite/run/choice.h"
#include "traffic-gen/tester/suite/transport/tcp_socket.h"

#include <stdio.h>

enum { STEPS = 200, SECONDS_TO_START = 60, SECONDS_TO_REST = 120, SECONDS_TO_ACCEPT = 10, SECONDS_TO_RECOVER = 3 };

/* The reduced history that breaks the invariant. */
static void report_broken(const struct chaos_server *server, const GArray *steps, const struct chaos_outcome *outcome)
{
    g_autoptr(GArray) so_far = g_array_new(FALSE, FALSE, sizeof(struct chaos_step)), left = NULL;
    struct chaos_outcome last;
    unsigned runs;

    g_array_append_vals(so_far, steps->data, MIN(outcome->steps, steps->len));
    printf("broken at step %u: %s\n", outcome->steps, outcome->what);
    left = chaos_reduce(server, so_far, &runs);
    chaos_run(server, left, &last);
    if (last.end == CHAOS_NO_SERVER) {
        printf("not reduced: %s\n", last.what);
        g_free(last.what);
        return;
    }
    printf("reduced to %u of %u steps, by %u runs:\n", left->len, so_far->len, runs);
    for (guint i = 0; i < left->len; i++) {
        g_autofree char *text = chaos_step_text(&g_array_index(left, struct chaos_step, i));

        printf("  %u. %s\n", i + 1, text);
    }
    if (left->len == 0)
        printf("  (nothing: reading the empty file, and removing directories that do not exist)\n");
    printf("then: %s\n", last.end == CHAOS_BROKEN ? last.what : "nothing was broken this time: it is not always so");
    g_free(last.what);
}

static int run_history(const struct chaos_server *server, const GArray *steps)
{
    struct chaos_outcome outcome;
    int status = COMMAND_FAILED;

    chaos_run(server, steps, &outcome);
    if (outcome.end == CHAOS_NO_SERVER) {
        status = command_fail("%s: %s", server->address, outcome.what);
    } else {
        printf("%u steps, %u faults, %u connections", outcome.steps, outcome.faults, outcome.connections);
        if (server->restart)
            printf(", %u restarts", outcome.restarts);
        putchar('\n');
        if (outcome.end == CHAOS_BROKEN)
            report_broken(server, steps, &outcome);
        else if (suite_stopped)
            command_fail("stopped");
        else
            status = COMMAND_DONE;
    }
    g_free(outcome.what);
    return status;
}

static int run_on(const char *address, const struct chaos_options *options, guint64 seed)
{
    g_autofree char *host = NULL, *port = NULL, *why = NULL;
    g_autoptr(GError) error = NULL;
    g_autoptr(GArray) steps =
        chaos_history((uint32_t)seed, options->steps ? (unsigned)options->steps : STEPS, options->restart);
    struct talk_run run = {
        .dut = DUT_RESPONDER,
        .listener = -1,
        .t_react = command_nanoseconds(options->timeout / 2.5), /* the limit for an answer is 2.5 times this */
        .t_start = command_nanoseconds(SECONDS_TO_START),
        .t_idle = command_nanoseconds(SECONDS_TO_REST),
        .t_accept = command_nanoseconds(SECONDS_TO_ACCEPT),
        .t_recover = command_nanoseconds(SECONDS_TO_RECOVER),
        .t_settle = command_nanoseconds(options->first_delay),
        .jobs = 1,
        .received_max = TALK_RECEIVED_MAX,
        .services = NEED_RPC | NEED_NFS | NEED_RECEIVES,
    };
    const struct chaos_server server = {.run = &run,
                                        .address = address,
                                        .restart = options->restart,
                                        .t_restart = command_nanoseconds(options->t_restart)};
    int status;

    if (!choice_address(address, false, &host, &port, &error))
        return command_fail("%s", error->message);
    run.host = host;
    run.port = port;
    run.seed = g_random_int();
    run.nfs = nfs_run_new();
    run.nfs->export = options->export;
    run.nfs->wanted = 1 << NFS_V41;
    suite_stop_on_signals();
    if (learn_device(&run, &why)) {
        printf("--chaos=%" G_GUINT64_FORMAT ": ", seed);
        status = run_history(&server, steps);
    } else {
        status = command_fail("%s: %s", address, why);
    }
    nfs_run_free(run.nfs);
    return status;
}

int command_chaos(const char *address, const struct chaos_options *options)
{
    guint64 seed;

    if (!g_ascii_string_to_unsigned(options->seed, 10, 0, UINT32_MAX, &seed, NULL))
        return command_fail("--chaos: '%s' is not from 0 to 4294967295", options->seed);
    if (options->steps < 0 || options->steps > CHAOS_STEPS_MAX)
        return command_fail("--count: %d is not from 1 to %d", options->steps, CHAOS_STEPS_MAX);
    if (!(options->timeout >= 0.1 && options->timeout <= 3600))
        return command_fail("--timeout: %g is not from 0.1 to 3600 seconds", options->timeout);
    if (!(options->t_restart >= 0.1 && options->t_restart <= 3600))
        return command_fail("--restart-timeout: %g is not from 0.1 to 3600 seconds", options->t_restart);
    return run_on(address, options, seed);
}
