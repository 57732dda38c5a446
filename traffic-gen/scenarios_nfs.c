// SPDX-License-Identifier: GPL-2.0-or-later
/* Conforming conversations of NFS and its auxiliary programs over RPC-over-RDMA as scripts (rpc_script.h): RFC 8267. */
#include "traffic-gen/scenario.h"

#define SESSION                                                                                                        \
    "I call nfs41.null; R reply; I call nfs41.compound ops=exchange_id; R reply;"                                      \
    "I call nfs41.compound ops=create_session; R reply; "                                                              \
    "I call nfs41.compound ops=sequence,reclaim_complete; R reply; "
#define OF41 "nfs41.compound ops=sequence,putfh,"
#define OF42 "nfs42.compound ops=sequence,putfh,"

static const struct scenario scenarios[] = {
    {.name = "nfs2",
     .summary = "NFSv2: every procedure; data by chunks, symbolic links with attributes behind the text",
     .script = "with nfs; I call mount1.mnt; R reply; I call nfs2.null; R reply; I call nfs2.getattr; R reply;"
               "I call nfs2.setattr; R reply; I call nfs2.lookup name=somefile; R reply; I call nfs2.lookup; R reply "
               "status=2;"
               "I call nfs2.read count=8192 write; R reply; I call nfs2.read count=4096 write; R reply len=1001;"
               "I call nfs2.read count=1000; R reply; I call nfs2.read count=4096 write; R reply status=5;"
               "I call nfs2.write len=8192 read; R pull; R reply; I call nfs2.write len=1001 read; R pull; R reply;"
               "I call nfs2.write len=500; R reply; I call nfs2.readlink write=1024; R reply link=77;"
               "I call nfs2.readlink; R reply; I call nfs2.symlink len=501 read; R pull; R reply;"
               "I call nfs2.symlink len=1000 read; R pull; R reply; I call nfs2.symlink; R reply; I call nfs2.create;"
               "R reply; I call nfs2.remove; R reply; I call nfs2.rename; R reply; I call nfs2.mkdir; R reply;"
               "I call nfs2.rmdir; R reply; I call nfs2.readdir count=8192 reply=8192; R reply entries=250; I call "
               "nfs2.readdir;"
               "R reply; I call nfs2.statfs; R reply; I call mount1.umnt; R reply"},
    {.name = "nfs3",
     .summary = "NFSv3: every procedure, inline and by chunks",
     .script =
         "with nfs; I call nfs3.null; R reply; I call nfs3.fsinfo; R reply; I call nfs3.pathconf; R reply;"
         "I call nfs3.fsstat; R reply; I call nfs3.getattr; R reply; I call nfs3.setattr; R reply; I call nfs3.lookup;"
         "R reply; I call nfs3.lookup; R reply status=2; I call nfs3.access; R reply; I call nfs3.readlink; R reply;"
         "I call nfs3.readlink write=1024; R reply len=501; I call nfs3.readlink write=4096; R reply status=22;"
         "I call nfs3.read count=65536 write; R reply; I call nfs3.read count=2000; R reply;"
         "I call nfs3.write len=65535 read; R pull; R reply; I call nfs3.write len=2001; R reply; I call nfs3.write"
         " len=4096 read; R pull; R reply status=28; I call nfs3.create; R reply; I call nfs3.mkdir; R reply;"
         "I call nfs3.symlink len=100; R reply; I call nfs3.symlink len=999 read; R pull; R reply; I call nfs3.remove;"
         "R reply; I call nfs3.rmdir; R reply; I call nfs3.rename; R reply; I call nfs3.link; R reply;"
         "I call nfs3.readdir count=8192 reply; R reply entries=200; I call nfs3.readdir count=1024; R reply;"
         "I call nfs3.readdirplus maxcount=8192 reply; R reply entries=40; I call nfs3.commit; R reply"},
    {.name = "nfs40",
     .summary = "NFSv4.0: COMPOUNDs from SETCLIENTID to CLOSE",
     .script =
         "with nfs; I call nfs40.null; R reply; I call nfs40.compound ops=setclientid; R reply;"
         "I call nfs40.compound ops=setclientid_confirm; R reply; I call nfs40.compound ops=putrootfh,getfh,getattr;"
         "R reply; I call nfs40.compound ops=putfh,lookup:file,getfh,getattr; R reply;"
         "I call nfs40.compound ops=putfh,open:file,getfh,getattr; R reply; I call nfs40.compound "
         "ops=putfh,open_confirm;"
         "R reply; I call nfs40.compound ops=putfh,read:8192 write; R reply;"
         "I call nfs40.compound ops=putfh,write:8192,getattr read; R pull; R reply;"
         "I call nfs40.compound ops=putfh,readlink write=4096; R reply len=300;"
         "I call nfs40.compound ops=putfh,create:len=999,getattr read; R pull; R reply;"
         "I call nfs40.compound ops=putfh,readdir:8192 reply; R reply entries=60; I call nfs40.compound ops=putfh,lock;"
         "R reply; I call nfs40.compound ops=renew; R reply; I call nfs40.compound ops=putfh,setattr,getattr; R reply;"
         "I call nfs40.compound ops=putfh,remove; R reply; I call nfs40.compound ops=savefh,putfh,restorefh,rename;"
         "R reply; I call nfs40.compound ops=putfh,close; R reply; I call nfs40.compound ops=putfh,delegreturn; R "
         "reply"},
    {.name = "nfs40-callback",
     .summary = "NFSv4.0: the server's callbacks on a connection of their own",
     .script = "with nfs port=20048; I call cb40.null; R reply; I call cb40.cb_compound ops=cb_recall; R reply;"
               "I call cb40.cb_compound ops=cb_getattr; R reply"},
    {.name = "nfs41",
     .summary = "NFSv4.1: a session, files, directories, links, layouts",
     .script = "with nfs; " SESSION "I call nfs41.compound ops=sequence,putrootfh,getfh,getattr; R reply;"
               "I call " OF41 "open:opentype=1:name=new,getfh,getattr; R reply delegation=2; I call " OF41
               "write:65535,getattr"
               " read; R pull; R reply; I call " OF41 "read:65536 write; R reply len=65535; I call " OF41
               "read:1000; R reply;"
               "I call " OF41 "write:1000,getattr; R reply; I call " OF41 "readlink write=4096; R reply len=501;"
               "I call " OF41 "create:len=1001,getfh,getattr read; R pull; R reply; I call " OF41 "readdir:32768 reply;"
               "R reply entries=100; I call " OF41 "layoutget reply=8192; R reply layout=5000; I call " OF41
               "access,lookup,getfh;"
               "R reply; I call " OF41 "lookup; R reply status=2; I call " OF41
               "setattr:mask0=0x1000:aces=300,getattr pz; R pull;"
               "R reply; I call " OF41 "getattr:mask0=0x1000 reply; R reply aces=200; I call " OF41 "commit; R reply;"
               "I call " OF41 "close; R reply; I call nfs41.compound ops=destroy_session; R reply;"
               "I call nfs41.compound ops=destroy_clientid; R reply"},
    {.name = "nfs41-chunks",
     .summary = "COMPOUNDs with several DDP-eligible items: three Write chunks, one of them empty; failing READs",
     .script =
         "with nfs; " SESSION "I call " OF41 "read:4096,readlink,read:2000 write=4096/1024/2000; R reply op3.len=77;"
         "I call " OF41 "read:4096,readlink,read:1001 write=4096/-/1001; R reply;"
         "I call " OF41 "read:100,read:4000 write=-/4000; R reply;"
         "I call " OF41 "write:1021,getattr,write:2000,getattr read=rest/rest; R pull; R reply;"
         "I call " OF41 "write:100,write:2002,getattr read=-/1000+rest; R pull; R reply;"
         "I call " OF41 "write:3001,read:3001,getattr read write=3001; R pull; R reply;"
         "I call " OF41 "read:4096,read:4096 write=4096/4096; R reply op2.len=100 op3.len=0;"
         "I call " OF41 "read:4096,read:4096,getattr write=4096/4096; R reply op3.status=5;"
         "I call " OF41 "read:4096,readlink write=4096/100; R reply results=3 status=5;"
         "I call " OF41 "read:4096,read:100,readlink write=4096; R reply;"
         "I call " OF41 "read:4096,getattr write; R reply results=3 status=5 empty;"
         "I call " OF41 "read:4096,readdir:8192 write=4096 reply; R reply entries=100;"
         "I call " OF41 "read:4096,read:1000,getattr write=4096; R reply; "
         "I call " OF41 "write:4000,setattr:mask0=0x1000:aces=200,getattr read pz; R pull; R reply"},
    {.name = "nfs41-slots",
     .summary = "several slots in use, their Replies out of order",
     .script =
         "with nfs; " SESSION "I call nfs41.compound ops=sequence:0,putfh,read:4096 write;"
         "I call nfs41.compound ops=sequence:1,putfh,write:4096 read; I call nfs41.compound "
         "ops=sequence:2,putfh,getattr;"
         "R reply of=2; R pull; R reply of=1; R reply; I call nfs41.compound ops=sequence:1,putfh,getattr; R reply"},
    {.name = "nfs41-backchannel",
     .summary = "Callbacks in the reverse direction, between and during Calls, several in flight",
     .script =
         "with nfs; " SESSION "R call cb41.null; I reply; R call cb41.cb_compound ops=cb_sequence,cb_recall; I reply;"
         "I call " OF41 "delegreturn; R reply; I call " OF41 "read:4096 write; R call cb41.cb_compound"
         " ops=cb_sequence,cb_getattr; I reply; R reply;"
         "R call cb41.cb_compound ops=cb_sequence:0,cb_recall; R call cb41.cb_compound ops=cb_sequence:1,cb_recall_any;"
         "I reply of=1; I reply; I call nfs41.compound ops=bind_conn_to_session; R reply;"
         "R call cb41.cb_compound ops=cb_sequence,cb_recall; I reply status=10001"},
    {.name = "nfs42",
     .summary = "NFSv4.2: READ_PLUS, WRITE_SAME, SEEK, ALLOCATE and extended attributes, whose data is not eligible",
     .script = "with nfs; " SESSION "I call " OF42 "read_plus:2000; R reply; I call " OF42
               "read_plus:16384 reply=20000; R reply;"
               "I call " OF42 "write_same:1000,getattr; R reply; I call " OF42 "write_same:8192 pz; R pull; R reply;"
               "I call " OF42 "getxattr:user.note reply; R reply len=5000; I call " OF42
               "setxattr:len=6000 pz=2000+rest; R pull;"
               "R reply; I call " OF42 "seek; R reply; I call " OF42 "allocate,deallocate,getattr; R reply;"
               "I call " OF42 "read:8192 write; R reply; I call " OF42 "write:8192,getattr read; R pull; R reply"},
    {.name = "nfs-auxiliary",
     .summary = "MOUNT, NLM, NSM, NFSACL, rpcbind: nothing of theirs is eligible; a Long SETACL",
     .script =
         "with nfs; I call mount3.null; R reply; I call mount3.mnt; R reply; I call mount3.export reply; R reply;"
         "I call mount3.dump reply=8192; R reply entries=120; I call mount3.umnt; R reply; I call nlm4.null; R reply;"
         "I call nlm4.test; R reply; I call nlm4.lock block=1; R reply stat=3; R call nlm4.granted; I reply;"
         "I call nlm4.cancel; R reply; I call nlm4.unlock; R reply; I call nsm1.notify; R reply;"
         "I call nfsacl3.null; R reply; I call nfsacl3.getacl reply; R reply; I call nfsacl3.getacl reply; R reply"
         " aclcnt=500; I call nfsacl3.setacl; R reply; I call nfsacl3.setacl aclcnt=600 pz; R pull; R reply;"
         "I call nfsacl3.setacl aclcnt=1000 pz=4096+4096+rest; R pull; R reply"},
    {.name = "nfs-gss",
     .summary = "RPCSEC_GSS: authentication with chunks, integrity and privacy without, by Long messages only",
     .script = "with nfs; I call nfs3.gss_init cred=gss:init; R reply; I call nfs3.null cred=gss:1; R reply; I call "
               "nfs3.read cred=gss:1 count=8192 write; R reply;"
               "I call nfs3.write cred=gss:1 len=8191 read; R pull; R reply; I call nfs3.getattr cred=gss:2; R reply;"
               "I call nfs3.read cred=gss:2 count=8192 reply=12288; R reply; I call nfs3.write cred=gss:2 len=8190 pz; "
               "R pull;"
               "R reply; I call nfs3.write cred=gss:2 len=1001; R reply; I call nfs3.getattr cred=gss:3; R reply;"
               "I call nfs3.read cred=gss:3 count=8000 reply=6000+6000; R reply; I call nfs3.write cred=gss:3 len=5001"
               " pz=3000+rest; R pull; R reply; I call nfs41.compound cred=gss:2 ops=sequence,putfh,read:4096,getattr"
               " reply=8192; R reply; I call nfs3.null cred=gss:destroy; R reply"},
    {.name = "nfs-retry",
     .summary = "Reply chunks that turn out too small, chunk lists too complex: ERR_CHUNK, and other Calls then",
     .script =
         "with nfs; " SESSION "I call nfsacl3.getacl reply=64+64; R error chunk; I call nfsacl3.getacl reply=8192;"
         "R reply aclcnt=500; I call nfs40.compound ops=putfh,getattr:0x1000 reply=256; R error chunk;"
         "I call nfs40.compound ops=putfh,getattr:0x1000 reply=32768; R reply aces=500;"
         "I call nfs41.compound ops=sequence,putfh,read:4096,readlink,read:2000 write=4096/1024/2000; R error chunk;"
         "I call nfs41.compound ops=sequence,putfh,read:4096 write=4096; R reply"},
};

const struct scenario_table nfs_scenarios = {scenarios, sizeof(scenarios) / sizeof(scenarios[0])};
