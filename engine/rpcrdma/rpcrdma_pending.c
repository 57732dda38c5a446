// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Findings that wait for proof. On iWARP, the TCP acknowledgment number in each message shows whether the capture lacks
 * something that the sender had received. An InfiniBand message does not show this: if a request of the other side and
 * its Acknowledge are both missing, only the next request of that side reveals the hole, by a gap in the PSNs. Until
 * then, findings about the absence of another message wait.
 */
#include "engine/core/heap.h"
#include "engine/rpcrdma/rpcrdma_internal.h"
#include "wire/invariant.h"

#include <stdio.h>
#include <stdlib.h>

enum { PENDING_MAX = 16, PENDING_OF_A_RULE = 8 };

struct rpcrdma_pending {
    unsigned n;
    struct pending_finding {
        struct finding finding;
        bool unproven;    /* the other side has sent a part since, but had acknowledged nothing */
        uint32_t claimed; /* frame of a Call, captured after the answer, that the answer may belong to; 0: none */
    } finding[PENDING_MAX];
};

/* Each rule compares a message with those of the other side: a message that was not seen may excuse it. */
static const struct waiting {
    enum rule_id rule;
    enum {
        SAME_CALL, /* a copy of a Call that was seen */
        CALL,      /* of the blamed answer */
        OFFER,  /* a Call that offers the accessed memory, followed by its answer; by RFC 5666, a Reply may also offer
                   memory */
        ANSWER, /* to the Call with the same XID; the sender of the accused message may have received it */
        REPLY,  /* any Reply that the sender may have received */
    } lacks;
} waiting[] = {
    {RULE_RPCR_2_2_2_02, CALL},    {RULE_RPCR_2_2_2_04, SAME_CALL}, {RULE_RPCR_3_3_1_10, CALL},
    {RULE_BIDI_2_02, CALL},        {RULE_RPCR_4_5_04, CALL},        {RULE_RPCR_3_4_6_04, OFFER},
    {RULE_RPCR_3_4_5_09, OFFER},   {RULE_RPCR_3_3_3_03, REPLY},     {RULE_RPCR_3_3_1_03, REPLY},
    {RULE_RPCR_3_3_1_05, REPLY},   {RULE_RPCR0_3_3_02, REPLY},      {RULE_RPCR_6_3_01, REPLY},
    {RULE_RPCR0_3_8_03, REPLY},    {RULE_RPCR_2_2_2_03, ANSWER},    {RULE_RPCR0_3_8_01, OFFER},
    {RULE_NFSULB_6_7_2_01, REPLY}, {RULE_NFSULB_6_7_2_03, REPLY},
};

static const struct waiting *waiting_for(enum rule_id rule)
{
    for (unsigned i = 0; i < sizeof waiting / sizeof waiting[0]; i++)
        if (waiting[i].rule == rule)
            return &waiting[i];
    return NULL;
}

static bool pending_is_sound(const struct rpcrdma_pending *pending)
{
    return !pending || (pending->n <= PENDING_MAX &&
                        (pending->n == 0 || waiting_for(pending->finding[pending->n - 1].finding.rule)));
}

static void pending_give(struct verdict *verdict, const struct finding *finding, const char *addition)
{
    verdict->subject = finding->subject;
    verdict_failed_as(verdict, finding->rule, finding->severity, finding->direction, &finding->place,
                      finding->related_frame, "%s%s", finding->message, addition);
    verdict->subject = (struct finding_subject){NULL, NULL};
}

/* A single rule may not fill the table. */
static bool full(const struct rpcrdma_pending *pending, enum rule_id rule)
{
    unsigned n = 0;

    for (unsigned i = 0; i < pending->n; i++)
        n += pending->finding[i].finding.rule == rule;
    return pending->n == PENDING_MAX || n == PENDING_OF_A_RULE;
}

void rpcrdma_vfail(struct rpcrdma_connection *rpcrdma, enum rule_id rule, enum rule_severity severity,
                   enum direction direction, const struct place *place, uint32_t related_frame, const char *format,
                   va_list args)
{
    struct pending_finding *finding;
    const struct finding_subject subject = rpcrdma_subject(rpcrdma, place);

    if (!rpcrdma->gaps_show_late || rpcrdma->verdict->muted || severity == SEVERITY_NOTE || !waiting_for(rule)) {
        rpcrdma->verdict->subject = subject;
        verdict_vfailed_as(rpcrdma->verdict, rule, severity, direction, place, related_frame, format, args);
        rpcrdma->verdict->subject = (struct finding_subject){NULL, NULL};
        return;
    }
    if (!rpcrdma->pending)
        rpcrdma->pending = heap_zeroed(1, sizeof *rpcrdma->pending);
    if (!rpcrdma->pending || full(rpcrdma->pending, rule)) {
        verdict_inconclusive(rpcrdma->verdict, rule, WHY_MEMORY, place->frame);
        return;
    }
    finding = &rpcrdma->pending->finding[rpcrdma->pending->n++];
    *finding = (struct pending_finding){.finding = {.rule = rule,
                                                    .severity = severity,
                                                    .direction = direction,
                                                    .place = *place,
                                                    .subject = subject,
                                                    .related_frame = related_frame}};
    vsnprintf(finding->finding.message, sizeof finding->finding.message, format, args);
    INVARIANT(pending_is_sound(rpcrdma->pending));
    INVARIANT(finding->finding.severity > SEVERITY_NOTE && rpcrdma->gaps_show_late);
}

bool rpcrdma_pending_lacks_call(const struct rpcrdma_connection *rpcrdma)
{
    const struct rpcrdma_pending *pending = rpcrdma->pending;

    for (unsigned i = 0; pending && i < pending->n; i++)
        if (waiting_for(pending->finding[i].finding.rule)->lacks == CALL)
            return true;
    return false;
}

/* ---- what happens to them ---- */

enum fate { WAITS, STANDS, UNFINISHED, DOUBTFUL, FALLS }; /* UNFINISHED, DOUBTFUL: at most a warning */

/* What has happened. */
struct event {
    unsigned side;
    /* At most one of these: */
    const struct rdma_part *part;
    uint32_t frame, call_frame;
    /* At the end: */
    const struct rpcrdma_connection *rpcrdma;
    bool whole, closed;
};

static void give_weaker(struct verdict *verdict, const struct finding *finding, enum fate fate)
{
    struct finding weaker = *finding;

    if (weaker.severity > SEVERITY_WARNING)
        weaker.severity = SEVERITY_WARNING;
    INVARIANT(weaker.severity <= finding->severity && (fate == UNFINISHED || fate == DOUBTFUL));
    pending_give(verdict, &weaker,
                 fate == UNFINISHED
                     ? "; the capture ends without showing that it lacks no message before it"
                     : "; the capture may lack just the Call that it belongs to, with the Acknowledge of that");
}

static void sweep(struct rpcrdma_connection *rpcrdma, const struct event *event,
                  enum fate (*judge)(const struct event *event, struct pending_finding *pending))
{
    struct rpcrdma_pending *pending = rpcrdma->pending;
    unsigned kept = 0;

    for (unsigned i = 0; pending && i < pending->n; i++) {
        const struct finding *finding = &pending->finding[i].finding;
        enum fate fate = finding->place.side == event->side ? WAITS : judge(event, &pending->finding[i]);

        if (fate == WAITS)
            pending->finding[kept++] = pending->finding[i];
        else if (fate == STANDS)
            pending_give(rpcrdma->verdict, finding, "");
        else if (fate != FALLS)
            give_weaker(rpcrdma->verdict, finding, fate);
        else
            verdict_inconclusive(rpcrdma->verdict, finding->rule, LOST_OR(WHY_ORDER), finding->place.frame);
    }
    INVARIANT(!pending || kept <= pending->n);
    if (pending)
        pending->n = kept;
    INVARIANT(pending_is_sound(pending));
}

static enum fate after_refusal(const struct event *event, struct pending_finding *pending)
{
    enum rule_id rule = pending->finding.rule;

    (void)event;
    return rule == RULE_RPCR_3_4_6_04 || rule == RULE_RPCR_3_4_5_09 ? STANDS : WAITS;
}

void rpcrdma_pending_refused(struct rpcrdma_connection *rpcrdma, unsigned owner)
{
    sweep(rpcrdma, &(struct event){.side = owner}, after_refusal);
}

static enum fate after_late_call(const struct event *event, struct pending_finding *pending)
{
    return pending->finding.place.frame == event->frame ? FALLS : WAITS;
}

void rpcrdma_pending_excuse(struct rpcrdma_connection *rpcrdma, unsigned caller, uint32_t frame)
{
    sweep(rpcrdma, &(struct event){.side = caller, .frame = frame}, after_late_call);
}

/*
 * The Call with that XID follows so soon that it may have been sent earlier. In that case this answer is its only
 * answer, and all other outstanding Calls have answers of their own.
 */
static enum fate after_claim(const struct event *event, struct pending_finding *pending)
{
    if (pending->finding.place.frame == event->frame)
        pending->claimed = event->call_frame;
    return WAITS;
}

void rpcrdma_pending_claim(struct rpcrdma_connection *rpcrdma, unsigned caller, uint32_t frame, uint32_t call_frame)
{
    sweep(rpcrdma, &(struct event){.side = caller, .frame = frame, .call_frame = call_frame}, after_claim);
}

static enum fate after_answer(const struct event *event, struct pending_finding *pending)
{
    return pending->claimed != 0 && pending->claimed == event->call_frame ? STANDS : WAITS;
}

void rpcrdma_pending_answered(struct rpcrdma_connection *rpcrdma, unsigned caller, uint32_t call_frame)
{
    if (rpcrdma->pending)
        sweep(rpcrdma, &(struct event){.side = caller, .call_frame = call_frame}, after_answer);
}

static enum fate after_hole(const struct event *event, struct pending_finding *pending)
{
    (void)event, (void)pending;
    return FALLS;
}

void rpcrdma_pending_hole(struct rpcrdma_connection *rpcrdma, unsigned side)
{
    sweep(rpcrdma, &(struct event){.side = side}, after_hole);
}

/*
 * This part came so long after the accused message that the sender of that message had not received the previous part:
 * the part was not captured that late, nor is it a copy sent again after the Local ACK Timeout (copy_ns 0: unknown).
 */
static bool is_far_behind(const struct rdma_part *part, const struct place *accused)
{
    int64_t since_ns = part->place.time_ns - accused->time_ns, copy_ns = part->psns.copy_ns;

    return since_ns >= rpcrdma_far_ns && copy_ns > 0 && (copy_ns == INT64_MAX || since_ns > copy_ns);
}

/*
 * Nothing is missing before this part. However, the directions may be out of step in the capture. A part that a side
 * sends after its Acknowledge of a message was sent after the message. A part that a side sends before its Acknowledge
 * may have been received by the message's sender, unless the part came far too late. If the capture shows no
 * Acknowledge at all, the order of frames decides. This also holds if the accused host itself made the capture.
 *
 * A missing Call may come after this part if this part was captured late.
 */
static enum fate after_part(const struct event *event, struct pending_finding *pending)
{
    const struct place *accused = &pending->finding.place;
    uint64_t received = event->part->received;

    if (event->part->psns.others_held && event->part->psns.resent &&
        waiting_for(pending->finding.rule)->lacks >= ANSWER)
        return FALLS; /* the sender of the accused message may have received the first transmission */
    if (event->part->psns.others_held || pending->claimed != 0)
        return WAITS;
    if (event->part->psns.by_receiver)
        return STANDS;
    /* The part may be a copy: the first transmission and its Acknowledge may have come before. */
    if (waiting_for(pending->finding.rule)->lacks < ANSWER)
        return !event->part->psns.resent && (received > accused->offset ||
                                             event->part->place.time_ns - accused->time_ns >= event->part->psns.skew_ns)
                   ? STANDS
                   : WAITS;
    if (event->part->psns.resent)
        return FALLS;
    if (!pending->unproven && is_far_behind(event->part, accused))
        return STANDS;
    if (received > 0)
        return pending->unproven || received <= accused->offset ? FALLS : STANDS;
    pending->unproven = true;
    return WAITS;
}

void rpcrdma_pending_part(struct rpcrdma_connection *rpcrdma, const struct rdma_part *part)
{
    sweep(rpcrdma, &(struct event){.side = part->place.side, .part = part}, after_part);
}

/*
 * An answer to no Call looks the same as the answer to a Call that the capture lacks, if only that Call and its
 * Acknowledge are missing, and no request of the caller follows. In the latter case, however, all Calls that were seen
 * are answered, and the XID is one that the caller might have used.
 */
static bool may_have_call(const struct event *event, const struct finding *finding)
{
    const struct rpcrdma_connection *rpcrdma = event->rpcrdma;

    return rpcrdma->side[event->side].calls.outstanding == 0 &&
           rpcrdma_transaction_follows(rpcrdma, event->side, finding->place.frame);
}

/* Earlier Calls have no answer yet, but the answer has the XID that the caller uses next. */
static bool may_have_last_call(const struct event *event, const struct finding *finding)
{
    return event->rpcrdma->side[event->side].calls.outstanding > 0 &&
           rpcrdma_transaction_succeeds(event->rpcrdma, event->side, finding->place.frame);
}

/* A later answer has no captured Call, and this Call may offer the memory. may_have: the capture may lack the Call. */
static bool may_have_offer(const struct event *event, const struct finding *finding,
                           bool (*may_have)(const struct event *event, const struct finding *answer))
{
    const struct rpcrdma_pending *pending = event->rpcrdma->pending;

    for (unsigned i = 0; i < pending->n; i++) {
        const struct finding *answer = &pending->finding[i].finding;

        if (waiting_for(answer->rule)->lacks == CALL && answer->place.side == finding->place.side &&
            answer->place.frame > finding->place.frame && may_have(event, answer))
            return true;
    }
    return false;
}

/* An earlier Call is still unanswered although a later Call claimed the answer: it was meant for the earlier Call. */
static bool one_was_passed_over(const struct event *event, const struct finding *finding)
{
    struct rpcrdma_transaction *t = NULL;

    while ((t = rpcrdma_next_outstanding(event->rpcrdma, event->side, t)))
        if (!t->damage && t->call.frame < finding->place.frame)
            return true;
    return false;
}

/*
 * No later request of the other side shows what is missing before it. If the capture is complete otherwise, and
 * continues to the Acknowledge of the accused message or to the end of the connection, the finding stands.
 */
static enum fate pending_at_end(const struct event *event, struct pending_finding *pending)
{
    const struct finding *finding = &pending->finding;
    bool call = waiting_for(finding->rule)->lacks == CALL, offer = waiting_for(finding->rule)->lacks == OFFER;

    if (pending->unproven)
        return STANDS;
    if (pending->claimed != 0)
        return one_was_passed_over(event, finding) ? STANDS : FALLS;
    if (!event->whole || waiting_for(finding->rule)->lacks == REPLY) /* the receiver of a Reply continues to send */
        return FALLS;
    if ((call && may_have_call(event, finding)) || (offer && may_have_offer(event, finding, may_have_call)))
        return DOUBTFUL;
    if ((call && may_have_last_call(event, finding)) || (offer && may_have_offer(event, finding, may_have_last_call)))
        return FALLS;
    return event->closed || event->rpcrdma->received[event->side] > finding->place.offset ? STANDS : UNFINISHED;
}

void rpcrdma_pending_finish(struct rpcrdma_connection *rpcrdma)
{
    /* If packets are missing, others may be missing without a trace. */
    bool whole = rpcrdma->terms.from_start && rpcrdma->holes == 0 && !rpcrdma->lossy && rpcrdma->side[0].started &&
                 rpcrdma->side[1].started;
    bool closed = rpcrdma->side[0].fin || rpcrdma->side[1].fin;

    for (unsigned side = 0; side < 2; side++)
        sweep(rpcrdma, &(struct event){.side = side, .rpcrdma = rpcrdma, .whole = whole, .closed = closed},
              pending_at_end);
    INVARIANT(!rpcrdma->pending || rpcrdma->pending->n == 0);
}
