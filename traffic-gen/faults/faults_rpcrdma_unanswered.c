// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls that nothing answers: a responder that hangs, passes over, resets or closes; and how that may be in order. */
#include "traffic-gen/faults/fault_rows.h"

#define NONE(id, also, summary, script) SCRIPT("rpcrdma", id, also, summary, "with rpcrdma; " TALKED script)
#define SESSION                                                                                                        \
    "I call nfs41.compound ops=exchange_id; R reply; I call nfs41.compound ops=create_session; R reply; "              \
    "I call nfs41.compound ops=sequence,reclaim_complete; R reply; "
#define SEGMENTS_8  "64+64+64+64+64+64+64+64"
#define SEGMENTS_16 SEGMENTS_8 "+" SEGMENTS_8
#define SEGMENTS_32 SEGMENTS_16 "+" SEGMENTS_16
#define NEXT        "; next; I again of=0; R reply"

#define FAILED_READ "I call nfs3.read count=4096 write; R reply status=5; "
#define REFUSED     "I call nfs40.compound ops=putfh,getattr:0x1000 reply=256; R error chunk; "

static const struct fault faults[] = {
    /* ---- nothing at all ---- */
    NONE("RPCR-4.5.4-03/idle", NULL, "a Call that nothing answers while the connection stays open",
         "I call nfs3.getattr; R silence; I silence wait=40000; I hang"),
    NONE("RPCR-4.5.4-03/stall", NULL, "three Calls that nothing answers any more",
         "I call nfs3.getattr; I call nfs3.read count=100 write; I call nfs3.null; R silence; I silence wait=40000; "
         "I hang"),
    NONE("RPCR-4.5.4-03/given-up", NULL, "the client closes when it has waited 40 s",
         "I call nfs3.readdir count=8192 reply; R silence; I fin wait=40000; R fin"),
    NONE("RPCR-4.5.4-03/fault", "RPCR-4.3.3-01", "a READDIR that lacks its Reply chunk, and is never answered",
         "I call nfs3.readdir count=8192; R silence; I silence wait=40000; I hang"),
    NONE("RPCR-4.5.4-03/reverse", NULL, "a Call of the server that the client never answers",
         SESSION "R call cb41.cb_compound ops=cb_sequence; I silence; R silence wait=40000; R hang"),
    NONE("RPCR-4.5.4-03+ok/in-time", NULL, "the client closes before 30 s are over",
         "I call nfs3.getattr; R silence; I fin wait=20000; R fin"),
    NONE("RPCR-4.5.4-03+ok/late", NULL, "a Call that is answered after 40 s",
         "I call nfs3.getattr; R reply wait=40000"),
    NONE("RPCR-4.5.4-03+ok/once", "NFSULB-6.7.2-03", "a Call that is sent three times, and answered once",
         "I call nfs3.getattr; I again wait=4000; I again wait=4000; R reply; I call nfs3.null wait=40000; R reply"),

    /* ---- cut off ---- */
    NONE("RPC-3-01", NULL, "the responder resets the connection over a GETATTR", "I call nfs3.getattr; R rst"),
    NONE("RPC-3-01/write-list", "RPCR-4.3.2-02", "a reset over a GETATTR with a Write chunk",
         "I call nfs3.getattr write=4096; R rst"),
    NONE("RPC-3-01/write-list-fin", "RPCR-4.3.2-02", "a GETATTR with a Write chunk, and the responder closes",
         "I call nfs3.getattr write=4096; R fin; I fin"),
    NONE("RPC-3-01/reply-chunk", "RPCR-4.3.3-01", "a reset over a READDIR that lacks its Reply chunk",
         "I call nfs3.readdir count=8192; R rst"),
    NONE("RPC-3-01/three", "RPCR-4.3.2.1-01", "a reset over a READ with three Write chunks",
         "I call nfs3.read count=100 write=100/100/100; R rst"),
    NONE("RPC-3-01/segments", NULL, "a Write chunk of 32 segments, and the responder closes",
         "I call nfs3.read count=2048 write=" SEGMENTS_32 "; R fin; I fin"),
    NONE("RPC-3-01/others", NULL, "a Write chunk of 16 segments among other Calls, and a reset",
         "I call nfs3.getattr; I call nfs3.read count=1024 write=" SEGMENTS_16 "; I call nfs3.access; R rst"),
    NONE("RPC-3-01/read", NULL, "a Read chunk of three segments is read, and the connection reset",
         "I call nfs3.write len=4000 read=1000+1000+rest; R pull; R rst"),
    NONE("RPC-3-01/again", NULL, "a reset over two Calls, and over the second once more",
         "I call nfs3.getattr; I call nfs3.access; R rst; next; I again of=1; R rst"),
    NONE("RPC-3-01/again-closed", NULL, "the responder closes over a Call twice, though not at once",
         "I call nfs3.getattr; R fin wait=5000; I fin; next; I again of=0; R fin wait=5000; I fin"),
    NONE("RPC-3-01/terminate", NULL, "a Terminate without a reason over a READ of two segments",
         "I call nfs3.read count=4096 write=2048+2048; R term 0/0/0"),
    NONE("RPC-3-01/many", NULL, "a reset with four unanswered Calls, none of which is wrong",
         "I 4* call nfs3.getattr; R rst"),
    NONE("RPC-3-01/bare", NULL, "a reset without ACK, whose number is not from an ACK of the client",
         "I call nfs3.null; I call nfs3.getattr; R reply; R segment rst"),
    NONE("RPC-3-01/alone", NULL, "a reset over a GETATTR, while another connection goes on",
         "I call nfs3.getattr; R rst; next parallel with rpcrdma; I call nfs3.null; R reply of=1; "
         "I call nfs3.null; R reply of=1"),
    NONE("RPC-3-01/apart", NULL, "two connections over whose Calls the responder resets them, 5 s apart",
         "I call nfs3.getattr; R rst; next parallel with rpcrdma; I call nfs3.null; R reply of=1 wait=3000; "
         "I call nfs3.null; R reply of=1 wait=3000; I call nfs3.access; R rst"),
    NONE("RPC-3-01+ok", NULL, "the client resets, and sends the Call again on another connection",
         "I call nfs3.getattr; I rst" NEXT),
    NONE("RPC-3-01+ok/closed", NULL, "the responder closes over a GETATTR", "I call nfs3.getattr; R fin; I fin"),
    NONE("RPC-3-01+ok/begun", NULL, "the beginning of a Reply in the Reply chunk, and the responder closes",
         "I call nfs3.readdir count=8192 reply; R put reply.0 len=100; R fin; I fin"),
    NONE("RPC-3-01+ok/later", NULL, "a reset over a GETATTR, which is answered on the next connection",
         "I call nfs3.getattr; R rst" NEXT),
    NONE("RPC-3-01+ok/third", NULL, "a GETATTR that two connections end with is answered on the third",
         "I call nfs3.getattr; R rst; next; I again of=0; R rst" NEXT),
    NONE("RPC-3-01+ok/like", NULL, "a reset over a GETATTR; another one is answered on the next connection",
         "I call nfs3.getattr; R rst; next; I call nfs3.getattr; R reply of=1"),
    NONE("RPC-3-01+ok/served", NULL, "the responder closes over the second of two GETATTRs",
         "I call nfs3.getattr; R reply; I call nfs3.getattr; R fin; I fin"),
    NONE("RPC-3-01+ok/together", NULL, "the responder resets two connections together",
         "I call nfs3.getattr; R rst; next parallel with rpcrdma; I call nfs3.null; R reply of=1; "
         "I call nfs3.access; R rst"),
    NONE("RPC-3-01+ok/together-closed", NULL, "the responder closes three connections over Calls with a Write chunk",
         "I call nfs3.read count=1024 write=" SEGMENTS_16
         "; R fin; I fin; next parallel with rpcrdma; I call nfs3.null; "
         "R reply of=1; I call nfs3.read count=1024 write=" SEGMENTS_16 "; R fin; I fin; next parallel with rpcrdma; "
         "I call nfs3.null; R reply of=2; R fin; I fin"),
    NONE("RPC-3-01+ok/forgotten", NULL, "a host that has forgotten the connection resets it",
         "I call nfs3.getattr; R segment rst"),
    NONE("RPC-3-01+ok/silence", NULL, "a reset over a GETATTR after a minute of silence",
         "I call nfs3.getattr wait=60000; R rst"),
    NONE("RPC-3-01+ok/resent", NULL, "a reset over a GETATTR that TCP has sent again",
         "I call nfs3.getattr net=lost; R rst"),
    NONE("RPC-3-01+ok/resent-segment", NULL, "a reset over a GETATTR that was acknowledged, and sent again",
         "I call nfs3.getattr; R silence; I segment at=-40 len=40 wait=300; R rst wait=400"),
    NONE("RPC-3-01+ok/close", NULL, "the responder closes with two plain Calls unanswered",
         "I call nfs3.getattr; I call nfs3.read count=4096 write; R fin; I fin" NEXT),
    NONE("RPC-3-01+ok/again", "NFSULB-6.7.2-03", "a reset over a Call that was sent again",
         "I call nfs3.getattr; I again wait=5000; R rst"),
    NONE("NFSULB-6.4.2-05/reset", NULL, "a reset over a READ with a Write chunk of nine segments",
         SESSION "I call nfs41.compound ops=sequence,putfh,read:1152 write=128+128+128+128+128+128+128+128+128; R rst"),
    NONE("BIDI-5.3-04/reset", "NFSULB-6.5.2-03", "the client resets the connection over a Call with a Write chunk",
         SESSION "R call cb41.cb_compound ops=cb_sequence write=64; I rst"),

    /* ---- a client that resets over an answer ---- */
    NONE("EXP-3.9-03", NULL, "a reset over a failed READ, whose Write chunk is returned unused", FAILED_READ "I rst"),
    NONE("EXP-3.9-03/empty", "RPCR-3.4.6-06",
         "a reset over a failed READ, whose Write chunk is returned without segments",
         "I call nfs3.read count=4096 write; R reply status=5 empty; I rst"),
    NONE("EXP-3.9-03/unmodified", "RPCR-4.3.2.2-03",
         "a reset over a failed READ, whose Write chunk is returned as offered",
         "I call nfs3.read count=4096 write; R reply status=5 write0.seg0.len=4096; I rst"),
    NONE("EXP-3.9-03/again", NULL, "two connections that the client resets over a failed READ",
         FAILED_READ "I rst; next; " FAILED_READ "I rst"),
    NONE("EXP-3.9-03+ok", NULL, "the client goes on after a failed READ",
         FAILED_READ "I call nfs3.null; R reply; I rst"),
    NONE("EXP-3.9-03+ok/habit", NULL, "the client resets each connection when it is done",
         FAILED_READ "I call nfs3.null; R reply; " FAILED_READ "I rst; next; I call nfs3.getattr; R reply; I rst"),
    NONE("NFSULB-6.6-03", NULL, "a reset over an RDMA_ERROR", REFUSED "I rst"),
    NONE("NFSULB-6.6-03/again", NULL, "two connections that the client resets over an RDMA_ERROR",
         REFUSED "I rst; next; " REFUSED "I rst"),
    NONE("NFSULB-6.6-03+ok", NULL, "the client goes on after an RDMA_ERROR",
         REFUSED "I call nfs3.null; R reply; I rst"),
    NONE("NFSULB-6.6-03+ok/close", NULL, "the client closes after an RDMA_ERROR", REFUSED "I fin; R fin"),

    /* ---- what has to be discarded, with nothing else to do ---- */
    NONE("RPCR-4.6.2-02/reset", "RPCR-4.6.2-01", "a reset over an RDMA_DONE", "I done; R rst"),
    NONE("RPCR-4.6.2-02/close", "RPCR-4.6.2-01", "the responder closes over an RDMA_DONE", "I done; R fin; I fin"),
    NONE("RPCR-4.5-01/reset", "RPCR-4.1.2-10", "a reset over a Send of 24 octets",
         "I raw hex=000000770000000100000020000000000000000000000000; R rst"),
    NONE("RPCR-4.2.4-08/reset", "RPCR-4.2.4-07", "a reset over an RDMA_ERROR of the client",
         "I raw hex=0000007800000001000000200000000400000002; R rst"),

    /* ---- copies ---- */
    NONE("RPCR-3.3.1-03/copies", "NFSULB-6.7.2-03", "40 Sends with one XID against a grant of 32",
         "I call nfs3.getattr; I 39* again same; R reply"),
    NONE("RPCR-3.3.1-03+ok/copies", "NFSULB-6.7.2-03", "a Call that is sent again each 5 s, and one Reply",
         "I call nfs3.getattr; I 5* again wait=5000; R reply; I 32* call nfs3.null; R 32* reply"),
};

const struct fault_table rpcrdma_unanswered_faults = {faults, sizeof faults / sizeof faults[0]};
