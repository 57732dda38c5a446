// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/rdma/rdma.h"

static void copy_fail(struct verdict *verdict, const struct rdma_copy *copy, enum rule_severity severity,
                      const char *format, ...) __attribute__((cold, format(printf, 4, 5)));

static void copy_fail(struct verdict *verdict, const struct rdma_copy *copy, enum rule_severity severity,
                      const char *format, ...)
{
    va_list args;

    va_start(args, format);
    verdict_vfailed_as(verdict, RULE_RPCR_2_3_2_04, severity, copy->direction, &copy->place, copy->first_frame, format,
                       args);
    va_end(args);
}

/* A repeated Read is executed again (section 9.7.5.1.1): the owner may have changed its memory meanwhile. */
void rdma_judge_copy(struct verdict *verdict, const struct rdma_copy *copy)
{
    enum rule_severity severity =
        copy->kind == RDMA_READ_RESPONSE ? SEVERITY_WARNING : rule_catalogue[RULE_RPCR_2_3_2_04].severity;

    if (copy->difference)
        copy_fail(verdict, copy, severity, "%s", copy->difference);
    else
        verdict_passed(verdict, RULE_RPCR_2_3_2_04);
}
