// SPDX-License-Identifier: GPL-2.0-or-later
/* What RFC 8881 says of RDMA: the terms of a session, retries, CB_RECALL_SLOT. */
#include "traffic-gen/faults/fault_rows.h"

#define NO_SESSION                 "with nfs; " TALKED "I call nfs41.compound ops=exchange_id; R reply; "
#define CREATE(arguments, results) "I call nfs41.compound ops=create_session" arguments "; R reply " results "; "
#define SESSION                    NO_SESSION CREATE("", "")
#define TERMS(id, summary, arguments, results)                                                                         \
    SCRIPT("nfs41-backchannel", id, NULL, summary, NO_SESSION CREATE(arguments, results))
#define BIND(id, summary, arguments, results)                                                                          \
    SCRIPT("nfs41-backchannel", id, NULL, summary,                                                                     \
           SESSION "I call nfs41.compound ops=bind_conn_to_session" arguments "; R reply " results)

/* A request of the session in this slot; the server's target is 1 from the beginning. */
#define REQUEST(slot, sequence, highest)                                                                               \
    "I call nfs41.compound ops=sequence,putfh,getattr op0.slotid=" #slot " op0.sequenceid=" #sequence                  \
    " op0.highest=" #highest "; "
#define REPLY                            "R reply op0.target=1; "
#define RECALL                           "R call cb41.cb_compound ops=cb_sequence,cb_recall_slot:1; I reply; "
#define REFUSED                          "R call cb41.cb_compound ops=cb_sequence,cb_recall_slot:1; I reply op1.status=10012; "
#define UNCACHED                         "R reply results=2 status=10068"
#define EMPTY                            "I raw hex=; "
#define SLOTS(id, also, summary, script) SCRIPT("nfs41-backchannel", id, also, summary, script)

/* A Call that the end of its connection leaves unanswered. */
#define LOST                                                                                                           \
    SESSION "I call nfs41.compound xid=0x777 ops=sequence,putfh,getattr op0.slotid=0 op0.sequenceid=7; I rst; "        \
            "next with nfs; I call nfs3.null; R reply of=1; "

/* A WRITE with so many segments in its Read chunk, in a session that allows one RDMA Read at a time. */
#define READS(segments)                                                                                                \
    NO_SESSION CREATE(" op0.firds=1 op0.fird=1",                                                                       \
                      "firds=1 fird=1") "I call nfs41.compound ops=sequence,putfh,write:2000 read" segments "; "

static const struct fault faults[] = {
    /* ---- sections 18.36.3 and 18.34.3 ---- */
    TERMS("NFS41-18.36.3-01", "RDMA mode is granted without having been asked for", ":flags=2", "flags=6"),
    TERMS("NFS41-18.36.3-01+ok", "RDMA mode is asked for and granted", ":flags=6", "flags=6"),
    TERMS("NFS41-18.36.3-01+ok/refused", "RDMA mode is asked for and not granted", ":flags=6", "flags=2"),
    TERMS("NFS41-18.36.3-03", "two elements in ca_rdma_ird of the fore channel", " op0.firds=2", "firds=0"),
    TERMS("NFS41-18.36.3-03/reply", "two elements in ca_rdma_ird of the backchannel, in the Reply", " op0.birds=1",
          "birds=2"),
    TERMS("NFS41-18.36.3-04", "ca_rdma_ird of the fore channel is raised", " op0.firds=1 op0.fird=16",
          "firds=1 fird=17"),
    TERMS("NFS41-18.36.3-04/back", "ca_rdma_ird of the backchannel is raised", " op0.birds=1 op0.bird=1",
          "birds=1 bird=128"),
    TERMS("NFS41-18.36.3-04/none", "ca_rdma_ird in a Reply, although the Call had none", "", "firds=1 fird=16"),
    TERMS("NFS41-18.36.3-04+ok", "ca_rdma_ird is lowered", " op0.firds=1 op0.fird=16 op0.birds=1",
          "firds=1 fird=8 birds=1 bird=0"),
    TERMS("NFS41-18.36.3-04+ok/none", "ca_rdma_ird is left out of the Reply", " op0.firds=1 op0.birds=1",
          "firds=0 birds=1 bird=16"),
    SCRIPT("nfs41-chunks", "NFS41-18.36.3-05", NULL, "two RDMA Reads outstanding where ca_rdma_ird is 1",
           READS("=1000+rest") "R pull no-answer; I give; R reply"),
    SCRIPT("nfs41-chunks", "NFS41-18.36.3-05+ok", NULL, "one RDMA Read after the other where ca_rdma_ird is 1",
           READS("") "R pull; R reply; I call nfs41.compound ops=sequence,putfh,write:2000 read; R pull; R reply"),
    TERMS("NFS41-18.36.3-06", "ca_headerpadsize of the fore channel is raised", " op0.headerpad=256", "headerpad=512"),
    TERMS("NFS41-18.36.3-06/back", "ca_headerpadsize of the backchannel is raised", "", "bheaderpad=4"),
    TERMS("NFS41-18.36.3-06+ok", "ca_headerpadsize is lowered", " op0.headerpad=256 op0.bheaderpad=64",
          "headerpad=128 bheaderpad=0"),
    BIND("NFS41-18.34.3-01", "RDMA mode of a binding is granted without having been asked for", ":rdma_mode=0",
         "rdma_mode=1"),
    BIND("NFS41-18.34.3-01+ok", "RDMA mode of a binding is asked for and granted", ":rdma_mode=1", "rdma_mode=1"),

    /* ---- section 2.10.6.2 ---- */
    SCRIPT("nfs41", "NFS41-2.10.6.2-02", NULL, "another request with the slot and sequence of one without a Reply",
           LOST "I call nfs41.compound ops=sequence,putfh,lookup op0.slotid=0 op0.sequenceid=7; R reply of=1"),
    SCRIPT("nfs41", "NFS41-2.10.6.2-02/slot", NULL, "a request without a Reply is sent again in another slot",
           LOST
           "I call nfs41.compound xid=0x777 ops=sequence,putfh,getattr op0.slotid=3 op0.sequenceid=1; R reply of=1"),
    SCRIPT("nfs41", "NFS41-2.10.6.2-02+ok", NULL, "a request without a Reply is sent again",
           LOST
           "I call nfs41.compound xid=0x777 ops=sequence,putfh,getattr op0.slotid=0 op0.sequenceid=7; R reply of=1"),

    /* ---- section 2.7 ---- */
    SLOTS("NFS41-2.7-01", NULL, "a session of minor version 1 is used in minor version 2",
          SESSION "I call nfs42.compound ops=sequence,putfh,getattr; R reply"),
    SLOTS("NFS41-2.7-01/client", NULL, "a client id of minor version 1 is used in minor version 2",
          NO_SESSION "I call nfs42.compound ops=create_session; R reply"),
    SLOTS("NFS41-2.7-01/destroyed", NULL, "a session of minor version 1 is destroyed in minor version 2",
          SESSION "I call nfs42.compound ops=destroy_session; R reply"),
    SLOTS("NFS41-2.7-01/callback", NULL, "a callback of minor version 2 in a session of minor version 1",
          SESSION "R call cb42.cb_compound ops=cb_sequence,cb_recall; I reply"),
    SLOTS("NFS41-2.7-01/next", NULL, "a session of minor version 1 is used in minor version 2 on the next connection",
          SESSION "I fin; R fin; next with nfs; " TALKED "I call nfs42.compound ops=sequence,putfh,getattr; R reply"),
    SLOTS("NFS41-2.7-01+ok", NULL, "a session is used in its minor version on the next connection",
          SESSION "I fin; R fin; next with nfs; " TALKED "I call nfs41.compound ops=sequence,putfh,getattr; R reply"),

    /* ---- sections 2.10.6.1 and 18.46.3 ---- */
    SLOTS("NFS41-18.46.3-01", NULL, "NFS4ERR_RETRY_UNCACHED_REP for the first request of a slot",
          SESSION REQUEST(0, 1, 0) UNCACHED),
    SLOTS("NFS41-18.46.3-01/next", NULL, "NFS4ERR_RETRY_UNCACHED_REP for the next request of a slot",
          SESSION REQUEST(0, 1, 0) REPLY REQUEST(0, 2, 0) UNCACHED),
    SLOTS("NFS41-18.46.3-01/misordered", NULL, "NFS4ERR_SEQ_MISORDERED for the next request of a slot",
          SESSION REQUEST(3, 1, 3) REPLY REQUEST(3, 2, 3) "R reply results=1 status=10063"),
    SLOTS("NFS41-18.46.3-01/false", NULL, "NFS4ERR_SEQ_FALSE_RETRY for the next request of a slot",
          SESSION REQUEST(0, 1, 0) REPLY REQUEST(0, 2, 0) "R reply results=1 status=10076"),
    SLOTS("NFS41-18.46.3-01/callback", NULL, "NFS4ERR_RETRY_UNCACHED_REP for the first callback",
          SESSION "R call cb41.cb_compound ops=cb_sequence,cb_recall; I reply results=2 status=10068"),
    SLOTS("NFS41-18.46.3-01+ok", NULL, "NFS4ERR_RETRY_UNCACHED_REP for a request that is sent again",
          SESSION REQUEST(0, 1, 0) REPLY REQUEST(0, 1, 0) UNCACHED),
    SLOTS("NFS41-18.46.3-01+ok/misordered", NULL, "NFS4ERR_SEQ_MISORDERED for a sequence that was left out",
          SESSION REQUEST(0, 1, 0) REPLY REQUEST(0, 3, 0) "R reply results=1 status=10063"),
    SLOTS("NFS41-18.46.3-01+ok/elsewhere", NULL, "a request that is new on one of two connections of its session",
          SESSION REQUEST(0, 1, 0) REPLY "next parallel with nfs; I call nfs3.null; R reply; " CREATE("", "")
              REQUEST(0, 1, 0) UNCACHED),
    SLOTS("NFS41-2.10.6.1.3-01", NULL, "NFS4ERR_RETRY_UNCACHED_REP for SEQUENCE",
          SESSION REQUEST(0, 7, 0) "R reply results=1 status=10068"),
    SLOTS("NFS41-2.10.6.1.3-01/third", NULL, "NFS4ERR_RETRY_UNCACHED_REP after an operation that was carried out",
          SESSION REQUEST(0, 7, 0) "R reply results=3 status=10068"),
    SLOTS("NFS41-2.10.6.1.3-01+ok", NULL, "NFS4ERR_RETRY_UNCACHED_REP for the operation after SEQUENCE",
          SESSION REQUEST(0, 7, 0) UNCACHED),
    SLOTS("NFS41-2.10.6.1.3-02", NULL, "NFS4ERR_RETRY_UNCACHED_REP for a request that was to be cached",
          SESSION "I call nfs41.compound ops=sequence,putfh,getattr op0.sequenceid=7 op0.cachethis=1; " UNCACHED),

    /* ---- section 20.9.3 ---- */
    SLOTS("NFS41-20.9.3-01", NULL, "CB_RECALL succeeds without CB_SEQUENCE",
          SESSION "R call cb41.cb_compound ops=cb_recall; I reply"),
    SLOTS("NFS41-20.9.3-01/untrue", NULL, "OP_NOT_IN_SESSION for CB_SEQUENCE",
          SESSION "R call cb41.cb_compound ops=cb_sequence,cb_recall; I reply results=1 status=10071"),
    SLOTS("NFS41-20.9.3-01/twice", NULL, "CB_SEQUENCE succeeds twice in a CB_COMPOUND",
          SESSION "R call cb41.cb_compound ops=cb_sequence,cb_sequence; I reply"),
    SLOTS("NFS41-20.9.3-01+ok", NULL, "OP_NOT_IN_SESSION for CB_RECALL without CB_SEQUENCE",
          SESSION "R call cb41.cb_compound ops=cb_recall; I reply results=1 status=10071"),

    /* ---- section 20.8.3 ---- */
    SLOTS("RPCR-4-01/empty", NULL, "a Send without octets, although nothing was recalled", SESSION EMPTY),
    SLOTS("RPCR-4-01/refused", NULL, "a Send without octets after a CB_RECALL_SLOT that failed", SESSION REFUSED EMPTY),
    SLOTS("RPCR-4-01/server", NULL, "a Send of the server without octets", SESSION RECALL "R raw hex="),
    SLOTS("RPCR-4-01+ok", NULL, "a client returns credits by Sends without octets",
          SESSION REQUEST(0, 1, 0) REPLY RECALL EMPTY EMPTY EMPTY REQUEST(1, 1, 1) REPLY),
    SLOTS("RPCR-4-01+ok/elsewhere", NULL, "slots are recalled on one connection, credits returned on another",
          SESSION RECALL "next parallel with nfs; I call nfs3.null; R reply; " CREATE("", "") "I raw hex= wait=5000"),
    SLOTS("RPCR-4-01+ok/bound", NULL, "a client returns credits where only the session's fore channel is",
          "with nfs; " TALKED "I call nfs41.compound ops=sequence,putfh,getattr; R reply; " EMPTY),
    SLOTS("NFS41-20.8.3-02", NULL, "a slot above the target of CB_RECALL_SLOT",
          SESSION REQUEST(0, 1, 0) REPLY RECALL REQUEST(2, 1, 2) REPLY),
    SLOTS("NFS41-20.8.3-02+ok", NULL, "a slot above the target whose request was under way",
          SESSION REQUEST(0, 1, 0) RECALL REQUEST(2, 1, 2) REPLY REPLY REQUEST(0, 2, 0) REPLY),
    SLOTS("NFS41-20.8.3-02+ok/raised", NULL, "a slot above the target after the server has raised it",
          SESSION RECALL REQUEST(0, 1, 0) REPLY REQUEST(0, 2, 0) "R reply op0.target=31; " REQUEST(2, 1, 2) REPLY),
    SLOTS("NFS41-20.8.3-03", NULL, "an sa_highest_slotid above the target of CB_RECALL_SLOT",
          SESSION RECALL REQUEST(0, 1, 0) REPLY REQUEST(0, 2, 5) REPLY),
};

const struct fault_table nfs_rdma_faults = {faults, sizeof faults / sizeof faults[0]};
