/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The active suites: tables of cases, each with a stimulus for a device under test (DUT) and the expected reaction. The
 * tables are made from the rules' blocks, `case` in docs/case-files.md. A case runs on fresh connections; its id is
 * that of the rule that it provokes, with a suffix where a rule needs several. Its function talks
 * (traffic-gen/tester/suite/talk/talk.h) and gives a verdict. The engine watches the whole conversation and decides
 * where it can: a violation of the rule that it counts overrides the function's verdict.
 */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_TALK_SUITE_H
#define IWARP_TRAFFIC_TESTER_SUITE_TALK_SUITE_H

#include "engine/core/rule.h"

struct talk;
struct rpc_talker;

enum suite_dut { DUT_RESPONDER = 1, DUT_INITIATOR = 2, DUT_ANY = 3 };

/* A requirement on the DUT's service; without it the case is not applicable. */
enum suite_need {
    NEED_ECHO = 1,          /* accepts our Sends and echoes them */
    NEED_RECEIVES = 2,      /* accepts our Sends: an echo, RPC, or our protocol in the private data */
    NEED_REGIONS = 4,       /* advertises memory (support/advert.h) */
    NEED_RPC = 8,           /* --service=rpc or nfs: answers RPC-over-RDMA */
    NEED_NFS = 16,          /* --service=nfs */
    NEED_ENHANCED = 32,     /* speaks RFC 6581 */
    NEED_PEER_TO_PEER = 64, /* speaks RFC 6581 with A = 1 */
    NEED_WORDS = 128,       /* follows the wishes in our private data (support/advert.h) */
    NEED_WIRE = 256,        /* not about the device: segments that only our own TCP makes (--wire) */
    NEED_ALONE = 512 /* not about the device: no other case in parallel (--jobs), as it might write to the same place */
};

/*
 * Verdicts of lines. ENDS: passed, as the device ended the connection; REFUSES: the same, if the device continues
 * without the error.
 */
enum suite_verdict_kind { VERDICT_PASS, VERDICT_ENDS, VERDICT_REFUSES, VERDICT_FAIL, VERDICT_UNCLEAR, VERDICT_SKIP };

struct suite_verdict {
    enum suite_verdict_kind kind;
    unsigned when,
        unless; /* facts that must all hold, and facts that must all not hold: sets of the word's enumerators */
    const char *reason, *no_reason; /* of a Terminate, "2/0/06" or "1/2/...": required; excluded. NULL: any; none */
    const char *text;               /* NULL ends the lines */
};

struct suite_case {
    enum rule_id rule;
    const char *suffix; /* "crc-field": MPA-8-02/crc-field; NULL: none */
    unsigned duts;      /* set of enum suite_dut */
    unsigned needs;     /* set of enum suite_need */
    void (*run)(struct talk *talk, const struct suite_case *row);
    const char *stimulus; /* the message from our side: "an FPDU with one bit of its CRC field inverted" */
    const char *expected; /* "Terminate 2/0/2 or close" */
    const char *says;     /* the stimulus as statements, for the functions of suite_rows.h and suite_rpcrdma.h */
    int served;           /* opcode of the answer that shows that it was served; 0: none */
    int variant;          /* a value of the word that only its function understands */
    const struct suite_verdict *verdicts; /* the first line that holds decides; NULL: no lines */
    const char *name; /* its id if different from the rule's: a vector of traffic-gen/explore/pairs; NULL: the rule's */
    /* For rpcrdma_once() and rpcrdma_each_version(): runs on one connection. */
    void (*on)(struct rpc_talker *talker, const struct suite_case *row);
};

/* One suite: a name for --suite, and its cases. */
struct suite {
    const char *name;
    const struct suite_case *cases;
    unsigned n;
};

/* All suites, in running order; NULL after the last. */
extern const struct suite *const suites[];

/* "MPA-8-02/crc-field"; the caller frees it. */
char *suite_case_id(const struct suite_case *row);

#endif
