// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * More ways to meet wrong Calls and Replies (faults_rpcrdma_reaction.c has one of each): silence, closing, a wrong kind
 * of error. And sound Calls of forms that some responders refuse.
 */
#include "traffic-gen/faults/fault_rows.h"

#define FIRST "with rpcrdma; " TALKED
#define END   "; I call nfs3.access; R reply"
/* The Call before stays unanswered, a later one is not. */
#define IGNORED "; I call nfs3.access; R reply of=1; I call nfs3.null; R reply of=1"
#define REFUSED "; R error chunk" END
#define GARBAGE "; R reply accept=4" END
#define SERVED  "; R pull; R reply" END

#define ANSWER(id, also, summary, script) SCRIPT("rpcrdma", id, also, summary, FIRST script)
#define FORM(id, summary, call)                                                                                        \
    ANSWER(id, NULL, summary " is refused", call REFUSED), ANSWER(id "+ok", NULL, summary " is served", call SERVED)

#define VERSION_2    "I call nfs3.getattr h.vers=2"
#define BAD_LIST     "I call nfs3.getattr @h16=2"
#define BAD_PROC     "I call nfs3.getattr @h12=5"
#define ODD_POSITION "I call nfs3.write len=4096 read read0.pos+2"
#define PADDED       "I call nfs3.write len=2000 h.proc=2 h.align=1024 h.thresh=1024"
#define UNREADABLE   "I call nfs3.getattr; R reply @h16=2"

#define SESSION                                                                                                        \
    "I call nfs41.compound ops=exchange_id; R reply; I call nfs41.compound ops=create_session; R reply; "              \
    "I call nfs41.compound ops=sequence,reclaim_complete; R reply; "

static const struct fault faults[] = {
    ANSWER("RPCR-4.5.1-01/closed", "RPCR-4.2.2-01", "the responder closes over a Call of version 2",
           VERSION_2 "; R fin; I fin"),
    ANSWER("RPCR-4.5.1-01/terminate", "RPCR-4.2.2-01", "the responder sends a Terminate for a Call of version 2",
           VERSION_2 "; R term 0/0/0"),
    ANSWER("RPCR-4.5.1-01/hang", "RPCR-4.2.2-01", "nothing is said about a Call of version 2",
           VERSION_2 "; R silence; I silence wait=6000; I hang"),
    ANSWER("RPCR-4.5.1-01+ok/zero", "RPCR-4.2.2-01", "ERR_VERS for a Call of version 0",
           "I call nfs3.getattr h.vers=0; R error vers=1..1" END),
    ANSWER("RPCR-4.5.2-01/garbage", "RPCR-4.1.2-04", "GARBAGE_ARGS for an unreadable Read list", BAD_LIST GARBAGE),
    ANSWER("RPCR-4.5.2-01/closed", "RPCR-4.1.2-04", "the responder resets the connection over an unreadable Read list",
           BAD_LIST "; R rst"),
    ANSWER("RPCR-4.5.2-01/ignored", "RPCR-4.1.2-04", "a Call with an unreadable Read list is ignored",
           BAD_LIST IGNORED),
    ANSWER("RPCR-4.5.2-02/ignored", "RPCR-4.1.2-02", "a Call with rdma_proc 5 is ignored", BAD_PROC IGNORED),
    ANSWER("RPCR-4.5.2-04+ok/reply", "RPCR-4.2.1-01", "a Reply under rdma_xid to a Call with two XIDs",
           "I call nfs3.getattr xid=0x77 h.xid=0x78; R reply xid=0x78" END),
    ANSWER("RPCR-4.5.2-08/ignored", "RPCR-3.4.5-04", "a Call with Position 2 modulo 4 is ignored",
           ODD_POSITION IGNORED),
    ANSWER("RPCR-4.5.2-08+ok/garbage", "RPCR-3.4.5-04", "GARBAGE_ARGS for Position 2 modulo 4",
           ODD_POSITION "; R pull" GARBAGE),
    ANSWER("RPCR-4.6.1-02/ignored", "RPCR-4.6.1-01", "RDMA_MSGP is ignored", PADDED IGNORED),
    ANSWER("RPCR-6.1-08/closed", "NFSULB-4-05", "the responder closes over a MKDIR with a reduced name",
           "I call nfs3.mkdir name=somename reduce=name; R pull; R fin; I fin"),
    /* Calls of the server, which the client may refuse (RFC 8167) */
    ANSWER("RPCR-4.5.2-01/reverse", "RPCR-4.1.2-04", "the client serves a Call with an unreadable Read list",
           SESSION "R call cb41.null @h16=2; I reply" END),
    ANSWER("RPCR-4.5.2-01+ok/reverse", "RPCR-4.1.2-04", "ERR_CHUNK of the client for an unreadable Read list",
           SESSION "R call cb41.null @h16=2; I error chunk" END),
    ANSWER("RPCR-4.5-02+ok/reverse", "RPCR-4.2.4-01", "ERR_CHUNK of the client for a Call without RPC message",
           SESSION "I call nfs3.getattr bare; R error chunk; R call cb41.null bare; I error chunk" END),
    ANSWER("RPCR-4.5.4-03+ok", NULL, "the responder closes with a Call unanswered",
           "I call nfs3.getattr; R silence wait=40000; R fin; I fin"),
    /* what has to be discarded */
    ANSWER("RPCR-4.5-03/reset", "RPCR-4.1.2-04", "the client resets the connection over an unreadable Reply",
           UNREADABLE "; I rst"),
    ANSWER("RPCR-4.5-03/terminate", "RPCR-4.1.2-04", "the client sends a Terminate for an unreadable Reply",
           UNREADABLE "; I term 0/0/0"),
    ANSWER("RPCR-4.5-03+ok/close", "RPCR-4.1.2-04",
           "an unreadable Reply is passed over; the client closes when it has waited long enough",
           UNREADABLE "; I call nfs3.access; R reply; I fin wait=60000; R fin"),
    ANSWER("RPCR-4.5-10/reset", "RPCR-4.1.2-13", "the client resets the connection over rdma_err 99",
           "I call nfs3.readdir count=4096 reply; R error h.err=99; I rst"),
    ANSWER("RPCR-4.6.1-03/reset", "RPCR-4.6.1-01", "the client resets the connection over RDMA_MSGP",
           "I call nfs3.getattr; R reply h.proc=2; I rst"),
    ANSWER("RPCR-2.2.2-05/reset", "RPCR-2.2.2-02", "the client resets the connection over an unknown XID",
           "I call nfs3.getattr; R reply xid=0x5eed0001; I rst"),
    /* sound Calls */
    FORM("RPCR-3.5.3-15", "a Long Call that would have fit inline", "I call nfs3.getattr pz"),
    FORM("RPCR-3.5.3-16", "a Position-Zero Read chunk of three segments", "I call nfs3.getattr pz=40+17+rest"),
    FORM("EXP-3.2.1-02", "a Read chunk of three segments", "I call nfs3.write len=4096 read=1000+17+rest"),
    FORM("EXP-3.5.1-01", "a Long Call with a further Read chunk", "I call nfs3.write len=4096 read pz"),
    ANSWER("EXP-3.8.1-03", NULL, "a Write chunk of 5 octets is refused",
           "I call nfs3.read count=5 write=5; R error chunk" END),
    ANSWER("EXP-3.8.1-03+ok", NULL, "a Write chunk of 5 octets is filled",
           "I call nfs3.read count=5 write=5; R reply len=5" END),
    ANSWER("RPCR-3.4.5.2-04", "RPCR-3.4.5.2-01", "a Read chunk with roundup draws GARBAGE_ARGS",
           "I call nfs3.write len=5 read pad; R pull" GARBAGE),
    ANSWER("RPCR-3.4.5.2-04+ok", "RPCR-3.4.5.2-01", "a Read chunk with roundup is accepted",
           "I call nfs3.write len=5 read pad" SERVED),
    /* RFC 5667 */
    ANSWER("RPCR0-4N-01", NULL, "a GETATTR with a Write chunk is refused", "I call nfs3.getattr write=4096" REFUSED),
    ANSWER("RPCR0-4N-01+ok", NULL, "the Write chunk of a GETATTR is ignored",
           "I call nfs3.getattr write=4096"
           "; R reply" END),
    ANSWER("RPCR0-4N-02", NULL, "a READ with two Write chunks is refused",
           "I call nfs3.read count=4096 write=4096/4096" REFUSED),
    ANSWER("RPCR0-4N-02+ok", NULL, "the second Write chunk of a READ is ignored",
           "I call nfs3.read count=4096 write=4096/4096"
           "; R reply" END),
    ANSWER("RPCR0-5N-01", NULL, "a NULL Call of NFS version 4 with a Write chunk is refused",
           "I call nfs41.null write=4096" REFUSED),
    ANSWER("RPCR0-5N-01+ok", NULL, "the Write chunk of a NULL Call of NFS version 4 is ignored",
           "I call nfs41.null write=4096"
           "; R reply" END),
};

const struct fault_table rpcrdma_answer_faults = {faults, sizeof faults / sizeof faults[0]};
