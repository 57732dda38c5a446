// SPDX-License-Identifier: GPL-2.0-or-later
/* For a Transport header with an error: finds what its sender probably did instead of RFC 8166 section 4.1.2. */
#include "engine/rpcrdma/rpcrdma_header.h"
#include "wire/invariant.h"

enum {
    GAP_MAX = 256,              /* octets searched between header and RPC message */
    LENGTH_PLAUSIBLE = 1 << 26, /* of a segment; larger values are more likely an STag */
    VERSIONS_LIKELY_MAX = 2,    /* in place of rdma_vers; larger values are more likely credits */
    CREDITS_LIKELY_MAX = UINT16_MAX,
};

bool rpcrdma_header_xid_follows(const struct rpcrdma_message *message)
{
    return message->header.proc == RPCRDMA_NOMSG || message->n < message->header.header_len + 4 ||
           get_be32(message->p + message->header.header_len) == message->header.xid;
}

/* ---- the fixed words ---- */

bool rpcrdma_header_disordered(const struct rpcrdma_message *m, uint32_t words[4])
{
    /* Places of XID, version, credit and procedure. The first order is recognised by its values alone. */
    static const uint8_t orders[][4] = {
        {0, 2, 1, 3}, {1, 0, 2, 3}, {2, 1, 0, 3}, {0, 1, 3, 2}, {0, 3, 2, 1}, {3, 1, 2, 0}, {1, 2, 0, 3},
        {2, 0, 1, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0},
    };

    if (m->n < RPCRDMA_FIXED_LEN || m->header.proc == RPCRDMA_ERROR)
        return false;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        for (unsigned k = 0; k < 4; k++)
            words[k] = get_be32(m->p + 4 * (size_t)orders[i][k]);
        if (words[1] != RPCRDMA_VERSION || words[2] == 0 || words[2] > CREDITS_LIKELY_MAX)
            continue;
        if (i == 0 && words[2] > VERSIONS_LIKELY_MAX && words[3] <= RPCRDMA_DONE)
            return true;
        if (i > 0 && words[3] == RPCRDMA_MSG && rpcrdma_shape_standard(m, words[0], words[3]))
            return true;
    }
    return false;
}

/* ---- between header and RPC message ---- */

/* Octets between the lists and the RPC message, or before it. */
static bool filler(const struct rpcrdma_message *m, struct rpcrdma_diagnosis *d)
{
    uint64_t at = m->header.header_len;

    if (m->header.status != RPCRDMA_OK || m->header.proc != RPCRDMA_MSG || m->n < at + 8)
        return false;
    if (rpcrdma_rpc_at(m, at + 4, m->header.xid) && get_be32(m->p + at) >> 31 != 0 &&
        (get_be32(m->p + at) & 0x7fffffffu) == m->n - (uint32_t)at - 4) {
        *d = (struct rpcrdma_diagnosis){RULE_RPCR_3_2_04, "the RPC message directly after the Transport header",
                                        "a TCP record mark before the RPC message"};
        return true;
    }
    for (unsigned octets = 1; octets <= GAP_MAX; octets++) {
        if (!rpcrdma_rpc_at(m, at + octets, m->header.xid))
            continue;
        *d = (struct rpcrdma_diagnosis){RULE_RPCR_3_2_03, "the RPC message directly after the Transport header",
                                        octets == 4  ? "a word between header and message"
                                        : octets < 4 ? "less than a word between header and message"
                                                     : "several words between header and message"};
        return true;
    }
    return false;
}

/* Lists that can be read only by treating the RPC message as a part of them. */
static bool swallowed(const struct rpcrdma_message *m, struct rpcrdma_diagnosis *d)
{
    if (m->header.status != RPCRDMA_OK || m->header.proc != RPCRDMA_MSG)
        return false;
    for (uint32_t at = RPCRDMA_FIXED_LEN; at < m->header.header_len; at += 4) {
        if (rpcrdma_rpc_at(m, at, m->header.xid)) {
            d->rule = RULE_RPCR_4_1_2_03;
            d->found = "lists that run into the RPC message";
            d->expected = rpcrdma_shape_expected(d->rule);
            return true;
        }
    }
    return false;
}

/* ---- the lists ---- */

/*
 * A misplaced Write list can be read as a Read list: the count of its first chunk becomes a Position, which is then
 * within the RPC header.
 */
bool rpcrdma_header_suspicious(const struct rpcrdma_message *m)
{
    bool early = false;

    if (m->kind != RPCRDMA_KIND_CALL || m->header.status != RPCRDMA_OK || !rpcrdma_header_xid_follows(m))
        return false;
    for (uint32_t i = 0; i < m->header.read.n; i++) {
        uint32_t position = rpcrdma_read_segment_at(&m->header, m->p, i).position;

        early |= position > 0 && position < RPC_CALL_MIN;
    }
    return early;
}

/*
 * After a Reply chunk of one segment, a zero word is either a misplaced end of a list or the last word of a segment of
 * 20 octets: then its handle and length are really a Position and an STag.
 */
static bool reply_segment_shifted(const struct rpcrdma_message *m)
{
    struct rpcrdma_chunk chunk = rpcrdma_reply_chunk(&m->header);
    struct rpcrdma_segment segment;

    if (m->header.status != RPCRDMA_OK || !m->header.has_reply || chunk.n != 1)
        return false;
    segment = rpcrdma_segment_at(&chunk, m->p, 0);
    return segment.handle == 0 || segment.length > LENGTH_PLAUSIBLE;
}

bool rpcrdma_header_diagnose(const struct rpcrdma_message *m, struct rpcrdma_diagnosis *d)
{
    if (rpcrdma_header_suspicious(m)) {
        d->rule = RULE_RPCR_4_1_2_03;
        d->found = "the Write list first";
        d->expected = rpcrdma_shape_expected(d->rule);
        return rpcrdma_shape_write_list_first(m);
    }
    /*
     * After lists that can be read without a Reply chunk, extra words are more likely stray than part of such a chunk.
     */
    if (m->header.status == RPCRDMA_OK && !m->header.has_reply && filler(m, d))
        return true;
    if (rpcrdma_shape_find(m, &d->rule, &d->found)) {
        if (d->rule == RULE_RPCR_4_1_2_04)
            return false; /* the decoder knows where the error is */
        if (d->rule == RULE_RPCR_4_1_2_09 && reply_segment_shifted(m)) {
            d->rule = RULE_RPCR_3_4_6_03;
            d->found = "segments of 20 octets in the Reply chunk";
        }
        d->expected = rpcrdma_shape_expected(d->rule);
        INVARIANT(d->rule < RULE_COUNT && d->found && d->expected);
        return true;
    }
    return filler(m, d) || swallowed(m, d);
}
