// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Untagged messages: queues, MSN, MO, Last. RFC 5041 sections 4.1, 4.3, 5.2, 5.3.
 *
 * A segment that does not fit its place in the queue breaks the rule that explains it with the fewest wrong fields:
 * - inside a message: another MSN but the right MO is DDP-4.3-16; the next MSN with MO 0 means that the previous
 *   message lacks Last (DDP-4.1-04); another MO is DDP-4.3-18 when it is right in other units, else the message is put
 *   together piece by piece and judged when complete: all octets once but out of order is DDP-5.3-03 (or DDP-4.1-07,
 *   when Last is not on the highest MO), anything else DDP-5.2-07, or DDP-4.3-19 when the start is missing;
 * - after a message: the same MSN continuing at its end means that Last came too early (DDP-4.1-05), the same MSN
 *   filling its gaps means that the segment with Last was not sent last (DDP-4.1-06);
 * - a new message with another MSN than expected: DDP-4.3-13, -15 for the first one of a queue, DDP-4.3-14 at the wrap,
 *   DDP-5.3-02 when two messages turn out to be swapped, else DDP-4.3-12.
 */
#include "engine/core/heap.h"
#include "engine/ddp_rdmap/rdmap_internal.h"
#include "wire/invariant.h"

#include <stdlib.h>
#include <string.h>

enum { FPDU_MIN = MPA_LENGTH_LEN + DDP_UNTAGGED_HEADER_LEN + MPA_CRC_LEN };

/* ---- messages out of order ---- */

static void untagged_put_in_disorder(struct ddp_message *m, const struct rdmap_step *step, uint64_t expected)
{
    m->disordered = true;
    m->disorder = step->fpdu->place;
    m->disorder_expected = expected;
    m->disorder_found = step->ddp->mo;
    ddp_message_range(m, m->start, m->next); /* the octets that came in order before it */
    INVARIANT(m->disorder_found != m->disorder_expected);
}

/* Reports a message that was closed with octets missing, which no later segment has supplied. */
static void untagged_settle(struct rdmap_connection *rdmap, struct ddp_queue *q)
{
    struct ddp_message *m = q->message;
    bool no_start = ddp_ranges_of(m)->n == 0 || ddp_ranges_of(m)->range[0].from != 0;

    if (!q->unsettled)
        return;
    q->unsettled = false;
    INVARIANT(m->segments > 0);
    m->faulty = true;
    if (m->next > UINT32_MAX) /* DDP-5.2-03 */
        return;
    if (no_start)
        rdmap_fail_at(rdmap, &m->first, RULE_DDP_4_3_19, 0,
                      "expected MO 0 in the segment with the first octet of a message (QN %u, MSN %u); found MO %llu "
                      "in the segment with the first octet of a message",
                      m->qn, m->msn, (unsigned long long)m->start);
    else
        rdmap_fail_at(rdmap, &m->disorder, RULE_DDP_5_2_07, 0,
                      "expected MO %llu, the sum of the payload before it (QN %u, MSN %u); found MO %llu after %llu "
                      "octets of payload",
                      (unsigned long long)m->disorder_expected, m->qn, m->msn, (unsigned long long)m->disorder_found,
                      (unsigned long long)m->disorder_expected);
}

/* Judges a message whose segment with Last has come. */
static void untagged_judge_whole(struct rdmap_connection *rdmap, struct rdmap_step *step, struct ddp_queue *q)
{
    static const enum rule_id whole[] = {RULE_DDP_4_1_04, RULE_DDP_4_1_05, RULE_DDP_4_1_06, RULE_DDP_4_3_19};
    struct ddp_message *m = q->message;
    const struct ddp_ranges *ranges = ddp_ranges_of(m);

    if (m->damaged || !m->first_known || ranges->lost) {
        verdict_inconclusive(rdmap->verdict, RULE_DDP_5_2_07, ranges->lost ? WHY_MEMORY : LOST_OR(WHY_READINGS),
                             step->fpdu->place.frame);
        return;
    }
    if (!m->disordered) {
        for (unsigned i = 0; i < sizeof whole / sizeof whole[0]; i++)
            verdict_passed(rdmap->verdict, whole[i]);
        if (m->segments > 1) {
            verdict_passed(rdmap->verdict, RULE_DDP_4_1_07);
            verdict_passed(rdmap->verdict, RULE_DDP_5_3_03);
        }
        return;
    }
    if (ranges->overlapped || ranges->n != 1 || ranges->range[0].from != 0) {
        q->unsettled = true;
        if (ranges->overlapped) /* later segments cannot repair that */
            untagged_settle(rdmap, q);
        return;
    }
    if ((uint64_t)step->ddp->mo + step->ddp->payload_len < ranges->range[0].to)
        rdmap_fail(
            rdmap, step, RULE_DDP_4_1_07, m->disorder.frame,
            "expected Last = 1 on the highest MO of the message (QN %u, MSN %u, %llu octets); found Last = 1 on MO %u",
            m->qn, m->msn, (unsigned long long)ranges->range[0].to, step->ddp->mo);
    else
        rdmap_fail(rdmap, step, RULE_DDP_5_3_03, m->disorder.frame,
                   "expected the segments of a message in increasing MO order (QN %u, MSN %u); found MO %llu instead "
                   "of MO %llu in frame %u",
                   m->qn, m->msn, (unsigned long long)m->disorder_found, (unsigned long long)m->disorder_expected,
                   m->disorder.frame);
}

/* ---- the content of messages with an RDMAP header ---- */

static bool untagged_keep_content(struct ddp_queue *q, struct rdmap_step *step)
{
    const struct ddp_segment *ddp = step->ddp;

    if (ddp->lacking > 0) {
        q->message->damaged |= !(q->message->segments == 1 && step->ends);
        return false;
    }
    if (q->message->segments == 1 && step->ends) {
        step->content = ddp->payload;
        step->content_len = ddp->payload_len;
        return true;
    }
    if (!q->content)
        q->content = heap_zeroed(1, RDMAP_CONTENT_MAX);
    if (!q->content || ddp->mo > RDMAP_CONTENT_MAX || ddp->payload_len > RDMAP_CONTENT_MAX - ddp->mo)
        return false;
    if (ddp->payload_len > 0)
        memcpy(q->content + ddp->mo, ddp->payload, ddp->payload_len);
    INVARIANT((uint64_t)ddp->mo + ddp->payload_len <= RDMAP_CONTENT_MAX);
    step->content = q->content;
    step->content_len = q->message->octets;
    return true;
}

/* Messages without ULP payload: RFC 5040 section 4.2, RFC 7306 section 4.2. Terminates are judged on their own. */
static enum rule_id length_rule(uint8_t opcode)
{
    switch (opcode) {
    case RDMAP_READ_REQUEST:
        return RULE_RDMAP_4_2_02;
    case RDMAP_ATOMIC_REQUEST:
        return RULE_RDMAPX_4_2_02;
    case RDMAP_ATOMIC_RESPONSE:
        return RULE_RDMAPX_4_2_03;
    default:
        return RULE_RDMAPX_4_2_01;
    }
}

static void judge_fixed_length(struct rdmap_connection *rdmap, struct rdmap_step *step, struct ddp_queue *q)
{
    struct ddp_message *m = q->message;
    unsigned length = step->info->header_max;
    enum rule_id rule = length_rule(m->opcode), in_one = m->opcode == RDMAP_READ_REQUEST ? RULE_RDMAP_4_4_02 : rule;

    if (!untagged_keep_content(q, step))
        step->complete = false;
    if (m->faulty || m->damaged || !m->first_known)
        return;
    if (m->octets > length || (step->ends && m->octets < length)) {
        rdmap_fail(rdmap, step, rule, 0,
                   "expected %u octets in %s (ULPDU_Length %u); found a segment of %llu octets (ULPDU_Length %u)",
                   length, step->info->name, DDP_UNTAGGED_HEADER_LEN + length, (unsigned long long)m->octets,
                   step->fpdu->fpdu.ulpdu_length);
    } else if (m->octets == length && !step->ends) {
        /* The message is complete, and nothing may follow: Last is missing in any case. */
        rdmap_fail(rdmap, step, RULE_DDP_4_1_04, 0,
                   "expected Last = 1 in %s with all its %u octets; found Last = 0 in the segment that completes %s",
                   step->info->name, length, step->info->name);
        m->forced = step->ends = true;
        untagged_keep_content(q, step);
    } else if (m->segments == 1 && !step->ends) {
        /* No keyword forbids this, but even with the smallest MULPDU there is no reason for it. */
        rdmap_fail_as(rdmap, step, in_one, SEVERITY_WARNING, 0,
                      "expected %s of %u octets in one segment; found a segment of %llu octets and Last = 0",
                      step->info->name, length, (unsigned long long)m->octets);
    } else if (m->segments == 1) {
        verdict_passed(rdmap->verdict, rule);
        if (in_one != rule)
            verdict_passed(rdmap->verdict, in_one);
    }
}

/* ---- MSN ---- */

static void report_astray(struct rdmap_connection *rdmap, struct ddp_queue *q)
{
    q->skipped = false;
    INVARIANT(q->astray_found != q->astray_expected);
    rdmap_fail_at(rdmap, &q->astray_place, q->astray_first ? RULE_DDP_4_3_13 : RULE_DDP_4_3_12, 0,
                  q->astray_first
                      ? "expected MSN %u in the first message of a queue; found MSN %u in the first message of a queue"
                      : "expected MSN %u, one more than in the message before it; found MSN %u after MSN %u",
                  q->astray_expected, q->astray_found, q->astray_expected - 1);
}

/*
 * This message has another MSN than expected. If exactly one number was skipped, the skipped message may come next, so
 * reporting waits.
 */
static void go_astray(struct rdmap_connection *rdmap, struct rdmap_step *step, struct ddp_queue *q, bool first)
{
    q->astray = true;
    q->astray_first = first;
    q->astray_expected = q->expected;
    q->astray_found = step->ddp->msn;
    q->astray_place = step->fpdu->place;
    q->skipped = q->astray_found == q->expected + 1;
    step->faulty = true;
    INVARIANT(q->astray_found != q->astray_expected);
    if (!q->skipped)
        report_astray(rdmap, q);
}

static uint64_t messages_of_others(const struct rdmap_side *s, unsigned qn)
{
    uint64_t n = 0;

    for (unsigned i = 0; i < DDP_QUEUES; i++)
        n += i == qn ? 0 : s->queue[i].messages;
    return n;
}

static void judge_first_msn(struct rdmap_connection *rdmap, struct rdmap_step *step, struct ddp_queue *q)
{
    uint64_t others = messages_of_others(&rdmap->side[step->side], step->qn);
    uint32_t msn = step->ddp->msn;

    if (msn == 1) {
        verdict_passed(rdmap->verdict, RULE_DDP_4_3_13);
        if (others > 0)
            verdict_passed(rdmap->verdict, RULE_DDP_4_3_15);
    } else if (others > 0 && msn == others + 1) {
        rdmap_fail(rdmap, step, RULE_DDP_4_3_15, 0,
                   "expected MSN 1 in the first message on QN %u; found MSN %u, as if it counted the %llu messages on "
                   "other queues",
                   step->qn, msn, (unsigned long long)others);
    } else {
        go_astray(rdmap, step, q, true);
    }
}

static void judge_expected_msn(struct rdmap_connection *rdmap, struct rdmap_step *step, struct ddp_queue *q)
{
    uint32_t msn = step->ddp->msn;

    if (msn == q->expected) {
        verdict_passed(rdmap->verdict, RULE_DDP_4_3_12);
        verdict_passed(rdmap->verdict, RULE_DDP_5_3_02);
        if (msn == 0)
            verdict_passed(rdmap->verdict, RULE_DDP_4_3_14);
    } else if (q->expected == 0 && msn == 1) {
        rdmap_fail(rdmap, step, RULE_DDP_4_3_14, q->message->last.frame,
                   "expected MSN 0 after MSN 0xffffffff (QN %u); found MSN 1 after MSN 0xffffffff", step->qn);
    } else {
        go_astray(rdmap, step, q, false);
    }
}

/* The first message after a hole: the hole had room for `hidden` messages, so no more can be missing. */
static void judge_msn_behind_hole(struct rdmap_connection *rdmap, struct rdmap_step *step, struct ddp_queue *q)
{
    uint32_t missing = step->ddp->msn - q->expected;

    if (!q->learnt || missing <= q->hidden || (q->cut_open && missing == UINT32_MAX))
        verdict_inconclusive(rdmap->verdict, RULE_DDP_4_3_12, LOST_OR(WHY_HOLE), step->fpdu->place.frame);
    else
        go_astray(rdmap, step, q, false);
}

/* Judges the MSN of a new message. Returns the MSN expected next. */
static uint32_t judge_msn(struct rdmap_connection *rdmap, struct rdmap_step *step, struct ddp_queue *q)
{
    uint32_t msn = step->ddp->msn;
    bool astray = q->astray;

    q->astray = false;
    if (!q->known) {
        judge_msn_behind_hole(rdmap, step, q);
    } else if (step->rtr || q->after_rtr) {
        ; /* MPA has judged it */
    } else if (astray && q->skipped && msn == q->astray_expected) {
        q->skipped = false;
        rdmap_fail(rdmap, step, RULE_DDP_5_3_02, q->astray_place.frame,
                   "expected messages in the order of their MSNs (QN %u); found MSN %u after MSN %u", step->qn, msn,
                   q->astray_found);
        return q->astray_found + 1;
    } else {
        if (q->skipped)
            report_astray(rdmap, q);
        if (q->messages == 0)
            judge_first_msn(rdmap, step, q);
        else if (!astray ||
                 msn != q->astray_expected + 1) /* a single wrong number, after which the count continues unchanged */
            judge_expected_msn(rdmap, step, q);
    }
    return msn + 1;
}

/* ---- a message begins ---- */

/*
 * This is the first request of its side. Behind a late start, however, a hole may hide requests up to MSN 0, and this
 * may be a copy of a request from before the start, which has been answered.
 */
static bool begins_requests(const struct rdmap_connection *rdmap, const struct rdmap_step *step,
                            const struct ddp_queue *q)
{
    const struct rdmap_side *s = &rdmap->side[step->side], *peer = &rdmap->side[other_side(step->side)];

    return !q->learnt && step->ddp->msn == 1 &&
           (rdmap->parameters.startup_seen ||
            !(s->requests.lost_within || (peer->acked_known && peer->acked > step->fpdu->fpdu.offset)));
}

static void untagged_begin(struct rdmap_connection *rdmap, struct rdmap_step *step, struct ddp_queue *q)
{
    const struct ddp_segment *ddp = step->ddp;
    bool known = q->known;

    untagged_settle(rdmap, q);
    if (step->qn == DDP_QN_READ_REQUEST && begins_requests(rdmap, step, q))
        rdmap_requests_first(&rdmap->side[step->side].requests);
    else if (step->qn == DDP_QN_READ_REQUEST && !known)
        rdmap_requests_found(rdmap, &rdmap->side[step->side].requests, q->learnt ? ddp->msn - q->expected : 0);
    q->expected = judge_msn(rdmap, step, q);
    q->after_rtr = step->rtr;
    q->known = q->learnt = true;
    q->hidden = 0;
    q->cut_open = false;
    ddp_message_begin(rdmap, step, q);
    INVARIANT(q->open && q->known && q->message->segments == 0);
    if (ddp->mo == 0)
        return;
    if (!known) { /* the message began in the hole */
        q->message->first_known = false;
        q->message->damaged = true;
        return;
    }
    q->message->disordered = true;
    q->message->disorder = step->fpdu->place;
    q->message->disorder_found = ddp->mo;
}

/* ---- a message continues ---- */

/* MO in units other than octets, or with its least significant octet first. */
static bool mo_in_other_units(const struct ddp_message *m, uint32_t mo)
{
    return m->next == (uint64_t)mo * 4 || m->next == __builtin_bswap32(mo);
}

static void judge_same(struct rdmap_connection *rdmap, struct rdmap_step *step, const struct ddp_message *m)
{
    uint8_t control = step->fpdu->fpdu.ulpdu[1];

    if (control == m->control && step->ddp->stag == m->stag)
        verdict_passed(rdmap->verdict, RULE_DDP_4_3_06);
    else if (!step->faulty && (!ddp_same_control(m, step) || (step->info->invalidates && step->ddp->stag != m->stag)))
        rdmap_fail(rdmap, step, RULE_DDP_4_3_06, m->first.frame,
                   "expected RsvdULP %02x %08x, as in the first segment of the message (QN %u, MSN %u); found RsvdULP "
                   "%02x %08x in a later segment of the message",
                   m->control, m->stag, m->qn, m->msn, control, step->ddp->stag);
}

static void untagged_go_on(struct rdmap_connection *rdmap, struct rdmap_step *step, struct ddp_message *m)
{
    const struct ddp_segment *ddp = step->ddp;

    judge_same(rdmap, step, m);
    verdict_passed(rdmap->verdict, RULE_DDP_4_3_09);
    if (ddp->mo == m->next && !m->disordered) {
        verdict_passed(rdmap->verdict, RULE_DDP_5_2_07);
        verdict_passed(rdmap->verdict, RULE_DDP_4_3_18);
        return;
    }
    if (m->damaged || !m->first_known || m->disordered || ddp->mo == m->next)
        return;
    if (mo_in_other_units(m, ddp->mo) && ddp->mo != 0) {
        rdmap_fail(rdmap, step, RULE_DDP_4_3_18, m->last.frame,
                   "expected MO %llu as a number of octets; found MO %u (0x%08x) (QN %u, MSN %u)",
                   (unsigned long long)m->next, ddp->mo, ddp->mo, m->qn, m->msn);
        m->damaged = true; /* its octets can no longer be distinguished by MO */
        return;
    }
    INVARIANT(ddp->mo != m->next);
    untagged_put_in_disorder(m, step, m->next);
}

static void untagged_add(struct rdmap_connection *rdmap, struct rdmap_step *step, struct ddp_queue *q)
{
    struct ddp_message *m = q->message;
    const struct ddp_segment *ddp = step->ddp;

    ddp_message_add(rdmap, step, m);
    if (m->disordered)
        ddp_message_range(m, ddp->mo, (uint64_t)ddp->mo + ddp->payload_len);
    if (step->ends)
        untagged_judge_whole(rdmap, step, q);
    step->complete = step->ends && m->first_known && !m->damaged && !q->unsettled;
    if (!step->info->ulp_data && !step->rtr && m->opcode != RDMAP_TERMINATE)
        judge_fixed_length(rdmap, step, q);
    else if (!step->info->ulp_data)
        step->complete &= untagged_keep_content(q, step);
    if (step->ends) {
        q->open = false;
        step->complete |= m->forced;
    }
    INVARIANT(q->open == !step->ends && (!step->complete || step->ends));
}

/* ---- after a message ---- */

static bool untagged_fills_gap(const struct ddp_message *m, const struct ddp_segment *ddp)
{
    struct ddp_ranges ranges = *ddp_ranges_of(m);

    ranges.overlapped = false;
    ddp_ranges_add(&ranges, ddp->mo, (uint64_t)ddp->mo + ddp->payload_len);
    return !ranges.overlapped && !ranges.lost;
}

/* The segment has the MSN of the message that Last has closed. True if it still belongs to that message. */
static bool untagged_belongs_to_last(struct rdmap_connection *rdmap, struct rdmap_step *step, struct ddp_queue *q)
{
    struct ddp_message *m = q->message;
    const struct ddp_segment *ddp = step->ddp;

    if (q->unsettled && untagged_fills_gap(m, ddp)) {
        q->unsettled = false;
        rdmap_fail(rdmap, step, RULE_DDP_4_1_06, m->last.frame,
                   "expected the segment with Last = 1 after all others of its message (QN %u, MSN %u); found a "
                   "segment with MO %u after the one with Last = 1",
                   m->qn, m->msn, ddp->mo);
        step->stray = true;
        return true;
    }
    if (ddp->mo == 0 || ddp->mo > m->next)
        return false;
    if (m->forced || m->faulty) {
        step->stray = true;
        return true;
    }
    if (ddp->mo < m->next) {
        m->faulty = true;
        rdmap_fail(rdmap, step, RULE_DDP_4_1_06, m->last.frame,
                   "expected no segment of a message (QN %u, MSN %u) after the one with Last = 1; found a segment with "
                   "MO %u after the one with Last = 1",
                   m->qn, m->msn, ddp->mo);
        step->stray = true;
        return true;
    }
    rdmap_fail(rdmap, step, RULE_DDP_4_1_05, m->last.frame,
               "expected Last = 0 in all but the last segment of a message (QN %u, MSN %u); found Last = 1 at MO %llu, "
               "and a segment with MO %u after it",
               m->qn, m->msn, (unsigned long long)m->next, ddp->mo);
    q->open = true;
    m->disordered = false;
    INVARIANT(q->any && q->known);
    return true;
}

/* ---- Terminate ---- */

/* The first and only message on QN 2, in one segment (RFC 5040 section 5.4). A second Terminate is judged elsewhere. */
static void untagged_judge_terminate(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    const struct ddp_segment *ddp = step->ddp;

    if (rdmap->side[step->side].terminated)
        return;
    if (ddp->msn == 1 && ddp->mo == 0 && ddp->last)
        verdict_passed(rdmap->verdict, RULE_RDMAP_5_4_04);
    else
        rdmap_fail(
            rdmap, step, RULE_RDMAP_5_4_04, 0,
            "expected a Terminate with MSN 1, MO 0 and Last = 1; found a Terminate with MSN %u, MO %u and Last = %u",
            ddp->msn, ddp->mo, ddp->last);
}

static void untagged_terminate(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    struct ddp_queue *q = &rdmap->side[step->side].queue[DDP_QN_TERMINATE];

    if (!q->open)
        untagged_judge_terminate(rdmap, step);
    if (!q->open)
        ddp_message_begin(rdmap, step, q);
    ddp_message_add(rdmap, step, q->message);
    step->complete = step->ends && untagged_keep_content(q, step) && q->message->segments == 1;
    q->open = !step->ends;
    INVARIANT(q->open == !step->ends && (!step->complete || step->content));
}

void ddp_untagged_segment(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    const struct ddp_segment *ddp = step->ddp;
    struct ddp_queue *q = &rdmap->side[step->side].queue[step->qn];
    struct ddp_message *m = q->message;

    INVARIANT(step->qn < DDP_QUEUES && (!q->open || q->any));
    if (step->qn == DDP_QN_TERMINATE) {
        untagged_terminate(rdmap, step);
        return;
    }
    if (q->open) {
        if (ddp->msn == m->msn) {
            verdict_passed(rdmap->verdict, RULE_DDP_4_3_16);
            untagged_go_on(rdmap, step, m);
            untagged_add(rdmap, step, q);
            return;
        }
        if (ddp->mo != 0 && ddp->mo == m->next) {
            rdmap_fail(
                rdmap, step, RULE_DDP_4_3_16, m->last.frame,
                "expected MSN %u in all segments of a message (QN %u, MO %u); found MSN %u in the segment with MO %u",
                m->msn, m->qn, ddp->mo, ddp->msn, ddp->mo);
            untagged_add(rdmap, step, q);
            return;
        }
        if (!m->forced)
            ddp_message_not_ended(rdmap, m, step->fpdu->place.frame);
        q->open = false;
    } else if (q->any && q->known && ddp->msn == m->msn && untagged_belongs_to_last(rdmap, step, q)) {
        if (!step->stray)
            untagged_add(rdmap, step, q);
        return;
    }
    untagged_begin(rdmap, step, q);
    untagged_add(rdmap, step, q);
}

/* Settles an open message whose end is unknown: segments out of order are still a fact. */
static void untagged_settle_open(struct rdmap_connection *rdmap, struct ddp_queue *q)
{
    struct ddp_message *m = q->message;
    const struct ddp_ranges *ranges = ddp_ranges_of(m);

    if (!q->open || !m->disordered || m->faulty || m->damaged || !m->first_known || ranges->lost)
        return;
    if (ranges->overlapped || ranges->n != 1 || ranges->range[0].from != 0) {
        q->unsettled = true;
        return;
    }
    m->faulty = true;
    rdmap_fail_at(rdmap, &m->disorder, RULE_DDP_5_3_03, m->last.frame,
                  "expected the segments of a message in increasing MO order (QN %u, MSN %u); found MO %llu instead of "
                  "MO %llu",
                  m->qn, m->msn, (unsigned long long)m->disorder_found, (unsigned long long)m->disorder_expected);
}

/* hidden: number of the queue's messages that may be missing; UINT32_MAX: any number. */
static void untagged_unlearn(struct rdmap_connection *rdmap, struct ddp_queue *q, uint32_t hidden)
{
    untagged_settle_open(rdmap, q);
    untagged_settle(rdmap, q);
    if (q->skipped)
        report_astray(rdmap, q);
    q->hidden = q->astray || q->after_rtr || hidden > UINT32_MAX - q->hidden ? UINT32_MAX : q->hidden + hidden;
    q->cut_open |= q->open;
    q->any = q->open = q->known = q->astray = q->after_rtr = false;
    INVARIANT(!q->unsettled && !q->skipped);
}

void ddp_untagged_unlearn(struct rdmap_connection *rdmap, unsigned side, unsigned qn)
{
    untagged_unlearn(rdmap, &rdmap->side[side].queue[qn], UINT32_MAX);
}

void ddp_untagged_hole(struct rdmap_connection *rdmap, unsigned side, uint64_t octets)
{
    uint64_t hidden = octets / FPDU_MIN;

    for (unsigned qn = 0; qn < DDP_QUEUES; qn++)
        untagged_unlearn(rdmap, &rdmap->side[side].queue[qn], hidden < UINT32_MAX ? (uint32_t)hidden : UINT32_MAX);
}

void ddp_untagged_end(struct rdmap_connection *rdmap, unsigned side, bool fin)
{
    for (unsigned qn = 0; qn < DDP_QUEUES; qn++) {
        struct ddp_queue *q = &rdmap->side[side].queue[qn];

        if (fin)
            ddp_message_cut_off(rdmap, side, q);
        untagged_unlearn(rdmap, q, UINT32_MAX);
    }
}
