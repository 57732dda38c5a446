// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/rdma/rdma.h"

/* A repeated Read is executed again (section 9.7.5.1.1): the owner may have changed its memory meanwhile. */
void rdma_judge_copy(struct verdict *verdict, const struct rdma_copy *copy)
{
    enum rule_severity severity =
        copy->kind == RDMA_READ_RESPONSE ? SEVERITY_WARNING : rule_catalogue[RULE_RPCR_2_3_2_04].severity;

    if (copy->difference)
        verdict_failed_as(verdict, RULE_RPCR_2_3_2_04, severity, copy->direction, &copy->place, copy->first_frame, "%s",
                          copy->difference);
    else
        verdict_passed(verdict, RULE_RPCR_2_3_2_04);
}
