// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Mutants for suites ddp, rdmap and rdmapx. Most are of three kinds: they ignore what is wrong, report it with another
 * code, or treat what is allowed as wrong.
 */
#include "traffic-gen/mutants/misbehave.h"

#include "support/advert.h"
#include "traffic-gen/ends/mpa_end_internal.h"
#include "traffic-gen/ends/queue_pair_internal.h"
#include "wire/atomic.h"
#include "wire/ddp.h"
#include "wire/octets.h"
#include "wire/rdmap.h"
#include "wire/rdmap_terminate.h"

enum {
    /* Causes: layer, error type and code, as the Terminate's first two octets have them. */
    READ_STAG = 0x0100,
    READ_BOUNDS = 0x0101,
    ACCESS = 0x0102,
    READ_FOREIGN = 0x0103,
    READ_WRAP = 0x0104,
    INVALIDATE = 0x0109,
    RDMAP_VERSION = 0x0205,
    OPCODE = 0x0206,
    LOCALIZED = 0x0207,
    UNSPECIFIED = 0x02FF,
    WRITE_STAG = 0x1100,
    WRITE_BOUNDS = 0x1101,
    WRITE_FOREIGN = 0x1102,
    WRITE_WRAP = 0x1103,
    TAGGED_VERSION = 0x1104,
    QUEUE = 0x1201,
    NO_BUFFER = 0x1202,
    MSN = 0x1203,
    OFFSET = 0x1204,
    TOO_LONG = 0x1205,
    UNTAGGED_VERSION = 0x1206,

    MSN_FAR = 1000,
};

static unsigned cause_of(const struct rdmap_terminate *message)
{
    return (unsigned)(message->layer << 12 | message->etype << 8 | message->code);
}

/* ---- what is wrong is ignored: variant is its cause ---- */

static unsigned ignore(void *ctx, unsigned cause, const uint8_t *p, size_t n)
{
    const struct mutant *mutant = ctx;

    (void)p;
    (void)n;
    return cause == (unsigned)mutant->how->variant ? QP_DROP : cause;
}

/* ---- it is reported with another code: variant is its cause ---- */

static bool other_code(void *ctx, struct rdmap_terminate *message)
{
    const struct mutant *mutant = ctx;

    if (cause_of(message) == (unsigned)mutant->how->variant)
        message->code++;
    return true;
}

static bool silent(void *ctx, struct rdmap_terminate *message)
{
    const struct mutant *mutant = ctx;

    return cause_of(message) != (unsigned)mutant->how->variant;
}

static bool with_read_header(void *ctx, struct rdmap_terminate *message)
{
    const struct mutant *mutant = ctx;

    if (cause_of(message) == (unsigned)mutant->how->variant)
        message->r = message->has_read = true;
    return true;
}

/* Something else is sent before it. */
static unsigned late(void *ctx, unsigned cause, const uint8_t *p, size_t n)
{
    const struct mutant *mutant = ctx;

    (void)p;
    (void)n;
    if (cause == (unsigned)mutant->how->variant)
        qp_post(mutant->qp, &(struct qp_work){.kind = QP_SEND, .p = (const uint8_t *)"by the way", .n = 10});
    return cause;
}

/* ---- what is allowed is mistaken: variant is a condition, and what is made of it ---- */

enum condition {
    RSVD,
    RSV,
    SEND_STAG,
    EMPTY_WRITE,
    EMPTY_READ,
    WRITE,
    SEND,
    READ,
    TERMINATE,
    TERMINATE_RESERVED,
    ATOMIC,
    ATOMIC_SWAP,
    ATOMIC_SECOND,
    ATOMIC_STAG,
    ATOMIC_RESERVED,
    ATOMIC_COMPARE,
    ATOMIC_COMPARE_MASK,
    IMMEDIATE_STAG,
    READ_RIGHTS,
    READ_AGAIN,
    READ_29,
    READ_27,
    READ_MO,
    READ_SEND_QUEUE,
    EMPTY_SEND,
    TAGGED_SEND,
    UNTAGGED_WRITE,
    UNTAGGED_PLACED,
    WRITE_END,
    ATOMIC_LONG,
    SEND_64,
    SEND_QN_2,
    SEND_QN_3,
    RESPONSE_NOWHERE,
    RESPONSE_ALL,
    RESPONSE_LOCAL,
    RESPONSE_EMPTY,
};
#define WHEN(condition, cause) ((condition) << 20 | (cause))

static bool holds_for_atomic(struct mutant *mutant, enum condition condition, const struct ddp_segment *ddp)
{
    struct rdmap_atomic_request request;

    if (!rdmap_atomic_request_decode(&request, ddp->payload, ddp->payload_len))
        return false;
    switch (condition) {
    case ATOMIC:
        return true;
    case ATOMIC_LONG:
        return ddp->payload_len > RDMAP_ATOMIC_REQUEST_LEN;
    case ATOMIC_SWAP:
        return request.opcode == RDMAP_ATOMIC_CMP_SWAP;
    case ATOMIC_SECOND:
        return ++mutant->seen > 1;
    case ATOMIC_STAG:
        return ddp->stag != 0;
    case ATOMIC_RESERVED:
        return request.reserved != 0;
    case ATOMIC_COMPARE:
        return request.compare_data != 0;
    case ATOMIC_COMPARE_MASK:
        return request.compare_mask != 0;
    default:
        return false;
    }
}

static bool holds_for_send(enum condition condition, const struct ddp_segment *ddp)
{
    switch (condition) {
    case SEND:
        return true;
    case SEND_STAG:
        return ddp->stag != 0;
    case EMPTY_SEND:
        return !ddp->tagged && ddp->payload_len == 0;
    case TAGGED_SEND: /* whose octets are no Untagged header */
        return ddp->tagged && ddp->stag != 0;
    case SEND_QN_2:
    case SEND_QN_3:
        return !ddp->tagged && ddp->qn == (condition == SEND_QN_2 ? 2 : 3);
    case SEND_64:
        return ddp->payload_len == 64;
    default:
        return false;
    }
}

static bool holds_for_read(enum condition condition, const struct ddp_segment *ddp)
{
    struct rdmap_read_request read = {0};

    rdmap_read_request_decode(&read, ddp->payload, ddp->payload_len);
    switch (condition) {
    case READ:
        return read.size > 0;
    case EMPTY_READ:
        return read.size == 0 && read.source_to == UINT64_MAX;
    case READ_RIGHTS:
        return read.size == 0 && read.source_stag != 0 && read.source_to != UINT64_MAX;
    case READ_AGAIN: /* to another place than the first */
        return read.size == 0 && ddp->msn > 1 && read.sink_to & 0x40;
    case READ_29:
    case READ_27:
        return ddp->payload_len == (condition == READ_29 ? 29 : 27);
    case READ_MO:
        return ddp->mo == 4;
    case READ_SEND_QUEUE:
        return ddp->qn == DDP_QN_SEND;
    default:
        return false;
    }
}

static bool holds_for_write(enum condition condition, const struct ddp_segment *ddp)
{
    switch (condition) {
    case WRITE:
        return ddp->payload_len > 0;
    case EMPTY_WRITE:
        return ddp->payload_len == 0 && ddp->stag == 0;
    case WRITE_END: /* regions end there */
        return ddp->payload_len > 0 && (ddp->to + ddp->payload_len) % 0x10000 == 0;
    case UNTAGGED_WRITE: /* whose octets are no Tagged header */
        return !ddp->tagged && ddp->stag == 0;
    case UNTAGGED_PLACED:
        return !ddp->tagged && ddp->stag != 0;
    default:
        return false;
    }
}

/* By where a Read Response is to go: the regions begin at multiples of 0x10000. */
static bool holds_for_response(enum condition condition, const struct ddp_segment *ddp)
{
    switch (condition) {
    case RESPONSE_NOWHERE:
        return ddp->payload_len > 0 && ddp->to == 0;
    case RESPONSE_ALL:
        return ddp->payload_len > 0 && ddp->to >> 16 == 1 + REGION_ALL;
    case RESPONSE_LOCAL:
        return ddp->payload_len > 0 && ddp->to >> 16 == 1 + REGION_LOCAL;
    case RESPONSE_EMPTY:
        return ddp->payload_len == 0;
    default:
        return false;
    }
}

static bool holds_for_terminate(enum condition condition, const struct ddp_segment *ddp)
{
    struct rdmap_terminate terminate = {0};

    rdmap_terminate_decode(&terminate, ddp->payload, ddp->payload_len);
    return condition == TERMINATE || (condition == TERMINATE_RESERVED && terminate.reserved != 0);
}

static bool holds(struct mutant *mutant, enum condition condition, const struct ddp_segment *ddp)
{
    if (condition == RSVD)
        return ddp->rsvd != 0;
    if (condition == RSV)
        return ddp->rdmap_rsv != 0;
    switch (ddp->opcode) {
    case RDMAP_SEND:
    case RDMAP_SEND_SE:
        return holds_for_send(condition, ddp);
    case RDMAP_READ_REQUEST:
        return holds_for_read(condition, ddp);
    case RDMAP_WRITE:
        return holds_for_write(condition, ddp);
    case RDMAP_READ_RESPONSE:
        return holds_for_response(condition, ddp);
    case RDMAP_TERMINATE:
        return holds_for_terminate(condition, ddp);
    case RDMAP_IMMEDIATE:
        return condition == IMMEDIATE_STAG && ddp->stag != 0;
    case RDMAP_ATOMIC_REQUEST:
        return holds_for_atomic(mutant, condition, ddp);
    default:
        return false;
    }
}

static unsigned when(void *ctx, unsigned cause, const uint8_t *p, size_t n)
{
    struct mutant *mutant = ctx;
    struct ddp_segment ddp;

    if (cause == 0 && ddp_segment_decode(&ddp, p, n) &&
        holds(mutant, (enum condition)(mutant->how->variant >> 20), &ddp))
        return (unsigned)mutant->how->variant & 0xFFFFF;
    return cause;
}

static void answer_read(struct mutant *mutant, const struct rdmap_read_request *read, size_t n)
{
    static const uint8_t octets[256] = "of memory that is none of yours";
    uint8_t header[DDP_TAGGED_HEADER_LEN];

    mutant_tagged_header(RDMAP_READ_RESPONSE, read->sink_stag, read->sink_to, header);
    mpa_end_send(qp_mpa(mutant->qp), header, sizeof header, octets, MIN(n, sizeof octets));
}

/* A message is answered before it is complete. */
static unsigned eager(void *ctx, unsigned cause, const uint8_t *p, size_t n)
{
    struct mutant *mutant = ctx;
    struct ddp_segment ddp;

    if (cause == 0 && ddp_segment_decode(&ddp, p, n) && ddp.opcode == RDMAP_SEND && !ddp.last)
        qp_post(mutant->qp, &(struct qp_work){.kind = QP_SEND, .p = ddp.payload, .n = ddp.payload_len});
    return cause;
}

/* A Read Request is answered as soon as one of its segments has come. */
static unsigned answer_unfinished(void *ctx, unsigned cause, const uint8_t *p, size_t n)
{
    struct mutant *mutant = ctx;
    struct ddp_segment ddp;
    struct rdmap_read_request read;

    if (cause == 0 && ddp_segment_decode(&ddp, p, n) && ddp.opcode == RDMAP_READ_REQUEST && !ddp.last &&
        rdmap_read_request_decode(&read, ddp.payload, ddp.payload_len))
        answer_read(mutant, &read, 0);
    return cause;
}

/* The header is read as that of the opcode, whatever T says. */
static unsigned by_opcode(void *ctx, unsigned cause, const uint8_t *p, size_t n)
{
    struct mutant *mutant = ctx;
    struct ddp_segment ddp;
    uint8_t untagged[DDP_UNTAGGED_HEADER_LEN];

    if (cause != 0 || n < sizeof untagged || !ddp_segment_decode(&ddp, p, n) || ddp.opcode != RDMAP_SEND || !ddp.tagged)
        return cause;
    memcpy(untagged, p, sizeof untagged);
    untagged[0] &= 0x7F;
    if (!ddp_segment_decode(&ddp, untagged, sizeof untagged) || ddp.qn != DDP_QN_SEND || ddp.mo != 0)
        return cause;
    qp_post(mutant->qp, &(struct qp_work){.kind = QP_SEND, .p = p + sizeof untagged, .n = n - sizeof untagged});
    return QP_DROP;
}

/* Write-only memory is read. */
static unsigned disclose(void *ctx, unsigned cause, const uint8_t *p, size_t n)
{
    struct mutant *mutant = ctx;
    struct ddp_segment ddp;
    struct rdmap_read_request read;

    if (cause != ACCESS || !ddp_segment_decode(&ddp, p, n) ||
        !rdmap_read_request_decode(&read, ddp.payload, ddp.payload_len))
        return cause;
    answer_read(mutant, &read, read.size);
    return QP_DROP;
}

/* A message is lost when others come between its segments: variant is their opcode. */
static unsigned lose_interrupted(void *ctx, unsigned cause, const uint8_t *p, size_t n)
{
    struct mutant *mutant = ctx;
    struct ddp_segment ddp;

    if (cause != 0 || !ddp_segment_decode(&ddp, p, n))
        return cause;
    if (ddp.opcode == RDMAP_SEND && ddp.last && mutant->seen > 1)
        return QP_DROP;
    if (ddp.opcode == RDMAP_SEND)
        mutant->seen = !ddp.last;
    else if (ddp.opcode == mutant->how->variant && mutant->seen > 0)
        mutant->seen++;
    return cause;
}

/* ULPDUs of variant octets are ignored. */
static unsigned drop_short(void *ctx, unsigned cause, const uint8_t *p, size_t n)
{
    const struct mutant *mutant = ctx;

    (void)p;
    return n == (size_t)mutant->how->variant ? QP_DROP : cause;
}

/* The same, if they come in parts. */
static void note_part(void *ctx)
{
    struct mutant *mutant = ctx;

    mutant->seen = qp_mpa(mutant->qp)->reader.n > 0;
}

static unsigned drop_short_part(void *ctx, unsigned cause, const uint8_t *p, size_t n)
{
    const struct mutant *mutant = ctx;

    return mutant->seen ? drop_short(ctx, cause, p, n) : cause;
}

static int take_empty(void *ctx, const struct mpa_fpdu *fpdu, int error)
{
    (void)ctx;
    return error == MPA_END_BAD_FPDU && fpdu->ulpdu_length == 0 ? MPA_END_RIGHT : error;
}

/* What is refused has left its trace: a Write with another DV, an Atomic Operation (variant) that is not aligned. */
static unsigned place_refused(void *ctx, unsigned cause, const uint8_t *p, size_t n)
{
    struct ddp_segment ddp;

    if (cause == TAGGED_VERSION && ddp_segment_decode(&ddp, p, n))
        mutant_place(ctx, &ddp);
    return cause;
}

static unsigned operate_refused(void *ctx, unsigned cause, const uint8_t *p, size_t n)
{
    const struct mutant *mutant = ctx;
    const struct soft_qp *qp = soft_qp_of(mutant->qp);
    struct rdmap_atomic_request request;
    struct ddp_segment ddp;
    uint64_t result;
    uint8_t *word;

    if (cause == LOCALIZED && qp && ddp_segment_decode(&ddp, p, n) &&
        rdmap_atomic_request_decode(&request, ddp.payload, ddp.payload_len) &&
        request.opcode == (unsigned)mutant->how->variant &&
        memory_access_by(qp->memory, qp, request.stag, request.to, 8, MEMORY_REMOTE_WRITE, &word) == MEMORY_OK &&
        rdmap_atomic_apply(&request, get_be64(word), &result))
        put_be64(word, result);
    return cause;
}

/* The Read Request behind another one in the same octets is answered with that one's length when it asks for none. */
static unsigned answer_stale(void *ctx, unsigned cause, const uint8_t *p, size_t n)
{
    struct mutant *mutant = ctx;
    struct ddp_segment ddp;
    struct rdmap_read_request read;

    if (cause != 0 || !ddp_segment_decode(&ddp, p, n) || ddp.opcode != RDMAP_READ_REQUEST ||
        !rdmap_read_request_decode(&read, ddp.payload, ddp.payload_len))
        return cause;
    if (read.size == 0 && mutant->seen > 0) {
        answer_read(mutant, &read, mutant->seen);
        return QP_DROP;
    }
    mutant->seen = read.size;
    return cause;
}

static void forget_length(void *ctx)
{
    struct mutant *mutant = ctx;

    mutant->seen = 0;
}

/* Read Requests beyond the IRD. */
static unsigned serve_more(void *ctx, unsigned cause, const uint8_t *p, size_t n)
{
    struct ddp_segment ddp;

    (void)ctx;
    return cause == NO_BUFFER && ddp_segment_decode(&ddp, p, n) && ddp.qn == DDP_QN_READ_REQUEST ? 0 : cause;
}

/* MSNs that were seen before; MSNs that are far off. */
static unsigned ignore_msn(void *ctx, unsigned cause, const uint8_t *p, size_t n)
{
    const struct mutant *mutant = ctx;
    struct ddp_segment ddp;

    return cause == MSN && ddp_segment_decode(&ddp, p, n) && (ddp.msn > MSN_FAR) == (mutant->how->variant != 0)
               ? QP_DROP
               : cause;
}

static void stay_open(struct qp_options *options)
{
    options->keep_open = true;
}

#define IGNORES(name, number, text)                                                                                    \
    {                                                                                                                  \
        BOTH(name, text), .qp.judge = ignore, .variant = (number)                                                      \
    }
#define MISNAMES(name, number)                                                                                         \
    {                                                                                                                  \
        BOTH(name, "reports it with another code"), .qp.terminate = other_code, .variant = (number)                    \
    }
#define TAKES(name, condition, cause, text)                                                                            \
    {                                                                                                                  \
        BOTH(name, text), .qp.judge = when, .variant = WHEN(condition, cause)                                          \
    }

const struct misbehaviour misbehave_ddp[] = {
    TAKES("DDP-4.1-02", WRITE, QP_DROP, "does not place Writes"),
    TAKES("DDP-4.1-02/end", WRITE_END, WRITE_BOUNDS, "keeps the last octet of a region from Writes"),
    TAKES("DDP-4.1-03", SEND_64, QP_DROP, "loses Sends of 64 octets"),
    {BOTH("DDP-4.1-03/interrupted", "loses a Send when a Read Request comes between its segments"),
     .qp.judge = lose_interrupted, .variant = RDMAP_READ_REQUEST},
    {BOTH("DDP-4.1-03/write", "loses a Send when a Write comes between its segments"), .qp.judge = lose_interrupted,
     .variant = RDMAP_WRITE},
    TAKES("DDP-4.1-11", RSVD, UNTAGGED_VERSION, "treats Rsvd bits as an error"),
    TAKES("DDP-4.1-11/tagged", RSVD, TAGGED_VERSION, "treats Rsvd bits as an error"),
    TAKES("DDP-5.2-16", EMPTY_WRITE, WRITE_STAG, "checks the STag of a zero-length Write"),
    {BOTH("DDP-5.4-03", "delivers incomplete messages"), .qp.judge = eager},
    {BOTH("DDP-5.4-03/read", "answers incomplete Read Requests"), .qp.judge = answer_unfinished},
    {BOTH("DDP-6.2.1-06", "does not answer Reads, and stays open"), .options = stay_open, .qp.judge = when,
     .variant = WHEN(READ, QP_DROP)},
    {BOTH("DDP-6.2.2-03", "ignores ULPDUs that are too short"), .qp.judge = drop_short, .variant = 10},
    {BOTH("DDP-6.2.2-03/cut", "ignores ULPDUs that are too short when they come in parts"), .qp.judge = drop_short_part,
     .mpa.received = note_part, .variant = 10},
    {BOTH("DDP-6.2.2-03/zero", "ignores ULPDUs of no octets"), .mpa.judge_fpdu = take_empty, .qp.judge = drop_short},
    {BOTH("DDP-6.2.2-03/two", "ignores ULPDUs of two octets"), .qp.judge = drop_short, .variant = 2},
    IGNORES("DDP-7.1-01", QUEUE, "ignores a QN that does not exist"),
    TAKES("DDP-7.1-01/atomic", SEND_QN_3, QP_DROP, "ignores Sends on QN 3"),
    {RESPONDER("DDP-7.1-02", "ignores Sends without a Receive"), .qp.judge = ignore, .variant = NO_BUFFER},
    IGNORES("DDP-7.1-07", OFFSET, "ignores a wrong MO"),
    IGNORES("DDP-7.1-08", TOO_LONG, "ignores excess length"),
    {BOTH("DDP-7.1-09", "ignores an MSN that is far off"), .qp.judge = ignore_msn, .variant = 1},
    {BOTH("DDP-7.1-09/repeated", "ignores a repeated MSN"), .qp.judge = ignore_msn},
    IGNORES("DDP-7.1-11", WRITE_STAG, "ignores Writes to an STag that does not exist"),
    IGNORES("DDP-7.1-11/gone", WRITE_STAG, "ignores Writes to an STag that was invalidated"),
    IGNORES("DDP-7.1-11/key", WRITE_STAG, "ignores Writes to an STag with another key"),
    IGNORES("DDP-7.1-12", ACCESS, "ignores Writes that are not allowed"),
    IGNORES("DDP-7.1-12/local", ACCESS, "ignores Writes that are not allowed"),
    IGNORES("DDP-7.1-13", WRITE_BOUNDS, "ignores Writes out of bounds"),
    IGNORES("DDP-7.1-13/beyond", WRITE_BOUNDS, "ignores Writes out of bounds"),
    IGNORES("DDP-7.1-14", WRITE_BOUNDS, "ignores Writes out of bounds"),
    IGNORES("DDP-7.1-14/one", WRITE_BOUNDS, "ignores Writes out of bounds"),
    IGNORES("DDP-7.1-15", WRITE_WRAP, "ignores Writes that wrap"),
    {BOTH("DDP-7.1-17", "places a Write before it looks at DV"), .qp.judge = place_refused},
    IGNORES("DDP-7.1-20", UNTAGGED_VERSION, "continues after a segment with a wrong DV"),
    MISNAMES("DDP-7.2-03", WRITE_STAG),
    MISNAMES("DDP-7.2-04", WRITE_BOUNDS),
    MISNAMES("DDP-7.2-04/bounds", WRITE_BOUNDS),
    MISNAMES("DDP-7.2-05", WRITE_FOREIGN),
    MISNAMES("DDP-7.2-07", TAGGED_VERSION),
    {RESPONDER("DDP-7.2-09", "reports it with another code"), .qp.terminate = other_code, .variant = NO_BUFFER},
    MISNAMES("DDP-7.2-12", TOO_LONG),
    MISNAMES("DDP-7.2-13", UNTAGGED_VERSION),
    IGNORES("DDP-8.2-01", WRITE_FOREIGN, "ignores Writes to another Protection Domain"),
    {0},
};

const struct misbehaviour misbehave_rdmap[] = {
    IGNORES("RDMAP-1.2-02", WRITE_STAG, "ignores Writes to an STag that was invalidated"),
    IGNORES("RDMAP-1.2-02/read", READ_STAG, "ignores Reads from an STag that was invalidated"),
    IGNORES("RDMAP-3.2-03", TOO_LONG, "ignores excess length"),
    TAKES("RDMAP-4.1-27", RSV, RDMAP_VERSION, "treats Rsv bits as an error"),
    TAKES("RDMAP-4.1-30", SEND_STAG, UNSPECIFIED, "treats an Invalidate STag in a Send as an error"),
    TAKES("RDMAP-4.1-30/se", SEND_STAG, UNSPECIFIED, "treats an Invalidate STag in a Send as an error"),
    MISNAMES("RDMAP-4.8-07", READ_STAG),
    MISNAMES("RDMAP-4.8-08", READ_BOUNDS),
    MISNAMES("RDMAP-4.8-08/bounds", READ_BOUNDS),
    MISNAMES("RDMAP-4.8-09", ACCESS),
    MISNAMES("RDMAP-4.8-09/local", ACCESS),
    MISNAMES("RDMAP-4.8-10", READ_FOREIGN),
    MISNAMES("RDMAP-4.8-11", READ_WRAP),
    MISNAMES("RDMAP-4.8-12", INVALIDATE),
    MISNAMES("RDMAP-4.8-14", RDMAP_VERSION),
    MISNAMES("RDMAP-4.8-15", OPCODE),
    TAKES("RDMAP-4.8-29", TERMINATE_RESERVED, UNSPECIFIED,
          "answers reserved bits in a Terminate with another Terminate"),
    IGNORES("RDMAP-5.2.1-06", UNSPECIFIED, "ignores Read Requests of a wrong length"),
    TAKES("RDMAP-5.2.1-17", EMPTY_READ, READ_STAG, "checks the STag of a zero-length Read"),
    TAKES("RDMAP-5.2.1-06/longer", READ_29, QP_DROP, "ignores Read Requests of 29 octets"),
    TAKES("RDMAP-5.2.1-06/shorter", READ_27, QP_DROP, "ignores Read Requests of 27 octets"),
    TAKES("RDMAP-5.2.1-06/mo", READ_MO, QP_DROP, "ignores Read Requests with an MO"),
    TAKES("RDMAP-5.2.1-17/rights", READ_RIGHTS, ACCESS, "checks the rights of a zero-length Read"),
    TAKES("RDMAP-5.2.1-17/row", READ_AGAIN, QP_DROP, "loses consecutive zero-length Reads"),
    {BOTH("RDMAP-5.2.1-18", "answers a zero-length Read behind another with that one's length"),
     .qp.judge = answer_stale, .mpa.received = forget_length},
    TAKES("RDMAP-5.2.2-06", RESPONSE_NOWHERE, QP_DROP, "ignores unsolicited Read Responses to STags that do not exist"),
    TAKES("RDMAP-5.2.2-06/writable", RESPONSE_ALL, QP_DROP, "ignores unsolicited Read Responses to its memory"),
    TAKES("RDMAP-5.2.2-06/local", RESPONSE_LOCAL, QP_DROP, "ignores unsolicited Read Responses to memory of its own"),
    TAKES("RDMAP-5.2.2-06/empty", RESPONSE_EMPTY, QP_DROP, "ignores unsolicited Read Responses without payload"),
    IGNORES("RDMAP-5.3-05", TOO_LONG, "ignores excess length"),
    TAKES("RDMAP-5.3-12", EMPTY_SEND, UNSPECIFIED, "treats a zero-length Send as an error"),
    {RESPONDER("RDMAP-5.4-05", "has no buffer for a Terminate"), .qp.judge = when,
     .variant = WHEN(TERMINATE, NO_BUFFER)},
    {RESPONDER("RDMAP-6.1-11", "serves more Reads at once than its IRD"), .qp.judge = serve_more},
    {BOTH("RDMAP-6.2.1-01", "closes without a Terminate"), .qp.terminate = silent, .variant = UNTAGGED_VERSION},
    IGNORES("RDMAP-7-01", OPCODE, "continues after an opcode that does not exist"),
    {BOTH("RDMAP-7.1-05", "sends something else before its Terminate"), .qp.judge = late, .variant = UNTAGGED_VERSION},
    IGNORES("RDMAP-7.1-10", UNTAGGED_VERSION, "reports the second of two errors"),
    IGNORES("RDMAP-7.2-02", OPCODE, "ignores an opcode that does not exist"),
    TAKES("RDMAP-7.2-02/tagged", TAGGED_SEND, QP_DROP, "ignores a Tagged Send"),
    {BOTH("RDMAP-7.2-02/tagged-send", "goes by the opcode: reads a Tagged Send as an Untagged one"),
     .qp.judge = by_opcode},
    TAKES("RDMAP-7.2-02/untagged", UNTAGGED_WRITE, QP_DROP, "ignores an Untagged Write"),
    TAKES("RDMAP-7.2-02/untagged-write", UNTAGGED_PLACED, QP_DROP, "goes by the opcode: places an Untagged Write"),
    TAKES("RDMAP-7.2-02/terminate-queue", SEND_QN_2, QP_DROP, "ignores Sends on QN 2"),
    TAKES("RDMAP-7.2-02/queue", READ_SEND_QUEUE, QP_DROP, "ignores a Read Request on QN 0"),
    IGNORES("RDMAP-7.2-03", RDMAP_VERSION, "ignores a wrong RV"),
    IGNORES("RDMAP-7.2-03/write", RDMAP_VERSION, "ignores a wrong RV"),
    IGNORES("RDMAP-7.2-04", INVALIDATE, "ignores an Invalidate STag that does not exist"),
    IGNORES("RDMAP-7.2-04/gone", INVALIDATE, "ignores an Invalidate STag that is invalid already"),
    IGNORES("RDMAP-7.2-05", INVALIDATE, "ignores an Invalidate STag of another Protection Domain"),
    IGNORES("RDMAP-7.2-07", OPCODE, "ignores a Send on QN 1"),
    IGNORES("RDMAP-7.2-08", RDMAP_VERSION, "ignores a wrong RV"),
    IGNORES("RDMAP-7.2-09", READ_STAG, "ignores Reads from an STag that does not exist"),
    IGNORES("RDMAP-7.2-09/gone", READ_STAG, "ignores Reads from an STag that was invalidated"),
    IGNORES("RDMAP-7.2-09/key", READ_STAG, "ignores Reads from an STag with another key"),
    IGNORES("RDMAP-7.2-10", READ_FOREIGN, "ignores Reads from another Protection Domain"),
    IGNORES("RDMAP-7.2-11", READ_BOUNDS, "ignores Reads out of bounds"),
    IGNORES("RDMAP-7.2-12", READ_BOUNDS, "ignores Reads out of bounds"),
    IGNORES("RDMAP-7.2-12/one", READ_BOUNDS, "ignores Reads out of bounds"),
    {BOTH("SEC-6.3.5-01", "serves Reads that are not allowed"), .qp.judge = disclose},
    {0},
};

const struct misbehaviour misbehave_rdmapx[] = {
    TAKES("RDMAPX-1.1-01", ATOMIC_SWAP, OPCODE, "supports FetchAdd alone"),
    TAKES("RDMAPX-1.1-05", ATOMIC, LOCALIZED, "reports missing atomics with another code"),
    TAKES("RDMAPX-4.1-04", IMMEDIATE_STAG, UNSPECIFIED, "treats an Invalidate STag in Immediate Data as an error"),
    TAKES("RDMAPX-4.1-04/atomic", ATOMIC_STAG, UNSPECIFIED, "treats an Invalidate STag in a request as an error"),
    IGNORES("RDMAPX-5.1.1-05", LOCALIZED, "ignores a FetchAdd that is not aligned"),
    {BOTH("RDMAPX-5.1.1-06", "carries out a FetchAdd before it looks at the alignment"), .qp.judge = operate_refused,
     .variant = RDMAP_ATOMIC_FETCH_ADD},
    {BOTH("RDMAPX-5.1.2-09", "carries out a CmpSwap before it looks at the alignment"), .qp.judge = operate_refused,
     .variant = RDMAP_ATOMIC_CMP_SWAP},
    IGNORES("RDMAPX-5.1.2-10", LOCALIZED, "ignores a CmpSwap that is not aligned"),
    TAKES("RDMAPX-5.2.1-03", ATOMIC_RESERVED, UNSPECIFIED, "treats reserved bits as an error"),
    TAKES("RDMAPX-5.2.1-13", ATOMIC_COMPARE, UNSPECIFIED, "treats Compare Data in a FetchAdd as an error"),
    TAKES("RDMAPX-5.2.1-15", ATOMIC_COMPARE_MASK, UNSPECIFIED, "treats a Compare Mask in a FetchAdd as an error"),
    IGNORES("RDMAPX-5.2.1-21", OPCODE, "ignores an AOpCode that does not exist"),
    {RESPONDER("RDMAPX-5.2.2-09", "has one buffer for Atomic Requests"), .qp.judge = when,
     .variant = WHEN(ATOMIC_SECOND, NO_BUFFER)},
    IGNORES("RDMAPX-5.2.2-12", NO_BUFFER, "ignores unsolicited Atomic Responses"),
    IGNORES("RDMAPX-6.3-08", UNSPECIFIED, "ignores Immediate Data of a wrong length"),
    IGNORES("RDMAPX-6.3-08/short", UNSPECIFIED, "ignores Immediate Data of a wrong length"),
    TAKES("RDMAPX-8.1-03/long", ATOMIC_LONG, QP_DROP, "ignores Atomic Requests of a wrong length"),
    IGNORES("RDMAPX-8.1-03", UNSPECIFIED, "ignores Atomic Requests of a wrong length"),
    {BOTH("RDMAPX-8.1-05", "adds a Read header to its Terminate"), .qp.terminate = with_read_header,
     .variant = READ_STAG},
    IGNORES("RDMAPX-8.2-03", OPCODE, "ignores Immediate Data on QN 1"),
    IGNORES("RDMAPX-8.2-04", RDMAP_VERSION, "ignores a wrong RV"),
    IGNORES("RDMAPX-8.2-04/atomic", RDMAP_VERSION, "ignores a wrong RV"),
    MISNAMES("RDMAPX-8.2-07", LOCALIZED),
    {0},
};
