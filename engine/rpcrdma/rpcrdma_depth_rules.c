// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * RDMA Reads outstanding against what the connection allows (RFC 8166 section 3.3.1), and against ca_rdma_ird of the
 * session (RFC 8881 section 18.36.3).
 *
 * The former is MPA's business on iWARP, where it reports what is wrong. On InfiniBand only Reads that follow one
 * another sooner than any answer can come are known to be outstanding together.
 *
 * Responses come in the order of their Reads: one says that all before it were sent, those that the capture lacks
 * included. Where ACK numbers say what the requester had received, no Response is missed. On InfiniBand one may be
 * missing without a trace, or be captured after the next Read although the requester had it: there a Read is reported
 * where the one before it cannot have been answered yet, or is seen to be answered later than the directions are apart.
 */
#include "engine/rpcrdma/rpcrdma_internal.h"

/* ---- Reads without a Response so far ---- */

static void open_read(struct rpcrdma_connection *rpcrdma, struct rpcrdma_depth *depth, uint64_t operation)
{
    if (!depth->open)
        depth->open = arena_zeroed(rpcrdma->arena, RPCRDMA_DEPTH_MAX * sizeof *depth->open);
    if (!depth->open)
        return;
    if (depth->outstanding == RPCRDMA_DEPTH_MAX) {
        depth->first++;
        depth->outstanding--;
    }
    depth->open[(depth->first + depth->outstanding++) % RPCRDMA_DEPTH_MAX] = operation;
}

/* The Response to this Read begins or, `last`, ends. */
static void close_reads(struct rpcrdma_depth *depth, uint64_t operation, bool last)
{
    while (depth->outstanding > 0 && depth->open[depth->first % RPCRDMA_DEPTH_MAX] < operation + last) {
        depth->first++;
        depth->outstanding--;
    }
}

void rpcrdma_depth_skipped(struct rpcrdma_connection *rpcrdma, unsigned requester)
{
    struct rpcrdma_depth *depth = &rpcrdma->depth[requester];

    depth->first += depth->outstanding;
    depth->outstanding = 0;
    depth->doubtful = false;
}

/* ---- judging ---- */

void rpcrdma_connection_depth(struct rpcrdma_connection *rpcrdma, unsigned requester, uint32_t limit, uint32_t frame)
{
    struct rpcrdma_depth *depth = &rpcrdma->depth[requester & 1u];

    depth->limit = limit;
    depth->frame = frame;
    depth->doubtful = false;
}

static void report(struct rpcrdma_connection *rpcrdma, struct rpcrdma_depth *depth, const struct place *place,
                   unsigned outstanding)
{
    depth->doubtful = false;
    if (!depth->reported)
        rpcrdma_fail_at(rpcrdma, place, RULE_NFS41_18_36_3_05, depth->frame,
                        "expected at most %u RDMA Reads outstanding, the session's ca_rdma_ird; found %u", depth->limit,
                        outstanding);
    depth->reported = true;
}

static void judge_connection(struct rpcrdma_connection *rpcrdma, struct rpcrdma_depth *depth,
                             const struct rpcrdma_move *move)
{
    unsigned most = rpcrdma->terms.reads_max[move->side];

    if (most == 0)
        return;
    if (move->reads_open <= most && depth->outstanding <= most) {
        depth->over = false;
        rpcrdma_pass(rpcrdma, RULE_RPCR_3_3_1_11);
    } else if (move->reads_open <= most) {
        rpcrdma_inconclusive(rpcrdma, RULE_RPCR_3_3_1_11);
    } else if (!depth->over) {
        depth->over = true;
        rpcrdma_fail_at(rpcrdma, &move->place, RULE_RPCR_3_3_1_11, 0,
                        "expected at most %u RDMA Reads outstanding, as agreed at the start of the connection; found "
                        "%u",
                        most, move->reads_open);
    }
}

static void read(struct rpcrdma_connection *rpcrdma, struct rpcrdma_depth *depth, const struct rpcrdma_move *move)
{
    open_read(rpcrdma, depth, move->operation);
    judge_connection(rpcrdma, depth, move);
    if (depth->limit == 0)
        return;
    if (move->unsure) {
        rpcrdma_inconclusive(rpcrdma, RULE_NFS41_18_36_3_05);
    } else if (depth->outstanding <= depth->limit) {
        rpcrdma_pass(rpcrdma, RULE_NFS41_18_36_3_05);
    } else if (move->acked_known || move->reads_open > depth->limit) {
        report(rpcrdma, depth, &move->place, depth->outstanding);
    } else if (!depth->doubtful) {
        depth->doubtful = true;
        depth->place = move->place;
        depth->operation = move->operation;
        depth->most = depth->outstanding;
    }
}

static void response(struct rpcrdma_connection *rpcrdma, struct rpcrdma_depth *depth, const struct rpcrdma_move *move)
{
    bool waited_for = move->operation < depth->operation && !move->asked_again;

    close_reads(depth, move->operation, move->last);
    if (!depth->doubtful || !move->last)
        return;
    if (waited_for && move->place.time_ns - depth->place.time_ns >= move->skew_ns)
        report(rpcrdma, depth, &depth->place, depth->most);
    else
        rpcrdma_inconclusive(rpcrdma, RULE_NFS41_18_36_3_05);
    depth->doubtful = false;
}

void rpcrdma_depth_move(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move)
{
    if (move->kind == RDMA_READ && move->first)
        read(rpcrdma, &rpcrdma->depth[move->side], move);
    else if (move->kind == RDMA_READ_RESPONSE)
        response(rpcrdma, &rpcrdma->depth[other_side(move->side)], move);
}
