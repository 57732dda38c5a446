// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One mistake in the chunk lists moves all that lies behind it. Each hypothesis here reads the header with one mistake
 * and must then meet the RPC message (its XID and a msg_type) where that reading ends, or the end of the Send.
 */
#include "engine/rpcrdma_header.h"

enum { FILLER_WORDS_MAX = 16 };

/* A cursor that reads words of the Send and remembers when there are none left. */
struct reading {
    const struct rpcrdma_message *m;
    uint64_t at;
    bool failed;
};

static uint32_t word(struct reading *r)
{
    uint32_t value = 0;

    if (r->at + 4 > r->m->n)
        r->failed = true;
    else
        value = get_be32(r->m->p + r->at);
    r->at += 4;
    return value;
}

/* Passes over n elements of so many octets. */
static void pass(struct reading *r, uint64_t n, unsigned octets)
{
    if (n > r->m->n / octets)
        r->failed = true;
    else
        r->at += n * octets;
}

static bool more(struct reading *r)
{
    uint32_t value = word(r);

    if (value > 1)
        r->failed = true;
    return value == 1 && !r->failed;
}

/* ---- the lists, right and wrong ---- */

static void read_list(struct reading *r)
{
    while (more(r))
        pass(r, 1, RPCRDMA_READ_SEGMENT_LEN);
}

static void counted(struct reading *r, unsigned segment)
{
    pass(r, word(r), segment);
}

static void write_list(struct reading *r)
{
    while (more(r))
        counted(r, RPCRDMA_SEGMENT_LEN);
}

static void reply_chunk(struct reading *r)
{
    if (more(r))
        counted(r, RPCRDMA_SEGMENT_LEN);
}

static void read_list_counted(struct reading *r)
{
    counted(r, RPCRDMA_READ_SEGMENT_LEN);
}

static void write_list_like_read(struct reading *r)
{
    while (more(r))
        pass(r, 1, RPCRDMA_SEGMENT_LEN);
}

static void write_list_with_positions(struct reading *r)
{
    while (more(r))
        counted(r, RPCRDMA_READ_SEGMENT_LEN);
}

static void reply_chunk_with_positions(struct reading *r)
{
    if (more(r))
        counted(r, RPCRDMA_READ_SEGMENT_LEN);
}

static void reply_chunk_ended(struct reading *r)
{
    if (!more(r)) {
        r->failed = true; /* nothing that a terminator could stand behind */
        return;
    }
    counted(r, RPCRDMA_SEGMENT_LEN);
    r->failed |= word(r) != 0;
}

/* A Write chunk whose count is one too large, or too small. */
static void miscounted(struct reading *r, int by)
{
    bool first = true;

    while (more(r)) {
        uint64_t n = word(r);

        if (first && (int64_t)n + by >= 0)
            n = (uint64_t)((int64_t)n + by);
        first = false;
        pass(r, n, RPCRDMA_SEGMENT_LEN);
    }
}

static void write_list_short(struct reading *r)
{
    miscounted(r, -1);
}

static void write_list_long(struct reading *r)
{
    miscounted(r, 1);
}

/* ---- hypotheses ---- */

static const struct hypothesis {
    void (*list[3])(struct reading *r);
    enum rule_id rule;
    const char *expected, *found;
} hypotheses[] = {
    {{read_list_counted, write_list, reply_chunk},
     RULE_RPCR_4_1_2_05,
     "a Read list of entries that each begin with 1, ended by 0",
     "a count in front of the read segments"},
    {{read_list, write_list_like_read, reply_chunk},
     RULE_RPCR_4_1_2_08,
     "a Write list of chunks with a count of segments each",
     "segments listed one by one, like those of a Read list"},
    {{read_list, write_list_with_positions, reply_chunk},
     RULE_RPCR_3_4_6_03,
     "segments of 16 octets without Position in Write chunks",
     "segments of 20 octets"},
    {{read_list, write_list, reply_chunk_ended},
     RULE_RPCR_4_1_2_09,
     "no list terminator behind the Reply chunk",
     "a word 0 there"},
    {{read_list, write_list, reply_chunk_with_positions},
     RULE_RPCR_3_4_6_03,
     "segments of 16 octets without Position in the Reply chunk",
     "segments of 20 octets"},
    {{write_list, read_list, reply_chunk},
     RULE_RPCR_4_1_2_03,
     "Read list, Write list and Reply chunk in this order",
     "the Write list in front of the Read list"},
    {{read_list, reply_chunk, write_list},
     RULE_RPCR_4_1_2_03,
     "Read list, Write list and Reply chunk in this order",
     "the Reply chunk in front of the Write list"},
    {{read_list, write_list_short, reply_chunk},
     RULE_RPCR_3_4_6_01,
     "as many segments in a Write chunk as its count tells",
     "one less"},
    {{read_list, write_list_long, reply_chunk},
     RULE_RPCR_3_4_6_01,
     "as many segments in a Write chunk as its count tells",
     "one more"},
};

static bool rpc_at(const struct rpcrdma_message *m, uint64_t at)
{
    return at + 8 <= m->n && get_be32(m->p + at) == m->header.xid && get_be32(m->p + at + 4) <= RPC_REPLY;
}

static bool ends_well(const struct reading *r)
{
    if (r->failed || r->at > r->m->n)
        return false;
    return r->m->header.proc == RPCRDMA_NOMSG ? r->at == r->m->n : rpc_at(r->m, r->at);
}

/* Octets between the lists and the RPC message, or in front of it. */
static bool filler(const struct rpcrdma_message *m, struct rpcrdma_diagnosis *d)
{
    uint64_t at = m->header.header_len;

    if (m->header.status != RPCRDMA_OK || m->header.proc != RPCRDMA_MSG || m->n < at + 8)
        return false;
    if (rpc_at(m, at + 4) && get_be32(m->p + at) >> 31 != 0 &&
        (get_be32(m->p + at) & 0x7fffffffu) == m->n - (uint32_t)at - 4) {
        *d = (struct rpcrdma_diagnosis){RULE_RPCR_3_2_04, "the RPC message right behind the Transport header",
                                        "a record mark of RPC over TCP in front of it"};
        return true;
    }
    for (unsigned words = 1; words <= FILLER_WORDS_MAX; words++) {
        if (!rpc_at(m, at + 4 * (uint64_t)words))
            continue;
        *d = (struct rpcrdma_diagnosis){RULE_RPCR_3_2_03, "the RPC message right behind the Transport header",
                                        words == 1 ? "a word between them" : "several words between them"};
        return true;
    }
    return false;
}

bool rpcrdma_header_xid_follows(const struct rpcrdma_message *message)
{
    return message->header.proc == RPCRDMA_NOMSG || message->n < message->header.header_len + 4 ||
           get_be32(message->p + message->header.header_len) == message->header.xid;
}

/*
 * A Write list in the place of the Read list can be read as one: the count of its first chunk for a Position, which
 * then lies within the RPC header.
 */
static bool lists_exchanged(const struct rpcrdma_message *m)
{
    bool early = false;

    for (uint32_t i = 0; i < m->header.read.n; i++) {
        uint32_t position = rpcrdma_read_segment_at(&m->header, m->p, i).position;

        early |= position > 0 && position < RPC_CALL_MIN;
    }
    return early;
}

bool rpcrdma_header_suspicious(const struct rpcrdma_message *message)
{
    return message->kind == RPCRDMA_KIND_CALL && message->header.status == RPCRDMA_OK &&
           rpcrdma_header_xid_follows(message) && lists_exchanged(message);
}

bool rpcrdma_header_diagnose(const struct rpcrdma_message *message, struct rpcrdma_diagnosis *diagnosis)
{
    bool suspicious = rpcrdma_header_suspicious(message);

    for (size_t i = 0; i < sizeof hypotheses / sizeof *hypotheses; i++) {
        struct reading r = {.m = message, .at = RPCRDMA_FIXED_LEN};

        if (suspicious && hypotheses[i].list[0] != write_list)
            continue;
        for (unsigned list = 0; list < 3 && !r.failed; list++)
            hypotheses[i].list[list](&r);
        if (ends_well(&r)) {
            *diagnosis = (struct rpcrdma_diagnosis){hypotheses[i].rule, hypotheses[i].expected, hypotheses[i].found};
            return true;
        }
    }
    return !suspicious && filler(message, diagnosis);
}
