/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of fault tables whose conversation is a script (script.h). */
#ifndef IWARP_TRAFFIC_FAULTS_FAULT_SCRIPT_H
#define IWARP_TRAFFIC_FAULTS_FAULT_SCRIPT_H

#include "traffic-gen/say/fault.h"

/* Both ends have spoken; the scenario is named for the family. */
#define SPOKEN "I send; R send; "

/* RPC-over-RDMA: a Call and its Reply, so that credits are granted (rpc_script.h). */
#define TALKED "I call nfs3.null; R reply; "

#define SCRIPT(scenario_, id_, also_, summary_, script_)                                                               \
    {                                                                                                                  \
        .id = (id_), .scenario = (scenario_), .also = (also_), .summary = (summary_), .script = (script_)              \
    }

#endif
