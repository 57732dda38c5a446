/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The active suites: tables of cases, each a stimulus for a device under test (DUT) and the reaction that is due. The
 * tables are made from the blocks of the rules, `case` in rules/README.md. A case runs on fresh connections; its id is
 * that of the rule that it provokes, with a suffix where a rule needs several. Its function talks
 * (traffic-gen/suite/talk/talk.h) and gives a verdict; the engine, which watches the whole conversation, decides
 * wherever it can: its count for the rule overrides the function's verdict.
 */
#ifndef IWARP_TRAFFIC_SUITE_TALK_SUITE_H
#define IWARP_TRAFFIC_SUITE_TALK_SUITE_H

#include "engine/core/rule.h"

struct talk;
struct rpc_talker;

enum suite_dut { DUT_RESPONDER = 1, DUT_INITIATOR = 2, DUT_ANY = 3 };

/* What a case needs from the DUT's service; without it the case is not applicable. */
enum suite_need {
    NEED_ECHO = 1,          /* it accepts our Sends and echoes them */
    NEED_RECEIVES = 2,      /* it accepts our Sends: an echo, RPC, or our protocol in the private data */
    NEED_REGIONS = 4,       /* it advertises memory (support/advert.h) */
    NEED_RPC = 8,           /* --service=rpc or nfs: it answers RPC-over-RDMA */
    NEED_NFS = 16,          /* --service=nfs */
    NEED_ENHANCED = 32,     /* it speaks RFC 6581 */
    NEED_PEER_TO_PEER = 64, /* it does so, with A = 1 */
    NEED_WORDS = 128,       /* it follows the wishes in our private data (support/advert.h) */
    NEED_WIRE = 256,        /* not of the device: segments that only our own TCP makes (--wire) */
    NEED_ALONE = 512        /* not of the device: no other case beside it (--jobs), which might write where it does */
};

/* Verdicts of lines. ENDS: passed, as the device ended the connection; REFUSES: the same, if it continues without the
 * odd part. */
enum suite_verdict_kind { VERDICT_PASS, VERDICT_ENDS, VERDICT_REFUSES, VERDICT_FAIL, VERDICT_UNCLEAR, VERDICT_SKIP };

struct suite_verdict {
    enum suite_verdict_kind kind;
    unsigned when, unless; /* facts that must all hold, and facts of which none may: sets of the word's enumerators */
    const char *reason, *no_reason; /* of a Terminate, "2/0/06" or "1/2/...": required; excluded. NULL: any; none */
    const char *text;               /* NULL: there are no more lines */
};

struct suite_case {
    enum rule_id rule;
    const char *suffix; /* "crc-field": MPA-8-02/crc-field; NULL: none */
    unsigned duts;      /* set of enum suite_dut */
    unsigned needs;     /* set of enum suite_need */
    void (*run)(struct talk *talk, const struct suite_case *row);
    const char *stimulus; /* what our side sends: "an FPDU with one bit of its CRC field inverted" */
    const char *expected; /* "Terminate 2/0/2 or close" */
    const char *says;     /* the same in statements, for the functions of suite_rows.h and suite_rpcrdma.h */
    int served;           /* opcode of the answer that shows that it was served; 0: there is none */
    int variant;          /* the values of the word, which only its function understands */
    const struct suite_verdict *verdicts; /* the first line that holds decides; NULL: no lines */
    const char *name; /* its id, where that is not the rule's: a vector of traffic-gen/pairs; NULL: it is */
    /* For rpcrdma_once() and rpcrdma_each_version(): what is done on a connection. */
    void (*on)(struct rpc_talker *talker, const struct suite_case *row);
};

/* One suite: a name for --suite, and its cases. */
struct suite {
    const char *name;
    const struct suite_case *cases;
    unsigned n;
};

/* All suites, in the order in which they run; NULL after the last. */
extern const struct suite *const suites[];

/* "MPA-8-02/crc-field"; the caller frees it. */
char *suite_case_id(const struct suite_case *row);

#endif
