// SPDX-License-Identifier: GPL-2.0-or-later
/* Wrong messages of RPC-over-RDMA and how they are met, wrongly and (ID+ok) as RFC 8166 section 4.5 demands. */
#include "traffic-gen/faults/fault_rows.h"

#define TO(id, also, summary, script) SCRIPT("rpcrdma", id, also, summary, "with rpcrdma; " TALKED script)
/* The same stimulus, met wrongly and met properly. */
#define BOTH(id, also, summary, stimulus, wrong, right)                                                                \
    TO(id, also, summary, stimulus wrong), TO(id "+ok", also, summary ": answered properly instead", stimulus right)

#define GOES_ON "; I call nfs3.null; R reply"
/* The Call before is never answered. */
#define IGNORED "; I call nfs3.null; R reply of=1"
#define REFUSED "; R error chunk" GOES_ON
#define DONE    "; R reply" GOES_ON
/* The client goes on, and the right Reply comes late. */
#define LATER "; I call nfs3.access; R reply back=1; R reply"

/* Messages that no encoder makes, in hexadecimal. The XID is 0x77 or 0x78. */
#define RAW                                                                                                            \
    "I raw hex=0000007700000001"                                                                                       \
    "00000020"
#define NO_LISTS   "000000000000000000000000"
#define REFUSED_77 "; R error chunk xid=0x77" GOES_ON
#define CLIENT_ERROR                                                                                                   \
    "; I raw hex=0000007800000001"                                                                                     \
    "000000200000000400000002"

static const struct fault faults[] = {
    /* Calls: sections 4.5.1, 4.5.2, 4.6.1 */
    BOTH("RPCR-4.5.1-01", "RPCR-4.2.2-01", "version 2, processed as version 1", "I call nfs3.getattr h.vers=2", DONE,
         "; R error vers=1..1" GOES_ON),
    TO("RPCR-4.5.1-01/silence", "RPCR-4.2.2-01", "version 2, passed over", "I call nfs3.getattr h.vers=2" IGNORED),
    BOTH("RPCR-4.5.2-01", "RPCR-4.1.2-04", "a bad list, and a Reply", "I call nfs3.getattr @19=2", DONE, REFUSED),
    TO("RPCR-4.5.2-01/silence", "RPCR-4.1.2-11", "a count that is too large, passed over",
       "I call nfs3.read count=8192 write @24=0x10" IGNORED),
    BOTH("RPCR-4.5.2-02", "RPCR-4.1.2-02", "rdma_proc 5, processed as RDMA_MSG", "I call nfs3.getattr h.proc=5", DONE,
         REFUSED),
    BOTH("RPCR-4.5.2-03", "RPCR-4.2.4-04", "an RDMA_NOMSG without chunks, passed over", RAW "00000001" NO_LISTS,
         GOES_ON, REFUSED_77),
    BOTH("RPCR-4.5.2-04", "RPCR-4.2.1-01", "two XIDs, passed over", "I call nfs3.getattr h.xid+100", IGNORED,
         "; R error chunk h.xid+100" GOES_ON),
    BOTH("RPCR-4.5.2-05", "RPCR-4.2.4-05", "a Long Call without Position-Zero Read chunk, passed over",
         RAW "00000001"
             "00000000"
             "00000000"
             "00000001"
             "00000001"
             "5d3a9107"
             "00001000"
             "0000000000010000",
         GOES_ON, REFUSED_77),
    BOTH("RPCR-4.5.2-06", "RPCR-3.5.3-05", "an RDMA_MSG with a Position-Zero Read chunk, passed over",
         "I call nfs3.getattr pz inline", IGNORED, REFUSED),
    BOTH("RPCR-4.5.2-07", "RPCR-3.4.5.2-02", "a Read chunk that is too short, passed over",
         "I call nfs3.write len=8192 read read0.len-100; R pull", IGNORED, "; R reply accept=4" GOES_ON),
    BOTH("RPCR-4.5.2-08", "RPCR-3.4.5-04", "a Position that is no multiple of 4, and the WRITE done",
         "I call nfs3.write len=8192 read read0.pos+2; R pull", DONE, REFUSED),
    BOTH("RPCR-4.5-02", "RPCR-4.2.4-01", "an RDMA_MSG without RPC message, passed over", RAW "00000000" NO_LISTS,
         GOES_ON, REFUSED_77),
    BOTH("RPCR-4.6.1-02", "RPCR-4.6.1-01", "an RDMA_MSGP, processed as RDMA_MSG",
         "I call nfs3.write len=100 h.proc=2 h.align=1024 h.thresh=64", DONE, REFUSED),
    TO("RPCR-4.5.4-03", NULL, "a Call that is never answered",
       "I call nfs3.access; I call nfs3.null; R reply of=1; I call nfs3.null wait=40000; R reply of=1; I hang"),

    /* Arguments that are not eligible: section 6.1 */
    BOTH("RPCR-6.1-07", "NFSULB-4-05", "a MKDIR with its name in a Read chunk, done",
         "I call nfs3.mkdir name=somename reduce=name; R pull", DONE, "; R reply accept=4" GOES_ON),
    BOTH("RPCR-6.1-08", "NFSULB-4-05", "a MKDIR with its name in a Read chunk, passed over",
         "I call nfs3.mkdir name=somename reduce=name; R pull", IGNORED, REFUSED),

    /* What has to be discarded without a word: sections 4.2.4, 4.5, 4.6 */
    BOTH("RPCR-4.5-01", "RPCR-4.1.2-10", "a Send of 24 octets, answered",
         RAW "00000000"
             "0000000000000000",
         REFUSED_77, GOES_ON),
    BOTH("RPCR-4.6.2-02", "RPCR-4.6.2-01", "an RDMA_DONE, answered", "I call nfs3.null; R reply; I done",
         "; R error chunk back=0" GOES_ON, GOES_ON),
    BOTH("RPCR-4.2.4-08", "RPCR-4.2.4-07", "an RDMA_ERROR from the requester, answered by another one",
         RAW "00000004"
             "00000002",
         REFUSED_77, GOES_ON),
    BOTH("RPCR-4.5-03", "RPCR-4.1.2-04,RPCR-4.2.4-07", "a Reply with a bad list, answered by an RDMA_ERROR",
         "I call nfs3.getattr xid=0x78; R reply @19=2", CLIENT_ERROR "; R reply back=0", LATER),
    BOTH("RPCR-4.5-10", "RPCR-4.1.2-13,RPCR-4.2.4-07", "an RDMA_ERROR of no known kind, answered by another one",
         "I call nfs3.getattr xid=0x78; R error chunk h.err=99", CLIENT_ERROR "; R reply back=0", LATER),
    BOTH("RPCR-4.3.1-04", "RPCR-4.3.1-03,RPCR-4.2.4-07", "a Reply with a Read list, answered by an RDMA_ERROR",
         "I call nfs3.read xid=0x78 count=1000; R reply read", CLIENT_ERROR GOES_ON, GOES_ON),
    BOTH("RPCR-4.6.1-03", "RPCR-4.6.1-01,RPCR-4.2.4-07", "an RDMA_MSGP from the responder, answered by an RDMA_ERROR",
         "I call nfs3.getattr xid=0x78; R reply h.proc=2 h.align=64 h.thresh=64", CLIENT_ERROR GOES_ON, GOES_ON),
    BOTH("RPCR-2.2.2-05", "RPCR-2.2.2-02,RPCR-4.2.4-07", "a Reply to nothing, answered by an RDMA_ERROR",
         "I call nfs3.getattr xid=0x79; R raw hex=0000007800000001"
         "0000002000000000" NO_LISTS "0000007800000001"
         "0000000000000000"
         "0000000000000000",
         CLIENT_ERROR "; R reply", "; I call nfs3.access; R reply; R reply"),

    /* The reverse direction: RFC 8167 section 5.3 */
    BOTH("BIDI-5.3-04", NULL, "a Long Call of the reverse direction, passed over",
         "I call nfs41.compound ops=create_session:bmaxreq=65536; R reply op0.bmaxreq=65536; R call cb41.cb_compound; "
         "I reply;"
         "R call cb41.cb_compound pz",
         "; R call cb41.cb_compound; I reply of=1", "; I error chunk; R call cb41.cb_compound; I reply"),
};

const struct fault_table rpcrdma_reaction_faults = {faults, sizeof faults / sizeof faults[0]};
