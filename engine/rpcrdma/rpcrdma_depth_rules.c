// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Outstanding RDMA Reads against what the connection allows (RFC 8166 section 3.3.1), and against ca_rdma_ird of the
 * session (RFC 8881 section 18.36.3).
 *
 * On iWARP, MPA's rules report Reads beyond the limit of the connection. On InfiniBand, Reads that follow each other
 * sooner than any answer can come are known to be outstanding together.
 *
 * Responses come in the order of their Reads: a Response shows that all earlier Responses were sent, including those
 * that the capture lacks. If ACK numbers show what the requester had received, no Response is missed. On InfiniBand a
 * Response may be missing without a trace, or be captured after the next Read although the requester had received it.
 * There, a Read is reported if the Read before it cannot have been answered yet, or if the answer is seen later than
 * the skew between the directions explains.
 */
#include "engine/core/words.h"
#include "engine/rpcrdma/rpcrdma_internal.h"
#include "wire/invariant.h"

/* ---- Reads without a Response ---- */

static bool depth_is_sound(const struct rpcrdma_depth *depth)
{
    return depth->outstanding <= RPCRDMA_DEPTH_MAX && (depth->open || depth->outstanding == 0) &&
           (!depth->session.doubtful || depth->session.most > 0);
}

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
    INVARIANT(depth_is_sound(depth) && depth->outstanding > 0);
}

/* The Response to this Read begins; if `last`, it ends. */
static void close_reads(struct rpcrdma_depth *depth, uint64_t operation, bool last)
{
    while (depth->outstanding > 0 && depth->open[depth->first % RPCRDMA_DEPTH_MAX] < operation + last) {
        depth->first++;
        depth->outstanding--;
    }
    INVARIANT(depth_is_sound(depth));
    INVARIANT(depth->outstanding == 0 || depth->open[depth->first % RPCRDMA_DEPTH_MAX] >= operation + last);
}

/* How many of the open Reads are between these two, inclusive. */
static unsigned open_between(const struct rpcrdma_depth *depth, uint64_t from, uint64_t to)
{
    unsigned n = 0;

    for (unsigned i = 0; i < depth->outstanding; i++) {
        uint64_t operation = depth->open[(depth->first + i) % RPCRDMA_DEPTH_MAX];

        n += operation >= from && operation <= to;
    }
    INVARIANT(n <= depth->outstanding);
    return n;
}

void rpcrdma_depth_skipped(struct rpcrdma_connection *rpcrdma, unsigned requester)
{
    struct rpcrdma_depth *depth = &rpcrdma->depth[requester];

    depth->first += depth->outstanding;
    depth->outstanding = 0;
    depth->connection.doubtful = depth->session.doubtful = false;
    INVARIANT(depth_is_sound(depth));
}

/* ---- judging ---- */

void rpcrdma_connection_depth(struct rpcrdma_connection *rpcrdma, unsigned requester, uint32_t limit, uint32_t frame)
{
    struct rpcrdma_depth_limit *session = &rpcrdma->depth[requester & 1u].session;

    session->most = limit;
    session->frame = frame;
    session->doubtful = false;
    INVARIANT(depth_is_sound(&rpcrdma->depth[requester & 1u]));
}

/* Each limit has a family of findings, of which one is reported. */
static const struct depth_rule {
    enum rule_id id;
    const char *what;
} of_connection = {RULE_RPCR_3_3_1_11, "as agreed at the start of the connection"},
  of_session = {RULE_NFS41_18_36_3_05, "the session's ca_rdma_ird"};

static void depth_report(struct rpcrdma_connection *rpcrdma, struct rpcrdma_depth_limit *limit,
                         const struct depth_rule *rule, const struct place *place, unsigned outstanding)
{
    limit->doubtful = false;
    if (!limit->reported)
        rpcrdma_fail_at(rpcrdma, place, rule->id, limit->frame,
                        "expected at most %u RDMA Read%s outstanding, %s; found %u RDMA Reads outstanding", limit->most,
                        plural(limit->most), rule->what, outstanding);
    limit->reported = true;
    INVARIANT(outstanding > limit->most);
}

/* A later Response may show that this Read was one too many. */
static void suspect(struct rpcrdma_depth_limit *limit, const struct rpcrdma_move *move)
{
    if (limit->doubtful)
        return;
    limit->doubtful = true;
    limit->place = move->place;
    limit->operation = move->operation;
    INVARIANT(limit->most > 0);
}

static void judge_connection(struct rpcrdma_connection *rpcrdma, struct rpcrdma_depth *depth,
                             const struct rpcrdma_move *move)
{
    struct rpcrdma_depth_limit *limit = &depth->connection;

    limit->most = rpcrdma->terms.reads_max[move->side];
    if (limit->most == 0)
        return;
    if (move->reads_open > limit->most) {
        depth_report(rpcrdma, limit, &of_connection, &move->place, move->reads_open);
    } else if (depth->outstanding <= limit->most) {
        limit->reported = false;
        rpcrdma_pass(rpcrdma, RULE_RPCR_3_3_1_11);
    } else {
        suspect(limit, move);
    }
    INVARIANT(limit->doubtful || limit->reported || depth->outstanding <= limit->most);
}

static void depth_judge_session(struct rpcrdma_connection *rpcrdma, struct rpcrdma_depth *depth,
                                const struct rpcrdma_move *move)
{
    struct rpcrdma_depth_limit *limit = &depth->session;

    if (limit->most == 0)
        return;
    if (move->unsure)
        rpcrdma_inconclusive(rpcrdma, RULE_NFS41_18_36_3_05, WHY_ORDER);
    else if (depth->outstanding <= limit->most)
        rpcrdma_pass(rpcrdma, RULE_NFS41_18_36_3_05);
    else if (move->acked_known || move->reads_open > limit->most)
        depth_report(rpcrdma, limit, &of_session, &move->place, depth->outstanding);
    else
        suspect(limit, move);
    INVARIANT(depth_is_sound(depth));
}

/* This Response is to a Read requested before the suspected Read, and comes so late that both were open together. */
static void depth_settle(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_depth *depth,
                         struct rpcrdma_depth_limit *limit, const struct depth_rule *rule,
                         const struct rpcrdma_move *move, int64_t apart_ns)
{
    unsigned together = open_between(depth, move->operation, limit->operation);

    if (!limit->doubtful)
        return;
    limit->doubtful = false;
    if (!move->asked_again && together > limit->most && move->place.time_ns - limit->place.time_ns >= apart_ns)
        depth_report(rpcrdma, limit, rule, &limit->place, together);
    else
        verdict_inconclusive(rpcrdma->verdict, rule->id, LOST_OR(WHY_ORDER), limit->place.frame);
}

void rpcrdma_depth_move(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move)
{
    struct rpcrdma_depth *own = &rpcrdma->depth[move->side], *peers = &rpcrdma->depth[other_side(move->side)];

    if (move->kind == RDMA_READ && move->first) {
        open_read(rpcrdma, own, move->operation);
        judge_connection(rpcrdma, own, move);
        depth_judge_session(rpcrdma, own, move);
    } else if (move->kind == RDMA_READ_RESPONSE) {
        if (move->last) {
            depth_settle(rpcrdma, peers, &peers->connection, &of_connection, move, rpcrdma_far_ns);
            depth_settle(rpcrdma, peers, &peers->session, &of_session, move, move->skew_ns);
        }
        close_reads(peers, move->operation, move->last);
    }
    INVARIANT(depth_is_sound(own) && depth_is_sound(peers));
}

void rpcrdma_depth_finish(struct rpcrdma_connection *rpcrdma)
{
    for (unsigned side = 0; side < 2; side++) {
        if (rpcrdma->depth[side].connection.doubtful)
            verdict_inconclusive(rpcrdma->verdict, of_connection.id, LOST_OR(WHY_ORDER),
                                 rpcrdma->depth[side].connection.place.frame);
        if (rpcrdma->depth[side].session.doubtful)
            verdict_inconclusive(rpcrdma->verdict, of_session.id, LOST_OR(WHY_ORDER),
                                 rpcrdma->depth[side].session.place.frame);
    }
}
