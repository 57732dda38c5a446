// SPDX-License-Identifier: GPL-2.0-or-later
/* Faults of NFS and its auxiliary programs on RPC-over-RDMA: RFC 8267, and what RFC 8166 and 8167 leave to it. */
#include "traffic-gen/faults/fault_rows.h"

#define NFS "with nfs; " TALKED
/*
 * RFC 1833 on TCP: GETADDR (rpcbind version 4) of program 100003, a version, netid rdma; the answer is 192.0.2.2.78.81,
 * which is port 20049.
 */
#define GETADDR(version)                                                                                               \
    "with port=111 no-mpa; I stream 800000400000009A0000000000000002000186A00000000400000003"                          \
    "00000000000000000000000000000000000186A3" version "0000000472646D610000000000000000; "                            \
    "R stream 8000002C0000009A0000000100000000000000000000000000000000"                                                \
    "0000000F3139322E302E322E322E37382E383100; next with nfs; " TALKED
#define NO_SESSION NFS "I call nfs41.compound ops=exchange_id; R reply; "
#define SESSION    NO_SESSION "I call nfs41.compound ops=create_session; R reply; "
/* Limits and flags of a session. */
#define SESSION_WITH(arguments, results)                                                                               \
    NO_SESSION "I call nfs41.compound ops=create_session" arguments "; R reply " results "; "
#define OF40        "I call nfs40.compound ops=putfh,"
#define OF41        "I call nfs41.compound ops=sequence,putfh,"
#define SLOT(slot)  "I call nfs41.compound ops=sequence:" #slot ",putfh,getattr:mask0=0x1000 reply=300; "
#define TWICE(what) what what
#define FOUR(what)  what what what what

static const struct fault faults[] = {
    SCRIPT("nfs3", "NFSULB-4-05", "RPCR-4.3.2-02", "the directory entries of a READDIR in a Write chunk",
           NFS "I call nfs3.readdir write=1024; R reply place=name"),

    /* ---- sizes of Replies ---- */
    SCRIPT("nfs3", "RPCR-4.3.3-01", NULL, "a READDIR of 32 KB without Reply chunk",
           NFS "I call nfs3.readdir count=32768; R reply entries=5"),
    SCRIPT("nfs3", "RPCR-4.3.3-01/plus", NULL, "a READDIRPLUS of 8 KB without Reply chunk",
           NFS "I call nfs3.readdirplus maxcount=8192; R reply entries=3"),
    SCRIPT("nfs2", "RPCR-4.3.3-01/nfs2", NULL, "a READDIR of NFSv2 for 8 KB without Reply chunk",
           NFS "I call nfs2.readdir count=8192; R reply entries=5"),
    SCRIPT("nfs41", "RPCR-4.3.3-01/nfs41", NULL, "a READDIR of a session for 32 KB without Reply chunk",
           SESSION OF41 "readdir:32768; R reply entries=5"),
    SCRIPT("nfs3", "RPCR-4.3.3-01/default", NULL, "a READDIR above the default threshold",
           "with nfs no-private-data; " TALKED "I call nfs3.readdir count=4096; R reply entries=5;"
           "I call nfs3.readdir count=4096; R reply entries=5"),
    SCRIPT("nfs3", "RPCR-4.3.3-02", NULL, "a Reply chunk with a GETATTR, whose Reply has 140 octets",
           TWICE(NFS "I call nfs3.getattr reply; R reply; ")),
    SCRIPT("nfs3", "RPCR-4.3.2.3-04", NULL, "a READ of 8 KB with neither Write nor Reply chunk",
           NFS "I call nfs3.read count=8192; R reply len=100"),
    SCRIPT("nfs40", "RPCR-4.3.2.3-04/empty", NULL, "a READ of 8 KB with an empty Write chunk, and no Reply chunk",
           NFS OF40 "read:8192 write=-; R reply len=100"),
    SCRIPT("nfs3", "RPCR-3.5.3-07", NULL, "a READDIR of 32 KB with a Reply chunk of 1 KB",
           NFS "I call nfs3.readdir count=32768 reply=1024; R reply entries=3 short"),
    SCRIPT("nfs-gss", "RPCR-8.2.2.2-02", NULL, "a READDIR that fits inline but for the verifier of RPCSEC_GSS",
           NFS "I call nfs3.getattr cred=gss:1; R reply; I call nfs3.readdir count=4038 cred=gss:1; R reply entries=3"),
    SCRIPT("nfs-gss", "RPCR-8.2.2.2-02/reply", "CMPD-4.2-05", "a link that fits inline but for the verifier",
           NFS "I call nfs3.readlink cred=gss:1; R reply len=3940"),
    SCRIPT("old-read-read", "RPCR0-3.4-02", NULL, "a READ of 64 KB without Write list",
           NFS "I call nfs3.read count=65536; R reply len=1000"),
    SCRIPT("nfs40", "RPCR0-5N-02", NULL, "a READ of NFSv4 for 64 KB without Write list",
           NFS OF40 "read:65536; R reply len=1000"),

    SCRIPT("nfs40", "RPCR0-5N-02+ok", NULL, "a READ of NFSv4 for 1000 octets without Write list",
           NFS OF40 "read:1000; R reply"),

    /* ---- requests that are sent again ---- */
    SCRIPT("nfs-auxiliary", "NFSULB-3.1-03", "RPCR-4.5-12", "a GETACL again under the XID that met ERR_CHUNK",
           NFS "I call nfsacl3.getacl xid=0x777 reply=100; R error chunk; I call nfsacl3.getacl xid=0x777 reply=16384;"
               "R reply"),
    SCRIPT("nfs-auxiliary", "NFSULB-3.1-03+ok", "RPCR-4.5-12", "a GETACL again under another XID",
           NFS "I call nfsacl3.getacl reply=100; R error chunk; I call nfsacl3.getacl reply=16384; R reply"),
    SCRIPT("nfs-auxiliary", "NFSULB-3.1-04", "RPCR-4.5-12", "a GETACL again and again, ERR_CHUNK each time",
           NFS "I call nfsacl3.getacl reply=100; R error chunk; I call nfsacl3.getacl reply=200; R error chunk;"
               "I call nfsacl3.getacl reply=300; R error chunk; I call nfsacl3.getacl reply=400; R error chunk;"
               "I call nfsacl3.getacl reply=500; R error chunk; I call nfsacl3.getacl reply=600; R error chunk;"
               "I call nfsacl3.getacl reply=700; R error chunk; I call nfsacl3.getacl reply=800; R error chunk"),
    SCRIPT("nfs3", "NFSULB-3.1-05", "RPCR-4.5-12", "a READLINK again with a larger Reply chunk",
           NFS "I call nfs3.readlink reply=100; R error chunk; I call nfs3.readlink reply=8192; R reply"),
    SCRIPT("nfs40", "NFSULB-3.1-05+ok", "RPCR-4.5-12", "a GETATTR of NFSv4.0 again with a larger Reply chunk",
           NFS OF40 "getattr:mask0=0x1000 reply=100; R error chunk; " OF40 "getattr:mask0=0x1000 reply=8192; R reply"),
    SCRIPT("nfs41-chunks", "NFSULB-6.4.2-08", "RPCR-4.5-12", "three Write chunks, which were too many before, again",
           SESSION TWICE(OF41 "read:100,read:100,read:100 write=100/100/100; R error chunk; ")),
    SCRIPT("nfs41-chunks", "NFSULB-6.4.2-08+ok", "RPCR-4.5-12", "three Write chunks that were too many, then one each",
           SESSION OF41 "read:100,read:100,read:100 write=100/100/100; R error chunk; " OF41 "read:100 write; R reply"),
    SCRIPT("nfs40", "NFSULB-6.7.2-03", NULL, "a COMPOUND again while it is outstanding",
           NFS OF40 "getattr; I again; R reply"),
    SCRIPT("nfs40", "NFSULB-6.7.2-01", NULL, "all four credits in use",
           NFS OF40 "getattr; R reply credit=4; " OF40 "read:100; " OF40 "read:200; " OF40 "read:300; " OF40
                    "read:400; R reply credit=4; R reply credit=4; R reply credit=4; R reply credit=4"),
    SCRIPT(
        "nfs40", "NFSULB-6.7.2-01+ok", NULL, "all four credits in use, one of them to see whether the server is alive",
        NFS OF40 "getattr; R reply credit=4; " OF40 "read:100; " OF40 "read:200; " OF40
                 "read:300; I call nfs40.null; R reply credit=4; R reply credit=4; R reply credit=4; R reply credit=4"),

    /* ---- COMPOUNDs ---- */
    SCRIPT("nfs40", "NFSULB-6.2.1-02", NULL, "RENAME and a GETATTR of the ACL in one COMPOUND",
           NFS "I call nfs40.compound ops=savefh,putfh,rename,getattr:mask0=0x1000; R reply aces=3"),
    SCRIPT("nfs40", "NFSULB-6.2.1-02/refused", NULL, "GARBAGE_ARGS for a COMPOUND of RENAME and a GETATTR of the ACL",
           NFS "I call nfs40.compound ops=savefh,putfh,rename,getattr:mask0=0x1000; R reply accept=4"),
    SCRIPT("nfs40", "NFSULB-6.2.1-03", NULL, "LOOKUP and a GETATTR of fs_locations in one COMPOUND",
           NFS OF40 "lookup:file,getattr:mask0=0x1000000; R reply"),
    SCRIPT("nfs40", "NFSULB-6.2.1-03+ok", NULL, "a GETATTR of the ACL by itself",
           NFS OF40 "getattr:mask0=0x1000 reply=8192; R reply aces=10"),
    SCRIPT("nfs40", "NFSULB-6.3-01", NULL, "NFSv4 at port 2050", "with nfs port=2050; " TALKED OF40 "getattr; R reply"),
    SCRIPT("nfs40", "NFSULB-6.3-02", NULL, "rpcbind is asked for NFSv4 on RDMA",
           GETADDR("00000004") OF40 "getattr; R reply"),
    SCRIPT("nfs40", "NFSULB-6.3-02+ok", NULL, "rpcbind is asked for NFSv3 on RDMA",
           GETADDR("00000003") OF40 "getattr; R reply"),
    SCRIPT("nfs41-chunks", "NFSULB-6.4.2-01", NULL, "two WRITEs with a Read chunk each",
           SESSION OF41 "write:1000,write:2000 read=rest/rest; R pull; R reply"),
    SCRIPT("nfs41-chunks", "NFSULB-6.4.2-02", NULL, "two READs with a Write chunk each",
           SESSION OF41 "read:1000,read:2000 write=1000/2000; R reply"),
    SCRIPT("nfs41", "NFSULB-6.4.2-03", NULL, "a Read chunk of 17 segments",
           SESSION OF41 "write:1700 read=100+100+100+100+100+100+100+100+100+100+100+100+100+100+100+100+100; R pull;"
                        "R reply"),
    SCRIPT("nfs40", "RPCR-9-01", NULL, "the netid rdma with an IPv6 address",
           NFS "I call nfs40.compound ops=setclientid op0.addr=fe80::1.78.81; R reply"),

    SCRIPT("nfs41", "NFSULB-6.4.2-04", NULL, "a WRITE with one Read chunk meets ERR_CHUNK",
           SESSION OF41 "write:8192,getattr read; R pull; R error chunk"),
    SCRIPT("nfs41", "NFSULB-6.4.2-04/long", NULL, "a Long Call with another Read chunk meets GARBAGE_ARGS",
           SESSION OF41 "write:8192,getattr read pz; R pull; R reply accept=4"),
    SCRIPT("nfs41", "NFSULB-6.4.2-05", NULL, "a READ with one Write chunk meets ERR_CHUNK",
           SESSION OF41 "read:8192,getattr write; R error chunk"),
    SCRIPT("nfs41", "NFSULB-6.4.2-05/link", NULL, "a READLINK with one Write chunk meets GARBAGE_ARGS",
           SESSION OF41 "readlink write=1000; R reply accept=4"),
    SCRIPT("nfs41", "NFSULB-6.4.2-05/segments", NULL, "a Read chunk of 16 segments meets ERR_CHUNK",
           SESSION OF41 "write:1600 read=100+100+100+100+100+100+100+100+100+100+100+100+100+100+100+100; R pull;"
                        "R error chunk"),
    SCRIPT("nfs41", "NFSULB-6.4.2-05+ok", NULL, "a Read chunk of 16 segments",
           SESSION OF41 "write:1600 read=100+100+100+100+100+100+100+100+100+100+100+100+100+100+100+100; R pull;"
                        "R reply"),
    SCRIPT("nfs41-chunks", "NFSULB-6.4.2-07", NULL, "two Write chunks are too many, and the answer is SYSTEM_ERR",
           SESSION OF41 "read:100,read:100 write=100/100; R reply accept=5"),
    SCRIPT("nfs41-chunks", "NFSULB-6.4.2-07+ok", NULL, "two Write chunks are too many, and the answer is GARBAGE_ARGS",
           SESSION OF41 "read:100,read:100 write=100/100; R reply accept=4"),
    SCRIPT("nfs41-slots", "NFSULB-6.6-04", NULL, "a slot is lost by ERR_CHUNK",
           SESSION SLOT(0) "R error chunk; " FOUR(SLOT(1) "R reply; ") FOUR(SLOT(1) "R reply; ")
               FOUR(SLOT(1) "R reply; ") FOUR(SLOT(1) "R reply; ")),
    SCRIPT("nfs41-slots", "NFSULB-6.6-04+ok", NULL, "the slot of a request that met ERR_CHUNK is used again",
           SESSION SLOT(0) "R error chunk; " SLOT(1) "R reply; " SLOT(0) "R reply"),

    /* ---- sessions and the backchannel ---- */
    SCRIPT("nfs41", "NFSULB-6.2.2-01", NULL, "a Reply of more than the session's ca_maxresponsesize",
           SESSION_WITH("", "fmaxresp=600") OF41 "readdir:16384 reply; R reply entries=50"),
    SCRIPT("nfs40", "NFSULB-6.5.1-01", NULL, "the server calls on a connection with NFSv4.0",
           NFS "I call nfs40.compound ops=setclientid; R reply; R call cb40.null; I reply"),
    SCRIPT("nfs41-backchannel", "NFSULB-6.5.2-02", NULL, "a Reply of more than the backchannel's ca_maxresponsesize",
           SESSION_WITH("", "bmaxresp=100") "R call cb41.cb_compound ops=cb_sequence,cb_getattr; I reply"),
    SCRIPT("nfs41-backchannel", "NFSULB-6.5.2-06", NULL, "a Long Call of the server, although the client takes 4 KB",
           SESSION "R call cb41.cb_compound ops=cb_sequence,cb_recall pz; I pull; I reply"),
    SCRIPT("nfs41-backchannel", "NFSULB-6.5.2-06/reply", NULL, "a Call of the server with a Reply chunk",
           SESSION "R call cb41.cb_compound ops=cb_sequence,cb_getattr reply; I reply"),
    SCRIPT("nfs41-backchannel", "NFSULB-6.5.2-06+ok", NULL, "a Long Call of the server, and the client takes 64 KB",
           SESSION_WITH(":bmaxreq=65536", "") "R call cb41.cb_compound ops=cb_sequence,cb_recall pz; I pull; I reply"),
    SCRIPT("nfs41-backchannel", "BIDI-3.2-02", NULL, "a Call of the server in a session without backchannel",
           SESSION_WITH(":flags=1", "") "R call cb41.cb_compound ops=cb_sequence,cb_recall; I reply"),
    SCRIPT("nfs41-backchannel", "BIDI-3.2-02/refused", NULL, "a Call of the server after it refused the backchannel",
           SESSION_WITH("", "flags=0") "R call cb41.cb_compound ops=cb_sequence,cb_recall; I reply"),
    SCRIPT("nfs41-backchannel", "BIDI-3.2-02/fore", NULL, "a Call of the server where only the fore channel was bound",
           NO_SESSION "I call nfs41.compound ops=bind_conn_to_session:dir=1; R reply dir=1;"
                      "R call cb41.cb_compound ops=cb_sequence,cb_recall; I reply"),
    SCRIPT("nfs41", "BIDI-3.2-03", NULL, "a delegation in a session without backchannel",
           SESSION_WITH(":flags=1", "") OF41 "open; R reply delegation=2"),
    SCRIPT("nfs41-backchannel", "BIDI-6-01", NULL, "the server calls a client that has announced no callbacks",
           NFS "R call cb41.null; I reply"),
    SCRIPT("nfs41-backchannel", "BIDI-6-02", NULL, "the server calls before a session is made",
           NO_SESSION "R call cb41.null; I reply"),
};

const struct fault_table nfs_faults = {faults, sizeof faults / sizeof faults[0]};
