// SPDX-License-Identifier: GPL-2.0-or-later
/* Faults of inline thresholds, private data and remote invalidation: RFC 8166 section 3.3, RFC 8797, RFC 5666 6. */
#include "traffic-gen/faults/fault_rows.h"

#define NULL_CALL "I call nfs3.null; R reply; "
#define FIRST     "with rpcrdma; " NULL_CALL
#define SESSION(words)                                                                                                 \
    "with rpcrdma" words "; I call nfs41.null; R reply; I call nfs41.compound ops=exchange_id; R reply;"               \
    "I call nfs41.compound ops=create_session; R reply; "                                                              \
    "I call nfs41.compound ops=sequence,reclaim_complete; R reply; "
#define LAST41                      "I call nfs41.compound ops=sequence,putrootfh,getattr; R reply"
#define RECALL4                     "cb_recall,cb_recall,cb_recall,cb_recall"
#define RECALLS                     RECALL4 "," RECALL4 "," RECALL4 "," RECALL4 "," RECALL4
#define CCP                         "with rpcrdma no-private-data; I call ccp1.conf"
#define INLINE(id, summary, script) SCRIPT("rpcrdma", id, NULL, summary, script)

static const struct fault faults[] = {
    /* Lengths */
    INLINE("CMPD-4.2-04", "a Call of more than the 4096 octets that both sides announced",
           FIRST "I call nfs3.write len=4200; R reply"),
    INLINE("CMPD-4.2-04/receive", "a Call of more than the server receives, but not than the client sends",
           "with rpcrdma pdI@6=7 pdR@7=1; " NULL_CALL "I call nfs3.write len=2500; R reply"),
    INLINE("CMPD-4.2-05", "a Reply of more than the 4096 octets that both sides announced",
           FIRST "I call mount3.export; R reply entries=220"),
    INLINE("CMPD-4.2-05/receive", "a Reply of more than the client receives, but not than the server sends",
           "with rpcrdma pdI@7=0 pdR@6=7; " NULL_CALL "I call mount3.export; R reply entries=60"),
    INLINE("CMPD-4-11", "a Call of more than the client's own Send Size, within the server's Receive Size",
           "with rpcrdma pdI@6=0; " NULL_CALL "I call nfs3.write len=2000; R reply"),
    INLINE("CMPD-4-11/server", "a Reply of more than the server's own Send Size, within the client's Receive Size",
           "with rpcrdma pdR@6=1; " NULL_CALL "I call mount3.export; R reply entries=150"),
    INLINE("CMPD-5.1-01", "a Reply of 2 KB to a client that announced nothing",
           "with rpcrdma no-pdI; " NULL_CALL "I call mount3.export; R reply entries=80"),
    INLINE("CMPD-5.1-01/client", "a Call of 2 KB to a server that announced nothing",
           "with rpcrdma no-pdR; " NULL_CALL "I call nfs3.write len=2000; R reply"),
    INLINE("RPCR-3.3.2-01", "a client that announced nothing sends more than the server receives",
           "with rpcrdma no-pdI; " NULL_CALL "I call nfs3.write len=4200; R reply"),
    INLINE("RPCR-3.3.3-08", "a Call of 2 KB where neither side announced anything",
           "with rpcrdma no-private-data; " NULL_CALL "I call nfs3.write len=2000; R reply"),
    INLINE("RPCR-3.3.3-08/reply", "Replies of 2 KB where neither side announced anything",
           "with rpcrdma no-private-data; " NULL_CALL "I call mount3.export; R reply entries=80; I call mount3.export;"
           "R reply entries=80"),
    INLINE("RPCR-3.5.3-11", "a Reply of more than the threshold inline, although there is a Reply chunk for it",
           FIRST "I call nfs3.readdir count=16384 reply=16384; R reply entries=200 short"),
    INLINE("RPCR-3.5.3-11/default", "the same where the threshold is the default",
           "with rpcrdma no-private-data; " NULL_CALL "I call nfs3.readdir count=16384 reply=16384;"
           "R reply entries=60 short"),
    INLINE("BIDI-4.2-01", "a Call of the server of more than the 1024 octets that are the threshold of its Replies",
           SESSION(" pdI@7=0") "R call cb41.null; I reply; R call cb41.cb_compound ops=cb_sequence," RECALLS
                               "; I reply; " LAST41),
    /* Blocks */
    INLINE("CMPD-4-05", "the Format Identifier in the other octet order",
           "with rpcrdma pdI@0=0x18 pdI@1=0x0E pdI@2=0xAB pdI@3=0xF6; " NULL_CALL),
    INLINE("CMPD-4-06", "version 0", "with rpcrdma pdR@4=0; " NULL_CALL),
    INLINE("CMPD-4-06/unknown", "version 2", "with rpcrdma pdI@4=2; " NULL_CALL),
    DEVIATION("rpcrdma-unused", "CMPD-4-07", NULL, "the private data ends after 6 octets of the block",
              "R mpa-reply mpa.len-2 mpa.cut=2"),
    INLINE("CMPD-4-08", "a reserved bit set", "with rpcrdma pdI@5=0x81; " NULL_CALL),
    INLINE("CMPD-4-08/server", "all reserved bits set", "with rpcrdma pdR@5=0xFF; " NULL_CALL),
    /* Remote invalidation */
    INLINE("CMPD-4.1-03", "a Reply by Send with Invalidate to a client that announced R 0",
           "with rpcrdma rI=0; " NULL_CALL "I call nfs3.read count=4096 write; R reply inv"),
    INLINE("CMPD-4.1-03/server", "a Reply by Send with Invalidate of a server that announced R 0",
           "with rpcrdma rR=0; " NULL_CALL "I call nfs3.write len=5000 read; R pull; R reply inv"),
    INLINE("CMPD-4.1-03/nothing", "a Reply by Send with Invalidate where neither side announced anything",
           "with rpcrdma no-private-data; " NULL_CALL "I call nfs3.readdir reply; R reply long inv se"),
    INLINE("CMPD-4.1-04", "a Call by Send with Invalidate",
           FIRST "I call nfs3.read count=4096 write inv=0x5B17C201; R reply"),
    SCRIPT("rpcrdma", "CMPD-3.2-04", "DDP-4.2-08,RPCR-2.3.2-02",
           "an RDMA Write by an STag that the Reply has invalidated",
           FIRST
           "I call nfs3.read count=4096 write; R reply inv; R put write0.0 back=0 len=100; I call nfs3.null; R reply; "
           "I call nfs3.null; R reply"),
    SCRIPT("rpcrdma", "CMPD-3.2-04/read", "RDMAP-4.4-09,RPCR-3.4.5.1-02", "an RDMA Read by such an STag is answered",
           FIRST "I call nfs3.write len=4096 read; R pull; R reply inv; R get read0 back=0; I call nfs3.null; R reply"),
    SCRIPT("rpcrdma", "CMPD-3.2-04+ok", "DDP-4.2-08,RPCR-2.3.2-02", "an RDMA Write by such an STag is refused",
           FIRST "I call nfs3.read count=4096 write; R reply inv; R put write0.0 back=0 len=100; I term 1/1/00"),
    INLINE("CMPD-3.2-03", "an STag that cannot be invalidated, of a client that announced R 1",
           FIRST "I call nfs3.read count=4096 write; R reply inv; I term 0/1/09"),
    INLINE("CMPD-3.2-03+ok", "an STag that can be invalidated",
           FIRST "I call nfs3.read count=4096 write; R reply inv; I call nfs3.null; R reply"),
    INLINE("EXP-7.1.1-01", "the Connection Configuration Protocol", "with rpcrdma; I call ccp1.conf cred=sys; R reply"),
    /* RFC 5666 */
    INLINE("RPCR0-6.2-01", "a Call of more than the server's maxcall_sendsize",
           CCP "; R reply; I call nfs3.write len=4200; R reply"),
    INLINE("RPCR0-6.2-02", "a Reply of more than the client's maxreply_sendsize",
           CCP "; R reply; I call mount3.export; R reply entries=220"),
    INLINE("RPCR0-6.2-03", "4 RDMA Reads active at a client with maxrdmaread 2",
           CCP " reads=2; R reply; I call nfs3.write len=5000 read=1000+1000+1000+rest; R pull no-answer; I give;"
               "R reply"),
    INLINE("RPCR0-6.2-04", "a Call with a Read chunk to a server with maxrdmaread 0",
           CCP "; R reply reads=0; I call nfs3.write len=5000 read; R pull; R reply"),
    INLINE("RPCR0-11-02", "CONF_RDMA with AUTH_NONE", CCP " cred=none; R reply"),
};

const struct fault_table rpcrdma_threshold_faults = {faults, sizeof faults / sizeof faults[0]};
