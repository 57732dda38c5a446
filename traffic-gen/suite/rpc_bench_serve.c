// SPDX-License-Identifier: GPL-2.0-or-later
/* The bench as the server of a device that is a client: its Calls wait or are answered, and it goes on, or unmounts. */
#include "traffic-gen/suite/rpc_bench.h"

#include "traffic-gen/suite/talk_internal.h"

enum { TRIES = 3, BUSY = 20 /* Calls of a device that works all the time */ };

/* On a connection without stimulus it makes one Call after the other. */
static bool is_busy_otherwise(struct talk *talk)
{
    struct rpc_bench bench;
    bool busy = rpc_bench_open(&bench, talk, NULL) && rpc_bench_serve(&bench, BUSY, talk_t_close(talk));

    rpc_bench_close(&bench);
    talk_hang_up(talk);
    return busy;
}

/*
 * A device that unmounts, or makes no more Calls, may have its own reasons. It has not when it does so each time behind
 * the stimulus, and not without it.
 */
void rpc_bench_with_client(struct talk *talk, const struct suite_test *test, const struct bench_wish *wish,
                           void (*one)(struct rpc_bench *bench, const struct suite_test *test))
{
    struct test_result *result = talk->result;
    g_autofree char *what = NULL, *doubt = NULL;

    for (unsigned tries = 0; tries < TRIES; tries++) {
        struct rpc_bench bench;
        bool unmounted, is_quiet;

        g_clear_pointer(&doubt, g_free);

        if (rpc_bench_open(&bench, talk, wish))
            one(&bench, test);
        unmounted = rpc_bench_unmounted(&bench);
        is_quiet = bench.is_quiet;
        doubt = g_strdup(bench.doubt);
        rpc_bench_close(&bench);
        talk_hang_up(talk);
        if (!(unmounted || is_quiet || doubt) || result->outcome == TEST_FAILED || result->outcome == TEST_PASSED)
            return;
        if (is_quiet)
            break;
        if (unmounted && wish && wish->may_close)
            return;
    }
    if (doubt) {
        talk_failed(talk, "%s", doubt);
        return;
    }
    what = g_strdup(result->actual);
    if (is_busy_otherwise(talk))
        talk_failed(talk, "%s; it does so behind the stimulus only", what);
    else
        talk_inconclusive(talk, "%s: it is to be kept busy", what);
}

void rpc_bench_doubt(struct rpc_bench *bench, const char *what)
{
    bench->doubt = what;
    talk_inconclusive(bench->talk, "%s, though not each time", what);
}

bool rpc_bench_unmounted(const struct rpc_bench *bench)
{
    return bench->fed_end && bench->closed_idle && !bench->terminated;
}

bool rpc_bench_tell_unmounted(struct rpc_bench *bench)
{
    if (!rpc_bench_unmounted(bench))
        return false;
    talk_inconclusive(bench->talk, "the device closes with no Call outstanding, as an unmount does");
    return true;
}

bool rpc_bench_wait_calls(struct rpc_bench *bench, unsigned n)
{
    int64_t until = talk_now() + talk_t_close(bench->talk);

    bench->hold = true;
    while (bench->n_held < n && !bench->fed_end && talk_now() < until)
        rpc_bench_hear(bench, MAX(until - talk_now(), 0));
    if (bench->n_held >= n)
        return true;
    if (!rpc_bench_tell_unmounted(bench))
        talk_inconclusive(bench->talk, "the device makes only %u of %u Calls: it is to be kept busy", bench->n_held, n);
    return false;
}

static bool has_served(const struct rpc_bench *bench)
{
    return bench->served >= bench->served_wanted;
}

bool rpc_bench_serve(struct rpc_bench *bench, unsigned n, int64_t ns)
{
    bench->hold = false;
    while (bench->n_held > 0)
        rpc_bench_answer(bench, 0);
    bench->served_wanted = bench->served + n;
    rpc_bench_pump(bench, ns, has_served);
    return has_served(bench);
}

/*
 * As many Calls as it has credits may have been on the way before: one more is made behind an answer of now; and so is
 * one that comes much later than what our side said last.
 */
bool rpc_bench_goes_on(struct rpc_bench *bench)
{
    int64_t late = talk_now() + talk_t_react(bench->talk) / 4;

    return rpc_bench_serve(bench, bench->credits + 1, talk_t_close(bench->talk)) || bench->served_at > late;
}

void rpc_bench_judge_goes_on(struct rpc_bench *bench, const char *what)
{
    bool serves = rpc_bench_goes_on(bench);
    struct talk *talk = bench->talk;

    if (serves)
        talk_passed(talk, "%s: the device goes on", what);
    else if (bench->terminated)
        talk_failed(talk, "%s: expected the device to go on, found a Terminate", what);
    else if (rpc_bench_tell_unmounted(bench))
        return;
    else if (bench->fed_end)
        talk_failed(talk, "%s: expected the device to go on, found the end of the connection", what);
    else {
        bench->is_quiet = true;
        talk_inconclusive(talk, "%s: the device makes no more Calls", what);
    }
}

void rpc_bench_answer(struct rpc_bench *bench, unsigned index)
{
    struct bench_held *held = &bench->held[index];

    rpc_bench_serve_call(bench, held->id, &held->call);
    g_free(held->call.p);
    *held = bench->held[--bench->n_held];
}
