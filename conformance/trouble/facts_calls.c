// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls without an answer, or with an answer that did not arrive. */
#include "conformance/trouble/facts.h"
#include "engine/core/heap.h"

#include <limits.h>
#include <stdlib.h>

/* If no packet comes for this long, an unacknowledged answer did not arrive; before that, it still may. */
static const int64_t settled_ns = 1000000000;

/* By this time a caller that was asked to try again has tried, or given up (Linux clients: 15 s at most). */
static const int64_t retry_ns = 20000000000;

/* People notice answers that take longer. */
static const int64_t slow_ns = 2000000000;

static void note_early(struct trouble_facts *facts, const struct trouble_call *call)
{
    struct trouble_answered *early;

    if (facts->n_early >= TROUBLE_FIRST_ANSWERS)
        return;
    early = heap_room(facts->early, &facts->room_early, facts->n_early + 1, TROUBLE_FIRST_ANSWERS, sizeof *early);
    if (!early)
        return;
    facts->early = early;
    early[facts->n_early++] = (struct trouble_answered){call->xid, call->answer};
}

static void note_slow(struct trouble_facts *facts, const struct trouble_call *call)
{
    struct trouble_slow *slow = &facts->slow;
    int64_t took = call->answer.time_ns - call->call.time_ns;

    if (call->unsure || took < 0)
        return;
    slow->timed++;
    slow->sum_ns += (uint64_t)took;
    if (took < slow_ns)
        return;
    slow->n++;
    if (slow->n == 1 || took > slow->worst.answer.time_ns - slow->worst.call.time_ns)
        slow->worst = *call;
}

void trouble_answered(struct trouble_facts *facts, const struct trouble_call *call)
{
    struct trouble_call *latest;

    facts->answers++;
    facts->answered = call->answer;
    note_early(facts, call);
    note_slow(facts, call);
    if (facts->n_latest >= facts->room_latest && facts->room_latest < TROUBLE_ANSWERS) {
        latest = heap_room(facts->latest, &facts->room_latest, facts->n_latest + 1, TROUBLE_ANSWERS, sizeof *latest);
        if (!latest)
            return;
        facts->latest = latest;
    }
    facts->latest[facts->n_latest++ % TROUBLE_ANSWERS] = *call;
}

static void calls_list(struct trouble_facts *facts, const struct trouble_call *call)
{
    struct trouble_call *open;

    facts->n_open++;
    if (facts->n_listed >= TROUBLE_CALLS_MAX)
        return;
    open = heap_room(facts->open, &facts->room, facts->n_listed + 1, TROUBLE_CALLS_MAX, sizeof *open);
    if (!open)
        return;
    facts->open = open;
    open[facts->n_listed++] = *call;
}

void trouble_owes(struct trouble_facts *facts, enum trouble_debt debt, struct trouble_event event)
{
    facts->owed[debt].n++;
    facts->owed[debt].latest = event;
}

void trouble_pays(struct trouble_facts *facts, enum trouble_debt debt)
{
    struct trouble_owed *owed = &facts->owed[debt];

    /* A surplus pays no debt here, but may pay a debt of another connection. */
    owed->paid += owed->n == 0 || owed->paid < owed->n;
}

static int64_t calls_span_of(const struct trouble_repeated *repeated)
{
    return repeated->last.time_ns - repeated->first.time_ns;
}

static void note_failure(struct trouble_failure *failure, const char *what, struct trouble_event event)
{
    struct trouble_repeated *now = &failure->now;

    if (now->n == 0 || (failure->error->how == ERROR_BUSY && event.time_ns - now->last.time_ns > retry_ns)) {
        failure->what_now = what;
        *now = (struct trouble_repeated){.first = event};
    }
    now->last = event;
    now->n++;
    if (failure->all.n > 0 && calls_span_of(now) < calls_span_of(&failure->all))
        return;
    failure->all = *now;
    failure->what = failure->what_now;
}

/* NULL: out of memory. */
static struct trouble_failure *calls_failure_of(struct trouble_facts *facts, const struct trouble_error *error)
{
    struct trouble_failure *failures;

    for (unsigned i = 0; i < facts->n_failures; i++)
        if (facts->failure[i].error == error)
            return &facts->failure[i];
    failures = heap_room(facts->failure, &facts->room_failures, facts->n_failures + 1, UINT_MAX, sizeof *failures);
    if (!failures)
        return NULL;
    facts->failure = failures;
    failures[facts->n_failures] = (struct trouble_failure){.error = error};
    return &failures[facts->n_failures++];
}

void trouble_failed(struct trouble_facts *facts, const struct trouble_error *error, const char *what,
                    struct trouble_event event)
{
    struct trouble_failure *failure = calls_failure_of(facts, error);

    if (failure)
        note_failure(failure, what, event);
}

void trouble_callbacks(struct trouble_facts *facts, bool down, struct trouble_event event)
{
    if (!down) {
        facts->path_down.n = 0;
        return;
    }
    if (facts->path_down.n++ == 0)
        facts->path_down.first = event;
    facts->path_down.last = event;
}

void trouble_odd(struct trouble_facts *facts, uint32_t xid)
{
    if (facts->n_odd < TROUBLE_ODD)
        facts->odd[facts->n_odd++] = xid;
}

/* With more odd Calls than can be remembered, any Call may be odd. */
static bool is_odd(const struct trouble_facts *facts, uint32_t xid)
{
    for (unsigned i = 0; i < facts->n_odd; i++)
        if (facts->odd[i] == xid)
            return true;
    return facts->n_odd == TROUBLE_ODD;
}

void trouble_unanswered(struct trouble_facts *facts, const struct trouble_call *call)
{
    struct trouble_call open = *call;
    const struct trouble_side *caller = &facts->side[call->side & 1u];

    if (is_odd(facts, call->xid)) {
        facts->answers++;
        return;
    }
    open.fate = FATE_UNANSWERED;
    open.acknowledged = caller->acked_known && caller->acked > call->offset;
    calls_list(facts, &open);
}

/* The caller's transport refused this answer, or data moved before it. */
static bool was_refused(const struct trouble_facts *facts, const struct trouble_call *call)
{
    const struct trouble_refusal *refusal = &facts->refusal;

    return trouble_happened(&refusal->when) && refusal->side == call->side && refusal->known &&
           refusal->offset <= call->offset && refusal->when.time_ns >= call->answer.time_ns;
}

static bool arrived(const struct trouble_facts *facts, const struct trouble_call *call)
{
    const struct trouble_side *answerer = &facts->side[call->side ^ 1u];

    /* If the answerer's packets were captured incompletely, it may have acknowledged the answer. */
    if (facts->hole || !answerer->acked_known || answerer->acked > call->offset)
        return true;
    return facts->until_ns - call->answer.time_ns < settled_ns;
}

void trouble_settle(struct trouble_facts *facts)
{
    unsigned n = facts->n_latest < TROUBLE_ANSWERS ? facts->n_latest : TROUBLE_ANSWERS;

    trouble_path_end(facts->path, facts->until_ns);
    for (unsigned i = 0; i < n; i++) {
        struct trouble_call call = facts->latest[(facts->n_latest - n + i) % TROUBLE_ANSWERS];

        if (was_refused(facts, &call))
            call.fate = FATE_REFUSED;
        else if (!arrived(facts, &call))
            call.fate = FATE_UNDELIVERED;
        else
            continue;
        call.acknowledged = true;
        calls_list(facts, &call);
    }
    free(facts->latest);
    facts->latest = NULL;
}
