// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tagged messages: STag, TO, Last. RFC 5041 sections 4.1, 4.2, 5.2, 5.3, 7.1.
 *
 * Tagged segments name no message, so a segment that does not continue the open message is explained by the fewest
 * wrong fields: only the opcode octet DDP-4.2-06, only the STag DDP-4.2-12, only the TO DDP-5.2-11 (DDP-4.2-15 when the
 * TO is right in the other octet order, DDP-5.3-04 when the message turns out to be complete). Two or more wrong fields
 * mean a new message, and that the previous one lacks Last (DDP-4.1-04). So does a segment after a Read Response that
 * has all its octets, or a segment at the place where the next request expects its Response. Two contiguous Writes to
 * one STag without Last in between look like one Write.
 */
#include "engine/ddp_rdmap/rdmap_internal.h"
#include "wire/invariant.h"

/* The request answered by the open message, a Read Response; NULL when unknown. */
static struct rdmap_request *answered_request(struct rdmap_connection *rdmap, unsigned side,
                                              const struct ddp_message *m)
{
    struct rdmap_request *request;

    if (m->opcode != RDMAP_READ_RESPONSE || !m->matched)
        return NULL;
    request = rdmap_request_at(&rdmap->side[other_side(side)].requests, m->request);
    return request && request->known && request->operation.kind == RDMAP_OP_READ ? request : NULL;
}

/* The segment begins the answer to the next request, after the request that the open message answers. */
static bool answers_next_request(struct rdmap_connection *rdmap, const struct rdmap_step *step,
                                 const struct rdmap_request *request)
{
    struct rdmap_requests *requests = &rdmap->side[other_side(step->side)].requests;
    const struct rdmap_request *next = rdmap_request_at(requests, request->serial + 1);

    return next && next->known && next->operation.kind == RDMAP_OP_READ &&
           next->operation.read.sink_stag == step->ddp->stag && next->operation.read.sink_to == step->ddp->to;
}

/* ---- TO + length: 7.1 ---- */

/* A sum of exactly 2^64 addresses existing octets, but taken literally, it wraps: a note. */
static bool judge_sum(struct rdmap_connection *rdmap, struct rdmap_step *step, const char *what, uint64_t to,
                      uint64_t length)
{
    uint64_t sum = to + length;

    if (length == 0 || sum >= length)
        return true;
    rdmap_fail_as(rdmap, step, RULE_DDP_7_1_16, sum == 0 ? SEVERITY_NOTE : SEVERITY_ERROR, 0,
                  "expected the sum of %s and length to be below 2^64; found TO 0x%llx and %llu octets%s", what,
                  (unsigned long long)to, (unsigned long long)length, sum == 0 ? ": exactly 2^64" : "");
    return false;
}

void ddp_judge_read_ranges(struct rdmap_connection *rdmap, struct rdmap_step *step,
                           const struct rdmap_read_request *read)
{
    if (judge_sum(rdmap, step, "SinkTO", read->sink_to, read->size) &&
        judge_sum(rdmap, step, "SrcTO", read->source_to, read->size))
        verdict_passed(rdmap->verdict, RULE_DDP_7_1_16);
}

/* ---- pieces out of order ---- */

/* If the beginning of the message is missing, it may contain the skipped octets: then only the order is wrong. */
static void tagged_settle(struct rdmap_connection *rdmap, struct ddp_message *m)
{
    const struct ddp_ranges *ranges = ddp_ranges_of(m);

    if (!m->disordered || m->faulty || m->damaged || ranges->lost)
        return;
    m->faulty = true;
    if (ranges->n == 1 && !ranges->overlapped)
        rdmap_fail_at(rdmap, &m->disorder, RULE_DDP_5_3_04, m->last.frame,
                      "expected the segments of a message in increasing TO order (STag 0x%08x); found TO 0x%llx "
                      "instead of TO 0x%llx",
                      m->stag, (unsigned long long)m->disorder_found, (unsigned long long)m->disorder_expected);
    else
        rdmap_fail_at_as(rdmap, &m->disorder, RULE_DDP_5_2_11, m->first_known ? SEVERITY_ERROR : SEVERITY_WARNING,
                         m->first.frame,
                         "expected TO 0x%llx, right after the preceding payload (STag 0x%08x, message from TO 0x%llx "
                         "on); found TO 0x%llx in the next segment",
                         (unsigned long long)m->disorder_expected, m->stag, (unsigned long long)m->start,
                         (unsigned long long)m->disorder_found);
}

static void tagged_put_in_disorder(struct ddp_message *m, const struct rdmap_step *step)
{
    if (!m->disordered) {
        m->disorder = step->fpdu->place;
        m->disorder_expected = m->next;
        m->disorder_found = step->ddp->to;
        ddp_message_range(m, m->start, m->next);
    }
    m->disordered = true;
    INVARIANT(m->disorder_found != m->disorder_expected);
}

/* ---- one segment ---- */

/* The message ended without Last. */
static void break_off(struct rdmap_connection *rdmap, struct rdmap_step *step, struct ddp_queue *q)
{
    struct rdmap_requests *requests = &rdmap->side[other_side(step->side)].requests;
    struct ddp_message *m = q->message;
    struct rdmap_request *request = answered_request(rdmap, step->side, m);

    tagged_settle(rdmap, m);
    if (!m->faulty && !rdmap_read_resumes(rdmap, step)) /* two alternating messages are one fault */
        ddp_message_not_ended(rdmap, m, step->fpdu->place.frame);
    q->open = false;
    INVARIANT(!request || request->serial == m->request);
    if (!request)
        return;
    rdmap_read_broken_off(rdmap, step->side, request);
    rdmap_requests_retire(requests, request, step->fpdu->place.time_ns);
}

/* The TO has its least significant octet first, in this segment or in all of them. */
static bool to_in_other_order(const struct ddp_message *m, uint64_t to)
{
    uint64_t length = m->next - m->last_at;

    return __builtin_bswap64(to) == m->next || __builtin_bswap64(to) == __builtin_bswap64(m->last_at) + length;
}

/* The segment is not contiguous. True if it still belongs to the open message. */
static bool tagged_explain(struct rdmap_connection *rdmap, struct rdmap_step *step, struct ddp_queue *q)
{
    const struct ddp_segment *ddp = step->ddp;
    struct ddp_message *m = q->message;
    uint8_t control = step->fpdu->fpdu.ulpdu[1];
    bool other_control = !ddp_same_control(m, step), other_stag = ddp->stag != m->stag, other_to = ddp->to != m->next;
    const struct rdmap_request *request = answered_request(rdmap, step->side, m);

    if (m->damaged && !other_control && !other_stag) /* its TOs are useless */
        return true;
    if (other_control + other_stag + other_to > 1)
        return false;
    if (request && (request->operation.octets >= request->operation.read.size ||
                    (other_to && answers_next_request(rdmap, step, request))))
        return false;
    if (other_control) {
        if (!step->faulty)
            rdmap_fail(rdmap, step, RULE_DDP_4_2_06, m->first.frame,
                       "expected RsvdULP %02x, as in the first segment of the message (STag 0x%08x); found RsvdULP "
                       "%02x in a later segment of the message",
                       m->control, m->stag, control);
    } else if (other_stag) {
        rdmap_fail(rdmap, step, RULE_DDP_4_2_12, m->first.frame,
                   "expected STag 0x%08x, as in the first segment of the message (TO 0x%llx); found STag 0x%08x in a "
                   "later segment of the message",
                   m->stag, (unsigned long long)ddp->to, ddp->stag);
    } else if (to_in_other_order(m, ddp->to)) {
        rdmap_fail(rdmap, step, RULE_DDP_4_2_15, m->last.frame,
                   "expected TO most significant octet first, %llu octets after 0x%llx; found TO 0x%llx",
                   (unsigned long long)(m->next - m->last_at), (unsigned long long)m->last_at,
                   (unsigned long long)ddp->to);
        m->damaged = true; /* its octets can no longer be distinguished by TO */
        INVARIANT(m->segments > 0);
    } else {
        tagged_put_in_disorder(m, step);
    }
    return true;
}

/* The open Read Response has all its octets but no Last, and the next one begins right after it in the same buffer. */
static bool next_is_adjacent(struct rdmap_connection *rdmap, const struct rdmap_step *step, const struct ddp_message *m)
{
    const struct rdmap_request *request = answered_request(rdmap, step->side, m);

    return request && step->ddp->payload_len > 0 && request->operation.octets == request->operation.read.size &&
           answers_next_request(rdmap, step, request);
}

static bool tagged_continues(struct rdmap_connection *rdmap, const struct rdmap_step *step, const struct ddp_message *m)
{
    return ddp_same_control(m, step) && step->ddp->stag == m->stag && step->ddp->to == m->next &&
           !next_is_adjacent(rdmap, step, m);
}

/* The segment is the rest of a Read Response that Last closed too early, which was reported. */
static bool tagged_belongs_to_last(struct rdmap_connection *rdmap, const struct rdmap_step *step,
                                   const struct ddp_queue *q)
{
    const struct ddp_message *m = q->message;
    const struct rdmap_request *oldest = rdmap_request_oldest(&rdmap->side[other_side(step->side)].requests);

    if (!q->any || m->opcode != RDMAP_READ_RESPONSE || !m->faulty || step->ddp->opcode != RDMAP_READ_RESPONSE ||
        step->ddp->stag != m->stag || step->ddp->to != m->next || step->ddp->payload_len == 0)
        return false;
    return !oldest || !oldest->known || oldest->operation.kind != RDMAP_OP_READ ||
           oldest->operation.read.sink_stag != step->ddp->stag || oldest->operation.read.sink_to != step->ddp->to;
}

static void tagged_judge_whole(struct rdmap_connection *rdmap, struct ddp_message *m)
{
    if (m->disordered)
        tagged_settle(rdmap, m);
    if (m->damaged || m->disordered || !m->first_known)
        return;
    verdict_passed(rdmap->verdict, RULE_DDP_4_1_04);
    if (m->segments > 1)
        verdict_passed(rdmap->verdict, RULE_DDP_5_3_04);
}

/*
 * The first segment after a hole may be the middle of a message, unless a Read Response begins there, and the message
 * before the hole does not continue there.
 */
static bool is_first_of_response(const struct rdmap_connection *rdmap, const struct rdmap_step *step,
                                 const struct ddp_message *before)
{
    return step->ddp->opcode == RDMAP_READ_RESPONSE &&
           !(before->opcode == RDMAP_READ_RESPONSE && before->stag == step->ddp->stag &&
             before->next == step->ddp->to) &&
           rdmap_read_is_asked_for(&rdmap->side[other_side(step->side)].requests, step->ddp);
}

void ddp_tagged_segment(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    const struct ddp_segment *ddp = step->ddp;
    struct ddp_queue *q = &rdmap->side[step->side].tagged;
    struct ddp_message *m = q->message;

    if (judge_sum(rdmap, step, "TO", ddp->to, ddp->payload_len) && ddp->payload_len > 0)
        verdict_passed(rdmap->verdict, RULE_DDP_7_1_16);
    if (q->open) {
        if (tagged_continues(rdmap, step, m)) {
            if (!m->disordered)
                VERDICT_PASSED(rdmap->verdict, RULE_DDP_4_2_06, RULE_DDP_4_2_12, RULE_DDP_4_2_15, RULE_DDP_5_2_11);
        } else if (!tagged_explain(rdmap, step, q))
            break_off(rdmap, step, q);
    } else if (tagged_belongs_to_last(rdmap, step, q)) {
        m->next += ddp->payload_len;
        step->stray = true;
        return;
    }
    if (!q->open) {
        bool first_known = q->known || is_first_of_response(rdmap, step, m);

        ddp_message_begin(rdmap, step, q);
        m->first_known = first_known;
        q->known = true;
    }
    INVARIANT(q->open && q->known && q->message == m);
    ddp_message_add(rdmap, step, m);
    if (m->disordered)
        ddp_message_range(m, ddp->to, ddp->to + ddp->payload_len);
    if (!step->ends)
        return;
    tagged_judge_whole(rdmap, m);
    step->complete = m->first_known && !m->damaged &&
                     (!m->disordered || (ddp_ranges_of(m)->n == 1 && !ddp_ranges_of(m)->overlapped));
    q->open = false;
    INVARIANT(!step->complete || m->tagged);
}

void ddp_tagged_hole(struct rdmap_connection *rdmap, unsigned side)
{
    struct ddp_queue *q = &rdmap->side[side].tagged;

    if (q->open) /* segments were out of order, whatever follows */
        tagged_settle(rdmap, q->message);
    q->any = q->open = q->known = false;
}

void ddp_tagged_end(struct rdmap_connection *rdmap, unsigned side, bool fin)
{
    struct ddp_queue *q = &rdmap->side[side].tagged;

    const struct rdmap_side *s = &rdmap->side[side];

    if (q->open)
        tagged_settle(rdmap, q->message);
    /* After a Terminate, the close is not the ULP's; and a message hidden in a hole may be open. */
    if (fin && !ddp_message_cut_off(rdmap, side, q) && !s->terminated && !rdmap->side[other_side(side)].terminated) {
        if (s->hole)
            verdict_inconclusive(rdmap->verdict, RULE_DDP_6_2_1_02, LOST_OR(WHY_HOLE), s->end_place.frame);
        else
            verdict_passed(rdmap->verdict, RULE_DDP_6_2_1_02);
    }
    q->open = false;
}
