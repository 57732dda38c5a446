// SPDX-License-Identifier: GPL-2.0-or-later
/* Faults of credits: RFC 8166 section 3.3, RFC 8167 section 4.1, RFC 5666 sections 3.3, 3.8 and 11. */
#include "traffic-gen/faults/fault_rows.h"

/* The first Reply grants so many. */
#define GRANTED(n) "with rpcrdma; I call nfs3.null; R reply credit=" #n "; "
#define SESSION                                                                                                        \
    "with rpcrdma; I call nfs41.null; R reply; I call nfs41.compound ops=exchange_id; R reply;"                        \
    "I call nfs41.compound ops=create_session; R reply; "                                                              \
    "I call nfs41.compound ops=sequence,reclaim_complete; R reply; "
#define LAST41                      "I call nfs41.compound ops=sequence,putrootfh,getattr; R reply"
#define CREDIT(id, summary, script) SCRIPT("rpcrdma", id, NULL, summary, script)
/* Three Calls come and go, with these grants. */
#define BREATH(a, b, c) "I 3* call nfs3.getattr; R reply credit=" #a "; R reply credit=" #b "; R reply credit=" #c "; "

static const struct fault faults[] = {
    /* Requests */
    CREDIT("RPCR-3.3.1-01", "a Call that requests no credit", GRANTED(32) "I call nfs3.getattr credit=0; R reply"),
    CREDIT("RPCR-3.3.1-05", "5 Calls in flight, each requesting 4 credits",
           GRANTED(32) "I 5* call nfs3.getattr credit=4; R 5* reply"),
    CREDIT("RPCR-3.3.1-05/lowered", "9 Calls in flight, the last two of which request 4 credits",
           GRANTED(32) "I 7* call nfs3.getattr; I call nfs3.getattr credit=4; I call nfs3.getattr credit=4;"
                       "R 9* reply"),
    /* Grants */
    CREDIT("RPCR-3.3.1-04", "a grant of 0",
           GRANTED(32) "I call nfs3.getattr; R reply credit=0; I call nfs3.null; R reply"),
    CREDIT("RPCR-3.3.1-04/first", "a grant of 0 in the first Reply",
           "with rpcrdma; I call nfs3.null; R reply credit=0; I call nfs3.null; R reply"),
    CREDIT("RPCR-3.3.1-04/reverse", "a grant of 0 to the server",
           SESSION "R call cb41.null; I reply credit=0; R call cb41.null; I reply; " LAST41),
    CREDIT("RPCR-3.3.1-06", "grants that fall by one with every Call in flight",
           GRANTED(32) BREATH(29, 30, 31) BREATH(29, 30, 31) BREATH(29, 30, 31) BREATH(29, 30, 31)),
    CREDIT("RPCR-3.3.1-06/requests", "requests that fall by one with every Call in flight",
           GRANTED(128) "I call nfs3.getattr credit=31; I call nfs3.getattr credit=30; I call nfs3.getattr credit=29;"
                        "R 3* reply; I call nfs3.getattr credit=31; I call nfs3.getattr credit=30;"
                        "I call nfs3.getattr credit=29; R 3* reply; I call nfs3.getattr credit=31;"
                        "I call nfs3.getattr credit=30; I call nfs3.getattr credit=29; R 3* reply"),
    CREDIT("BIDI-4.1-03", "grants that fall by one with every Call of the server's own",
           SESSION "R call cb41.null; I reply; I call nfs3.null; R reply credit=32;"
                   "R call cb41.null; I call nfs3.null; R reply credit=31; R call cb41.null; I call nfs3.null;"
                   "R reply credit=30; I 2* reply; I call nfs3.null; R reply credit=32;"
                   "R call cb41.null; I call nfs3.null; R reply credit=31; R call cb41.null; I call nfs3.null;"
                   "R reply credit=30; I 2* reply; I call nfs3.null; R reply credit=32;"
                   "R call cb41.null; I call nfs3.null; R reply credit=31; I reply; I call nfs3.null;"
                   "R reply credit=32"),
    /* The limit */
    CREDIT("RPCR-3.3.1-03", "3 Calls in flight with a grant of 2", GRANTED(2) "I 3* call nfs3.getattr; R 3* reply"),
    CREDIT("RPCR-3.3.1-03/lowered", "the grant is lowered to 2, and with 3 Calls in flight another one follows",
           GRANTED(32) "I 4* call nfs3.getattr; R reply credit=2; I call nfs3.getattr; R 4* reply"),
    CREDIT("RPCR-3.3.1-03/early", "a Call before the Reply that makes room for it has arrived",
           GRANTED(2) "I 2* call nfs3.getattr; R reply; I call nfs3.getattr early; R 2* reply"),
    CREDIT("RPCR-3.3.1-03/reverse",
           "3 Calls of the server in flight with a grant of 2, while 32 are granted to the client",
           SESSION "R call cb41.null; I reply credit=2; R 3* call cb41.null; I 3* reply; " LAST41),
    CREDIT("RPCR-6.3-01", "4 credits taken for NFS, and 2 more for NFSACL",
           GRANTED(4) "I 4* call nfs3.getattr; I 2* call nfsacl3.getacl; R 6* reply"),
    CREDIT("RPCR-3.3.3-03", "two Calls before the first Reply", "with rpcrdma; I 2* call nfs3.null; R 2* reply"),
    CREDIT("RPCR-3.3.3-03/again", "a broken connection, and 4 Calls at once on the next one",
           GRANTED(32) "I 4* call nfs3.getattr; I rst; next; I again of=0; I again of=1; I again of=2; I again of=3; R "
                       "4* reply"),
    CREDIT("RPCR-3.3.3-03/early", "the second Call before the first Reply has arrived",
           "with rpcrdma; I call nfs3.null; R reply; I call nfs3.null early; R reply"),
    CREDIT("RPCR-3.3.3-03/reverse", "two Calls of the server before it was granted anything",
           SESSION "R 2* call cb41.null; I 2* reply; " LAST41),
    /* Receives */
    CREDIT("RPCR-3.3.3-01", "no buffer for the first Call, of 1024 octets",
           "with rpcrdma; I call nfs3.write len=860; R term 1/2/02"),
    CREDIT("RPCR-3.3.3-01/short", "a buffer too short for the first Call, of 1024 octets",
           "with rpcrdma; I call nfs3.write len=860; R term 1/2/05"),
    CREDIT("RPCR-3.3.3-01+ok", "a first Call of 1024 octets and its Reply",
           "with rpcrdma; I call nfs3.write len=860; R reply; I call nfs3.null; R reply"),
    CREDIT("RPCR-3.3.1-08", "8 Calls at once under a new grant of 8, and no buffer for the last of them",
           GRANTED(8) "I 8* call nfs3.getattr; R term 1/2/02"),
    CREDIT("RPCR-3.3.1-08+ok", "8 Calls at once under a new grant of 8",
           GRANTED(8) "I 8* call nfs3.getattr; R 8* reply"),
    CREDIT("RPCR-3.3.1-09", "no buffer for the third of three Replies",
           GRANTED(8) "I 3* call nfs3.getattr; R 3* reply; I term 1/2/02"),
    CREDIT("RPCR-3.3.1-09+ok", "8 Replies at once",
           GRANTED(8) "I 8* call nfs3.getattr; R 8* reply; I call nfs3.getattr; R reply"),
    CREDIT("EXP-4.5.1-01", "no buffer for a Call although fewer than granted are in flight",
           GRANTED(8) "I call nfs3.getattr; R reply credit=8; I call nfs3.getattr; R term 1/2/02"),
    CREDIT("EXP-4.5.1-01+ok", "Calls after Replies, and always a buffer",
           GRANTED(1) "I call nfs3.getattr; R reply credit=1; I call nfs3.getattr; R reply credit=1"),
    CREDIT("RPCR-3.3.3-05", "a buffer too short for a Call of 1024 octets",
           GRANTED(8) "I call nfs3.write len=860; R term 1/2/05"),
    SCRIPT("nfs3", "RPCR-3.3.3-05/stray", "RPCR-2.2.2-02", "a buffer too short for a Reply of 1024 octets to no Call",
           GRANTED(8) "I call nfs3.read count=868; R reply xid=7; I term 1/2/05"),
    CREDIT("RPCR-3.3.3-05+ok", "a Call of 1024 octets", GRANTED(8) "I call nfs3.write len=860; R reply"),
    CREDIT("CMPD-4-12", "a buffer too short for a Call within the Receive Size",
           GRANTED(8) "I call nfs3.write len=3000; R term 1/2/05"),
    CREDIT("CMPD-4-12/client", "a buffer too short for a Reply within the Receive Size",
           GRANTED(8) "I call nfs3.read count=3000; R reply; I term 1/2/05"),
    CREDIT("CMPD-4-12+ok", "a Call as long as the Receive Size", GRANTED(8) "I call nfs3.write len=3900; R reply"),
    CREDIT("BIDI-4.3.1-01", "no buffer for a Call of the server within what the client granted",
           SESSION "R call cb41.null; I reply credit=2; R call cb41.null; I term 1/2/02"),
    CREDIT("BIDI-4.3.1-01+ok", "two Calls of the server within what the client granted",
           SESSION "R call cb41.null; I reply credit=2; R 2* call cb41.null; I 2* reply; " LAST41),
    CREDIT("BIDI-4.3.2-01", "no buffer for the Reply to a Call of the server",
           SESSION "R call cb41.null; I reply; R term 1/2/02"),
    CREDIT("BIDI-4.3.2-01+ok", "the server goes on after the Reply to its Call",
           SESSION "R call cb41.null; I reply; " LAST41),
    CREDIT("BIDI-6-03", "no buffer for the first Call of the server", SESSION "R call cb41.null; I term 1/2/02"),
    CREDIT("BIDI-6-03+ok", "the client takes the first Call of the server",
           SESSION "R call cb41.null; I reply; " LAST41),
    /* RFC 5666 */
    CREDIT("RPCR0-3.3-01", "a grant of 0 in the Reply to the only Call",
           GRANTED(8) "I call nfs3.getattr; R reply credit=0"),
    CREDIT("RPCR0-3.3-02", "3 Calls in flight with a grant of 2", GRANTED(2) "I 3* call nfs3.getattr; R 3* reply"),
    CREDIT(
        "RPCR0-3.8-03", "RDMA_DONE and a Call at once with a grant of 1",
        GRANTED(1) "I call nfs3.read count=2000; R reply read credit=1; I pull; I done; I call nfs3.getattr; R reply"),
    CREDIT("RPCR0-3.8-04", "no credit for RDMA_DONE: a grant of 1 with another Call in progress",
           GRANTED(8) "I call nfs3.read count=2000; I call nfs3.getattr; R reply read credit=1; I pull; R reply; I "
                      "done back=1;"
                      "I call nfs3.null; R reply"),
    CREDIT("RPCR0-11-03", "a grant of 0 while RDMA_DONE is awaited and no Call is in progress",
           GRANTED(8) "I call nfs3.read count=2000; R reply read credit=0; I pull; I done"),
};

const struct fault_table rpcrdma_credit_faults = {faults, sizeof faults / sizeof faults[0]};
