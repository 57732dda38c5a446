// SPDX-License-Identifier: GPL-2.0-or-later
/* The talker as server for a device that is a client: its Calls wait or are answered, and it continues or unmounts. */
#include "traffic-gen/tester/suite/rpc/rpc_talker.h"

#include "traffic-gen/tester/suite/rpc/rpc_port.h"
#include "traffic-gen/tester/suite/talk/talk_job.h"

enum { TRIES = 3, BUSY = 20 /* number of Calls of a busy device */ };

/* Whether the device makes Call after Call on a connection without a stimulus, except on the first connection. */
static bool is_busy_otherwise(struct talk *talk)
{
    bool busy = false;

    for (unsigned tries = 0; tries < TRIES && !busy; tries++) {
        struct rpc_talker talker;

        busy = rpc_talker_open(&talker, talk, NULL) && rpc_talker_serve(&talker, BUSY, talk_t_close(talk));
        rpc_talker_close(&talker);
        talk_hang_up(talk);
    }
    return busy;
}

/* Tries until a decision, or silence. False: nothing more can be judged; else *last is the last try that counts. */
static bool try_with_client(struct talk *talk, const struct suite_case *row, const struct talker_wish *wish,
                            struct rpc_talker *last)
{
    const struct case_result *result = talk_job(talk)->result;

    for (unsigned tries = 0, in_vain = 0; tries < TRIES && !last->server.is_quiet;) {
        struct rpc_talker talker;

        if (rpc_talker_open(&talker, talk, wish))
            row->on(&talker, row);
        rpc_talker_close(&talker);
        talk_hang_up(talk);
        if (talker.server.left_early) {
            in_vain++;
        } else {
            tries++;
            *last = talker;
        }
        if (result->outcome == OUTCOME_FAILED || result->outcome == OUTCOME_PASSED || in_vain == TRIES)
            return false;
        if (!talker.server.left_early && !(rpc_talker_unmounted(last) || last->server.is_quiet || last->server.doubt))
            return false;
    }
    return true;
}

/*
 * A device that unmounts, or makes no more Calls, may have its own reasons, unless it does so each time after the
 * stimulus and never without it. If it does so before any stimulus, the connection does not count.
 */
void rpc_talker_with_client(struct talk *talk, const struct suite_case *row, const struct talker_wish *wish)
{
    struct rpc_talker last = {0};
    bool is_open = try_with_client(talk, row, wish, &last) && !(rpc_talker_unmounted(&last) && wish->may_close);
    g_autofree char *what = NULL;

    if (!is_open)
        return;
    if (last.server.doubt) {
        talk_failed(talk, "%s", last.server.doubt);
        return;
    }
    what = g_strdup(talk_actual(talk));
    if (is_busy_otherwise(talk))
        talk_failed(talk, "%s; it does so only after the stimulus", what);
    else
        talk_inconclusive(talk, "%s: keep the device busy", what);
}

void rpc_talker_doubt(struct rpc_talker *talker, const char *what)
{
    talker->server.doubt = what;
    talk_inconclusive(talker->talk, "%s, but not each time", what);
}

bool rpc_talker_unmounted(const struct rpc_talker *talker)
{
    return talker->fed_end && talker->server.closed_idle && !talker->terminated;
}

bool rpc_talker_judge_unmounted(struct rpc_talker *talker)
{
    if (!rpc_talker_unmounted(talker))
        return false;
    talk_inconclusive(talker->talk, "the device closed with no Call outstanding, as an unmount does");
    return true;
}

bool rpc_talker_left_early(struct rpc_talker *talker)
{
    /* Also when no Call was heard: soft iWARP on our side may miss the first Call until there is a second. */
    talker->server.left_early = talker->fed_end || talker->heard->len == 0;
    if (talker->fed_end && !rpc_talker_judge_unmounted(talker))
        talk_inconclusive(talker->talk, "the device ended the connection before the stimulus");
    return talker->fed_end;
}

bool rpc_talker_wait_calls(struct rpc_talker *talker, unsigned n)
{
    int64_t until = talk_now() + talk_t_close(talker->talk);

    talker->server.hold = true;
    while (talker->server.n_held < n && !talker->fed_end && talk_now() < until)
        rpc_talker_hear(talker, MAX(until - talk_now(), 0));
    if (talker->server.n_held >= n)
        return true;
    if (!rpc_talker_left_early(talker))
        talk_inconclusive(talker->talk, "the device made only %u of %u Calls: keep it busy", talker->server.n_held, n);
    return false;
}

static bool has_served(const struct rpc_talker *talker)
{
    return talker->server.served >= talker->server.wanted;
}

bool rpc_talker_serve(struct rpc_talker *talker, unsigned n, int64_t ns)
{
    talker->server.hold = false;
    while (talker->server.n_held > 0)
        rpc_talker_answer(talker, 0);
    talker->server.wanted = talker->server.served + n;
    rpc_talker_pump(talker, ns, has_served);
    return has_served(talker);
}

/*
 * As many Calls as it has credits may have been under way before: one more Call must follow a recent Reply, and so must
 * a Call long after our last message.
 */
static bool rpc_talker_continues(struct rpc_talker *talker)
{
    int64_t late = talk_now() + talk_t_react(talker->talk) / 4;

    return rpc_talker_serve(talker, talker->server.credits + 1, talk_t_close(talker->talk)) ||
           talker->server.served_at > late;
}

void rpc_talker_judge_continues(struct rpc_talker *talker, const char *what)
{
    bool serves = rpc_talker_continues(talker);
    struct talk *talk = talker->talk;

    what = what ? what : talk_job(talk)->row->stimulus;
    if (serves)
        talk_passed(talk, "%s: the device continues", what);
    else if (talker->terminated)
        talk_failed(talk, "%s: expected the device to continue; found %s", what,
                    talker->error == QP_LOCAL_LENGTH && !talker->port->is_blind ? "a Terminate"
                                                                                : rpc_talker_end_words(talker));
    else if (rpc_talker_judge_unmounted(talker))
        return;
    else if (talker->fed_end)
        talk_failed(talk, "%s: expected the device to continue; found the end of the connection", what);
    else {
        talker->server.is_quiet = true;
        talk_inconclusive(talk, "%s: expected the device to continue; it made no more Calls", what);
    }
}

unsigned rpc_talker_held(const struct rpc_talker *talker)
{
    unsigned i = 0;

    while (i < talker->server.n_held && talker->server.held[i].xid != talker->xid)
        i++;
    return i;
}

void rpc_talker_drop(struct rpc_talker *talker, unsigned index)
{
    if (index >= talker->server.n_held)
        return;
    g_free(talker->server.held[index].call.p);
    talker->server.held[index] = talker->server.held[--talker->server.n_held];
}

void rpc_talker_answer(struct rpc_talker *talker, unsigned index)
{
    if (index < talker->server.n_held)
        rpc_talker_serve_call(talker, talker->server.held[index].id, &talker->server.held[index].call);
    rpc_talker_drop(talker, index);
}
