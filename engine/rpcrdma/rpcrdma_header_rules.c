// SPDX-License-Identifier: GPL-2.0-or-later
/* Rules about each single Send: the fixed words, the lists, and the rest (RFC 8166 sections 4.1, 4.2 and 4.6). */
#include "engine/rpcrdma/rpcrdma_header.h"

enum { REPLY_SHORTEST = RPC_REPLY_MIN };

static uint32_t header_swapped(uint32_t v)
{
    return v >> 24 | (v >> 8 & 0xff00u) | (v << 8 & 0xff0000u) | v << 24;
}

/* ---- the fixed words ---- */

/* rdma_vers or rdma_proc is invalid, but would be valid with its octets reversed. */
static bool fixed_swapped(const struct rpcrdma_header *h)
{
    if (h->vers == header_swapped(RPCRDMA_VERSION))
        return h->proc < RPCRDMA_ERROR ||
               header_swapped(h->proc) <= RPCRDMA_ERROR; /* RDMA_ERROR repeats a Call's version */
    return h->proc > RPCRDMA_ERROR && header_swapped(h->proc) <= RPCRDMA_ERROR &&
           (h->vers == RPCRDMA_VERSION || header_swapped(h->vers) <= 2);
}

static bool fixed_sound(const struct rpcrdma_message *m)
{
    const struct rpcrdma_header *h = &m->header;

    return h->vers == RPCRDMA_VERSION && h->proc <= RPCRDMA_ERROR &&
           (h->proc != RPCRDMA_MSG || (h->status == RPCRDMA_OK && rpcrdma_header_xid_follows(m)));
}

/* RFC 8881 section 20.8.3: a client returns recalled credits by Sends without octets. */
static void header_judge_empty(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    bool by_client = rpcrdma->client < 0 || (unsigned)rpcrdma->client == m->side;
    bool sure =
        rpcrdma->returns == RPCRDMA_RETURNS_NO_SESSION ||
        (rpcrdma->returns != RPCRDMA_RETURNS_UNCLEAR && rpcrdma_sends_seen(rpcrdma, other_side(m->side)) && !m->unsure);

    if (by_client && rpcrdma->returns == RPCRDMA_RETURNS_ASKED)
        return;
    if (by_client && !sure) {
        rpcrdma_inconclusive(rpcrdma, RULE_RPCR_4_01,
                             rpcrdma->returns == RPCRDMA_RETURNS_UNCLEAR ? WHY_ELSEWHERE : LOST_OR(WHY_ORDER));
        return;
    }
    rpcrdma_record_empty(rpcrdma, m);
    rpcrdma_fail(rpcrdma, m, RULE_RPCR_4_01, 0,
                 "expected a Transport header of at least 28 octets; found a Send of 0 octets");
}

/* The fixed words are followed by the Read list's discriminator, or by rdma_err: this is a header of any version. */
static bool header_goes_on(const struct rpcrdma_message *m)
{
    return m->n >= RPCRDMA_FIXED_LEN + 4 && get_be32(m->p + RPCRDMA_FIXED_LEN) <= RPCRDMA_ERR_CHUNK;
}

static bool judge_fixed(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    const struct rpcrdma_header *h = &m->header;
    uint32_t meant[4];

    if (m->n == 0) {
        header_judge_empty(rpcrdma, m);
        return false;
    }
    if (m->n < RPCRDMA_FIXED_LEN) {
        rpcrdma_fail(rpcrdma, m, RULE_RPCR_4_01, 0,
                     "expected a Transport header of at least 28 octets; found a Transport header of %u octets", m->n);
        return false;
    }
    if (fixed_swapped(h)) {
        rpcrdma_fail(rpcrdma, m, RULE_RPCR_4_02, 0,
                     "expected big-endian words; found rdma_vers 0x%08x and rdma_proc 0x%08x", h->vers, h->proc);
        return false;
    }
    if (!fixed_sound(m) && rpcrdma_header_disordered(m, meant)) {
        rpcrdma_fail(rpcrdma, m, RULE_RPCR_4_1_2_01, 0,
                     "expected rdma_xid 0x%08x, rdma_vers %u, rdma_credit %u and rdma_proc %u in this order; found a "
                     "Transport header that begins with 0x%08x, %u, %u and %u",
                     meant[0], meant[1], meant[2], meant[3], h->xid, h->vers, h->credit, h->proc);
        return false;
    }
    if (h->proc > RPCRDMA_ERROR && h->vers != RPCRDMA_VERSION && !header_goes_on(m)) {
        rpcrdma_fail(
            rpcrdma, m, RULE_RPCR_4_01, 0,
            "expected a Transport header; found a Send of %u octets with 0x%08x for rdma_vers and 0x%08x for rdma_proc",
            m->n, h->vers, h->proc);
        return false;
    }
    rpcrdma_pass(rpcrdma, RULE_RPCR_4_01);
    rpcrdma_pass(rpcrdma, RULE_RPCR_4_02);
    rpcrdma_pass(rpcrdma, RULE_RPCR_4_1_2_01);
    return true;
}

/* An RDMA_ERROR repeats the version of the Call that it answers, even a wrong version. */
static bool header_judge_version(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    if (m->header.proc == RPCRDMA_ERROR)
        return true;
    if (m->header.vers != RPCRDMA_VERSION) {
        rpcrdma_fail(rpcrdma, m, RULE_RPCR_4_2_2_01, 0, "expected rdma_vers 1; found rdma_vers %u", m->header.vers);
        return false;
    }
    rpcrdma_pass(rpcrdma, RULE_RPCR_4_2_2_01);
    return true;
}

/* Error data with another rdma_proc: an RDMA_MSG cannot have these octets. */
static bool error_disguised(const struct rpcrdma_message *m)
{
    uint32_t err = m->n >= RPCRDMA_ERR_CHUNK_LEN ? get_be32(m->p + RPCRDMA_FIXED_LEN) : 0;

    return (m->header.proc == RPCRDMA_MSG || m->header.proc == RPCRDMA_NOMSG) &&
           ((err == RPCRDMA_ERR_CHUNK && m->n == RPCRDMA_ERR_CHUNK_LEN) ||
            (err == RPCRDMA_ERR_VERS && m->n == RPCRDMA_ERR_VERS_LEN && get_be32(m->p + 20) <= 2 &&
             get_be32(m->p + 24) <= 2 && get_be32(m->p + 24) >= 1));
}

static bool judge_proc(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    bool old = rpcrdma_by_rfc5666(rpcrdma);

    if (m->header.proc > RPCRDMA_ERROR)
        rpcrdma_fail(rpcrdma, m, RULE_RPCR_4_1_2_02, 0, "expected rdma_proc 0 to 4; found rdma_proc %u",
                     m->header.proc);
    else if (m->header.proc == RPCRDMA_MSGP && !old)
        rpcrdma_fail(rpcrdma, m, RULE_RPCR_4_6_1_01, 0, "expected no RDMA_MSGP; found an RDMA_MSGP");
    else if (m->header.proc == RPCRDMA_DONE && !old)
        rpcrdma_fail(rpcrdma, m, RULE_RPCR_4_6_2_01, 0, "expected no RDMA_DONE; found an RDMA_DONE");
    else if (error_disguised(m))
        rpcrdma_fail(rpcrdma, m, RULE_RPCR_4_5_06, 0,
                     "expected rdma_proc 4 (RDMA_ERROR) before error data; found rdma_proc %u before error data",
                     m->header.proc);
    else {
        rpcrdma_pass(rpcrdma, RULE_RPCR_4_1_2_02);
        if (!old) {
            rpcrdma_pass(rpcrdma, RULE_RPCR_4_6_1_01);
            rpcrdma_pass(rpcrdma, RULE_RPCR_4_6_2_01);
        }
        if (m->header.proc == RPCRDMA_ERROR)
            rpcrdma_pass(rpcrdma, RULE_RPCR_4_5_06);
        return true;
    }
    return false;
}

/* ---- the lists ---- */

static void fail_lists(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    const struct rpcrdma_header *h = &m->header;

    if (h->status == RPCRDMA_BAD_DISCRIMINATOR && h->fault == header_swapped(1))
        rpcrdma_fail(rpcrdma, m, RULE_RPCR_4_02, 0,
                     "expected big-endian words; found the word 0x%08x instead of 1 at octet %u", h->fault,
                     h->fault_at);
    else if (h->status == RPCRDMA_BAD_DISCRIMINATOR)
        rpcrdma_fail(rpcrdma, m, RULE_RPCR_4_1_2_04, 0,
                     "expected 0 or 1 at octet %u, where a chunk list ends or continues; found %u where a chunk list "
                     "ends or continues",
                     h->fault_at, h->fault);
    else if (h->fault != 0)
        rpcrdma_fail(
            rpcrdma, m, RULE_RPCR_4_1_2_11, 0,
            "expected the chunk lists to end within the Send of %u octets; found a count of %u segments at octet %u",
            m->n, h->fault, h->fault_at);
    else
        rpcrdma_fail(rpcrdma, m, RULE_RPCR_4_1_2_11, 0,
                     "expected the chunk lists to end within the Send; found chunk lists that go on past the end of "
                     "the Send, octet %u",
                     m->n);
}

static const enum rule_id list_rules[] = {
    RULE_RPCR_4_1_2_03, RULE_RPCR_4_1_2_04, RULE_RPCR_4_1_2_05, RULE_RPCR_4_1_2_08, RULE_RPCR_4_1_2_09,
    RULE_RPCR_4_1_2_10, RULE_RPCR_4_1_2_11, RULE_RPCR_3_4_6_01, RULE_RPCR_3_4_6_03,
};

/* An RDMA_NOMSG ends with its Reply chunk. */
static bool reply_chunk_goes_on(const struct rpcrdma_message *m)
{
    return m->header.proc == RPCRDMA_NOMSG && m->header.status == RPCRDMA_OK && m->header.has_reply &&
           m->n > m->header.header_len;
}

/* True: the lists can be read, and the octets after them can be judged. */
static bool judge_lists(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    struct rpcrdma_diagnosis d;
    bool readable = m->header.status == RPCRDMA_OK;

    if (m->n < RPCRDMA_HEADER_MIN) {
        rpcrdma_fail(rpcrdma, m, RULE_RPCR_4_1_2_10, 0,
                     "expected an %s of at least 28 octets; found a message of %u octets",
                     rpcrdma_proc_name(m->header.proc), m->n);
        return false;
    }
    if ((!readable || !rpcrdma_header_xid_follows(m) || rpcrdma_header_suspicious(m) || reply_chunk_goes_on(m)) &&
        rpcrdma_header_diagnose(m, &d)) {
        rpcrdma_fail(rpcrdma, m, d.rule, 0, "expected %s; found %s", d.expected, d.found);
        return false;
    }
    if (!readable) {
        fail_lists(rpcrdma, m);
        return false;
    }
    for (size_t i = 0; i < sizeof list_rules / sizeof *list_rules; i++)
        rpcrdma_pass(rpcrdma, list_rules[i]);
    return true;
}

/* After the complete message: octets that do not form an XDR unit (section 2.2.4). */
static bool judge_units(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m, uint32_t end)
{
    if (m->n <= end || m->n - end >= 4) {
        rpcrdma_pass(rpcrdma, RULE_RPCR_2_2_4_01);
        return true;
    }
    rpcrdma_fail(rpcrdma, m, RULE_RPCR_2_2_4_01, 0,
                 "expected a Send whose length is a multiple of 4 octets; found a Send of %u octets", m->n);
    return false;
}

/* ---- RDMA_MSG: after the lists ---- */

static bool has_position_zero(const struct rpcrdma_message *m, uint64_t *octets)
{
    bool found = false;

    *octets = 0;
    for (uint32_t i = 0; i < m->header.read.n; i++) {
        struct rpcrdma_read_segment segment = rpcrdma_read_segment_at(&m->header, m->p, i);

        if (segment.position == 0) {
            found = true;
            *octets += segment.target.length;
        }
    }
    return found;
}

/* The returned Reply chunk contains octets. */
static bool in_reply_chunk(const struct rpcrdma_message *m)
{
    struct rpcrdma_chunk chunk = rpcrdma_reply_chunk(&m->header);
    uint64_t octets = 0;

    if (m->kind != RPCRDMA_KIND_REPLY || !m->header.has_reply)
        return false;
    for (uint32_t i = 0; i < chunk.n; i++)
        octets += rpcrdma_segment_at(&chunk, m->p, i).length;
    return octets > 0;
}

/* for an RPC message of at least 8 octets after the header */
static bool judge_type(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    uint32_t type = get_be32(m->p + m->header.header_len + 4);

    if (type > RPC_REPLY)
        rpcrdma_fail(rpcrdma, m, RULE_RPCR_2_2_2_01, 0, "expected msg_type 0 (CALL) or 1 (REPLY); found msg_type %u",
                     type);
    else
        rpcrdma_pass(rpcrdma, RULE_RPCR_2_2_2_01);
    return type <= RPC_REPLY;
}

static void judge_zero_beside(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    uint64_t zero;

    if (m->kind != RPCRDMA_KIND_CALL)
        return;
    if (has_position_zero(m, &zero) && zero > 0) /* section 3.5.3 only implies this; an empty one: RPCR-4.3-01 */
        rpcrdma_fail_as(rpcrdma, m, RULE_RPCR_3_5_3_05, SEVERITY_WARNING, 0,
                        "expected no Position-Zero Read chunk along with an inline RPC message; found a Position-Zero "
                        "Read chunk of %llu octets along with an inline RPC message",
                        (unsigned long long)zero);
    else
        rpcrdma_pass(rpcrdma, RULE_RPCR_3_5_3_05);
}

/* Both XIDs belong to Calls: it is unknown which Call this message answers. */
static bool answers_either(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *m)
{
    return m->kind == RPCRDMA_KIND_REPLY && m->transaction && rpcrdma_waits(m->transaction) &&
           rpcrdma_find(rpcrdma, other_side(m->side), m->rpc.xid);
}

static bool judge_two_xids(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    rpcrdma_fail(rpcrdma, m, RULE_RPCR_4_2_1_01, 0,
                 "expected the RPC message to begin with rdma_xid 0x%08x; found an RPC message that begins with 0x%08x",
                 m->header.xid, get_be32(m->p + m->header.header_len));
    if (!m->has_rpc || (m->rpc.status != RPC_OK && m->rpc.status != RPC_BAD_VALUE) || answers_either(rpcrdma, m))
        return false;
    judge_zero_beside(rpcrdma, m);
    return true;
}

/* False: the octets after the lists cannot be read. */
static bool header_judge_inline(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    uint32_t from = m->header.header_len, octets = m->n - from;

    if (octets == 0 && in_reply_chunk(m)) {
        rpcrdma_fail(
            rpcrdma, m, RULE_RPCR_3_5_3_14, 0,
            "expected an RDMA_NOMSG, as the Reply is in the Reply chunk; found an RDMA_MSG with nothing inline");
        return false;
    }
    if (octets == 0 && m->header.read.n > 0) {
        rpcrdma_fail(rpcrdma, m, RULE_RPCR_3_5_2_02, 0,
                     "expected the reduced RPC message after the header of an RDMA_MSG with a Read list; found nothing "
                     "after the header of an RDMA_MSG with a Read list");
        return false;
    }
    if (octets < REPLY_SHORTEST) {
        rpcrdma_fail(rpcrdma, m, RULE_RPCR_4_2_4_01, 0,
                     "expected an RPC message of at least %u octets after the header of an RDMA_MSG; found an RPC "
                     "message of %u octets after the header of an RDMA_MSG",
                     (unsigned)REPLY_SHORTEST, octets);
        return false;
    }
    if (octets < m->lacking + 8) { /* XID and msg_type were not captured */
        rpcrdma_inconclusive(rpcrdma, RULE_RPCR_4_2_1_01, WHY_CUT);
        return true;
    }
    if (get_be32(m->p + from) != m->header.xid)
        return judge_two_xids(rpcrdma, m);
    if (!judge_type(rpcrdma, m))
        return false;
    rpcrdma_pass(rpcrdma, RULE_RPCR_4_2_4_01);
    rpcrdma_pass(rpcrdma, RULE_RPCR_4_2_1_01);
    rpcrdma_pass(rpcrdma, RULE_RPCR_3_2_03);
    rpcrdma_pass(rpcrdma, RULE_RPCR_3_2_04);
    if (m->header.read.n > 0)
        rpcrdma_pass(rpcrdma, RULE_RPCR_3_5_2_02);
    judge_zero_beside(rpcrdma, m);
    return true;
}

/* ---- RDMA_NOMSG ---- */

/* A Long Reply to a Call without a Reply chunk is wrong with any lists: rpcrdma_reply_rules.c. */
static bool unasked_long_reply(const struct rpcrdma_message *m)
{
    return m->kind == RPCRDMA_KIND_REPLY && m->transaction && rpcrdma_waits(m->transaction) &&
           !m->transaction->misread && m->transaction->reply_chunk < 0;
}

/* The RPC message is where it belongs in an RDMA_NOMSG. */
static bool is_in_chunk(const struct rpcrdma_message *m)
{
    uint64_t zero;

    return m->kind == RPCRDMA_KIND_CALL ? has_position_zero(m, &zero) && zero >= RPC_CALL_MIN : in_reply_chunk(m);
}

/* False: the lists do not say where the RPC message is. */
static bool judge_long(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    const struct rpcrdma_header *h = &m->header;
    uint64_t zero;

    if (!judge_units(rpcrdma, m, h->header_len))
        return is_in_chunk(m);
    if (m->n > h->header_len) { /* may be an RDMA_MSG, or the end of the lists */
        rpcrdma_fail(
            rpcrdma, m, RULE_RPCR_3_5_3_02, 0,
            "expected nothing after the header of an RDMA_NOMSG; found %u octets after the header of an RDMA_NOMSG",
            m->n - h->header_len);
        return false;
    }
    rpcrdma_pass(rpcrdma, RULE_RPCR_3_5_3_02);
    if (h->read.n == 0 && h->write.n == 0 && !h->has_reply) {
        if (unasked_long_reply(m))
            return true;
        rpcrdma_fail(
            rpcrdma, m, RULE_RPCR_4_2_4_04, 0,
            "expected a Read list, Write list or Reply chunk in an RDMA_NOMSG; found an RDMA_NOMSG without chunks");
        return false;
    }
    rpcrdma_pass(rpcrdma, RULE_RPCR_4_2_4_04);
    if (m->kind != RPCRDMA_KIND_CALL)
        return true;
    if (!has_position_zero(m, &zero) || zero < RPC_CALL_MIN) {
        rpcrdma_fail(rpcrdma, m, RULE_RPCR_4_2_4_05, 0,
                     "expected a Position-Zero Read chunk of at least %u octets in an RDMA_NOMSG Call; found a "
                     "Position-Zero Read chunk of %llu octets",
                     (unsigned)RPC_CALL_MIN, (unsigned long long)zero);
        return false;
    }
    rpcrdma_pass(rpcrdma, RULE_RPCR_4_2_4_05);
    if (rpcrdma_by_rfc5666(rpcrdma)) {
        if (rpcrdma_read_segment_at(h, m->p, 0).position != 0)
            rpcrdma_fail(rpcrdma, m, RULE_RPCR0_5_1_01, 0,
                         "expected the Position-Zero chunk first in the Read list; found Position %u",
                         rpcrdma_read_segment_at(h, m->p, 0).position);
        else
            rpcrdma_pass(rpcrdma, RULE_RPCR0_5_1_01);
    }
    return true;
}

/* ---- other messages ---- */

static void judge_padded(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    uint32_t from = m->header.header_len;

    if (m->header.status != RPCRDMA_OK) {
        fail_lists(rpcrdma, m);
    } else if (m->lacking > 0) {
        rpcrdma_inconclusive(rpcrdma, RULE_RPCR0_4_1_01, WHY_CUT);
    } else if (m->n < from + REPLY_SHORTEST) {
        rpcrdma_fail(rpcrdma, m, RULE_RPCR0_4_1_01, 0,
                     "expected an RPC message of at least %u octets after the header of an RDMA_MSGP; found an RPC "
                     "message of %u octets after the header of an RDMA_MSGP",
                     (unsigned)REPLY_SHORTEST, m->n - from);
    } else if (get_be32(m->p + from) != m->header.xid) {
        rpcrdma_fail(rpcrdma, m, RULE_RPCR0_4_1_01, 0,
                     "expected the RPC message of an RDMA_MSGP to begin with rdma_xid 0x%08x; found an RPC message "
                     "that begins with 0x%08x",
                     m->header.xid, get_be32(m->p + from));
    } else {
        rpcrdma_pass(rpcrdma, RULE_RPCR0_4_1_01);
        judge_type(rpcrdma, m);
    }
}

static void judge_error_vers(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    const struct rpcrdma_header *h = &m->header;

    if (m->n < RPCRDMA_ERR_VERS_LEN)
        rpcrdma_fail(rpcrdma, m, RULE_RPCR_4_1_2_14, 0,
                     "expected an ERR_VERS of 28 octets; found an ERR_VERS of %u octets", m->n);
    else if (h->vers_low > h->vers_high)
        rpcrdma_fail(rpcrdma, m, RULE_RPCR_4_1_2_14, 0,
                     "expected rdma_vers_low and then rdma_vers_high; found versions %u and %u", h->vers_low,
                     h->vers_high);
    else
        rpcrdma_pass(rpcrdma, RULE_RPCR_4_1_2_14);
}

static bool reply_follows(const struct rpcrdma_message *m, uint32_t at)
{
    return m->n - m->lacking >= at + 8 && get_be32(m->p + at) == m->header.xid && get_be32(m->p + at + 4) == RPC_REPLY;
}

/* Neither of the two errors: RFC 5666 section 4.3 has 8 words after an unknown error. */
static void judge_unknown_error(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    bool by_rfc5666 = rpcrdma_by_rfc5666(rpcrdma);
    enum rule_id rule = by_rfc5666 ? RULE_RPCR0_4_3_01 : RULE_RPCR_4_1_2_13;

    if (by_rfc5666 && m->n == RPCRDMA_ERR_CHUNK_LEN + 4 * RPCRDMA_ERR_EXTRA_WORDS)
        rpcrdma_pass(rpcrdma, rule);
    else
        rpcrdma_fail(rpcrdma, m, rule, 0, "expected rdma_err 1 (ERR_VERS) or 2 (ERR_CHUNK)%s; found rdma_err %u",
                     by_rfc5666 ? ", or 8 words after it" : "", m->header.err);
}

static void header_judge_error(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    const struct rpcrdma_header *h = &m->header;
    bool vers = h->err == RPCRDMA_ERR_VERS;
    uint32_t end = vers ? RPCRDMA_ERR_VERS_LEN : RPCRDMA_ERR_CHUNK_LEN;

    if (m->n < RPCRDMA_ERR_CHUNK_LEN) {
        rpcrdma_fail(rpcrdma, m, RULE_RPCR_4_1_2_13, 0,
                     "expected rdma_err in an RDMA_ERROR; found an RDMA_ERROR of %u octets", m->n);
        return;
    }
    if (h->status == RPCRDMA_BAD_ERR) {
        judge_unknown_error(rpcrdma, m);
        return;
    }
    rpcrdma_pass(rpcrdma, RULE_RPCR_4_1_2_13);
    if (!judge_units(rpcrdma, m, end))
        return;
    if (m->n > end) {
        enum rule_id rule = vers ? RULE_RPCR_4_1_2_14 : RULE_RPCR_4_1_2_15;

        rpcrdma_fail(rpcrdma, m, reply_follows(m, end) ? RULE_RPCR_4_2_4_06 : rule, 0,
                     "expected nothing after the %u octets of an %s; found %u octets after the end of an %s", end,
                     rpcrdma_err_name(h->err), m->n - end, rpcrdma_err_name(h->err));
        return;
    }
    rpcrdma_pass(rpcrdma, RULE_RPCR_4_2_4_06);
    if (vers)
        judge_error_vers(rpcrdma, m);
    else
        rpcrdma_pass(rpcrdma, RULE_RPCR_4_1_2_15);
}

/* False: errors were found that make the following octets look wrong, too. */
static bool judge_readable(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    /* Another version may have other procedures. */
    if (!judge_fixed(rpcrdma, m) || !header_judge_version(rpcrdma, m))
        return false;
    m->fixed = m->header.vers == RPCRDMA_VERSION;
    if (!judge_proc(rpcrdma, m))
        return false;
    switch (m->header.proc) {
    case RPCRDMA_MSG:
        return judge_lists(rpcrdma, m) && header_judge_inline(rpcrdma, m);
    case RPCRDMA_NOMSG:
        return judge_lists(rpcrdma, m) && judge_long(rpcrdma, m);
    case RPCRDMA_MSGP:
        judge_padded(rpcrdma, m);
        break;
    case RPCRDMA_ERROR:
        header_judge_error(rpcrdma, m);
        return m->header.status == RPCRDMA_OK;
    default: /* RDMA_DONE consists of the fixed words alone */
        break;
    }
    return !m->faulty;
}

void rpcrdma_header_message(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    bool readable = judge_readable(rpcrdma, m);

    m->misread = m->faulty && !readable;
}
