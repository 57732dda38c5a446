/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of suites rpcrdma and nfs share. */
#ifndef IWARP_TRAFFIC_SUITE_CASES_SUITE_RPCRDMA_H
#define IWARP_TRAFFIC_SUITE_CASES_SUITE_RPCRDMA_H

#include "traffic-gen/suite/talk/rpc_talker.h"

/* Passes when the answer is in the set, else fails. */
void rpcrdma_judge(struct rpc_talker *talker, unsigned allowed, enum rpc_answer found);

#endif
