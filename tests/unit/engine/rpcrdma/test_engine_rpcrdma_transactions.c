// SPDX-License-Identifier: GPL-2.0-or-later
/* The states of a Call: what has become of it, what the capture lacks of it, and whether it was read. */
#include "tests/unit/support/rpcrdma_talk.h"

enum { NULL_XID = 0x10, OTHER_XID = 0x11 };

/* A conversation that keeps the transactions of its Calls. */
static struct {
    struct rpcrdma_talk *talk;
    const struct rpcrdma_transaction *call[4];
    unsigned n;
} kept;

static void keep_call(void *ctx, const struct rpcrdma_message *message)
{
    (void)ctx;
    if (message->kind == RPCRDMA_KIND_CALL && kept.n < 4)
        kept.call[kept.n++] = message->transaction;
}

static struct rpcrdma_talk *talk_kept(const struct rpcrdma_options *options)
{
    kept.talk = options ? talk_new_bare(options) : talk_new();
    kept.n = 0;
    kept.talk->watch.message = keep_call;
    return kept.talk;
}

/* Entries of the counts for NULL, with the greeting. */
static void expect_counts(struct rpcrdma_talk *t, uint64_t calls, uint64_t replies)
{
    const struct rpcrdma_counts *counts = rpcrdma_connection_counts(t->rpcrdma);

    assert_int_equal(counts->n, 1);
    assert_int_equal(counts->procedures[0].calls, calls);
    assert_int_equal(counts->procedures[0].replies, replies);
    assert_int_equal(counts->procedures[0].errors, 0);
}

/* One Reply settles both copies of a Call; the server may answer the second copy, too. */
UNIT_TEST(test_copies)
{
    for (unsigned replies = 0; replies <= 2; replies++) {
        struct rpcrdma_talk *t = talk_kept(NULL);

        talk_call(t, C, NULL_XID);
        talk_call(t, C, NULL_XID);
        assert_int_equal(kept.n, 2);
        assert_false(kept.call[0]->repeats);
        assert_true(kept.call[1]->repeats);
        for (unsigned i = 0; i < replies; i++)
            talk_reply(t, S, NULL_XID);
        assert_int_equal(kept.call[1]->outcome, replies > 0 ? RPCRDMA_REPLIED : RPCRDMA_OUTSTANDING);
        assert_int_equal(kept.call[0]->outcome, replies == 0   ? RPCRDMA_OUTSTANDING
                                                : replies == 1 ? RPCRDMA_SETTLED
                                                               : RPCRDMA_REPLIED);
        assert_int_equal(rpcrdma_waits(kept.call[0]), replies < 2);
        talk_finish(t);
        expect_counts(t, 3, replies > 0 ? 3 : 1);
        talk_finish(t); /* counts nothing again */
        expect_counts(t, 3, replies > 0 ? 3 : 1);
        talk_free(t);
    }
}

/* A copy after the Reply waits for a Reply of its own. */
UNIT_TEST(test_copy_after_the_reply)
{
    struct rpcrdma_talk *t = talk_kept(NULL);

    talk_call(t, C, NULL_XID);
    talk_call(t, C, NULL_XID);
    talk_reply(t, S, NULL_XID);
    talk_call(t, C, NULL_XID);
    assert_int_equal(kept.call[0]->outcome, RPCRDMA_SETTLED);
    assert_int_equal(kept.call[2]->outcome, RPCRDMA_OUTSTANDING);
    talk_reply(t, S, NULL_XID);
    assert_int_equal(kept.call[2]->outcome, RPCRDMA_REPLIED);
    assert_int_equal(kept.call[0]->outcome, RPCRDMA_SETTLED);
    talk_free(t);
}

UNIT_TEST(test_damage)
{
    struct rpcrdma_talk *t = talk_kept(NULL);

    talk_call(t, C, NULL_XID);
    assert_int_equal(kept.call[0]->damage, RPCRDMA_WHOLE);
    talk_hole(t, S);
    talk_call(t, C, OTHER_XID);
    talk_reply(t, S, OTHER_XID); /* only now is the hole seen */
    assert_int_equal(kept.call[0]->damage, RPCRDMA_DAMAGED);
    assert_true(rpcrdma_waits(kept.call[0]));
    talk_reply(t, S, NULL_XID);
    assert_int_equal(kept.call[0]->damage, RPCRDMA_DAMAGED);
    assert_int_equal(kept.call[0]->outcome, RPCRDMA_REPLIED);
    talk_free(t);
}

/* The capture has the Reply before its Call: the Call is answered. */
UNIT_TEST(test_late)
{
    const struct rpcrdma_options options = {.profile = PROFILE_IETF, .always = true};
    struct rpcrdma_talk *t = talk_kept(&options);

    t->infiniband = true;
    talk_midstream(t);
    talk_greet(t);
    talk_hole(t, C);
    talk_reply(t, S, NULL_XID);
    talk_call(t, C, NULL_XID);
    assert_int_equal(kept.call[kept.n - 1]->damage, RPCRDMA_LATE);
    assert_int_equal(kept.call[kept.n - 1]->outcome, RPCRDMA_REPLIED);
    talk_free(t);
}

/* The Call that is forgotten to make room has the new Call's XID: the new Call is compared with no Call. */
UNIT_TEST(test_forgotten_namesake)
{
    const struct rpcrdma_options options = {.profile = PROFILE_IETF, .always = true, .transactions_max = 2};
    struct rpcrdma_talk *t = talk_kept(&options);
    struct rpcrdma_plan plan;

    talk_midstream(t);
    talk_call(t, C, NULL_XID);
    talk_call(t, C, OTHER_XID);
    plan = talk_plan(t, C, NULL_XID);
    talk_call_with(t, C, &plan, TALK_NFS, 3, 1, "\0\0\0\4abcd", 8);
    assert_int_equal(kept.n, 3);
    assert_false(kept.call[2]->repeats);
    assert_false(kept.call[2]->ambiguous);
    talk_free(t);
}

/* Chunks that cannot be kept: nothing is left of the lists. */
UNIT_TEST(test_too_many_chunks)
{
    static struct rpcrdma_write_plan writes[RPCRDMA_CHUNKS_MAX];
    struct rpcrdma_read_segment read = {.position = 40, .target = {.handle = 0x77, .length = 4, .offset = 0x1000}};
    struct rpcrdma_talk *t = talk_kept(NULL);
    struct rpcrdma_plan plan = talk_plan(t, C, NULL_XID);

    plan.reads = &read;
    plan.n_reads = 1;
    plan.writes = writes;
    plan.n_writes = RPCRDMA_CHUNKS_MAX;
    talk_call_with(t, C, &plan, TALK_NFS, 3, 0, NULL, 0);
    assert_true(kept.call[0]->offers_lost);
    assert_int_equal(kept.call[0]->n_chunks, 0);
    assert_int_equal(kept.call[0]->first_write, 0);
    talk_free(t);
}
