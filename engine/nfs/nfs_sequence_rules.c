// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Answers to SEQUENCE and CB_SEQUENCE, or to the operation after them: NFS4ERR_RETRY_UNCACHED_REP,
 * NFS4ERR_SEQ_FALSE_RETRY and NFS4ERR_SEQ_MISORDERED claim that a request is a retry, or out of order (RFC 8881
 * sections 2.10.6.1 and 18.46.3). A request that follows the latest request in its slot, which was carried out, is
 * neither. Only sessions created on this connection are judged. Other connections may use these sessions, too;
 * engine/across knows about that.
 */
#include "engine/core/heap.h"
#include "engine/nfs/nfs_internal.h"
#include "wire/invariant.h"

#include <inttypes.h>

enum {
    SEQ_MISORDERED = 10063, /* values of nfsstat4: RFC 5662 */
    RETRY_UNCACHED_REP = 10068,
    SEQ_FALSE_RETRY = 10076,
};

static uint32_t sequence_op(const struct nfs_look *look)
{
    return look->t->reverse ? NFS_OP_CB_SEQUENCE : NFS_OP_SEQUENCE;
}

/* ---- slots ---- */

/* NULL: out of memory. */
static struct nfs_turn *turn_of(struct nfs_connection *nfs, const struct nfs_turn *turn)
{
    uint64_t h = turn->session + turn->slot + turn->reverse * (NFS_TURNS_MAX / 2);

    if (!nfs->sequence.turns)
        nfs->sequence.turns = heap_zeroed(NFS_TURNS_MAX, sizeof *nfs->sequence.turns);
    return !nfs->sequence.turns ? NULL : &nfs->sequence.turns[(h ^ h >> 32) % NFS_TURNS_MAX];
}

static bool same_slot(const struct nfs_turn *a, const struct nfs_turn *b)
{
    return a->session == b->session && a->slot == b->slot && a->reverse == b->reverse;
}

void nfs_sequence_call(struct nfs_look *look)
{
    struct nfs_exchange *exchange = look->exchange;
    struct nfs_turn turn = {.any = true, .reverse = look->t->reverse, .session = exchange->session_hash}, *latest;
    uint32_t op = sequence_op(look);

    if (!exchange->in_session || look->body->n_operations == 0 || look->body->operations[0].op != op ||
        !nfs_value_of(look->body, NFS_MARK_SLOT, op, &turn.slot) ||
        !nfs_value_of(look->body, NFS_MARK_SEQUENCE, op, &turn.sequence))
        return;
    latest = turn_of(look->nfs, &turn);
    if (!latest)
        return;
    if (look->t->repeats) {
        latest->done = false;
        return;
    }
    /* The request is the first in its slot, or the next. */
    exchange->in_turn = exchange->session_frame != 0 && (!latest->any ? turn.sequence == 1
                                                                      : same_slot(latest, &turn) && latest->done &&
                                                                            turn.sequence == latest->sequence + 1);
    exchange->turn = turn;
    *latest = turn;
    INVARIANT(!exchange->in_turn || (exchange->session_frame != 0 && turn.sequence > 0));
}

/* ---- answers ---- */

const struct rpcrdma_across_refusals *nfs_connection_refusals(const struct nfs_connection *nfs)
{
    return &nfs->sequence.refusals;
}

static const char *status_name(uint32_t status)
{
    switch (status) {
    case SEQ_MISORDERED:
        return "NFS4ERR_SEQ_MISORDERED";
    case RETRY_UNCACHED_REP:
        return "NFS4ERR_RETRY_UNCACHED_REP";
    case SEQ_FALSE_RETRY:
        return "NFS4ERR_SEQ_FALSE_RETRY";
    default:
        return NULL;
    }
}

static bool has_status(const struct rpcrdma_body *body, unsigned i, uint32_t status)
{
    return i < body->n_operations && body->operations[i].has_status && body->operations[i].status == status;
}

/* NFS4ERR_RETRY_UNCACHED_REP where it is impossible, whatever the earlier requests were. */
static bool judge_uncached(const struct nfs_look *look)
{
    const struct rpcrdma_body *body = look->body;
    uint32_t cachethis = 0;
    unsigned i = 0;

    while (i < body->n_operations && !has_status(body, i, RETRY_UNCACHED_REP))
        i++;
    if (i == body->n_operations)
        return true;
    if (i != 1 && (i == 0 || body->operations[i].op != sequence_op(look))) {
        nfs_fail(look, RULE_NFS41_2_10_6_1_3_01,
                 "expected NFS4ERR_RETRY_UNCACHED_REP only of the operation after %s; found NFS4ERR_RETRY_UNCACHED_REP "
                 "as result %u",
                 nfs_op_name(sequence_op(look), look->t->reverse), i + 1);
        return false;
    }
    nfs_pass(look, RULE_NFS41_2_10_6_1_3_01);
    if (look->t->damage || look->exchange->in_turn ||
        !nfs_value_of(&look->t->open->call_body, NFS_MARK_CACHE_THIS, sequence_op(look), &cachethis))
        return true;
    if (cachethis != 0)
        nfs_fail(look, RULE_NFS41_2_10_6_1_3_02,
                 "expected the cached reply to a request whose %s asked for it; found NFS4ERR_RETRY_UNCACHED_REP in "
                 "answer to the request sent again",
                 nfs_op_name(sequence_op(look), look->t->reverse));
    else
        nfs_pass(look, RULE_NFS41_2_10_6_1_3_02);
    return cachethis == 0;
}

/* The server calls a new request a retry, or out of order. */
static void sequence_judge_refusal(struct nfs_look *look, uint32_t status)
{
    struct nfs_connection *nfs = look->nfs;
    const struct nfs_turn *turn = &look->exchange->turn;

    if (!look->exchange->in_turn || !nfs_all_understood(nfs) ||
        !rpcrdma_whole_since(nfs->rpcrdma, look->exchange->session_frame)) {
        nfs_inconclusive(look, RULE_NFS41_18_46_3_01, nfs_doubt(nfs, false, WHY_ELSEWHERE));
        return;
    }
    if (nfs->sequence.refusals.n++ < RPCRDMA_ACROSS_REFUSED_MAX)
        nfs->sequence.refusals.refused[nfs->sequence.refusals.n - 1] =
            (struct rpcrdma_across_refused){.session = turn->session, .place = look->place};
    INVARIANT(nfs->sequence.refusals.n > 0 && turn->any);
    nfs_fail(look, RULE_NFS41_18_46_3_01,
             "expected a new request to be carried out, as sequence %" PRIu32 " is %s slot %" PRIu32
             "; found %s in answer to a new request",
             turn->sequence, turn->sequence == 1 ? "the first of" : "the next of", turn->slot, status_name(status));
}

void nfs_sequence_reply(struct nfs_look *look)
{
    const struct rpcrdma_body *body = look->body;
    struct nfs_exchange *exchange = look->exchange;
    struct nfs_turn *latest;
    uint32_t first = body->n_operations > 0 ? body->operations[0].status : 0;

    if (!exchange->turn.any || body->n_operations == 0 || body->operations[0].op != sequence_op(look) ||
        !body->operations[0].has_status || look->t->misread)
        return;
    if (look->t->damage) {
        judge_uncached(look);
        return;
    }
    latest = turn_of(look->nfs, &exchange->turn);
    if (latest && first == 0 && same_slot(latest, &exchange->turn) && latest->sequence == exchange->turn.sequence)
        latest->done = true;
    if (!judge_uncached(look))
        return;
    if (status_name(first))
        sequence_judge_refusal(look, first);
    else if (has_status(body, 1, RETRY_UNCACHED_REP))
        sequence_judge_refusal(look, RETRY_UNCACHED_REP);
    else if (first == 0 && exchange->in_turn)
        nfs_pass(look, RULE_NFS41_18_46_3_01);
}
