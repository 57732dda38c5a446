// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/verdict.h"

#include <stdarg.h>
#include <stdio.h>

void verdict_failed(struct verdict *v, enum rule_id id, enum direction direction, const struct place *place,
                    uint32_t related_frame, const char *format, ...)
{
    struct finding finding = {.rule = id,
                              .severity = rule_catalogue[id].severity,
                              .direction = direction,
                              .place = *place,
                              .related_frame = related_frame};
    va_list args;

    v->counts[id].failed += v->counts[id].failed != UINT32_MAX;
    if (v->finding == NULL)
        return;
    va_start(args, format);
    vsnprintf(finding.message, sizeof finding.message, format, args);
    va_end(args);
    v->finding(v->ctx, &finding);
}
