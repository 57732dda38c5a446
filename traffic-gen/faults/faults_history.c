// SPDX-License-Identifier: GPL-2.0-or-later
/* What binds across connections: Calls sent again on the next one, memory of another one, callbacks, delegations. */
#include "traffic-gen/faults/fault_rows.h"

#define OVER(id, also, summary, script) SCRIPT("rpcrdma", id, also, summary, "with rpcrdma; " TALKED script)
#define SESSION                                                                                                        \
    "I call nfs41.compound ops=exchange_id; R reply; I call nfs41.compound ops=create_session; R reply; "              \
    "I call nfs41.compound ops=sequence,reclaim_complete; R reply; "

/* The client's adapter refuses an RDMA Write into a Write chunk, which ends the connection. */
#define REFUSED  "R put write0.0 len=100; I term 1/1/01; "
#define CALLBACK "R call cb41.cb_compound ops=cb_sequence; I rst; "
/* Two Calls of equal shape on two connections; the second one's responder confuses their STags. */
#define READ(stag)  "I call nfs3.read count=100 write stag=" stag " write0.seg0.off=0x1000; "
#define WRITE(stag) "I call nfs3.write len=2000 read stag=" stag " read0.off=0x1000; "
#define OLD         "0x5B17C300"
#define NEW         "0x5B17C200"
#define PUT_OLD     "R put write0.0 len=50 stag+0x100; "
#define ACL         "nfs40.compound xid=0x777 ops=putfh,getattr:0x1000"

static const struct fault faults[] = {
    /* ---- RFC 8166 section 4.5.3 ---- */
    OVER("RPCR-4.5.3-04", "RPCR-3.4.3-03", "the same RDMA Write ends the next connection, too",
         "I call nfs3.read count=4096 write; " REFUSED "next; I again of=0; " REFUSED),
    OVER("RPCR-4.5.3-04+ok", "RPCR-3.4.3-03", "ERR_CHUNK for the Call that ended the connection before",
         "I call nfs3.read count=4096 write; " REFUSED "next; I again of=0; R error chunk"),
    OVER("RPCR-3.4.3-03/again", NULL, "memory is refused, and the Call comes again: it was not cancelled",
         "I call nfs3.read count=4096 write; " REFUSED "next; I again of=0; R reply"),

    /* ---- RFC 8166 section 8.1.1 ---- */
    OVER("RPCR-8.1.1-01", "RPCR-3.4.6-04", "an RDMA Write to an STag of the connection before is taken",
         READ(OLD) "I rst; next; " READ(NEW) PUT_OLD "R reply of=1; I call nfs3.null; R reply of=1"),
    OVER("RPCR-8.1.1-01/read", "RPCR-3.4.5-09", "an RDMA Read of an STag of the connection before is answered",
         WRITE(OLD) "I rst; next; " WRITE(NEW) "R get read0 stag+0x100; R pull of=1; R reply of=1; "
                                               "I call nfs3.null; R reply of=1; I call nfs3.null; R reply of=1"),
    OVER("RPCR-8.1.1-01/parallel", "RPCR-3.4.6-04", "an RDMA Write to an STag of another connection is taken",
         READ(OLD) "next parallel with rpcrdma; " READ(NEW) PUT_OLD "R reply of=1; I call nfs3.null; R reply of=1"),
    OVER("RPCR-8.1.1-01+ok", "RPCR-3.4.6-04", "an RDMA Write to an STag of the connection before is refused",
         READ(OLD) "I rst; next; " READ(NEW) PUT_OLD "I term 1/1/00"),

    /* ---- RFC 8267 section 6.7.2 ---- */
    OVER("NFSULB-6.7.2-02", NULL, "a request that ERR_CHUNK answered comes again with its XID on the next connection",
         SESSION "I call " ACL " reply=256; R error chunk; I call nfs3.null; R reply; I rst; next; I call " ACL
                 " reply=32768; R reply aces=500"),
    OVER("NFSULB-6.7.2-02/ack", NULL,
         "the same, where nothing but an ACK or Acknowledge says that the client has ERR_CHUNK",
         SESSION "I call " ACL " reply=256; R error chunk; I fin wait=100; R fin; next; I call " ACL
                 " reply=32768; R reply aces=500"),
    OVER("NFSULB-6.7.2-02+ok", NULL, "a request that ERR_CHUNK answered is made anew on the next connection",
         SESSION "I call " ACL " reply=256; R error chunk; I call nfs3.null; R reply; I rst; next; "
                 "I call nfs40.compound ops=putfh,getattr:0x1000 reply=32768; R reply aces=500"),

    /* ---- RFC 8167 section 6 ---- */
    OVER("BIDI-6-04", NULL, "three connections that end with a Call of the server to a client that takes none",
         SESSION CALLBACK "next; " SESSION CALLBACK "next; " SESSION CALLBACK),
    OVER("BIDI-6-04+ok", NULL, "the server calls no more when two connections have ended so",
         SESSION CALLBACK "next; " SESSION CALLBACK "next; " SESSION),

    /* ---- RFC 8167 section 5.4 ---- */
    OVER("BIDI-5.4-01", NULL, "an unanswered Call of the server comes again on the next connection with another XID",
         SESSION "R call cb41.cb_compound xid=0x701 ops=cb_sequence:sequenceid=1; R rst; next; " SESSION
                 "R call cb41.cb_compound xid=0x702 ops=cb_sequence:sequenceid=1; I reply of=1"),
    OVER("BIDI-5.4-01+ok", NULL, "an unanswered Call of the server comes again with its XID",
         SESSION "R call cb41.cb_compound xid=0x701 ops=cb_sequence:sequenceid=1; R rst; next; " SESSION
                 "R call cb41.cb_compound xid=0x701 ops=cb_sequence:sequenceid=1; I reply of=1"),
    OVER("BIDI-5.4-04", NULL, "a client with a delegation closes its only connection for more than 90 s",
         SESSION "I call nfs41.compound ops=sequence,putfh,open; R reply op2.delegation=2; I fin; R fin wait=100000"),
    OVER("BIDI-5.4-04+ok/returned", NULL, "a client that has returned its delegation closes the connection",
         SESSION "I call nfs41.compound ops=sequence,putfh,open; R reply op2.delegation=2; "
                 "I call nfs41.compound ops=sequence,putfh,delegreturn; R reply; I fin; R fin wait=100000"),
    OVER("BIDI-5.4-04+ok", NULL, "a client with a delegation is back when its connection is closed",
         SESSION
         "I call nfs41.compound ops=sequence,putfh,open; R reply op2.delegation=2; I fin; R fin; next; " SESSION),
};

const struct fault_table history_faults = {faults, sizeof faults / sizeof faults[0]};
