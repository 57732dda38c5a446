// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Decides whether a connection carries RPC-over-RDMA, and whether a message is a Call or a Reply. Nothing in MPA
 * answers the first question (RFC 8166 section 5 names a port, RFC 8797 a block in the private data, both optional);
 * the RPC message answers the second (RFC 8167 section 2), if it is visible.
 */
#include "engine/rpcrdma/rpcrdma_internal.h"
#include "wire/invariant.h"

#include <string.h>

enum { CREDITS_PLAUSIBLE = 65536, SEARCH_MAX = 256 };

/* ---- the connection ---- */

static bool recognise_header_plausible(const struct rpcrdma_message *m)
{
    const struct rpcrdma_header *h = &m->header;

    if (m->n < RPCRDMA_ERR_CHUNK_LEN || h->vers != RPCRDMA_VERSION || h->credit >= CREDITS_PLAUSIBLE ||
        h->status != RPCRDMA_OK)
        return false;
    if (h->proc == RPCRDMA_MSG || h->proc == RPCRDMA_MSGP)
        return m->n - m->lacking >= h->header_len + 8 && get_be32(m->p + h->header_len) == h->xid &&
               get_be32(m->p + h->header_len + 4) <= RPC_REPLY;
    return h->proc == RPCRDMA_ERROR || (h->proc == RPCRDMA_NOMSG && h->read.n + h->write.n + h->reply.segments > 0);
}

/* The message contains an RPC message with the XID from the first word, even if the header is wrong. */
static bool holds_call(const struct rpcrdma_message *m)
{
    uint32_t there = m->n - m->lacking, end = there < SEARCH_MAX ? there : SEARCH_MAX;

    for (uint32_t at = RPCRDMA_FIXED_LEN; at + 16 <= end; at += 4) {
        uint32_t program = get_be32(m->p + at + 12);

        if (get_be32(m->p + at) == m->header.xid && get_be32(m->p + at + 4) == RPC_CALL &&
            get_be32(m->p + at + 8) == RPC_VERSION && nfs_program_name(program))
            return true;
    }
    return false;
}

/* The port alone proves nothing: any protocol may use it. */
bool rpcrdma_connection_is_announced(const struct rpcrdma_connection *rpcrdma)
{
    return rpcrdma->options.always || rpcrdma->side[0].announced.valid || rpcrdma->side[1].announced.valid;
}

void rpcrdma_recognise_by_setup(struct rpcrdma_connection *rpcrdma)
{
    if (rpcrdma->recognised == RPCRDMA_UNDECIDED && rpcrdma_connection_is_announced(rpcrdma))
        rpcrdma_equip(rpcrdma);
}

bool rpcrdma_recognise(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *message)
{
    if (rpcrdma->recognised != RPCRDMA_UNDECIDED)
        return rpcrdma->recognised == RPCRDMA_YES;
    if (rpcrdma_connection_is_announced(rpcrdma) || recognise_header_plausible(message) || holds_call(message)) {
        rpcrdma_equip(rpcrdma);
        return rpcrdma->recognised == RPCRDMA_YES;
    }
    if (rpcrdma->early.n == RPCRDMA_UNDECIDED_MAX) {
        rpcrdma_early_free(rpcrdma);
        rpcrdma->recognised = RPCRDMA_NO;
    }
    INVARIANT(rpcrdma->early.n <= RPCRDMA_UNDECIDED_MAX && rpcrdma->recognised != RPCRDMA_YES);
    return false;
}

/* ---- Sends before the connection is recognised ---- */

void rpcrdma_early_keep(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *message)
{
    struct rpcrdma_early_send *early;
    uint8_t *octets;

    if (rpcrdma->recognised != RPCRDMA_UNDECIDED)
        return;
    octets = message->n <= RPCRDMA_EARLY_OCTETS_MAX ? arena_resize(rpcrdma->arena, NULL, 0, message->n + 1) : NULL;
    early = octets ? arena_resize(rpcrdma->arena, rpcrdma->early.sends, rpcrdma->early.n * sizeof *early,
                                  (rpcrdma->early.n + 1) * sizeof *early) /* there are only a few */
                   : NULL;
    if (!early) { /* the lost Send may have been a message */
        arena_drop(octets, message->n + 1);
        rpcrdma_lacks_track(rpcrdma, 0);
        rpcrdma_lacks_track(rpcrdma, 1);
        return;
    }
    rpcrdma->early.sends = early;
    early += rpcrdma->early.n;
    memcpy(octets, message->p, message->n);
    *early = (struct rpcrdma_early_send){.message = *message, .muted = rpcrdma->verdict->muted};
    early->message.p = early->octets = octets;
    rpcrdma->early.n++;
    INVARIANT(rpcrdma->early.n <= RPCRDMA_UNDECIDED_MAX && rpcrdma->early.sends[rpcrdma->early.n - 1].octets);
}

void rpcrdma_early_free(struct rpcrdma_connection *rpcrdma)
{
    for (unsigned i = 0; i < rpcrdma->early.n; i++)
        arena_drop(rpcrdma->early.sends[i].octets, rpcrdma->early.sends[i].message.n + 1);
    arena_drop(rpcrdma->early.sends, rpcrdma->early.n * sizeof *rpcrdma->early.sends);
    rpcrdma->early.sends = NULL;
    rpcrdma->early.n = 0;
}

/* ---- the message ---- */

/* After the XID a Call has rpcvers, program, version and procedure. */
static bool call_shaped(const struct rpcrdma_message *m)
{
    uint32_t at = m->header.header_len;

    if (m->lacking > 0 && m->n - m->lacking < at + 12) /* nothing contradicts a Call */
        return true;
    return m->n >= at + 12 && get_be32(m->p + at + 8) == RPC_VERSION;
}

/* The same for a header that cannot be read: the words may be anywhere after the fixed words. */
static bool call_within(const struct rpcrdma_message *m)
{
    uint32_t there = m->n - m->lacking, end = there < SEARCH_MAX ? there : SEARCH_MAX;

    for (uint32_t at = RPCRDMA_FIXED_LEN; at + 12 <= end; at += 4) {
        if (get_be32(m->p + at) == m->header.xid && get_be32(m->p + at + 4) == RPC_CALL &&
            get_be32(m->p + at + 8) == RPC_VERSION)
            return true;
    }
    return false;
}

static enum rpcrdma_kind kind_inline(const struct rpcrdma_message *m, bool answers)
{
    uint32_t type = get_be32(m->p + m->header.header_len + 4);

    if (type == RPC_CALL) /* the wrong word may be msg_type (RFC 8167 section 5.2) */
        return answers && !call_shaped(m) ? RPCRDMA_KIND_REPLY : RPCRDMA_KIND_CALL;
    if (type == RPC_REPLY)
        return RPCRDMA_KIND_REPLY;
    return answers && !call_shaped(m) ? RPCRDMA_KIND_REPLY : RPCRDMA_KIND_CALL;
}

/* The Send contains no part of the RPC message. */
static enum rpcrdma_kind kind_by_lists(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *m,
                                       bool answers)
{
    bool has_position_zero = false;

    for (uint32_t i = 0; i < m->header.read.n; i++)
        has_position_zero |= rpcrdma_read_segment_at(&m->header, m->p, i).position == 0;
    /* The Call may be captured later, or be missing. RFC 5666 has no Calls from the server. */
    answers |= (m->unsure || !rpcrdma_calls_seen(rpcrdma, other_side(m->side))) && rpcrdma_by_rfc5666(rpcrdma) &&
               rpcrdma->client >= 0 && (unsigned)rpcrdma->client != m->side;
    /* By RFC 5666 section 5.2 a Reply may have such a chunk, too; a side that has never called more likely answers. */
    if (has_position_zero)
        return answers && (rpcrdma_by_rfc5666(rpcrdma) || rpcrdma->side[m->side].calls.total == 0) ? RPCRDMA_KIND_REPLY
                                                                                                   : RPCRDMA_KIND_CALL;
    /* Only a Reply can be in the Reply chunk without a Read list; its Call may be missing. */
    if (answers || (m->header.read.n == 0 && m->header.has_reply &&
                    (m->unsure || !rpcrdma_calls_seen(rpcrdma, other_side(m->side)))))
        return RPCRDMA_KIND_REPLY;
    /* If the client is unknown, the capture begins mid-connection, and the Call was sent before it. */
    return rpcrdma->client >= 0 && (unsigned)rpcrdma->client == m->side ? RPCRDMA_KIND_CALL : RPCRDMA_KIND_REPLY;
}

static enum rpcrdma_kind recognise_kind_of(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *m,
                                           bool answers)
{
    bool from_client = rpcrdma->client < 0 || (unsigned)rpcrdma->client == m->side;

    /* A receiver discards a shorter message (RFC 8166 section 4.5): it neither opens nor ends a transaction. */
    if (m->n < RPCRDMA_FIXED_LEN || m->header.proc == RPCRDMA_DONE)
        return RPCRDMA_KIND_UNKNOWN;
    if (m->header.proc == RPCRDMA_ERROR)
        return RPCRDMA_KIND_ERROR;
    if (m->n < RPCRDMA_HEADER_MIN)
        return RPCRDMA_KIND_UNKNOWN;
    if (m->header.status == RPCRDMA_OK && m->header.proc == RPCRDMA_NOMSG)
        return kind_by_lists(rpcrdma, m, answers);
    if (m->header.status == RPCRDMA_OK && m->n - m->lacking >= m->header.header_len + 8)
        return kind_inline(m, answers);
    /* The header cannot be read to its end, or no payload follows. Only Replies invalidate (RFC 8797 section 4.1). */
    if (answers || (m->invalidates && m->lacking > 0))
        return RPCRDMA_KIND_REPLY;
    return from_client || call_within(m) ? RPCRDMA_KIND_CALL : RPCRDMA_KIND_UNKNOWN;
}

/* Takes the part of the RPC message that is in the Send. */
static void take_rpc(struct rpcrdma_message *m)
{
    uint32_t at = m->header.header_len, there = m->n - m->lacking;

    m->has_rpc = m->header.status == RPCRDMA_OK && m->n > at &&
                 (m->header.proc == RPCRDMA_MSG || m->header.proc == RPCRDMA_MSGP);
    if (m->has_rpc && there > at)
        rpc_decode(&m->rpc, m->p + at, there - at);
    m->has_rpc &= m->lacking == 0 || (there > at && m->rpc.status == RPC_OK);
    INVARIANT(!m->has_rpc || (m->header.status == RPCRDMA_OK && m->header.header_len < m->n));
}

void rpcrdma_classify(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    struct rpcrdma_transaction *answered = rpcrdma_find_outstanding(rpcrdma, other_side(m->side), m->header.xid);

    m->kind = recognise_kind_of(rpcrdma, m, answered != NULL);
    if (m->n >= RPCRDMA_HEADER_MIN)
        take_rpc(m);
    if (m->kind == RPCRDMA_KIND_REPLY || m->kind == RPCRDMA_KIND_ERROR)
        m->transaction = answered ? answered : rpcrdma_find(rpcrdma, other_side(m->side), m->header.xid);
    INVARIANT(!m->transaction || (m->transaction->xid == m->header.xid && m->transaction->side != m->side));
    INVARIANT(m->kind != RPCRDMA_KIND_CALL || !m->transaction);
}
