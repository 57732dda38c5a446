// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/core/verdict.h"

#include "engine/core/heap.h"
#include "wire/invariant.h"

#include <stdio.h>

void verdict_carry(struct verdict *v, enum rule_id id)
{
    struct rule_counts *counts = v->counts;
    size_t counter = rule_counter[id];

    counts->others = true;
    if (counts->passed_256s[counter] == UINT32_MAX >> 8)
        counts->passed[counter] = UINT8_MAX;
    else
        counts->passed_256s[counter]++;
    INVARIANT(counter < RULE_COUNTERS && counts_get(counts, counter).passed > UINT8_MAX);
}

void verdict_passed_n(struct verdict *v, enum rule_id id, uint32_t n)
{
    struct rule_count count = rule_counts_of(v->counts, id);

    if (v->muted)
        return;
    count.passed = rule_count_sum(count.passed, n);
    counts_set(v->counts, rule_counter[id], count);
    INVARIANT(rule_counts_of(v->counts, id).passed >= n);
}

void verdict_doubt(struct verdict *v, enum rule_id id, enum why why, uint32_t frame)
{
    if (why & WHY_LOST)
        why = v->missing != WHY_NONE ? v->missing : (enum why)(why & ~WHY_LOST);
    INVARIANT(why > WHY_NONE && why < WHY_COUNT);
    if (why == v->missing && v->missing_frame != 0) /* where the cause is, not its consequence */
        frame = v->missing_frame;
    if (v->doubts && !v->muted)
        doubts_keep(v->doubts, (struct doubt_at){frame, rule_counter[id], (uint8_t)why});
}

void verdict_withdraw(struct verdict *v, enum rule_id id, enum why why, uint32_t frame)
{
    uint32_t *failed = &v->counts->failed[rule_counter[id]];

    *failed -= *failed > 0;
    INVARIANT(*failed == 0 || v->counts->others);
    verdict_inconclusive(v, id, why, frame);
}

void verdict_vfailed_as(struct verdict *v, enum rule_id id, enum rule_severity severity, enum direction direction,
                        const struct place *place, uint32_t related_frame, const char *format, va_list args)
{
    struct finding finding = {.rule = id,
                              .severity = severity,
                              .basis = v->basis,
                              .direction = direction,
                              .place = *place,
                              .subject = v->subject,
                              .related_frame = related_frame};
    uint32_t *failed;

    INVARIANT((unsigned)id < RULE_COUNT && rule_counter[id] != RULE_UNCOUNTED); /* the rule is judged */
    INVARIANT(place->side < 2 && direction <= DIR_UNKNOWN);
    if (v->muted)
        return;
    if (heap_refused()) { /* something seemingly missing may have been forgotten */
        verdict_inconclusive(v, id, WHY_MEMORY, place->frame);
        return;
    }
    v->errors += severity == SEVERITY_ERROR;
    failed = &v->counts->failed[rule_counter[id]];
    *failed = rule_count_sum(*failed, 1);
    v->counts->others = true;
    INVARIANT(v->errors > 0 || severity != SEVERITY_ERROR);
    if (!v->finding)
        return;
    vsnprintf(finding.message, sizeof finding.message, format, args);
    INVARIANT(finding.message[0] != '\0');
    v->finding(v->ctx, &finding);
}

void verdict_failed_as(struct verdict *v, enum rule_id id, enum rule_severity severity, enum direction direction,
                       const struct place *place, uint32_t related_frame, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    verdict_vfailed_as(v, id, severity, direction, place, related_frame, format, args);
    va_end(args);
}
