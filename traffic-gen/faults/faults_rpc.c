// SPDX-License-Identifier: GPL-2.0-or-later
/* RPC headers that contradict themselves or their Call (RFC 5531), and results of COMPOUNDs that do (RFC 7530, 8881).
 */
#include "traffic-gen/faults/fault_rows.h"

#define NFS                            "with nfs; " TALKED
#define GOES_ON                        "; I call nfs3.null; R reply"
#define RPC(id, also, summary, script) SCRIPT("nfs3", id, also, summary, NFS script GOES_ON)
#define SESSION                                                                                                        \
    "I call nfs41.compound ops=exchange_id; R reply; I call nfs41.compound ops=create_session; R reply; "              \
    "I call nfs41.compound ops=sequence,reclaim_complete; R reply; "
#define OF40(id, summary, call_, reply)                                                                                \
    SCRIPT("nfs40", id, NULL, summary, NFS "I call nfs40.compound ops=" call_ "; R reply " reply GOES_ON)
#define OF41(id, summary, call_, reply)                                                                                \
    SCRIPT("nfs41", id, NULL, summary, NFS SESSION "I call nfs41.compound ops=" call_ "; R reply " reply)
/* Words of results: the status, the number of results, numbers and status of the first ones that have no more. */
#define STATUS   "@p24"
#define COUNT    "@p32"
#define OP_0     "@p36"
#define STATUS_0 "@p40"
#define OP_1     "@p44"
#define STATUS_1 "@p48"
/* The result of another LOOKUP after PUTFH and LOOKUP. */
#define ONE_MORE "insert@80=0000000f00000000 "

static const struct fault faults[] = {
    RPC("RPC-9-01", NULL, "a Call of RPC version 3",
        "I call nfs3.getattr rpc.rpcvers=3; R reply denied reject=0 low=2 high=2"),
    RPC("RPC-9-01/long", "RPCR-4.3.3-02", "a Long Call of RPC version 1",
        "I call nfs3.getattr pz rpc.rpcvers=1; R pull; R reply denied reject=0 low=2 high=2"),
    RPC("RPC-9-02", "RPC-9-01", "a Call of RPC version 3 that is carried out",
        "I call nfs3.getattr rpc.rpcvers=3; R reply"),
    RPC("RPC-9-02/garbage", "RPC-9-01", "GARBAGE_ARGS for a Call of RPC version 3",
        "I call nfs3.getattr rpc.rpcvers=3; R reply accept=4"),
    RPC("RPC-9-02/auth", "RPC-9-01", "AUTH_ERROR for a Call of RPC version 3",
        "I call nfs3.getattr rpc.rpcvers=3; R reply denied reject=1 auth=1"),
    RPC("RPC-9-02+ok", "RPC-9-01", "RPC_MISMATCH for a Call of RPC version 3",
        "I call nfs3.getattr rpc.rpcvers=3; R reply denied reject=0 low=2 high=2"),
    RPC("RPC-9-03", NULL, "PROG_MISMATCH for version 3, with 3 to 4 supported",
        "I call nfs3.getattr; R reply accept=2 low=3 high=4"),
    RPC("RPC-9-03/between", NULL, "PROG_MISMATCH for version 3, with 2 to 4 supported",
        "I call nfs3.getattr; R reply accept=2 low=2 high=4"),
    RPC("RPC-9-03/unknown", NULL, "PROG_MISMATCH for version 3, with 64860 to 2820603906 supported",
        "I call nfs3.getattr; R reply accept=2 low=64860 high=2820603906"),
    RPC("RPC-9-03/empty", NULL, "PROG_MISMATCH with 4 to 2 supported",
        "I call nfs3.getattr; R reply accept=2 low=4 high=2"),
    RPC("RPC-9-03/rpc", "RPC-9-01", "RPC_MISMATCH for version 3, with 2 to 3 supported",
        "I call nfs3.getattr rpc.rpcvers=3; R reply denied reject=0 low=2 high=3"),
    RPC("RPC-9-03/rpc-4", "RPC-9-01", "RPC_MISMATCH for version 3, with 4 to 5 supported",
        "I call nfs3.getattr rpc.rpcvers=3; R reply denied reject=0 low=4 high=5"),
    RPC("RPC-9-03+ok", NULL, "PROG_MISMATCH for version 9 of NFS",
        "I call nfs3.null rpc.vers=9; R reply accept=2 low=2 high=4"),
    RPC("RPC-9-04", NULL, "RPC_MISMATCH for a Call of version 2",
        "I call nfs3.getattr; R reply denied reject=0 low=2 high=2"),
    RPC("RPC-9-06", NULL, "AUTH_ERROR for the reason AUTH_OK", "I call nfs3.getattr; R reply denied reject=1 auth=0"),
    RPC("RPC-9-06/unassigned", NULL, "AUTH_ERROR for a reason that nobody has assigned",
        "I call nfs3.getattr; R reply denied reject=1 auth=15"),
    RPC("RPC-9-06+ok", NULL, "AUTH_ERROR for AUTH_TOOWEAK", "I call nfs3.getattr; R reply denied reject=1 auth=5"),

    RPC("RPC-10.1-01", NULL, "a verifier of AUTH_NONE that is not empty",
        "I call nfs3.null cred=none @p36=8 insert@68=0000000000000000; R reply"),
    RPC("RPC-10.1-02", NULL, "a Call of AUTH_NONE with a verifier of AUTH_SYS",
        "I call nfs3.null cred=none @p32=1; R reply"),
    RPC("RPC-10.1-02/reply", NULL, "a Reply to a Call of AUTH_NONE with a verifier of AUTH_SHORT",
        "I call nfs3.null cred=none; R reply @p12=2"),
    RPC("RPC-A-01", NULL, "an AUTH_SYS credential whose name goes beyond it",
        "I call nfs3.getattr cred=sys @p36=100; R reply accept=4"),
    RPC("RPC-A-02", NULL, "a Call of AUTH_SYS with a verifier of AUTH_SYS", "I call nfs3.getattr @p76=1; R reply"),
    RPC("RPC-A-02/reply", NULL, "a Reply to a Call of AUTH_SYS with a verifier of AUTH_SYS",
        "I call nfs3.getattr; R reply @p12=1"),
    RPC("RPC-A-02+ok", NULL, "a Reply to a Call of AUTH_SYS with a verifier of AUTH_SHORT",
        "I call nfs3.getattr; R reply @p12=2"),
    RPC("RPC-9-07", NULL, "version 9 of NFS is served", "I call nfs3.null rpc.vers=9; R reply"),
    RPC("RPC-9-07+ok", NULL, "SYSTEM_ERR for version 9 of NFS", "I call nfs3.null rpc.vers=9; R reply accept=5"),
    RPC("RPCR-6.1-06/handle", NULL, "a file handle of NFS version 3 of 65 octets",
        "I call nfs3.getattr cred=none @p40=65; R reply accept=4"),
    RPC("RPCR-6.1-06/boolean", NULL, "attributes_follow is 7 in the Reply to a LOOKUP that failed",
        "I call nfs3.lookup; R reply status=2 @p28=7"),
    RPC("RPC-9-08", NULL, "procedure 22 of NFS version 3 is served", "I call nfs3.null rpc.proc=22; R reply"),
    RPC("RPC-9-08+ok", NULL, "PROC_UNAVAIL for procedure 22 of NFS version 3",
        "I call nfs3.null rpc.proc=22; R reply accept=3"),

    RPC("NFS3-3.3.6-01", NULL, "a READ of 1000 octets returns 1200", "I call nfs3.read count=1000; R reply len=1200"),
    RPC("NFS3-3.3.6-01/chunk", NULL, "a READ of 1000 octets returns 1200 in its Write chunk",
        "I call nfs3.read count=1000 write=2000; R reply len=1200"),
    OF40("NFS3-3.3.6-01/nfs40", "a READ of NFSv4 of 1000 octets returns 1200", "putfh,read:1000", "op1.len=1200"),
    RPC("NFS3-3.3.6-02", NULL, "a READ of 1000 octets reports 500", "I call nfs3.read count=1000; R reply p.count=500"),
    RPC("NFS3-3.3.7-01", NULL, "a WRITE of 1000 octets reports 2000", "I call nfs3.write len=1000; R reply count=2000"),
    OF40("NFS3-3.3.7-01/nfs40", "a WRITE of NFSv4 of 1000 octets reports 2000", "putfh,write:1000", "p.op1.count=2000"),
    RPC("NFS3-3.3.16-01", NULL, "30 entries for a READDIR of 200 octets",
        "I call nfs3.readdir count=200; R reply entries=30"),
    RPC("NFS3-3.3.16-01/plus", NULL, "10 entries for a READDIRPLUS of 500 octets",
        "I call nfs3.readdirplus maxcount=500; R reply entries=10"),
    OF40("NFS3-3.3.16-01/nfs40", "30 entries for a READDIR of NFSv4 of 200 octets", "putfh,readdir:200,getattr",
         "op1.entries=30"),

    OF40("NFS4-15.2-01", "the result of LOOKUP under the number of PUTFH", "putfh,lookup", OP_1 "=22"),
    OF40("NFS4-15.2-01/first", "the result of PUTFH under the number of PUTROOTFH", "putfh,getattr", OP_0 "=24"),
    OF40("NFS4-15.2-01/longer", "the result of GETFH under the number of GETATTR", "putfh,getfh", OP_1 "=9"),
    OF40("NFS4-15.2-01/order", "the results of LOOKUPP and RESTOREFH change places", "putfh,lookupp,restorefh",
         OP_1 "=31 @p52=16"),
    OF40("NFS4-15.2-01/read", "the result of READ under the number of WRITE", "putfh,read:100", OP_1 "=38"),
    OF41("NFS4-15.2-01/nfs41", "the result of PUTFH under the number of PUTROOTFH, in a session",
         "sequence,putfh,getattr", "@p80=24"),
    OF40("NFS4-15.2-01/unknown", "the result of LOOKUPP for operation 99", "lookupp,lookupp @p100=99", ""),
    OF40("NFS4-15.2-02", "one result less than operations", "putfh,getattr", "results=1"),
    OF40("NFS4-15.2-02/none", "no results, and no error", "putfh,lookup", "results=0"),
    OF40("NFS4-15.2-02/more", "one result more than operations", "putfh,lookup", ONE_MORE COUNT "=3"),
    OF40("NFS4-15.2-02/after", "a result after PUTFH, which failed", "putfh,lookup", STATUS_0 "=10001"),
    OF40("NFS4-15.2-02+ok", "LOOKUP failed, and the GETATTR after it has no result", "putfh,lookup,getattr",
         "results=2 status=2"),
    OF40("NFS4-15.2-03", "the COMPOUND succeeds although its last operation failed", "putfh,lookup",
         "status=2 " STATUS "=0"),
    OF40("NFS4-15.2-03/other", "the COMPOUND fails although no operation did", "putfh,lookup", STATUS "=10001"),
    OF40("NFS4-15.2-04", "ILLEGAL for a LOOKUP", "putfh,lookup", OP_1 "=10044 " STATUS_1 "=10044 " STATUS "=10044"),
    OF41("NFS4-15.2-04/nfs41", "ILLEGAL for a DESTROY_CLIENTID", "destroy_clientid",
         OP_0 "=10044 " STATUS_0 "=10044 " STATUS "=10044"),
    OF40("NFS4-15.2-04+ok", "ILLEGAL for an ALLOCATE in minor version 0", "putfh,allocate",
         OP_1 "=10044 " STATUS_1 "=10044 " STATUS "=10044"),
    OF40("NFS4-15.2-05", "MINOR_VERS_MISMATCH with results", "putfh,getattr", STATUS "=10021"),
    OF41("NFS4-15.2-05/known", "MINOR_VERS_MISMATCH for a minor version that has been carried out", "sequence,putfh",
         "results=0 " STATUS "=10021"),
    OF40("NFS4-15.2-05/illegal", "ILLEGAL for a minor version that does not exist", "putfh,getattr p.minor=7",
         "results=1 " OP_0 "=10044 " STATUS_0 "=10044 " STATUS "=10044"),
    OF40("NFS4-15.2-05+ok", "MINOR_VERS_MISMATCH without results", "putfh,getattr", "results=0 " STATUS "=10021"),
    OF40("NFS4-15.2-06", "ALLOCATE succeeds in minor version 0", "putfh,allocate", ""),
    OF40("NFS4-15.2-06/error", "NOTSUPP for an ALLOCATE in minor version 0", "putfh,allocate",
         STATUS_1 "=10004 " STATUS "=10004"),
    OF41("NFS4-15.2-06/nfs41", "ALLOCATE succeeds in minor version 1", "sequence,putfh,allocate", ""),
    OF41("NFS41-16.2-01", "PUTFH succeeds without a session", "putfh", ""),
    OF41("NFS41-16.2-01/untrue", "OP_NOT_IN_SESSION for SEQUENCE", "sequence", "results=1 status=10071"),
    OF41("NFS41-16.2-01/twice", "SEQUENCE succeeds twice in a COMPOUND", "sequence,sequence", ""),
    OF41("NFS41-16.2-01/not-only", "EXCHANGE_ID succeeds before another operation, without a session",
         "exchange_id,putrootfh", ""),
    OF41("NFS41-16.2-01+ok/not-only", "NOT_ONLY_OP for EXCHANGE_ID before another operation, without a session",
         "exchange_id,putrootfh", "results=1 status=10081"),
    OF41("NFS41-16.2-01+ok/twice", "SEQUENCE_POS for a second SEQUENCE", "sequence,sequence", "results=2 status=10064"),
    OF41("NFS41-16.2-01+ok", "OP_NOT_IN_SESSION for PUTFH without a session", "putfh,getattr",
         "results=1 status=10071"),
};

const struct fault_table rpc_faults = {faults, sizeof faults / sizeof faults[0]};
