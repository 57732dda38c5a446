// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the startup frames announce about inline thresholds and remote invalidation (RFC 8797); the length of Sends
 * against the announced thresholds (RFC 8166 sections 3.3.2 and 3.3.3); and which Sends invalidate.
 *
 * A Send that is too long violates several requirements at once. The finding names the most specific one: what should
 * have been done instead (the Reply chunk), the reverse direction, what both sides announced, finally the default.
 * Administrators may set larger buffers on both sides, so exceeding only the default is a warning, once per direction.
 */
#include "engine/rpcrdma/rpcrdma_internal.h"
#include "wire/invariant.h"

struct rpcrdma_threshold_state {
    bool default_reported[2]; /* by sending side */
    struct rpcrdma_ccp *ccp;
};

bool rpcrdma_threshold_new(struct rpcrdma_connection *rpcrdma)
{
    rpcrdma->threshold = arena_zeroed(rpcrdma->arena, sizeof *rpcrdma->threshold);
    if (rpcrdma->threshold)
        rpcrdma->threshold->ccp = rpcrdma_ccp_new(rpcrdma->arena);
    return rpcrdma->threshold && rpcrdma->threshold->ccp;
}

bool rpcrdma_threshold_configured(const struct rpcrdma_connection *rpcrdma)
{
    return rpcrdma->threshold && rpcrdma_ccp_agreed(rpcrdma->threshold->ccp);
}

/* ---- the blocks ---- */

/* The frame has its own direction, because that of the connection is still unknown. */
#define fail_start(rpcrdma, data, rule, severity, ...)                                                                 \
    verdict_failed_as((rpcrdma)->verdict, (rule), (severity), (data)->direction, &(data)->place, 0, __VA_ARGS__)

/* The Format Identifier with its octets in the opposite order; -1: not found. */
static int swapped_identifier(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i + 4 <= n; i++) {
        if (get_le32(p + i) == RPCRDMA_PD_IDENTIFIER)
            return (int)i;
    }
    return -1;
}

static void judge_valid(struct rpcrdma_connection *rpcrdma, const struct rdma_private_data *data,
                        const struct rpcrdma_private_data *block)
{
    unsigned reserved = block->flags & RPCRDMA_PD_FLAGS_RESERVED;

    rpcrdma_pass(rpcrdma, RULE_CMPD_4_05);
    rpcrdma_pass(rpcrdma, RULE_CMPD_4_06);
    rpcrdma_pass(rpcrdma, RULE_CMPD_4_07);
    if (reserved == 0)
        rpcrdma_pass(rpcrdma, RULE_CMPD_4_08);
    else
        fail_start(rpcrdma, data, RULE_CMPD_4_08, SEVERITY_ERROR,
                   "expected the reserved bits 0xfe of octet 5 to be clear in the block at octet %zu of the private "
                   "data; found 0x%02x as octet 5 of the block of RFC 8797",
                   block->offset, (unsigned)block->flags);
}

/* A later document may define another version (RFC 8797 section 6); there is no version 0. */
static void threshold_judge_version(struct rpcrdma_connection *rpcrdma, const struct rdma_private_data *data,
                                    const struct rpcrdma_private_data *block)
{
    fail_start(
        rpcrdma, data, RULE_CMPD_4_06, block->version == 0 ? SEVERITY_ERROR : SEVERITY_NOTE,
        "expected version 1 in the block at octet %zu of the private data of the %s; found version %u in the block",
        block->offset, data->carrier, (unsigned)block->version);
}

void rpcrdma_threshold_private_data(struct rpcrdma_connection *rpcrdma, const struct rdma_private_data *data,
                                    enum rpcrdma_private_data_status status)
{
    const uint8_t *p = data->p;
    size_t n = data->n;
    struct rpcrdma_private_data block = {0};
    int swapped;

    if (!p)
        return;
    rpcrdma_private_data_find(&block, p, n);
    switch (status) {
    case RPCRDMA_PD_OK:
        judge_valid(rpcrdma, data, &block);
        break;
    case RPCRDMA_PD_BAD_VERSION:
        threshold_judge_version(rpcrdma, data, &block);
        break;
    case RPCRDMA_PD_TRUNCATED:
        fail_start(rpcrdma, data, RULE_CMPD_4_07, SEVERITY_ERROR,
                   "expected 8 octets from the Format Identifier at octet %zu of the private data of the %s; found %zu "
                   "octets from the Format Identifier on",
                   block.offset, data->carrier, n - block.offset);
        break;
    case RPCRDMA_PD_ABSENT:
        swapped = swapped_identifier(p, n);
        if (swapped >= 0)
            fail_start(rpcrdma, data, RULE_CMPD_4_05, SEVERITY_ERROR,
                       "expected the Format Identifier f6 ab 0e 18 in network byte order; found the Format Identifier "
                       "18 0e ab f6 at octet %d of the private data of the %s",
                       swapped, data->carrier);
        break;
    }
}

/* ---- lengths ---- */

struct limit {
    uint32_t octets; /* 0: unknown */
    enum rule_id rule;
    bool by_default; /* the limit is only the default */
    const char *of;
};

/* The smaller of one side's Send Size and the other's Receive Size (RFC 8797 section 4.2). */
static struct limit negotiated(const struct rpcrdma_connection *rpcrdma, unsigned side, uint32_t n)
{
    uint32_t send = rpcrdma->side[side].announced.data.send_size;
    uint32_t receive = rpcrdma->side[other_side(side)].announced.data.receive_size;

    if (n > send && n <= receive)
        return (struct limit){.octets = send, .rule = RULE_CMPD_4_11, .of = "its sender's own Send Size"};
    return (struct limit){.octets = send < receive ? send : receive,
                          .rule = (int)side == rpcrdma->client ? RULE_CMPD_4_2_04 : RULE_CMPD_4_2_05,
                          .of = "the inline threshold that both sides announced"};
}

/* At least one of the startup frames was not captured. */
static struct limit half_known(const struct rpcrdma_connection *rpcrdma, unsigned side, uint32_t n)
{
    const struct rpcrdma_announced *own = &rpcrdma->side[side].announced,
                                   *peer = &rpcrdma->side[other_side(side)].announced;

    if (peer->valid && n > peer->data.receive_size)
        return (struct limit){peer->data.receive_size, RULE_RPCR_3_3_2_01, false, "its receiver's Receive Size"};
    if (own->valid && n > own->data.send_size)
        return (struct limit){own->data.send_size, RULE_CMPD_4_11, false, "its sender's own Send Size"};
    if (!own->frame_seen && !peer->frame_seen && rpcrdma->options.assume_inline > 0)
        return (struct limit){rpcrdma->options.assume_inline, RULE_RPCR_3_3_2_01, false,
                              "the assumed inline threshold"};
    if (n <= RPCRDMA_INLINE_DEFAULT) /* the threshold cannot be smaller */
        return (struct limit){RPCRDMA_INLINE_DEFAULT, RULE_RPCR_3_3_2_01, false, ""};
    return (struct limit){.rule = RULE_RPCR_3_3_2_01};
}

static struct limit threshold_limit_of(const struct rpcrdma_connection *rpcrdma, unsigned side, uint32_t n)
{
    const struct rpcrdma_announced *own = &rpcrdma->side[side].announced,
                                   *peer = &rpcrdma->side[other_side(side)].announced;

    if (!own->frame_seen || !peer->frame_seen)
        return half_known(rpcrdma, side, n);
    if (own->valid && peer->valid)
        return negotiated(rpcrdma, side, n);
    if (own->valid) /* a side that uses the mechanism assumes the defaults for its peer (RFC 8797 section 5.1) */
        return (struct limit){RPCRDMA_INLINE_DEFAULT, RULE_CMPD_5_1_01, false,
                              "the inline threshold towards a side that announced none"};
    if (peer->valid && n > peer->data.receive_size)
        return (struct limit){peer->data.receive_size, RULE_RPCR_3_3_2_01, false, "its receiver's Receive Size"};
    return (struct limit){.octets = RPCRDMA_INLINE_DEFAULT,
                          .rule = RULE_RPCR_3_3_3_08,
                          .by_default = true,
                          .of = "the default inline threshold"};
}

static bool reverse(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *m)
{
    if (m->transaction)
        return m->transaction->reverse;
    return m->kind == RPCRDMA_KIND_CALL && rpcrdma->client >= 0 && (unsigned)rpcrdma->client != m->side;
}

/* An inline Reply although its Call has room for it in a Reply chunk. */
static bool reply_chunk_unused(const struct rpcrdma_message *m)
{
    const struct rpcrdma_transaction *t = m->transaction;

    return m->kind == RPCRDMA_KIND_REPLY && m->has_rpc && t && rpcrdma_waits(t) && t->reply_chunk >= 0 &&
           t->chunks[t->reply_chunk].length >= m->n - m->header.header_len;
}

static void pass_length(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *m, enum rule_id rule)
{
    rpcrdma_pass(rpcrdma, RULE_RPCR_3_3_2_01);
    if (rule != RULE_RPCR_3_3_2_01)
        rpcrdma_pass(rpcrdma, rule);
    if (rpcrdma->side[m->side].announced.valid)
        rpcrdma_pass(rpcrdma, RULE_CMPD_4_11);
    if (reverse(rpcrdma, m))
        rpcrdma_pass(rpcrdma, RULE_BIDI_4_2_01);
    if (reply_chunk_unused(m))
        rpcrdma_pass(rpcrdma, RULE_RPCR_3_5_3_11);
}

void rpcrdma_threshold_length(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    struct limit limit = threshold_limit_of(rpcrdma, m->side, m->n);
    bool *reported = &rpcrdma->threshold->default_reported[m->side];

    if (limit.by_default && rpcrdma_by_rfc5666(rpcrdma)) /* RFC 5666 section 6.1 has no such limit */
        return;
    if (limit.octets == 0) {
        rpcrdma_inconclusive(rpcrdma, limit.rule, rpcrdma->terms.from_start ? WHY_AGREED : WHY_LATE);
        return;
    }
    if (m->n <= limit.octets) {
        pass_length(rpcrdma, m, limit.rule);
        return;
    }
    if (m->n <= limit.octets + m->excess) /* fits without the octets that another rule reports */
        return;
    if (limit.by_default && *reported)
        return;
    *reported |= limit.by_default;
    INVARIANT(limit.octets > 0 && m->n > limit.octets && limit.rule < RULE_COUNT);
    if (reply_chunk_unused(m))
        rpcrdma_fail_as(rpcrdma, m, RULE_RPCR_3_5_3_11, limit.by_default ? SEVERITY_WARNING : SEVERITY_ERROR,
                        m->transaction->call.frame,
                        "expected the Reply in the Reply chunk of %llu octets that the Call (frame %u) offers, as the "
                        "Send is longer than the %u octets of %s; found a Send of %u octets",
                        (unsigned long long)m->transaction->chunks[m->transaction->reply_chunk].length,
                        m->transaction->call.frame, (unsigned)limit.octets, limit.of, (unsigned)m->n);
    else
        rpcrdma_fail_as(rpcrdma, m, reverse(rpcrdma, m) ? RULE_BIDI_4_2_01 : limit.rule,
                        limit.by_default ? SEVERITY_WARNING : SEVERITY_ERROR, 0,
                        "expected a Send of at most %u octets, %s; found a Send of %u octets", (unsigned)limit.octets,
                        limit.of, (unsigned)m->n);
}

/* ---- remote invalidation (RFC 8797 section 4.1) ---- */

static bool refuses_invalidation(const struct rpcrdma_announced *announced)
{
    return announced->frame_seen && (!announced->valid || !announced->data.remote_invalidation);
}

static enum tristate invalidation_allowed(const struct rpcrdma_connection *rpcrdma)
{
    const struct rpcrdma_side *s = rpcrdma->side;

    if (refuses_invalidation(&s[0].announced) || refuses_invalidation(&s[1].announced))
        return OFF;
    return s[0].announced.frame_seen && s[1].announced.frame_seen ? ON : UNKNOWN;
}

/* The side that refused remote invalidation, and how: "the client cleared R in frame 4". */
static void judge_unwanted(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    const struct rpcrdma_announced *receiver = &rpcrdma->side[other_side(m->side)].announced;
    bool sender = !refuses_invalidation(receiver);
    const struct rpcrdma_announced *refuser = sender ? &rpcrdma->side[m->side & 1u].announced : receiver;

    rpcrdma_fail(rpcrdma, m, RULE_CMPD_4_1_03, refuser->frame,
                 "expected a Send without Invalidate, as the %s %s in frame %u; found a Send that invalidates STag "
                 "0x%08x",
                 sender ? "sender" : "receiver",
                 refuser->valid ? "cleared R (remote invalidation)" : "sent no valid block of RFC 8797",
                 (unsigned)refuser->frame, (unsigned)m->invalidate_stag);
}

/* RFC 5666 has no remote invalidation and no way to agree on it; private data blocks bind their senders. */
static bool invalidation_judged(const struct rpcrdma_connection *rpcrdma)
{
    return !rpcrdma_by_rfc5666(rpcrdma) || rpcrdma->side[0].announced.valid || rpcrdma->side[1].announced.valid;
}

static void judge_invalidation(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    enum tristate allowed = invalidation_allowed(rpcrdma);

    if (!invalidation_judged(rpcrdma))
        return;
    if (!m->invalidates) {
        if (m->kind == RPCRDMA_KIND_CALL)
            rpcrdma_pass(rpcrdma, RULE_CMPD_4_1_04);
        else if (m->kind == RPCRDMA_KIND_REPLY && allowed == OFF)
            rpcrdma_pass(rpcrdma, RULE_CMPD_4_1_03);
        return;
    }
    if (m->kind == RPCRDMA_KIND_CALL)
        rpcrdma_fail(
            rpcrdma, m, RULE_CMPD_4_1_04, 0,
            "expected a Send without Invalidate for a Call; found a Call by a Send that invalidates STag 0x%08x",
            (unsigned)m->invalidate_stag);
    else if (allowed == OFF)
        judge_unwanted(rpcrdma, m);
    else if (m->kind == RPCRDMA_KIND_ERROR)
        rpcrdma_fail_as(rpcrdma, m, RULE_CMPD_4_1_04, SEVERITY_NOTE, 0,
                        "expected Send with Invalidate for RPC Replies only; found an RDMA_ERROR that invalidates STag "
                        "0x%08x",
                        (unsigned)m->invalidate_stag);
    else if (allowed == UNKNOWN)
        rpcrdma_inconclusive(rpcrdma, RULE_CMPD_4_1_03, rpcrdma->terms.from_start ? WHY_AGREED : WHY_LATE);
    else
        rpcrdma_pass(rpcrdma, RULE_CMPD_4_1_03);
}

void rpcrdma_threshold_message(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    if (m->header.status == RPCRDMA_OK && m->header.proc == RPCRDMA_DONE)
        rpcrdma_credit_done(rpcrdma, m);
    judge_invalidation(rpcrdma, m);
    rpcrdma_ccp_message(rpcrdma, rpcrdma->threshold->ccp, m);
}

void rpcrdma_threshold_move(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move)
{
    if (rpcrdma_by_rfc5666(rpcrdma))
        rpcrdma_ccp_move(rpcrdma, rpcrdma->threshold->ccp, move);
}
