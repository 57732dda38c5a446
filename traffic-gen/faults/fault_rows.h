/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of fault tables. */
#ifndef IWARP_TRAFFIC_FAULTS_FAULT_ROWS_H
#define IWARP_TRAFFIC_FAULTS_FAULT_ROWS_H

#include "traffic-gen/faults/fault.h"

/* Both ends have spoken; the scenario is named for the family. */
#define SPOKEN "I send; R send; "

/* RPC-over-RDMA: a Call and its Reply, so that credits are granted (rpc_script.h). */
#define TALKED "I call nfs3.null; R reply; "

/* A conversation of its own, as a script (say/script.h). */
#define SCRIPT(scenario_, id_, also_, summary_, script_)                                                               \
    {                                                                                                                  \
        .id = (id_), .scenario = (scenario_), .also = (also_), .summary = (summary_), .script = (script_)              \
    }

/* The scenario with a deviation (say/deviation.h). */
#define DEVIATION(scenario_, id_, also_, summary_, deviation_)                                                         \
    {                                                                                                                  \
        .id = (id_), .scenario = (scenario_), .also = (also_), .summary = (summary_), .deviation = (deviation_)        \
    }

#endif
