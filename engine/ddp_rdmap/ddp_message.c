// SPDX-License-Identifier: GPL-2.0-or-later
/* Shared by Tagged and Untagged DDP Messages: putting their segments together. RFC 5041 sections 4.1, 5.2, 5.3. */
#include "engine/core/heap.h"
#include "engine/ddp_rdmap/rdmap_internal.h"
#include "wire/invariant.h"

#include <stdlib.h>
#include <string.h>

/* A queue without a message points here. Never written to. */
static const struct ddp_message no_message;

enum { ULP_MESSAGE_MAX = UINT32_MAX }; /* 5.2: less than 2^32 octets */

void ddp_ranges_add(struct ddp_ranges *ranges, uint64_t from, uint64_t to)
{
    unsigned i = 0, joined;

    if (from >= to || ranges->lost)
        return;
    while (i < ranges->n && ranges->range[i].to < from)
        i++;
    /* Merge all pieces from i on that touch the new one. */
    for (joined = i; joined < ranges->n && ranges->range[joined].from <= to; joined++) {
        ranges->overlapped |= ranges->range[joined].from < to && from < ranges->range[joined].to;
        from = ranges->range[joined].from < from ? ranges->range[joined].from : from;
        to = ranges->range[joined].to > to ? ranges->range[joined].to : to;
    }
    if (joined == i && ranges->n == DDP_RANGES_MAX) {
        ranges->lost = true;
        return;
    }
    memmove(&ranges->range[i + 1], &ranges->range[joined], (ranges->n - joined) * sizeof ranges->range[0]);
    ranges->range[i] = (struct ddp_range){from, to};
    ranges->n = ranges->n - (joined - i) + 1;
    INVARIANT(ranges->n <= DDP_RANGES_MAX && ranges->range[i].from < ranges->range[i].to);
    INVARIANT(i == 0 || ranges->range[i - 1].to < ranges->range[i].from);
    INVARIANT(i + 1 >= ranges->n || ranges->range[i].to < ranges->range[i + 1].from);
}

/* Few messages are out of order, so the pieces are allocated separately. */
void ddp_message_range(struct ddp_message *m, uint64_t from, uint64_t to)
{
    if (!m->ranges)
        m->ranges = heap_zeroed(1, sizeof *m->ranges);
    if (!m->ranges)
        m->damaged = true;
    else
        ddp_ranges_add(m->ranges, from, to);
    INVARIANT(m->ranges || m->damaged);
}

const struct ddp_ranges *ddp_ranges_of(const struct ddp_message *m)
{
    static const struct ddp_ranges none;

    return m->ranges ? m->ranges : &none;
}

void ddp_message_init(struct ddp_queue *q)
{
    q->message = (struct ddp_message *)&no_message;
}

void ddp_message_free(struct ddp_queue *q)
{
    free(q->message->ranges);
    free(q->content);
}

bool ddp_message_room(struct rdmap_connection *rdmap, const struct rdmap_step *step)
{
    struct rdmap_side *s = &rdmap->side[step->side];
    struct ddp_queue *q = step->ddp->tagged ? &s->tagged : &s->queue[step->qn];
    struct ddp_message *message;

    if (q->message != &no_message)
        return true;
    message = arena_zeroed(rdmap->arena, sizeof *message);
    if (!message)
        return false;
    q->message = message;
    return true;
}

void ddp_message_begin(struct rdmap_connection *rdmap, struct rdmap_step *step, struct ddp_queue *q)
{
    const struct ddp_segment *ddp = step->ddp;
    struct ddp_message *m = q->message;
    uint64_t at = ddp->tagged ? ddp->to : ddp->mo;

    INVARIANT(m != &no_message);
    free(m->ranges);
    *m = (struct ddp_message){.number = rdmap->side[step->side].messages++,
                              .control = step->fpdu->fpdu.ulpdu[1],
                              .opcode = ddp->opcode,
                              .tagged = ddp->tagged,
                              .first_known = true,
                              .stag = ddp->stag,
                              .qn = step->qn,
                              .msn = ddp->msn,
                              .start = at,
                              .next = at,
                              .first = step->fpdu->place};
    q->any = q->open = true;
    q->unsettled = false;
    q->messages++;
    step->starts = true;
    INVARIANT(m->number < rdmap->side[step->side].messages && m->segments == 0 && !m->ranges);
}

static void interrupt(struct ddp_queue *q, const struct rdmap_step *step)
{
    if (q->open && q->message != step->message && q->message->interrupted == 0)
        q->message->interrupted = step->fpdu->place.frame;
    INVARIANT(!q->open || q->any);
}

void ddp_message_interrupts(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    struct rdmap_side *s = &rdmap->side[step->side];

    if (step->ddp->opcode == RDMAP_TERMINATE) /* may cut off any message (RFC 5040 section 5.4) */
        return;
    if (step->starts && step->message->first_known) /* so a Tagged message from before the hole has ended (5.3) */
        s->tagged.known = true;
    interrupt(&s->tagged, step);
    for (unsigned qn = 0; qn < DDP_QUEUES; qn++)
        interrupt(&s->queue[qn], step);
}

static void message_judge_length(struct rdmap_connection *rdmap, struct rdmap_step *step, struct ddp_message *m)
{
    uint64_t end = m->tagged ? m->octets : (uint64_t)step->ddp->mo + step->ddp->payload_len;

    if (end <= ULP_MESSAGE_MAX) {
        if (step->ends)
            verdict_passed(rdmap->verdict, RULE_DDP_5_2_03);
        return;
    }
    if (m->too_long)
        return;
    m->too_long = true;
    rdmap_fail(rdmap, step, RULE_DDP_5_2_03, m->first.frame,
               "expected a message of less than 2^32 octets; found a message of at least %llu octets (%s)",
               (unsigned long long)end, m->tagged ? "sum of its segments" : "MO and payload of its segment");
}

static void message_judge_empty(struct rdmap_connection *rdmap, struct rdmap_step *step, const struct ddp_message *m)
{
    if (m->octets == 0 && step->ends) {
        if (m->segments == 1)
            verdict_passed(rdmap->verdict, RULE_DDP_5_2_14);
        else
            rdmap_fail(rdmap, step, RULE_DDP_5_2_14, m->first.frame,
                       "expected a zero-length message in one segment; found a zero-length message of %u segments",
                       m->segments);
    } else if (step->ends && m->segments > 1) {
        if (!m->empty)
            verdict_passed(rdmap->verdict, RULE_DDP_5_2_01);
        else if (m->first_known)
            rdmap_fail_as(
                rdmap, step, RULE_DDP_5_2_01, SEVERITY_NOTE, m->first.frame,
                "expected payload in each segment of a message of %u segments; found a segment without payload",
                m->segments);
    }
}

void ddp_message_add(struct rdmap_connection *rdmap, struct rdmap_step *step, struct ddp_message *m)
{
    const struct ddp_segment *ddp = step->ddp;

    step->message = m;
    m->faulty |= step->faulty;
    m->octets += ddp->payload_len;
    m->last_at = ddp->tagged ? ddp->to : ddp->mo;
    m->next = m->last_at + ddp->payload_len;
    m->segments++;
    m->last = step->fpdu->place;
    m->empty |= ddp->payload_len == 0;
    INVARIANT(m->segments > 0 && (m->tagged || m->next >= m->last_at));
    INVARIANT(m->octets >= ddp->payload_len && m->number < rdmap->side[step->side].messages);
    if (m->interrupted != 0) {
        rdmap_fail(rdmap, step, RULE_DDP_5_3_05, m->interrupted,
                   "expected the segments of a message in succession; found segment %u after a segment of another "
                   "message in frame %u",
                   m->segments, m->interrupted);
        m->interrupted = 0;
    } else if (m->segments > 1) {
        verdict_passed(rdmap->verdict, RULE_DDP_5_3_05);
    }
    message_judge_length(rdmap, step, m);
    message_judge_empty(rdmap, step, m);
}

void ddp_message_not_ended(struct rdmap_connection *rdmap, struct ddp_message *m, uint32_t related_frame)
{
    INVARIANT(m->segments > 0);
    m->faulty = true;
    if (m->tagged)
        rdmap_fail_at(rdmap, &m->last, RULE_DDP_4_1_04, related_frame,
                      "expected Last = 1 in the last segment of a message (STag 0x%08x, %llu octets); found Last = 0, "
                      "and another message after it",
                      m->stag, (unsigned long long)m->octets);
    else
        rdmap_fail_at(rdmap, &m->last, RULE_DDP_4_1_04, related_frame,
                      "expected Last = 1 in the last segment of a message (QN %u, MSN %u, %llu octets); found Last = "
                      "0, and another message after it",
                      m->qn, m->msn, (unsigned long long)m->octets);
}

bool ddp_message_cut_off(struct rdmap_connection *rdmap, unsigned side, struct ddp_queue *q)
{
    const struct rdmap_side *s = &rdmap->side[side], *peer = &rdmap->side[other_side(side)];
    const struct ddp_message *m = q->message;

    if (!q->open || m->opcode == RDMAP_TERMINATE || s->terminated || peer->terminated)
        return false;
    INVARIANT(q->any && m->segments > 0);
    /* A Terminate may be missing, or captured later; the peer's FIN alone uses one sequence number. */
    if (peer->hole || (s->acked_known && s->acked > peer->end + 1)) {
        verdict_inconclusive(rdmap->verdict, RULE_DDP_6_2_1_02, LOST_OR(WHY_ORDER), s->end_place.frame);
        return true;
    }
    rdmap_fail_at(rdmap, &m->last, RULE_DDP_6_2_1_02, rdmap->side[side].end_place.frame,
                  "expected all data before the close; found a FIN after a message without Last = 1 (%s, %llu octets)",
                  rdmap_opcode_info(m->opcode)->name, (unsigned long long)m->octets);
    return true;
}

/* The other side has acknowledged more of this side's stream than was captured: a FIN is missing. */
static bool message_is_missing(const struct rdmap_side *s, unsigned side)
{
    return s[other_side(side)].acked_known && s[other_side(side)].acked > s[side].end + s[side].fin;
}

/* No RFC limits how long a TCP connection may stay open after its only stream has ended. */
void ddp_stream_finish(struct rdmap_connection *rdmap, int64_t time_ns)
{
    const struct rdmap_side *s = rdmap->side;
    unsigned first;

    if (!s[0].terminated && !s[1].terminated)
        return;
    first =
        s[0].terminated && (!s[1].terminated || s[0].terminate_place.time_ns <= s[1].terminate_place.time_ns) ? 0 : 1;
    INVARIANT(s[first].terminated);
    if (s[0].reset || s[1].reset || (s[0].fin && s[1].fin))
        verdict_passed(rdmap->verdict, RULE_DDP_3_14);
    else if (s[0].hole || s[1].hole || message_is_missing(s, 0) || message_is_missing(s, 1) ||
             time_ns - s[first].terminate_place.time_ns < rdmap->options.t_idle)
        verdict_inconclusive(rdmap->verdict, RULE_DDP_3_14, LOST_OR(WHY_END), s[first].terminate_place.frame);
    else
        rdmap_fail_at(rdmap, &s[first].terminate_place, RULE_DDP_3_14, 0,
                      "expected the end of the TCP connection after this Terminate; found that the TCP connection went "
                      "on for %lld s after this Terminate",
                      (long long)((time_ns - s[first].terminate_place.time_ns) / 1000000000));
}
