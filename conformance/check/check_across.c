// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/check/check_across.h"

#include "conformance/check/check_finding.h"
#include "conformance/options/options.h"
#include "engine/stack/ulps.h"

#include <string.h>

/* Connections are judged one at a time. */
struct judging {
    const struct check_options *options;
    struct report_connection *report;
    struct verdict verdict;
    struct rule_counts counts;
    uint32_t excused[RULE_COUNTERS]; /* withdrawn failures, by rule_counter[] */
    bool any_excused;
    bool memory_lacking;
};

static void check_across_on_finding(void *ctx, const struct finding *finding)
{
    struct judging *judging = ctx;
    struct report_connection *report = judging->report;
    const struct check_roles roles = {&report->initiator, &report->responder, report->roles_known};
    enum direction direction = finding->direction;

    if (direction == DIR_UNKNOWN)
        direction = finding->place.side == report->initiator_side ? DIR_TO_RESPONDER : DIR_TO_INITIATOR;
    check_take_finding(judging->options, report, &roles, finding, direction, true);
}

/* Withdraws findings that the layers of the connection made without knowing other connections. */
static void check_across_on_excuse(void *ctx, enum rule_id rule, const struct place *place)
{
    struct judging *judging = ctx;

    for (guint i = 0; i < judging->report->findings->len; i++) {
        const struct report_finding *finding = &g_array_index(judging->report->findings, struct report_finding, i);
        bool folded = finding->more > 0 && finding->more_first <= place->frame && finding->more_last >= place->frame;

        if (finding->rule != rule || (!folded && (finding->frame != place->frame || finding->offset != place->offset)))
            continue;
        check_drop_finding(judging->options, judging->report, i);
        judging->excused[rule_counter[rule]]++;
        judging->any_excused = true;
        return;
    }
}

static void on_differs(void *ctx, const struct ulp_differs *differs)
{
    const struct judging *judging = ctx;
    const struct trouble_event event = {differs->place->frame, differs->place->time_ns};

    if (judging->report->facts)
        trouble_differs(judging->report->facts, event, differs->words);
}

/* Adds the counts to those of the connection's own rules. */
static void check_across_add_counts(struct judging *judging)
{
    struct folded_counts *sum;

    if (counts_empty(&judging->counts) && !judging->any_excused)
        return;
    counts_unfold(judging->report->counts, &judging->counts);
    for (unsigned i = 0; judging->any_excused && i < RULE_COUNTERS; i++)
        judging->counts.failed[i] -= MIN(judging->counts.failed[i], judging->excused[i]);
    memset(judging->excused, 0, sizeof judging->excused);
    judging->any_excused = false;
    sum = counts_fold(NULL, &judging->counts, NULL);
    if (!sum) {
        judging->memory_lacking = true;
        return;
    }
    counts_free(judging->report->counts);
    judging->report->counts = sum;
    report_sort_findings(judging->report);
}

/* ---- upper layers ---- */

struct across {
    unsigned n;
    struct across_kind {
        const struct ulp_kind *of;
        void *state;
    } kind[ULP_KINDS_MAX];
};

struct across *across_new(void)
{
    struct across *across = g_new0(struct across, 1);

    for (const struct ulp_kind *const *kind = ulps; *kind; kind++) {
        void *state = (*kind)->across ? (*kind)->across->begin() : NULL;

        if (!(*kind)->across)
            continue;
        if (!state) {
            across_free(across);
            return NULL;
        }
        across->kind[across->n++] = (struct across_kind){*kind, state};
    }
    return across;
}

void across_free(struct across *across)
{
    for (unsigned i = 0; across && i < across->n; i++)
        across->kind[i].of->across->free(across->kind[i].state);
    g_free(across);
}

void across_asked(struct across *across, const struct addressed_segment *segment, bool tcp)
{
    for (unsigned i = 0; i < across->n; i++)
        across->kind[i].of->across->asked(across->kind[i].state, segment, tcp);
}

/* Judges the connections with records of this kind. */
static void check_across_judge(const struct across_kind *kind, struct judging *judging, const GPtrArray *connections,
                               int64_t now_ns)
{
    const struct ulp_across_host host = {
        .verdict = &judging->verdict, .excuse = check_across_on_excuse, .differs = on_differs, .ctx = judging};

    for (guint i = 0; i < connections->len; i++) {
        judging->report = g_ptr_array_index(connections, i);
        if (!judging->report->record || judging->report->across != kind->of->across)
            continue;
        judging->verdict.doubts = &judging->report->doubts;
        if (!kind->of->across->add(kind->state, judging->report->record, &host))
            judging->report->record = NULL; /* no longer needed */
        check_across_add_counts(judging);
    }
    for (guint i = 0; i < connections->len; i++) {
        judging->report = g_ptr_array_index(connections, i);
        if (!judging->report->record || judging->report->across != kind->of->across)
            continue;
        judging->verdict.doubts = &judging->report->doubts;
        kind->of->across->conclude(kind->state, judging->report->record, now_ns, &host);
        check_across_add_counts(judging);
        judging->report->record = NULL;
    }
    kind->of->across->trim(kind->state);
}

bool across_judge(struct across *across, const struct check_options *options, const GPtrArray *connections,
                  int64_t now_ns)
{
    struct judging *judging = g_new0(struct judging, 1);
    bool done;

    judging->options = options;
    judging->verdict = (struct verdict){.counts = &judging->counts, .finding = check_across_on_finding, .ctx = judging};
    for (unsigned i = 0; i < across->n; i++)
        check_across_judge(&across->kind[i], judging, connections, now_ns);
    done = !judging->memory_lacking;
    g_free(judging);
    return done;
}

/* ---- rpcbind ---- */

struct seeking {
    const struct guest_face *face;
    int64_t now_ns;
    GPtrArray *facts;
};

static void on_sought(void *ctx, const struct ulp_sought *sought)
{
    const struct seeking *seeking = ctx;
    struct trouble_facts *facts = trouble_facts_sought(sought, seeking->now_ns);

    if (!facts)
        return;
    facts->enable = seeking->face->enable;
    facts->enable_on = seeking->face->enable_on;
    facts->where = seeking->face->where;
    g_ptr_array_add(seeking->facts, facts);
}

static void free_sought(gpointer facts)
{
    trouble_facts_free(facts);
}

void across_sought(const struct across *across, int64_t now_ns, struct troubles *troubles)
{
    struct seeking seeking = {.now_ns = now_ns, .facts = g_ptr_array_new_with_free_func(free_sought)};
    const struct ulp_sought_host host = {on_sought, &seeking};

    for (unsigned i = 0; i < across->n; i++) {
        seeking.face = guest_face_of(across->kind[i].of);
        across->kind[i].of->across->sought(across->kind[i].state, now_ns, &host);
    }
    troubles_sought(troubles, seeking.facts);
    g_ptr_array_unref(seeking.facts);
}
