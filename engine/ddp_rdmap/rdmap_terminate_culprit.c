// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Judges what a Terminate says about the segment that it reports: compares the echoed headers with the sent ones, and
 * the code with the segment (RFC 5040 sections 4.8 and 7, RFC 5041 section 7, RFC 7306 section 8).
 */
#include "engine/ddp_rdmap/rdmap_atomic_state.h"
#include "engine/ddp_rdmap/rdmap_reaction.h"
#include "wire/octets.h"

#include <stdio.h>
#include <string.h>

enum { ECHO_AT = 6 }; /* control word and DDP Segment Length come before the DDP Header */

/* A Terminate, the segment that it reports, and what is known about the segment. */
struct blame {
    struct rdmap_connection *rdmap;
    struct rdmap_step *step;
    const struct rdmap_terminate *terminate;
    const struct rdmap_recent *culprit; /* NULL: not kept */
    const struct ddp_segment *ddp;      /* header as echoed */
    const struct rdmap_opcode_info *info;
    uint32_t frame; /* of the culprit; 0: unknown */
    bool length_known;
    uint64_t payload; /* of the culprit, when length_known */
};

struct rdmap_request *rdmap_open_request(struct rdmap_connection *rdmap, unsigned side, uint32_t msn)
{
    struct rdmap_requests *requests = &rdmap->side[side].requests;
    uint64_t n = requests->tail - requests->head;

    for (uint64_t i = 0; i < n && i < RDMAP_SEARCH_MAX; i++) {
        struct rdmap_request *request = rdmap_request_at(requests, requests->head + i);

        if (request && request->known && !request->answered && request->msn == msn)
            return request;
    }
    return NULL;
}

static bool culprit_is_request(const struct ddp_segment *ddp)
{
    return !ddp->tagged && ddp->qn == DDP_QN_READ_REQUEST &&
           (ddp->opcode == RDMAP_READ_REQUEST || ddp->opcode == RDMAP_ATOMIC_REQUEST);
}

static bool culprit_invalidates(const struct ddp_segment *ddp)
{
    return !ddp->tagged && rdmap_invalidates(ddp->opcode);
}

/* ---- the echoed DDP Header and DDP Segment Length ---- */

/* The capture has everything that the sender of the Terminate can have received. */
static bool all_seen(const struct blame *a)
{
    unsigned other = other_side(a->step->side);

    return rdmap_recent_all(a->rdmap, other) && (!a->step->acked_known || a->step->acked <= a->rdmap->side[other].end);
}

static void judge_echo(const struct blame *a)
{
    struct verdict *v = a->rdmap->verdict;
    const uint8_t *p = a->step->content + ECHO_AT;
    char octets[2 * DDP_UNTAGGED_HEADER_LEN + 1];

    if (a->culprit) {
        verdict_passed(v, RULE_RDMAP_4_8_33);
        return;
    }
    if (!all_seen(a)) {
        verdict_inconclusive(v, RULE_RDMAP_4_8_33, LOST_OR(WHY_MEMORY), a->step->fpdu->place.frame);
        return;
    }
    for (unsigned i = 0; i < a->ddp->header_len; i++)
        snprintf(octets + (size_t)2 * i, 3, "%02x", p[i]);
    rdmap_fail(a->rdmap, a->step, RULE_RDMAP_4_8_33, 0,
               "expected the DDP Header of a segment that was received; found the DDP Header %s, which none of the "
               "segments had",
               octets);
}

static void culprit_judge_length(const struct blame *a)
{
    const struct rdmap_terminate *terminate = a->terminate;
    uint16_t length;

    if (!terminate->m || !a->culprit)
        return;
    length = a->culprit->ulpdu_length;
    if (terminate->segment_length == length)
        verdict_passed(a->rdmap->verdict, RULE_RDMAP_4_8_30);
    else if (a->ddp->tagged && !rdmap_recent_all(a->rdmap, other_side(a->step->side)))
        /* An older segment with the same STag and TO may have had this length. */
        verdict_inconclusive(a->rdmap->verdict, RULE_RDMAP_4_8_30, LOST_OR(WHY_MEMORY), a->step->fpdu->place.frame);
    else
        rdmap_fail(a->rdmap, a->step, RULE_RDMAP_4_8_30, a->frame,
                   "expected DDP Segment Length %u, of header and payload of the segment in frame %u; found DDP "
                   "Segment Length %u%s",
                   length, a->frame, terminate->segment_length,
                   terminate->segment_length + a->ddp->header_len == length ||
                           (a->culprit->request && terminate->segment_length == 0)
                       ? ", without the headers"
                       : "");
}

/* ---- the echoed RDMA Read Request Header ---- */

static void fail_read(const struct blame *a, enum rule_id rule, const char *what, uint64_t expected, uint64_t found,
                      uint64_t sent)
{
    rdmap_fail(a->rdmap, a->step, rule, a->frame,
               "expected %s 0x%llx after %llu octets of the Read Response to the request in frame %u; found a "
               "Terminate with 0x%llx",
               what, (unsigned long long)expected, (unsigned long long)sent, a->frame, (unsigned long long)found);
}

/* The request is known, and how far its answer has come. */
static void judge_progress(const struct blame *a, const struct rdmap_read_request *original, uint64_t sent)
{
    const struct rdmap_read_request *echo = &a->terminate->read;
    struct verdict *v = a->rdmap->verdict;
    uint32_t left = sent < original->size ? (uint32_t)(original->size - sent) : 0;
    uint64_t ahead = echo->sink_to - original->sink_to;

    /* The echo may count octets that were prepared but not sent, if all three fields agree. */
    if (sent > 0 && ahead > sent && ahead <= original->size && echo->size == original->size - ahead &&
        echo->source_to - original->source_to == ahead) {
        verdict_inconclusive(v, RULE_RDMAP_4_8_40, WHY_READINGS, a->step->fpdu->place.frame);
        verdict_inconclusive(v, RULE_RDMAP_4_8_41, WHY_READINGS, a->step->fpdu->place.frame);
        verdict_inconclusive(v, RULE_RDMAP_4_8_43, WHY_READINGS, a->step->fpdu->place.frame);
    } else if (echo->sink_to != original->sink_to + sent) {
        fail_read(a, RULE_RDMAP_4_8_40, "SinkTO", original->sink_to + sent, echo->sink_to, sent);
    } else if (echo->size != left) {
        fail_read(a, RULE_RDMAP_4_8_41, "size", left, echo->size, sent);
    } else if (echo->source_to != original->source_to + sent) {
        fail_read(a, RULE_RDMAP_4_8_43, "SrcTO", original->source_to + sent, echo->source_to, sent);
    } else {
        verdict_passed(v, RULE_RDMAP_4_8_40);
        verdict_passed(v, RULE_RDMAP_4_8_41);
        verdict_passed(v, RULE_RDMAP_4_8_43);
    }
}

/* The RDMA Read Request Header is that of another request: the DDP Header before it is the wrong one. */
static bool is_of_another_read(const struct blame *a, const uint8_t *echo, struct rdmap_recent *other)
{
    return rdmap_recent_read(a->rdmap, other_side(a->step->side), &a->terminate->read, other) && other->request &&
           memcmp(echo, other->request, RDMAP_READ_REQUEST_LEN) == 0;
}

static void judge_untouched(const struct blame *a)
{
    const uint8_t *echo = a->step->content + ECHO_AT + DDP_UNTAGGED_HEADER_LEN;
    struct rdmap_recent other;

    if (memcmp(echo, a->culprit->request, RDMAP_READ_REQUEST_LEN) == 0)
        verdict_passed(a->rdmap->verdict, RULE_RDMAP_4_8_38);
    else if (is_of_another_read(a, echo, &other))
        rdmap_fail(
            a->rdmap, a->step, RULE_RDMAP_4_8_33, other.place.frame,
            "expected the DDP Header of the RDMA Read Request whose RDMA Read Request Header comes after it; found "
            "MSN %u, of another one",
            a->ddp->msn);
    else
        rdmap_fail(a->rdmap, a->step, RULE_RDMAP_4_8_38, a->frame,
                   "expected the RDMA Read Request Header of frame %u unchanged, as none of its answer had been sent; "
                   "found SinkSTag 0x%08x, SinkTO 0x%llx, size %u, SrcSTag 0x%08x, SrcTO 0x%llx",
                   a->frame, a->terminate->read.sink_stag, (unsigned long long)a->terminate->read.sink_to,
                   a->terminate->read.size, a->terminate->read.source_stag,
                   (unsigned long long)a->terminate->read.source_to);
}

static void judge_stag(const struct blame *a, enum rule_id rule, const char *field, uint32_t asked, uint32_t found,
                       uint64_t sent)
{
    if (found != asked)
        fail_read(a, rule, field, asked, found, sent);
    else
        verdict_passed(a->rdmap->verdict, rule);
}

/*
 * The request was captured after answers whose sender may already have had it, so it may have been partly answered
 * before.
 */
static bool culprit_answered_before(const struct rdmap_requests *requests, const struct rdmap_request *request)
{
    return request->end <= requests->late_until || request->end <= requests->early_to;
}

static void culprit_judge_read(const struct blame *a)
{
    struct rdmap_connection *rdmap = a->rdmap;
    const struct rdmap_read_request *echo = &a->terminate->read;
    struct rdmap_read_request original;
    const struct rdmap_request *request;
    uint64_t sent;

    if (!a->terminate->has_read || !a->culprit || !a->culprit->request)
        return;
    rdmap_read_request_decode(&original, a->culprit->request, RDMAP_READ_REQUEST_LEN);
    request = rdmap_open_request(rdmap, other_side(a->step->side), a->ddp->msn);
    if (request && culprit_answered_before(&rdmap->side[other_side(a->step->side)].requests, request)) {
        verdict_inconclusive(rdmap->verdict, RULE_RDMAP_4_8_38, WHY_ORDER, a->step->fpdu->place.frame);
        return;
    }
    if (request && !request->begun && !rdmap->side[a->step->side].hole) {
        judge_untouched(a);
        return;
    }
    sent = request ? request->operation.octets : 0;
    judge_stag(a, RULE_RDMAP_4_8_39, "SinkSTag", original.sink_stag, echo->sink_stag, sent);
    judge_stag(a, RULE_RDMAP_4_8_42, "SrcSTag", original.source_stag, echo->source_stag, sent);
    if (!request || request->damaged || rdmap->side[a->step->side].hole)
        verdict_inconclusive(rdmap->verdict, RULE_RDMAP_4_8_40, LOST_OR(WHY_MEMORY), a->step->fpdu->place.frame);
    else
        judge_progress(a, &original, sent);
}

/* ---- the code against the segment that it describes ---- */

/* A sum of exactly 2^64 addresses only valid octets, but in 64 bits it is 0: the receiver may call that a wrap. */
static bool sum_wraps(uint64_t to, uint64_t length)
{
    return length != 0 && to + length < length;
}

static bool version_is_right(const struct blame *a)
{
    const struct ddp_segment *own = a->step->ddp; /* of the Terminate's sender */

    return a->ddp->dv == own->dv;
}

static bool rdmap_version_is_right(const struct blame *a)
{
    return a->ddp->rv == a->step->ddp->rv && (a->ddp->rv == 1 || !rdmap_opcode_too_new(a->ddp));
}

static bool read_size_and_source(const struct blame *a, struct rdmap_read_request *read)
{
    if (a->ddp->tagged || a->ddp->opcode != RDMAP_READ_REQUEST)
        return false;
    if (a->culprit && a->culprit->request)
        return rdmap_read_request_decode(read, a->culprit->request, RDMAP_READ_REQUEST_LEN);
    *read = a->terminate->read;
    return a->terminate->has_read;
}

/* The culprit's opcode is allowed by all other header fields; whether the receiver can serve it is another question. */
static bool opcode_is_expected(const struct blame *a)
{
    if (!a->info || !a->culprit || a->culprit->faulty || a->info->rfc_version_only ||
        a->ddp->opcode == RDMAP_READ_RESPONSE)
        return false;
    return a->info->tagged == a->ddp->tagged && (a->ddp->tagged || a->ddp->qn == (uint32_t)a->info->queue);
}

static const char *untrue_of_tagged_buffer(const struct blame *a)
{
    switch (a->terminate->code) {
    case 3:
        return a->length_known && !sum_wraps(a->ddp->to, a->payload) ? "TO plus length does not wrap" : NULL;
    case 4:
        return version_is_right(a) ? "its DV is the connection's" : NULL;
    default:
        return NULL;
    }
}

static bool queue_is_right(const struct blame *a)
{
    return a->info && !a->info->tagged && a->ddp->qn == (uint32_t)a->info->queue && a->ddp->qn <= DDP_QN_TERMINATE;
}

static const char *untrue_of_untagged_buffer(const struct blame *a)
{
    switch (a->terminate->code) {
    case 1:
        return queue_is_right(a) ? "its QN is valid and fits its opcode" : NULL;
    case 4:
        return a->ddp->mo == 0 && !(a->culprit && a->culprit->disordered) ? "its MO is 0" : NULL;
    case 5:
        return a->length_known && a->payload == 0 && a->ddp->mo == 0 ? "it has no payload" : NULL;
    case 6:
        return version_is_right(a) ? "its DV is the connection's" : NULL;
    default:
        return NULL;
    }
}

static const char *untrue_of_ddp(const struct blame *a)
{
    if (a->terminate->etype == 1)
        return untrue_of_tagged_buffer(a);
    return a->terminate->etype == 2 ? untrue_of_untagged_buffer(a) : NULL;
}

static const char *untrue_of_rdmap(const struct blame *a)
{
    const struct rdmap_terminate *terminate = a->terminate;
    struct rdmap_read_request read;

    if (terminate->code == 9 && !culprit_invalidates(a->ddp) && (terminate->etype == 1 || terminate->etype == 2))
        return "it invalidates no STag";
    if (terminate->etype == 1 && terminate->code == 4 && read_size_and_source(a, &read) &&
        !sum_wraps(read.source_to, read.size))
        return "SrcTO plus size does not wrap";
    if (terminate->etype == 2 && terminate->code == 5 && rdmap_version_is_right(a))
        return "its RV is the connection's";
    if (terminate->etype == 2 && terminate->code == 6 && opcode_is_expected(a))
        return "its opcode, T bit and QN match";
    return NULL;
}

/* The code is true of the segment, as far as visible: only the receiver knows about memory and buffers. */
static bool ddp_code_is_true(const struct blame *a)
{
    uint8_t code = a->terminate->code;
    bool faulty = a->culprit && a->culprit->faulty;

    if (a->terminate->etype == 1)
        return code == 3 ? a->length_known : code == 4;
    if (a->terminate->etype == 2)
        return code == 1 || code == 6 || ((code == 3 || code == 4) && faulty);
    return false;
}

static bool rdmap_code_is_true(const struct blame *a)
{
    const struct rdmap_terminate *terminate = a->terminate;
    struct rdmap_read_request read;

    if (terminate->code == 9)
        return true;
    if (terminate->etype == 1)
        return terminate->code == 4 && read_size_and_source(a, &read);
    if (terminate->etype == 2 && terminate->code == 6)
        return !a->info || a->info->tagged != a->ddp->tagged ||
               (!a->ddp->tagged && a->ddp->qn != (uint32_t)a->info->queue);
    return terminate->etype == 2 && terminate->code == 5;
}

/*
 * "Unexpected OpCode" about an Atomic, from an end that has answered one before: RDMAPX-1.1-01, unless a field explains
 * it.
 */
static bool atomics_are_known(const struct blame *a)
{
    return a->ddp->opcode == RDMAP_ATOMIC_REQUEST && a->culprit && !a->culprit->faulty &&
           a->rdmap->reaction->atomics_answered[other_side(a->step->side)] != 0;
}

enum rule_id rdmap_overlooked_field(struct rdmap_connection *rdmap, unsigned side, const struct ddp_segment *ddp)
{
    const struct rdmap_opcode_info *info = rdmap_opcode_info(ddp->opcode);
    const struct rdmap_request *request;

    if (ddp->rsvd != 0)
        return RULE_DDP_4_1_11;
    if (ddp->rdmap_rsv != 0)
        return RULE_RDMAP_4_1_27;
    if (ddp->tagged || !info || info->invalidates)
        return RULE_COUNT;
    if (ddp->stag != 0)
        return info->rfc_version_only ? RULE_RDMAPX_4_1_04 : RULE_RDMAP_4_1_30;
    if (ddp->opcode != RDMAP_ATOMIC_REQUEST)
        return RULE_COUNT;
    request = rdmap_open_request(rdmap, side, ddp->msn);
    if (!request || request->operation.kind != RDMAP_OP_ATOMIC)
        return RULE_COUNT;
    return rdmap_atomic_overlooked(&request->operation.atomic);
}

/*
 * The DDP Segment Length fits neither the whole segment nor its payload: the Terminate is about another segment with
 * the same header, such as one in an FPDU with a wrong CRC.
 */
static bool is_of_another(const struct blame *a)
{
    return a->terminate->m && a->length_known && a->terminate->segment_length != a->culprit->ulpdu_length &&
           a->terminate->segment_length != a->payload;
}

/* The Terminate reports fields that the RFCs forbid to check. True if it does. */
static bool culprit_judge_zero_length(const struct blame *a)
{
    const struct rdmap_terminate *terminate = a->terminate;
    bool remote = rdmap_terminate_is(terminate, RDMAP_LAYER_RDMA, 1) && terminate->code <= 4;
    struct rdmap_read_request read;

    if (!a->culprit || a->culprit->faulty || is_of_another(a))
        return false;
    if (remote && read_size_and_source(a, &read) && read.size == 0) {
        rdmap_fail(a->rdmap, a->step, RULE_RDMAP_5_2_1_17, a->frame,
                   "expected no check of SrcSTag and SrcTO of the RDMA Read Request of size 0 in frame %u; found a "
                   "Terminate %u/%u with code %02x",
                   a->frame, terminate->layer, terminate->etype, terminate->code);
        return true;
    }
    remote = remote || (rdmap_terminate_is(terminate, RDMAP_LAYER_DDP, 1) && terminate->code <= 3);
    if (remote && a->ddp->tagged && a->payload == 0) {
        rdmap_fail(a->rdmap, a->step, RULE_DDP_5_2_16, a->frame,
                   "expected no check of STag and TO of the Tagged message without payload in frame %u; found a "
                   "Terminate %u/%u with code %02x",
                   a->frame, terminate->layer, terminate->etype, terminate->code);
        return true;
    }
    return false;
}

/* Figure 10: the messages that a Remote Protection Error can be about. True when it is about such a message. */
static bool judge_remote_protection(const struct blame *a)
{
    const struct rdmap_terminate *terminate = a->terminate;
    struct verdict *v = a->rdmap->verdict;

    if (!rdmap_terminate_is(terminate, RDMAP_LAYER_RDMA, 1))
        return true;
    if (culprit_is_request(a->ddp) || culprit_invalidates(a->ddp)) {
        verdict_passed(v, RULE_RDMAP_4_8_46);
        return true;
    }
    if (terminate->code == 9) /* false in any case: RDMAP-4.8-50 */
        return true;
    /* RFC 5041 has no code for missing access rights. */
    if (terminate->code == 2 && a->ddp->tagged) {
        verdict_passed(v, RULE_RDMAP_4_8_46);
        return true;
    }
    rdmap_fail(a->rdmap, a->step, RULE_RDMAP_4_8_46, a->frame,
               "expected a Remote Protection Error of layer 0 only about an RDMA Read Request, an Atomic Request or a "
               "Send with Invalidate; found code %02x about %s (opcode %u)",
               terminate->code, a->info ? a->info->name : "an unknown message", a->ddp->opcode);
    return false;
}

/* Send with Invalidate: among all layer 0 codes, "STag cannot be Invalidated" is the right one for its STag. */
static void judge_invalidate_code(const struct blame *a)
{
    const struct rdmap_terminate *terminate = a->terminate;
    struct verdict *v = a->rdmap->verdict;
    enum rule_id rule;

    if (!culprit_invalidates(a->ddp) || terminate->layer != RDMAP_LAYER_RDMA)
        return;
    if (terminate->code == 9) {
        verdict_passed(v, RULE_RDMAP_4_8_12);
        verdict_passed(v, RULE_RDMAP_7_2_04);
        verdict_passed(v, RULE_RDMAP_7_2_05);
        return;
    }
    if (terminate->etype != 1 || terminate->code > 4)
        return;
    rule = terminate->code == 0 ? RULE_RDMAP_7_2_04 : terminate->code == 3 ? RULE_RDMAP_7_2_05 : RULE_RDMAP_4_8_12;
    rdmap_fail_as(a->rdmap, a->step, rule, rule == RULE_RDMAP_4_8_12 ? SEVERITY_ERROR : SEVERITY_WARNING, a->frame,
                  "expected code 09, STag cannot be Invalidated, about a Send with Invalidate; found code %02x",
                  terminate->code);
}

enum { SEGMENT_TEXT = 48 };

/* If the capture lacks the segment, only its header in the Terminate is known. */
static const char *segment_text(const struct blame *a, char text[SEGMENT_TEXT])
{
    if (!a->culprit)
        return "segment whose header it echoes";
    snprintf(text, SEGMENT_TEXT, "segment in frame %u", a->frame);
    return text;
}

static void judge_truth(const struct blame *a)
{
    char text[SEGMENT_TEXT];
    const struct rdmap_terminate *terminate = a->terminate;
    bool ddp = terminate->layer == RDMAP_LAYER_DDP;
    enum rule_id rule = ddp ? RULE_DDP_7_2_16 : RULE_RDMAP_4_8_50,
                 field = rdmap_overlooked_field(a->rdmap, other_side(a->step->side), a->ddp);
    const char *why = ddp ? untrue_of_ddp(a) : untrue_of_rdmap(a);

    if (!why && field != RULE_COUNT && rdmap_terminate_is(terminate, RDMAP_LAYER_RDMA, 2) && terminate->code == 6 &&
        atomics_are_known(a))
        why = "an Atomic was answered before";
    /* "Unspecified", about a segment with only this peculiarity. */
    if (!why && field != RULE_COUNT && !ddp && terminate->etype != 0 && terminate->code == 0xFF)
        why = "its only peculiarity is a field that must be ignored";
    if (!why) {
        if (field == RULE_COUNT && (ddp ? ddp_code_is_true(a) : rdmap_code_is_true(a)))
            verdict_passed(a->rdmap->verdict, rule);
        else
            verdict_inconclusive(a->rdmap->verdict, rule, WHY_CAUSE, a->step->fpdu->place.frame);
        return;
    }
    if (field != RULE_COUNT)
        rdmap_fail(a->rdmap, a->step, field, a->frame,
                   "expected reserved fields of the %s to be ignored; found a Terminate %u/%u with code %02x (%s) "
                   "about the %s: %s",
                   segment_text(a, text), terminate->layer, terminate->etype, terminate->code,
                   rdmap_terminate_code_name(terminate->layer, terminate->etype, terminate->code),
                   segment_text(a, text), why);
    else
        rdmap_fail(a->rdmap, a->step, rule, a->frame,
                   "expected a code that applies to the %s; found a Terminate with %u/%u and code %02x (%s): %s",
                   segment_text(a, text), terminate->layer, terminate->etype, terminate->code,
                   rdmap_terminate_code_name(terminate->layer, terminate->etype, terminate->code), why);
}

/* RFC 5041 section 7.2: the kind of segment that a DDP error type is about. */
static bool judge_buffer_model(const struct blame *a)
{
    const struct rdmap_terminate *terminate = a->terminate;

    if (terminate->layer != RDMAP_LAYER_DDP || (terminate->etype != 1 && terminate->etype != 2))
        return true;
    if (a->ddp->tagged == (terminate->etype == 1)) {
        verdict_passed(a->rdmap->verdict, RULE_DDP_7_2_15);
        return true;
    }
    rdmap_fail(a->rdmap, a->step, RULE_DDP_7_2_15, a->frame,
               "expected error type %u of layer 1 with the header of a segment with T = %u; found T = %u in the header "
               "that the Terminate echoes",
               terminate->etype, terminate->etype == 1, a->ddp->tagged);
    return false;
}

void rdmap_terminate_judge_culprit(struct rdmap_connection *rdmap, struct rdmap_step *step,
                                   const struct rdmap_terminate *terminate, const struct rdmap_recent *culprit)
{
    struct blame a = {
        .rdmap = rdmap,
        .step = step,
        .terminate = terminate,
        .culprit = culprit,
        .ddp = &terminate->ddp,
        .info = rdmap_opcode_info(terminate->ddp.opcode),
        .frame = culprit ? culprit->place.frame : 0,
        .length_known = culprit != NULL,
        .payload = culprit ? (uint64_t)culprit->ulpdu_length - culprit->header_len : 0,
    };

    judge_echo(&a);
    culprit_judge_length(&a);
    culprit_judge_read(&a);
    if (!rdmap_terminate_defined(terminate) || terminate->layer == RDMAP_LAYER_LLP ||
        rdmap_terminate_is(terminate, RDMAP_LAYER_RDMA, 0))
        return;
    if (culprit_judge_zero_length(&a) || !judge_buffer_model(&a) || !judge_remote_protection(&a))
        return;
    if (rdmap_reaction_expects(rdmap, step->side, culprit))
        return;
    judge_invalidate_code(&a);
    judge_truth(&a);
}
