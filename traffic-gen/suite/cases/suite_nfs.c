// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Suite nfs: what the upper-layer binding (RFC 8267) demands from an NFSv4 server. Symbolic links are created and read
 * with each minor version: their text is DDP-eligible in both directions, and they need no open state. 16 segments are
 * what a server must accept (section 6.4.2); the lengths differ between stimuli.
 */
#include "traffic-gen/suite/cases/suite_rpcrdma.h"

#define TAKEN  "success"
#define CREATE "with v4; (create len=1300 "
#define CHECK  "); readlink len=1300 reply=2600"
#define LOOK   "with v4; create len=1300; (readlink len=1300 "

enum { ANSWERS = RPC_ANSWER_SUCCESS | RPC_ANSWER_GARBAGE | RPC_ANSWER_ERR_CHUNK };

static const struct suite_case tests[] = {
    {RULE_RPCR_3_4_5_08, NULL, DUT_RESPONDER, NEED_NFS, rpcrdma_each_version,
     "a CREATE of a link of 1200 octets in a Read chunk, its name inline after it",
     "success, and the link holds its text",
     .says = "with v4; (create len=1200 read reply=8000); readlink len=1200 reply=2600", .on = calls_succeed},
    {RULE_NFSULB_6_4_2_04, "body", DUT_RESPONDER, NEED_NFS, rpcrdma_each_version,
     "a CREATE in a Position-Zero Read chunk", TAKEN, .says = CREATE "pz reply=8000" CHECK, .on = calls_succeed},
    {RULE_NFSULB_6_4_2_04, "data", DUT_RESPONDER, NEED_NFS, rpcrdma_each_version, "a CREATE with a Read chunk", TAKEN,
     .says = CREATE "read reply=8000" CHECK, .on = calls_succeed},
    {RULE_NFSULB_6_4_2_04, "both", DUT_RESPONDER, NEED_NFS, rpcrdma_each_version,
     "a CREATE in a Position-Zero Read chunk, its text in another one", TAKEN,
     .says = CREATE "read pz reply=8000" CHECK, .on = calls_succeed},
    {RULE_NFSULB_6_4_2_05, "read-segments", DUT_RESPONDER, NEED_NFS, rpcrdma_each_version,
     "a CREATE with a Read chunk of 16 segments", TAKEN, .says = CREATE "read segments=16 reply=8000" CHECK,
     .on = calls_succeed},
    {RULE_NFSULB_6_4_2_05, "write", DUT_RESPONDER, NEED_NFS, rpcrdma_each_version, "a READLINK with a Write chunk",
     TAKEN, .says = LOOK "write=1300 reply=8000)", .on = calls_succeed},
    {RULE_NFSULB_6_4_2_05, "write-segments", DUT_RESPONDER, NEED_NFS, rpcrdma_each_version,
     "a READLINK with a Write chunk of 16 segments", TAKEN, .says = LOOK "write=1300 segments=16 reply=8000)",
     .on = calls_succeed},
    {RULE_NFSULB_6_4_2_05, "reply-segments", DUT_RESPONDER, NEED_NFS, rpcrdma_each_version,
     "a READLINK with a Reply chunk of 16 segments", TAKEN, .says = LOOK "segments=16 reply=8000)",
     .on = calls_succeed},
    {RULE_NFSULB_6_4_2_06, NULL, DUT_RESPONDER, NEED_NFS, rpcrdma_each_version,
     "a CREATE with a Read chunk of 20 segments", "success, ERR_CHUNK or GARBAGE_ARGS",
     .says = CREATE "read segments=20 reply=1000)", .variant = ANSWERS, .on = calls_judged},
    {RULE_NFSULB_6_4_2_07, NULL, DUT_RESPONDER, NEED_NFS, rpcrdma_each_version, "two CREATEs with a Read chunk each",
     "success, ERR_CHUNK or GARBAGE_ARGS", .says = CREATE "links=2 read segments=1 reply=1000)", .variant = ANSWERS,
     .on = calls_judged},
    {RULE_NFSULB_3_1_01, NULL, DUT_RESPONDER, NEED_NFS, rpcrdma_each_version,
     "a READLINK of 1400 octets where 1024 fit inline, without chunks", "ERR_CHUNK, or a Reply with an error",
     .says = "with v4 inline=1024; create len=1400 read reply=400; (readlink len=1400)", .on = calls_answered},
};

const struct suite suite_nfs = {"nfs", tests, G_N_ELEMENTS(tests)};
