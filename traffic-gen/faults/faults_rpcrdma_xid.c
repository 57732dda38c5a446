// SPDX-License-Identifier: GPL-2.0-or-later
/* Faults of XIDs, of who calls and who answers: RFC 8166 sections 2.2 and 3.3.1, RFC 8167 sections 2 and 5. */
#include "traffic-gen/faults/fault_rows.h"

#define FIRST "with rpcrdma; I call nfs3.null; R reply; "
/* The server may call as well. */
#define SESSION                                                                                                        \
    "with rpcrdma; I call nfs41.null; R reply; I call nfs41.compound ops=exchange_id; R reply;"                        \
    "I call nfs41.compound ops=create_session; R reply; "                                                              \
    "I call nfs41.compound ops=sequence,reclaim_complete; R reply; "
#define LAST41                   "I call nfs41.compound ops=sequence,putrootfh,getattr; R reply"
#define XID(id, summary, script) SCRIPT("rpcrdma", id, NULL, summary, script)

static const struct fault faults[] = {
    /* Replies and their Calls */
    XID("RPCR-2.2.2-02", "a Reply with another XID than its Call's, then the right one",
        FIRST "I call nfs3.getattr; R reply xid=0x5EED0001; R reply back=0; I call nfs3.access; R reply"),
    XID("RPCR-2.2.2-02/swapped", "a Reply with the XID in the other octet order",
        FIRST "I call nfs3.getattr xid=0x01020304; R reply xid=0x04030201; R reply back=0; "
              "I call nfs3.access; R reply"),
    XID("RPCR-2.2.2-02/long", "a Long Reply with another XID",
        FIRST "I call nfs3.readdir reply; R reply long xid=0x5EED0001; I call nfs3.access; R reply"),
    XID("RPCR-2.2.2-02/reverse", "a Reply of the client with another XID than the server's Call",
        SESSION "R call cb41.null; I reply xid=0x5EED0001; I reply back=0; " LAST41),
    XID("RPCR-2.2.2-03", "two different Calls with the same XID before either is answered",
        FIRST "I call nfs3.write len=100 xid=0x77; I call nfs3.write len=200 xid=0x77; R reply; R reply"),
    XID("RPCR-2.2.2-03/procedures", "Calls of two procedures with the same XID, another Call between them",
        FIRST "I call nfs3.read xid=0x77 count=100; I call nfs3.getattr; I call nfs3.access xid=0x77; R reply of=2;"
              "R reply of=1; R reply"),
    XID("RPCR-2.2.2-03/early", "the XID of a Call whose Reply has not arrived yet",
        FIRST "I call nfs3.write len=100 xid=0x77; R reply; I call nfs3.write len=200 xid=0x77 early; R reply"),
    XID("RPCR-2.2.2-03/lost", "the XID of a Call whose Reply was lost on the way",
        FIRST "I call nfs3.write len=100 xid=0x77; R reply net=lost; I call nfs3.write len=200 xid=0x77 early wait=1;"
              "R reply; I call nfs3.access; R reply"),
    XID("RPCR-2.2.2-03/reverse", "two Calls of the server with the same XID before either is answered",
        SESSION "R call cb41.null; I reply; R call cb41.cb_compound ops=cb_sequence:0,cb_recall xid=0x77;"
                "R call cb41.cb_compound ops=cb_sequence:1,cb_recall_any xid=0x77; I reply of=1; I reply; " LAST41),
    XID("RPCR-2.2.2-04", "a Reply sent twice",
        FIRST "I call nfs3.getattr; R reply; R reply back=0; I call nfs3.access; R reply"),
    XID("RPCR-2.2.2-04/later", "a Reply sent again after that of another Call",
        FIRST "I call nfs3.getattr; I call nfs3.access; R reply; R reply; R reply back=1; I call nfs3.null; R reply"),
    XID("RPCR-2.2.2-04/error", "an RDMA_ERROR after the Reply",
        FIRST "I call nfs3.getattr; R reply; R error chunk back=0; I call nfs3.access; R reply"),
    XID("RPCR-2.2.2-04/reverse", "the client sends a Reply twice",
        SESSION "R call cb41.null; I reply; I reply back=0; " LAST41),
    /* What nobody asked for */
    XID("RPCR-3.3.1-10", "a Reply while no Call is outstanding",
        FIRST "R reply back=0 xid=0x5EED0001; I call nfs3.access; R reply"),
    XID("RPCR-3.3.1-10/early", "a Reply, and then its Call",
        FIRST "R reply back=0 xid=0x5EED0001; I call nfs3.null xid=0x5EED0001; I call nfs3.access; R reply"),
    XID("RPCR-4.5-04/idle", "an RDMA_ERROR while no Call is outstanding",
        FIRST "R error chunk back=0 xid=0x5EED0001; I call nfs3.access; R reply"),
    XID("BIDI-2-02", "the client sends a Reply although the server never called",
        FIRST
        "I raw "
        "hex=5EED00010000000100000020000000000000000000000000000000005EED00010000000100000000000000000000000000000000; "
        "I call nfs3.access; R reply"),
    XID("BIDI-2-02/later", "the client sends a Reply of another XID when all Calls of the server are answered",
        SESSION "R call cb41.null; I reply; I reply back=0 xid=0x5EED0001; " LAST41),
    /* Who calls; the first FPDU is the initiator's as well (RFC 5044 section 7.1.2) */
    SCRIPT("rpcrdma", "RPCR-2.2.3-01", "MPA-7.1.2-23", "the side that accepted the connection sends the first Call",
           "with rpcrdma; R call nfs3.null; I reply; I call nfs3.null; R reply"),
    SCRIPT("rpcrdma", "RPCR-2.2.3-01/only", "MPA-7.1.2-23", "all Calls come from the side that accepted the connection",
           "with rpcrdma; R call nfs3.null; I reply; R call nfs3.getattr; I reply"),
    XID("BIDI-2-03", "callbacks of NFS version 4.1 over a connection that their sender opened",
        "with rpcrdma; I call cb41.null; R reply; I call cb41.cb_compound ops=cb_sequence,cb_recall; R reply"),
    /* The same XID in both directions */
    XID("BIDI-2.4.1-02", "a Call of the server with the XID of a Call of the client is never answered",
        SESSION "R call cb41.null; I reply; I call nfs41.null xid=0x77; R call cb41.null xid=0x77; R reply;"
                "R call cb41.null; I reply of=1; " LAST41),
    XID("BIDI-2.4.1-02+ok", "a Call of the server with the XID of a Call of the client, each answered",
        SESSION
        "R call cb41.null; I reply; I call nfs41.null xid=0x77; R call cb41.null xid=0x77; R reply; I reply; " LAST41),
    /* msg_type in the reverse direction */
    XID("BIDI-5.1-05", "a Call of the server with msg_type 1", SESSION "R call cb41.null rpc.type=1; " LAST41),
    XID("BIDI-5.2-05", "the Reply to a Call of the server with msg_type 0",
        SESSION "R call cb41.null; I reply rpc.type=0; " LAST41),
};

const struct fault_table rpcrdma_xid_faults = {faults, sizeof faults / sizeof faults[0]};
