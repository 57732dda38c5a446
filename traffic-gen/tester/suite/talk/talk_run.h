/* SPDX-License-Identifier: GPL-2.0-or-later */
/* State that all cases of a run share: how to reach the device, times, the user's wishes, and learned facts. */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_TALK_TALK_RUN_H
#define IWARP_TRAFFIC_TESTER_SUITE_TALK_TALK_RUN_H

#include "traffic-gen/tester/suite/talk/startup_terms.h"
#include "traffic-gen/tester/suite/talk/talk.h"
#include "traffic-gen/tester/suite/transport/lateness.h"
#include "traffic-gen/tester/suite/transport/patience.h"
#include "wire/endpoint.h"

enum { TALK_RECEIVED_MAX = 8 << 20 }; /* the usual received_max */

struct nfs_run;
struct pace;
struct reuse;

/* Knowledge about the DUT is set before the first case runs, or under the lock. */
struct talk_run {
    enum suite_dut dut;
    const char *host, *port; /* of a DUT that is a Responder */
    int listener;            /* for an Initiator to connect to; -1: the DUT is a Responder */
    /* How the RPC-over-RDMA suites reach the DUT (traffic-gen/tester/suite/rpc/rpc_port.h); NULL: MPA on TCP. */
    const struct rpc_port *rpc_port;
    struct rpc_listener *rpc_listener; /* for an Initiator, on rpc_port; NULL: none */
    char *rpc_device;                  /* description of rpc_port's device; set when the first connection is open */
    int64_t t_react, t_start, t_idle, t_accept;
    bool learns; /* the device is being learned: silences must be certain */
    struct patience patience;
    struct lateness *lateness; /* NULL: not measured */
    bool accept_given;         /* the user has set t_accept, so learning must not shorten it */
    int64_t t_recover;         /* how long a device may take to listen again */
    int64_t t_settle;          /* an Initiator's pause between the Reply and its first FPDU */
    unsigned jobs;             /* number of parallel cases; 0: 1 */
    uint64_t received_max;     /* most octets received in a case */
    struct watch_recorder *recorder;
    bool full_transcript;       /* --transcript=full */
    struct startup_given given; /* --mpa */
    bool vouched_default;       /* --default-configuration */
    unsigned services;          /* set of enum suite_need: --service */
    uint64_t seed;              /* for XIDs, owners, names */
    gint others;                /* draws from the seed outside of cases; atomic */
    struct nfs_run *nfs;        /* of the RPC cases (traffic-gen/tester/suite/rpc/nfs_run.h); NULL: none */
    /* Learned on the first connections. */
    struct startup_terms terms;
    struct endpoint device;
    bool lab;           /* knows "LABQ" */
    bool asks;          /* set earlier: a Send must ask for its memory on each connection */
    bool leaves;        /* closes soon after the start-up, whatever is sent */
    bool speaks_first;  /* an Initiator that begins with an FPDU */
    const char *layout; /* of its Terminates, if wrong (engine/terminate/terminate_layout.h); atomic */
    gint waited_ms;     /* longest wait for a connection of the device; atomic */
    enum talk_sign sign;
    unsigned signs;      /* all signs seen: set of 1 << enum talk_sign */
    gint checks;         /* checks between cases, on connections without errors; atomic, */
    gint closed_checks;  /* number of connections without errors that the device closed before its answer, */
    gint failed_checks;  /* and number of checks that did not show it alive, although it was; */
    gint open_closes;    /* undecided: of closed_checks, */
    gint open_checks;    /* and of failed_checks */
    gint late_first;     /* loses, or reads late, octets that arrive right after its Reply; atomic */
    unsigned has;        /* set of enum suite_need: offered by its service */
    struct reuse *reuse; /* connections that are kept (traffic-gen/tester/suite/rpc/reuse.h); NULL: none */
    struct pace *pace;   /* of new connections (traffic-gen/tester/suite/transport/pace.h); NULL: no limit */
};

#endif
