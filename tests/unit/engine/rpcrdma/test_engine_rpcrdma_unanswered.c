// SPDX-License-Identifier: GPL-2.0-or-later
/* Unanswered Calls, where silence or a close proves nothing. rules/rpcrdma.cases and rules/rpc.cases have the rest. */
#include "tests/unit/support/rpcrdma_talk.h"

enum { READ3 = 6 };

static const int64_t second = 1000000000;

static struct rpcrdma_talk *reacting(void)
{
    struct rpcrdma_talk *t = talk_new();

    t->seen.keeps = NULL;
    return t;
}

static uint32_t call_after(struct rpcrdma_talk *t, uint32_t xid, unsigned seconds)
{
    talk_wait(t, (int64_t)seconds * second);
    return talk_call(t, C, xid);
}

/* READ of 4096 octets into a Write chunk of this many segments. */
static uint32_t call_read(struct rpcrdma_talk *t, uint32_t xid, uint32_t segments)
{
    static const uint32_t words[] = {8, 1, 2, 0, 0, 4096};
    struct rpcrdma_segment places[8];
    struct rpcrdma_write_plan chunk = {places, segments};
    struct rpcrdma_plan plan = talk_plan(t, C, xid);
    uint8_t arguments[24];
    size_t n = talk_words(arguments, sizeof arguments, words, 6);

    for (uint32_t i = 0; i < segments; i++)
        places[i] =
            (struct rpcrdma_segment){.handle = 0xB0000000 + 16 * xid + i, .length = 4096 / segments, .offset = 0x1000};
    plan.writes = &chunk;
    plan.n_writes = 1;
    return talk_call_with(t, C, &plan, TALK_NFS, 3, READ3, arguments, n);
}

/* ---- silence ---- */

/* A capture that begins in mid-stream shows only what comes later; of a missing direction it shows nothing. */
UNIT_TEST(test_midstream)
{
    struct rpcrdma_options options = {.profile = PROFILE_IETF, .always = true};
    struct rpcrdma_talk *t = talk_new_bare(&options);
    uint32_t frame;

    t->seen.keeps = NULL;
    talk_midstream(t);
    talk_call(t, C, 0x10);
    talk_wait(t, 100 * second);
    talk_expect_nothing(t);
    t = talk_new_bare(&options);
    t->seen.keeps = NULL;
    talk_midstream(t);
    talk_call(t, C, 0x10);
    talk_reply(t, S, 0x10);
    frame = talk_call(t, C, 0x11);
    talk_wait(t, 100 * second);
    talk_expect(t, RULE_RPCR_4_5_4_03, SEVERITY_WARNING, frame);
}

/* ---- closes ---- */

static void expect_reset(struct rpcrdma_talk *t, enum rule_severity severity)
{
    talk_end(t, S, true);
    talk_expect(t, RULE_RPC_3_01, severity, t->frame);
}

UNIT_TEST(test_what_a_lost_server_does)
{
    struct rpcrdma_talk *t = reacting();

    call_read(t, 0x10, 1);
    t->unacknowledged = true;
    expect_reset(t, SEVERITY_NOTE);
    t = reacting();
    call_read(t, 0x10, 1);
    t->forgotten = true;
    talk_end(t, S, true);
    talk_expect_nothing(t);
    t = reacting();
    call_read(t, 0x10, 1);
    t->missing[S] = true;
    talk_end(t, S, true);
    talk_expect_nothing(t);
    t = reacting();
    call_read(t, 0x10, 1);
    talk_wait(t, 10 * second);
    expect_reset(t, SEVERITY_NOTE);
    t = reacting();
    call_read(t, 0x10, 1);
    talk_wait(t, 10 * second);
    talk_close(t, S);
    talk_expect_nothing(t);
}

/* A reset without ACK may come from anyone; so may one after a silence, or after retransmissions. */
UNIT_TEST(test_trouble_before_the_reset)
{
    struct rpcrdma_talk *t = reacting();

    call_read(t, 0x10, 1);
    t->bare = true;
    expect_reset(t, SEVERITY_NOTE);
    t = reacting();
    call_read(t, 0x10, 1);
    t->silent = true;
    talk_end(t, S, true);
    talk_expect_nothing(t);
    for (unsigned before = 1; before <= 3; before += 2) {
        t = reacting();
        talk_wait(t, 10 * second);
        t->resent_ns = t->time_ns - before * second;
        call_read(t, 0x10, 1);
        if (before == 3) {
            expect_reset(t, SEVERITY_WARNING);
            continue;
        }
        talk_end(t, S, true);
        talk_expect_nothing(t);
    }
}

UNIT_TEST(test_reset_explained)
{
    struct rpcrdma_talk *t = reacting();

    talk_call(t, C, 0x10);
    call_after(t, 0x10, 5); /* sent again */
    talk_end(t, S, true);
    findings_inconclusive(&t->seen, RULE_RPC_3_01);
    talk_finish(t);
    assert_int_equal(rule_counts_of(&t->seen.counts, RULE_RPC_3_01).failed, 0);
    talk_free(t);
    t = reacting();
    t->faulty = true; /* findings of lower layers */
    talk_call(t, C, 0x10);
    t->faulty = false;
    talk_call(t, C, 0x11);
    talk_end(t, S, true);
    talk_expect_nothing(t);
    t = reacting();
    talk_call(t, C, 0x10);
    talk_hole(t, C);
    talk_call(t, C, 0x11);
    talk_end(t, S, true);
    talk_expect_nothing(t);
}

/* On a host without visible closes, as the plugins are under Wireshark's TCP dissector. */
static struct rpcrdma_talk *seeing_payload_alone(void)
{
    struct rpcrdma_options options = {.profile = PROFILE_IETF, .payload_only = true};
    struct rpcrdma_talk *t = talk_new_with(&options);

    t->seen.keeps = NULL;
    return t;
}

/* The responder has continued, so it did not close. */
UNIT_TEST(test_payload_shows_that_it_went_on)
{
    struct rpcrdma_talk *t = seeing_payload_alone();
    uint32_t frame = talk_call(t, C, 0x10);

    call_after(t, 0x11, 31);
    talk_reply(t, S, 0x11);
    talk_expect(t, RULE_RPCR_4_5_4_03, SEVERITY_WARNING, frame);
}

/* It continued, but not long enough; whether it closed later is unknown. */
UNIT_TEST(test_payload_does_not_show_silence)
{
    struct rpcrdma_talk *t = seeing_payload_alone();

    talk_call(t, C, 0x10);
    call_after(t, 0x11, 29);
    talk_reply(t, S, 0x11);
    call_after(t, 0x12, 31);
    talk_wait(t, 31 * second);
    talk_expect_nothing(t);
}
