// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/trouble/facts_outcome.h"

#include "conformance/trouble/facts.h"
#include "engine/core/heap.h"

bool trouble_is_repeated(const struct trouble_again *again)
{
    return again->all.n > again->error->cure->tries || again->turn.slot != 0;
}

bool trouble_outcome_is_plain(const struct trouble_facts *facts)
{
    for (unsigned i = 0; facts->outcome && i < facts->outcome->n_again; i++)
        if (trouble_is_repeated(&facts->outcome->again[i]))
            return false;
    return true;
}

bool trouble_outcome_wants(const struct trouble_facts *facts)
{
    return facts->outcome != NULL;
}

void trouble_outcome_asked(struct trouble_facts *facts, const struct trouble_asked *asked)
{
    facts->outcome->asked[asked->number % TROUBLE_ASKED] = *asked;
}

const struct trouble_asked *trouble_outcome_of(const struct trouble_facts *facts, uint64_t number)
{
    const struct trouble_asked *asked = facts->outcome ? &facts->outcome->asked[number % TROUBLE_ASKED] : NULL;

    return asked && asked->number == number ? asked : NULL;
}

/* ---- slots ---- */

static struct trouble_turn *turn_in(struct trouble_outcome *outcome, uint64_t slot)
{
    return &outcome->turn[slot % TROUBLE_TURNS];
}

void trouble_outcome_turn(struct trouble_facts *facts, const struct trouble_try *try)
{
    if (facts->outcome && try->in_slot)
        *turn_in(facts->outcome, try->slot_hash) = (struct trouble_turn){try->slot_hash, try->sequence, try->event};
}

static void outcome_judge_turn(struct trouble_outcome *outcome, struct trouble_again *again,
                               const struct trouble_try *try)
{
    const struct trouble_turn *turn = turn_in(outcome, try->slot_hash);

    if (again->turn.slot != 0 || !try->in_slot || turn->slot != try->slot_hash || try->sequence == turn->sequence ||
        try->sequence == turn->sequence + 1)
        return;
    again->slot = try->slot;
    again->sequence = try->sequence;
    again->turn = *turn;
}

/* ---- requests that fail ---- */

static uint64_t outcome_stateid_of(const struct trouble_try *try)
{
    for (unsigned i = 0; i < TROUBLE_STATEIDS; i++)
        if (try->asked.stateid[i].hash != 0 && try->asked.stateid[i].op == try->op)
            return try->asked.stateid[i].hash;
    return 0;
}

static uint64_t outcome_key_of(const struct trouble_try *try, bool *weak)
{
    const enum trouble_subject subject = try->error->cure->subject;
    const uint64_t stateid = subject == SUBJECT_STATEID ? outcome_stateid_of(try) : 0;

    *weak = !try->known;
    if (stateid != 0)
        return stateid;
    if (try->in_slot && (subject == SUBJECT_SLOT || subject == SUBJECT_SESSION)) {
        *weak = false;
        return subject == SUBJECT_SLOT ? try->slot_hash : try->session;
    }
    return try->asked.request;
}

/* If the stateid of a first failure is unknown, the next request that fails in the same way counts as the same. */
static struct trouble_again *outcome_find(struct trouble_outcome *outcome, const struct trouble_try *try, uint64_t key)
{
    struct trouble_again *weak = NULL;

    for (unsigned i = 0; i < outcome->n_again; i++) {
        struct trouble_again *again = &outcome->again[i];

        if (again->error != try->error || again->what != try->what)
            continue;
        if (again->key == key)
            return again;
        if (again->weak && again->all.n == 1)
            weak = again;
    }
    if (weak && try->known)
        weak->key = key;
    return try->known ? weak : NULL;
}

/* NULL: no room. The least frequent failure makes room for another. */
static struct trouble_again *outcome_add(struct trouble_outcome *outcome)
{
    struct trouble_again *least = &outcome->again[0];

    if (outcome->n_again < TROUBLE_AGAIN)
        return &outcome->again[outcome->n_again++];
    for (unsigned i = 1; i < TROUBLE_AGAIN; i++)
        if (outcome->again[i].all.n < least->all.n ||
            (outcome->again[i].all.n == least->all.n && outcome->again[i].all.last.time_ns < least->all.last.time_ns))
            least = &outcome->again[i];
    return trouble_is_repeated(least) ? NULL : least;
}

void trouble_outcome_failed(struct trouble_facts *facts, const struct trouble_try *try)
{
    struct trouble_again *again;
    uint64_t key;
    bool weak;

    if (!try->error->cure)
        return;
    if (!facts->outcome)
        facts->outcome = heap_zeroed(1, sizeof *facts->outcome);
    if (!facts->outcome)
        return;
    key = outcome_key_of(try, &weak);
    again = outcome_find(facts->outcome, try, key);
    if (!again) {
        again = outcome_add(facts->outcome);
        if (!again)
            return;
        *again = (struct trouble_again){
            .error = try->error, .what = try->what, .key = key, .weak = weak, .all = {.first = try->event}};
    }
    if (again->turn.slot == 0 && trouble_begins_anew(&again->all, try->event.time_ns, try->error->cure))
        again->all = (struct trouble_repeated){.first = try->event};
    again->weak = weak;
    again->all.last = try->event;
    again->all.n++;
    again->done = (struct trouble_event){0};
    if (try->error->cure->subject == SUBJECT_SLOT)
        outcome_judge_turn(facts->outcome, again, try);
}

static bool outcome_is_cured(const struct trouble_again *again, const struct trouble_try *try)
{
    const enum trouble_subject subject = again->error->cure->subject;

    if (subject == SUBJECT_SLOT)
        return false;
    if (subject == SUBJECT_SESSION && try->in_slot && again->key == try->session)
        return true;
    if (again->key == try->asked.request)
        return true;
    for (unsigned i = 0; i < TROUBLE_STATEIDS; i++)
        if (try->asked.stateid[i].hash != 0 && try->asked.stateid[i].hash == again->key)
            return true;
    return false;
}

void trouble_outcome_succeeded(struct trouble_facts *facts, const struct trouble_try *try)
{
    struct trouble_outcome *outcome = facts->outcome;

    for (unsigned i = outcome ? outcome->n_again : 0; i-- > 0;) {
        struct trouble_again *again = &outcome->again[i];

        if (!outcome_is_cured(again, try))
            continue;
        if (!trouble_is_repeated(again))
            *again = outcome->again[--outcome->n_again];
        else if (!again->done.frame)
            again->done = try->event;
    }
}
