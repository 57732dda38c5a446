// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Findings that wait for proof. TCP's acknowledgment number says in each message whether something that its sender had
 * received is missing in the capture. On InfiniBand a message says nothing of the kind: when a request of the other
 * side and its Acknowledge are both missing, this shows only with that side's next request, whose PSN leaves a gap.
 * Until then, findings about the lack of another message wait.
 */
#include "engine/heap.h"
#include "engine/rpcrdma_internal.h"

#include <stdio.h>
#include <stdlib.h>

enum { PENDING_MAX = 16 };

struct rpcrdma_pending {
    unsigned n;
    struct finding finding[PENDING_MAX];
};

/* Each compares a message with those of the other side: an unseen one may excuse it. */
static bool waits(enum rule_id rule)
{
    static const enum rule_id rules[] = {
        RULE_RPCR_2_2_2_02, RULE_RPCR_2_2_2_04, RULE_RPCR_3_3_1_10, RULE_BIDI_2_02,    /* the Call */
        RULE_RPCR_3_4_6_04, RULE_RPCR_3_4_5_09,                                        /* the Call with the memory */
        RULE_RPCR_3_3_3_03, RULE_RPCR_3_3_1_03, RULE_RPCR_3_3_1_05, RULE_RPCR0_3_3_02, /* the Reply */
        RULE_RPCR_6_3_01,   RULE_RPCR0_3_8_03,  RULE_RPCR_2_2_2_03, RULE_RPCR_8_1_4_02, RULE_NFSULB_6_7_2_01,
    };

    for (unsigned i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (rules[i] == rule)
            return true;
    return false;
}

static void give(struct verdict *verdict, const struct finding *finding, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void give(struct verdict *verdict, const struct finding *finding, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    verdict_vfailed_as(verdict, finding->rule, finding->severity, finding->direction, &finding->place,
                       finding->related_frame, format, args);
    va_end(args);
}

void rpcrdma_vfail(struct rpcrdma_connection *rpcrdma, enum rule_id rule, enum rule_severity severity,
                   enum direction direction, const struct place *place, uint32_t related_frame, const char *format,
                   va_list args)
{
    struct finding *finding;

    if (!rpcrdma->gaps_show_late || rpcrdma->verdict->muted || !waits(rule)) {
        verdict_vfailed_as(rpcrdma->verdict, rule, severity, direction, place, related_frame, format, args);
        return;
    }
    if (!rpcrdma->pending)
        rpcrdma->pending = heap_zeroed(1, sizeof *rpcrdma->pending);
    if (!rpcrdma->pending || rpcrdma->pending->n == PENDING_MAX) {
        rpcrdma_inconclusive(rpcrdma, rule);
        return;
    }
    finding = &rpcrdma->pending->finding[rpcrdma->pending->n++];
    *finding = (struct finding){
        .rule = rule, .severity = severity, .direction = direction, .place = *place, .related_frame = related_frame};
    vsnprintf(finding->message, sizeof finding->message, format, args);
}

static bool is_access(enum rule_id rule)
{
    return rule == RULE_RPCR_3_4_6_04 || rule == RULE_RPCR_3_4_5_09;
}

void rpcrdma_pending_refused(struct rpcrdma_connection *rpcrdma, unsigned owner)
{
    struct rpcrdma_pending *pending = rpcrdma->pending;
    unsigned kept = 0;

    for (unsigned i = 0; pending && i < pending->n; i++) {
        const struct finding *finding = &pending->finding[i];

        if (finding->place.side != owner && is_access(finding->rule))
            give(rpcrdma->verdict, finding, "%s", finding->message);
        else
            pending->finding[kept++] = *finding;
    }
    if (pending)
        pending->n = kept;
}

void rpcrdma_pending_settle(struct rpcrdma_connection *rpcrdma, unsigned side, bool missing)
{
    struct rpcrdma_pending *pending = rpcrdma->pending;
    unsigned kept = 0;

    if (!pending || pending->n == 0)
        return;
    for (unsigned i = 0; i < pending->n; i++) {
        const struct finding *finding = &pending->finding[i];

        if (finding->place.side == side)
            pending->finding[kept++] = *finding; /* it is about messages of the other one */
        else if (missing)
            rpcrdma_inconclusive(rpcrdma, finding->rule);
        else
            give(rpcrdma->verdict, finding, "%s", finding->message);
    }
    pending->n = kept;
}
