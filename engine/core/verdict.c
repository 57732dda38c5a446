// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/core/verdict.h"

#include "engine/core/heap.h"

#include <stdio.h>

void verdict_vfailed_as(struct verdict *v, enum rule_id id, enum rule_severity severity, enum direction direction,
                        const struct place *place, uint32_t related_frame, const char *format, va_list args)
{
    struct finding finding = {
        .rule = id, .severity = severity, .direction = direction, .place = *place, .related_frame = related_frame};

    if (v->muted)
        return;
    if (heap_refused()) { /* what seems to be missing may have been forgotten */
        verdict_inconclusive(v, id);
        return;
    }
    v->errors += severity == SEVERITY_ERROR;
    v->counts->failed[id] = rule_count_sum(v->counts->failed[id], 1);
    v->counts->others = true;
    if (!v->finding)
        return;
    vsnprintf(finding.message, sizeof finding.message, format, args);
    v->finding(v->ctx, &finding);
}

void verdict_failed(struct verdict *v, enum rule_id id, enum direction direction, const struct place *place,
                    uint32_t related_frame, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    verdict_vfailed_as(v, id, rule_catalogue[id].severity, direction, place, related_frame, format, args);
    va_end(args);
}
