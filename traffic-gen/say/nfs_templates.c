// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Procedures and operations as templates (nfs_messages.h), with defaults that make sense together: RFC 1094, RFC 1813,
 * RFC 7531, RFC 5662, RFC 7863, RFC 8276 (extended attributes), RFC 5666 section 6 (connection configuration).
 */
#include "traffic-gen/say/nfs_messages.h"

#include "wire/nfs.h"

#include <string.h>

/* ---- parts that repeat ---- */

static const struct {
    const char *name, *words;
} macros[] = {
    {"fattr2", "type=1 mode=0x81A4 nlink=1 uid=0 gid=0 size=8192 blocksize=4096 rdev=0 blocks=16 fsid=7 fileid=1000"
               " atime=1700000000 atime_us=0 mtime=1700000000 mtime_us=0 ctime=1700000000 ctime_us=0"},
    {"sattr2", "mode=0x1A4 uid=0 gid=0 size=0xFFFFFFFF atime=0xFFFFFFFF atime_us=0xFFFFFFFF mtime=0xFFFFFFFF"
               " mtime_us=0xFFFFFFFF"},
    {"fattr3", "type=1 mode=0x1A4 nlink=1 uid=0 gid=0 size:8=8192 used:8=8192 rdev=0 rdev2=0 fsid:8=7 fileid:8=1000"
               " atime=1700000000 atime_ns=0 mtime=1700000000 mtime_ns=0 ctime=1700000000 ctime_ns=0"},
    {"sattr3", "set_mode=1 mode=0x1A4 set_uid=0 set_gid=0 set_size=0 set_atime=0 set_mtime=0"},
    {"attr", "attributes=1 (?attributes=1 %fattr3 )"},
    {"wcc", "before=0 attributes=1 (?attributes=1 %fattr3 )"},
    {"fh", "handle:o=28"},
    {"stateid", "state_seqid=1 stateid:f=12"},
    {"change", "atomic=1 change_before:8=10 change_after:8=11"},
    {"masks", "masks=2 mask0=0x0010011A mask1=0x0030A23A (?masks=3 mask2=0 )"},
    {"few_masks", "masks=2 mask0=0x18 mask1=0 (?masks=3 mask2=0 )"},
    {"mode_mask", "masks=2 mask0=0 mask1=2"},
    {"masks_asked", "masks=$masks mask0=$mask0 mask1=$mask1 (?masks=3 mask2=$mask2 ) aces:v=3"},
    {"attrs", "attrs:a=$aces"},
    {"status", "status=0"},
    {"status_stateid", "status=0 (ok %stateid )"},
    {"status_change", "status=0 (ok %change )"},
    {"status_set", "status=0 attrsset=0"},
    {"ace", "acetype=0 aceflag=0 acemask=0x1601E7 who:s=OWNER@"},
    {"fore", "headerpad=0 fmaxreq=1049620 fmaxresp=1049480 fmaxcached=3428 fmaxops=8 fmaxreqs=32 firds=0"
             " (?firds=1 fird=16 ) (?firds=2 fird=16 fird2=16 )"},
    {"back", "bheaderpad=0 bmaxreq=4096 bmaxresp=4096 bmaxcached=0 bmaxops=2 bmaxreqs=16 birds=0"
             " (?birds=1 bird=16 ) (?birds=2 bird=16 bird2=16 )"},
    {"lock", "caller:s=client.example.org handle:o=28 owner:o=20 svid=1 offset:8=0 length:8=100"},
};

const char *nfs_macro(const char *name)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(macros); i++) {
        if (strcmp(macros[i].name, name) == 0)
            return macros[i].words;
    }
    return NULL;
}

/* ---- procedures ---- */

#define V2(name, number, main, arguments, results)                                                                     \
    {                                                                                                                  \
        "nfs2." name, NFS_PROGRAM, 2, number, main, arguments, results                                                 \
    }
#define V3(name, number, main, arguments, results)                                                                     \
    {                                                                                                                  \
        "nfs3." name, NFS_PROGRAM, 3, number, main, arguments, results                                                 \
    }
#define OTHER(name, program, version, number, arguments, results)                                                      \
    {                                                                                                                  \
        name, program, version, number, NULL, arguments, results                                                       \
    }

static const struct nfs_template procedures[] = {
    V2("null", 0, NULL, "", ""),
    V2("getattr", 1, NULL, "handle:f=32", "status=0 (ok %fattr2 )"),
    V2("setattr", 2, NULL, "handle:f=32 %sattr2", "status=0 (ok %fattr2 )"),
    V2("lookup", 4, "name", "handle:f=32 name:s=file", "status=0 (ok handle:f=32 %fattr2 )"),
    V2("readlink", 5, NULL, "handle:f=32", "status=0 (ok link:l=20 )"),
    V2("read", 6, "count", "handle:f=32 offset=0 count=4096 totalcount=0",
       "status=0 len:v=$count (ok %fattr2 data:d=$len )"),
    V2("write", 8, "len", "handle:f=32 beginoffset=0 offset=0 totalcount=0 len:v=4096 data:d=$len",
       "status=0 (ok %fattr2 )"),
    V2("create", 9, "name", "handle:f=32 name:s=file %sattr2", "status=0 (ok handle:f=32 %fattr2 )"),
    V2("remove", 10, "name", "handle:f=32 name:s=file", "status=0"),
    V2("rename", 11, "name", "handle:f=32 name:s=file tohandle:f=32 toname:s=file2", "status=0"),
    V2("symlink", 13, "len", "handle:f=32 name:s=link len:v=20 link:l=$len %sattr2", "status=0"),
    V2("mkdir", 14, "name", "handle:f=32 name:s=dir %sattr2", "status=0 (ok handle:f=32 %fattr2 )"),
    V2("rmdir", 15, "name", "handle:f=32 name:s=dir", "status=0"),
    V2("readdir", 16, "count", "handle:f=32 cookie=0 count=4096",
       "status=0 (ok (entries=3 follows=1 fileid=1001 name:s=a-file cookie=# ) follows=0 eof=1 )"),
    V2("statfs", 17, NULL, "handle:f=32", "status=0 (ok tsize=8192 bsize=4096 blocks=1000 bfree=500 bavail=500 )"),

    V3("null", 0, NULL, "", ""),
    V3("getattr", 1, NULL, "%fh", "status=0 (ok %fattr3 )"),
    V3("setattr", 2, NULL, "%fh %sattr3 guard=0", "status=0 %wcc"),
    V3("lookup", 3, "name", "%fh name:s=file", "status=0 (ok %fh %attr %attr ) (bad %attr )"),
    V3("access", 4, "access", "%fh access=0x1F", "status=0 %attr (ok access=$access )"),
    V3("readlink", 5, NULL, "%fh", "status=0 %attr len:v=20 (ok link:l=$len )"),
    V3("read", 6, "count", "%fh offset:8=0 count=4096",
       "status=0 %attr len:v=$count (ok count=$len eof=0 data:d=$len )"),
    V3("write", 7, "len", "%fh offset:8=0 len:v=4096 count=$len stable=2 data:d=$len",
       "status=0 %wcc (ok count=$count committed=2 verf:f=8 )"),
    V3("create", 8, "name", "%fh name:s=file createmode=0 %sattr3", "status=0 (ok handle_follows=1 %fh %attr ) %wcc"),
    V3("mkdir", 9, "name", "%fh name:s=dir %sattr3", "status=0 (ok handle_follows=1 %fh %attr ) %wcc"),
    V3("symlink", 10, "len", "%fh name:s=link %sattr3 len:v=20 link:l=$len",
       "status=0 (ok handle_follows=1 %fh %attr ) %wcc"),
    V3("remove", 12, "name", "%fh name:s=file", "status=0 %wcc"),
    V3("rmdir", 13, "name", "%fh name:s=dir", "status=0 %wcc"),
    V3("rename", 14, "name", "%fh name:s=file tohandle:o=28 toname:s=file2", "status=0 %wcc %wcc"),
    V3("link", 15, "name", "%fh tohandle:o=28 name:s=file2", "status=0 %attr %wcc"),
    V3("readdir", 16, "count", "%fh cookie:8=0 cookieverf:f=8 count=4096",
       "status=0 %attr (ok cookieverf:f=8 (entries=3 follows=1 fileid:8=1001 name:s=a-file cookie:8=# ) follows=0"
       " eof=1 )"),
    V3("readdirplus", 17, "maxcount", "%fh cookie:8=0 cookieverf:f=8 dircount=1024 maxcount=4096",
       "status=0 %attr (ok cookieverf:f=8 (entries=3 follows=1 fileid:8=1001 name:s=a-file cookie:8=# %attr"
       " handle_follows=1 %fh ) follows=0 eof=1 )"),
    V3("fsstat", 18, NULL, "%fh",
       "status=0 %attr (ok tbytes:8=1000000 fbytes:8=500000 abytes:8=500000 tfiles:8=1000 ffiles:8=500 afiles:8=500"
       " invarsec=0 )"),
    V3("fsinfo", 19, NULL, "%fh",
       "status=0 %attr (ok rtmax=1048576 rtpref=1048576 rtmult=4096 wtmax=1048576 wtpref=1048576 wtmult=4096"
       " dtpref=4096 maxfilesize:8=0x7FFFFFFFFFFFFFFF delta=1 delta_ns=0 properties=0x1B )"),
    V3("pathconf", 20, NULL, "%fh",
       "status=0 %attr (ok linkmax=32000 name_max=255 no_trunc=0 chown_restricted=1 case_insensitive=0"
       " case_preserving=1 )"),
    V3("commit", 21, NULL, "%fh offset:8=0 count=0", "status=0 %wcc (ok verf:f=8 )"),

    /* RFC 2203 section 5.2: context creation travels as the NULL procedure. */
    OTHER("nfs3.gss_init", NFS_PROGRAM, 3, 0, "token:o=600", "handle:o=16 major=0 minor=0 window=128 token:o=120"),
    OTHER("nfs41.gss_init", NFS_PROGRAM, 4, 0, "token:o=600", "handle:o=16 major=0 minor=0 window=128 token:o=120"),

    OTHER("nfs40.null", NFS_PROGRAM, 4, 0, "", ""),
    OTHER("nfs41.null", NFS_PROGRAM, 4, 0, "", ""),
    OTHER("nfs42.null", NFS_PROGRAM, 4, 0, "", ""),
    OTHER("nfs40.compound", NFS_PROGRAM, 4, 1, "tag:s= minor=0", "tag:s="),
    OTHER("nfs41.compound", NFS_PROGRAM, 4, 1, "tag:s= minor=1", "tag:s="),
    OTHER("nfs42.compound", NFS_PROGRAM, 4, 1, "tag:s= minor=2", "tag:s="),
    OTHER("cb40.null", NFS_PROGRAM_CALLBACK_FIRST, 1, 0, "", ""),
    OTHER("cb41.null", NFS_PROGRAM_CALLBACK_FIRST, 1, 0, "", ""),
    OTHER("cb40.cb_compound", NFS_PROGRAM_CALLBACK_FIRST, 1, 1, "tag:s= minor=0 ident=1", "tag:s="),
    OTHER("cb41.cb_compound", NFS_PROGRAM_CALLBACK_FIRST, 1, 1, "tag:s= minor=1 ident=0", "tag:s="),
    OTHER("cb42.cb_compound", NFS_PROGRAM_CALLBACK_FIRST, 1, 1, "tag:s= minor=2 ident=0", "tag:s="),

    OTHER("mount1.null", NFS_PROGRAM_MOUNT, 1, 0, "", ""),
    OTHER("mount1.mnt", NFS_PROGRAM_MOUNT, 1, 1, "path:s=/export", "status=0 (ok handle:f=32 )"),
    OTHER("mount1.umnt", NFS_PROGRAM_MOUNT, 1, 3, "path:s=/export", ""),
    OTHER("mount3.null", NFS_PROGRAM_MOUNT, 3, 0, "", ""),
    OTHER("mount3.mnt", NFS_PROGRAM_MOUNT, 3, 1, "path:s=/export", "status=0 (ok %fh flavors=1 flavor=1 )"),
    OTHER("mount3.dump", NFS_PROGRAM_MOUNT, 3, 2, "",
          "(entries=2 follows=1 host:s=client.example.org path:s=/export ) follows=0"),
    OTHER("mount3.umnt", NFS_PROGRAM_MOUNT, 3, 3, "path:s=/export", ""),
    OTHER("mount3.export", NFS_PROGRAM_MOUNT, 3, 5, "", "(entries=1 follows=1 path:s=/export groups=0 ) follows=0"),

    OTHER("nlm4.null", NFS_PROGRAM_NLM, 4, 0, "", ""),
    OTHER("nlm4.test", NFS_PROGRAM_NLM, 4, 1, "cookie:o=4 exclusive=1 %lock", "cookie:o=4 stat=0"),
    OTHER("nlm4.lock", NFS_PROGRAM_NLM, 4, 2, "cookie:o=4 block=0 exclusive=1 %lock reclaim=0 state=3",
          "cookie:o=4 stat=0"),
    OTHER("nlm4.cancel", NFS_PROGRAM_NLM, 4, 3, "cookie:o=4 block=0 exclusive=1 %lock", "cookie:o=4 stat=0"),
    OTHER("nlm4.unlock", NFS_PROGRAM_NLM, 4, 4, "cookie:o=4 %lock", "cookie:o=4 stat=0"),
    OTHER("nlm4.granted", NFS_PROGRAM_NLM, 4, 5, "cookie:o=4 exclusive=1 %lock", "cookie:o=4 stat=0"),

    OTHER("nsm1.null", NFS_PROGRAM_NSM, 1, 0, "", ""),
    OTHER("nsm1.notify", NFS_PROGRAM_NSM, 1, 6, "name:s=client.example.org state=3", ""),

    OTHER("nfsacl2.null", NFS_PROGRAM_ACL, 2, 0, "", ""),
    OTHER("nfsacl3.null", NFS_PROGRAM_ACL, 3, 0, "", ""),
    OTHER("nfsacl3.getacl", NFS_PROGRAM_ACL, 3, 1, "%fh aclmask=0xF",
          "status=0 %attr (ok aclmask=0xF aclcnt=3 aces=$aclcnt (n=$aces acetype=4 aceid=100 aceperm=7 ) dfaclcnt=0"
          " dfaces=0 )"),
    OTHER("nfsacl3.setacl", NFS_PROGRAM_ACL, 3, 2,
          "%fh aclmask=3 aclcnt=3 aces=$aclcnt (n=$aces acetype=4 aceid=100 aceperm=7 ) dfaclcnt=0 dfaces=0",
          "status=0 %attr"),

    OTHER("ccp1.conf", NFS_PROGRAM_CCP, 1, 1, "call_size=4096 reply_size=4096 reads=8",
          "call_size=4096 align=8 reads=8"),
    OTHER("rpcbind4.null", NFS_PROGRAM_RPCBIND, 4, 0, "", ""),
    OTHER("rpcbind4.getaddr", NFS_PROGRAM_RPCBIND, 4, 3, "rprog=100003 rvers=4 netid:s=rdma addr:s= owner:s=client",
          "addr:s=192.0.2.1.78.81"),
};

const struct nfs_template *nfs_procedure_template_at(unsigned index)
{
    return index < G_N_ELEMENTS(procedures) ? &procedures[index] : NULL;
}

const struct nfs_template *nfs_procedure_template(const char *name)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(procedures); i++) {
        if (strcmp(procedures[i].name, name) == 0)
            return &procedures[i];
    }
    return NULL;
}

/* ---- operations of COMPOUNDs ---- */

#define OP(name, number, main, arguments, results)                                                                     \
    {                                                                                                                  \
        name, 0, 0, number, main, arguments, results                                                                   \
    }

static const struct nfs_template operations[] = {
    OP("access", 3, "access", "access=0x1F", "status=0 (ok supported=0x1F access=$access )"),
    OP("close", 4, NULL, "seqid=0 %stateid", "%status_stateid"),
    OP("commit", 5, NULL, "offset:8=0 count=0", "status=0 (ok verf:f=8 )"),
    OP("create", 6, "len",
       "objtype=5 len:v=20 (?objtype=5 link:l=$len ) (?objtype=3 major=1 minor_number=2 ) name:s=link %mode_mask"
       " attrs:a=0",
       "status=0 (ok %change attrsset=0 )"),
    OP("delegpurge", 7, NULL, "clientid:8=0x1122334455667788", "%status"),
    OP("delegreturn", 8, NULL, "%stateid", "%status"),
    OP("getattr", 9, "mask0", "%masks", "status=0 (ok %masks_asked %attrs )"),
    OP("getfh", 10, NULL, "", "status=0 (ok %fh )"),
    OP("link", 11, "name", "name:s=file2", "%status_change"),
    OP("lock", 12, NULL,
       "locktype=2 reclaim=0 offset:8=0 length:8=100 new_owner=1 (?new_owner=1 open_seqid=0 %stateid lock_seqid=0"
       " clientid:8=0x1122334455667788 owner:o=16 ) (?new_owner=0 %stateid lock_seqid=0 )",
       "%status_stateid"),
    OP("lookup", 15, "name", "name:s=file", "%status"),
    OP("lookupp", 16, NULL, "", "%status"),
    OP("open", 18, "name",
       "seqid=0 share_access=1 share_deny=0 clientid:8=0x1122334455667788 owner:o=16 opentype=0"
       " (?opentype=1 createmode=0 %mode_mask attrs:a=0 ) claim=0 name:s=file",
       "status=0 (ok %stateid %change rflags=4 attrsset=0 delegation=0 (?delegation=1 %stateid recall=0 %ace )"
       " (?delegation=2 %stateid recall=0 limitby=1 limit:8=0xFFFFFFFFFFFFFFFF %ace ) )"),
    OP("open_confirm", 20, NULL, "%stateid seqid=1", "%status_stateid"),
    OP("putfh", 22, "handle", "%fh", "%status"),
    OP("putpubfh", 23, NULL, "", "%status"),
    OP("putrootfh", 24, NULL, "", "%status"),
    OP("read", 25, "count", "%stateid offset:8=0 count=4096", "status=0 len:v=$count (ok eof=0 data:d=$len )"),
    OP("readdir", 26, "maxcount", "cookie:8=0 cookieverf:f=8 dircount=1024 maxcount=4096 %few_masks",
       "status=0 (ok cookieverf:f=8 (entries=3 follows=1 cookie:8=# name:s=a-file %masks_asked %attrs ) follows=0"
       " eof=1 )"),
    OP("readlink", 27, NULL, "", "status=0 len:v=20 (ok link:l=$len )"),
    OP("remove", 28, "name", "name:s=file", "%status_change"),
    OP("rename", 29, "name", "name:s=file toname:s=file2", "status=0 (ok %change %change )"),
    OP("renew", 30, NULL, "clientid:8=0x1122334455667788", "%status"),
    OP("restorefh", 31, NULL, "", "%status"),
    OP("savefh", 32, NULL, "", "%status"),
    OP("secinfo", 33, "name", "name:s=file", "status=0 (ok flavors=1 flavor=1 )"),
    OP("setattr", 34, "aces", "%stateid %mode_mask aces:v=3 attrs:a=$aces", "status=0 attrsset=1 attrsset0=0"),
    OP("setclientid", 35, NULL,
       "verifier:f=8 id:o=24 cb_program=0x40000000 netid:s=rdma addr:s=192.0.2.1.78.80 ident=1",
       "status=0 (ok clientid:8=0x1122334455667788 confirm:f=8 )"),
    OP("setclientid_confirm", 36, NULL, "clientid:8=0x1122334455667788 confirm:f=8", "%status"),
    OP("write", 38, "len", "%stateid offset:8=0 stable=2 len:v=4096 data:d=$len",
       "status=0 (ok count=$len committed=2 verf:f=8 )"),
    OP("bind_conn_to_session", 41, "dir", "sessionid:f=16 dir=7 rdma_mode=0",
       "status=0 (ok sessionid:f=16 dir=3 rdma_mode=0 )"),
    OP("exchange_id", 42, NULL, "verifier:f=8 id:o=24 flags=0x101 protect=0 impl=0",
       "status=0 (ok clientid:8=0x1122334455667788 eir_seqid=1 flags=0x10001 protect=0 minor_id:8=0 major_id:o=16"
       " scope:o=16 impl=0 )"),
    OP("create_session", 43, "flags",
       "clientid:8=0x1122334455667788 csa_seqid=1 flags=2 %fore %back cb_program=0x40000000 secs=1 sec=0",
       "status=0 (ok sessionid:f=16 csr_seqid=1 flags=$flags %fore %back )"),
    OP("destroy_session", 44, NULL, "sessionid:f=16", "%status"),
    OP("free_stateid", 45, NULL, "%stateid", "%status"),
    OP("layoutget", 50, "maxcount",
       "signal=0 layouttype=2 iomode=1 offset:8=0 length:8=0xFFFFFFFFFFFFFFFF minlength:8=4096 %stateid maxcount=4096",
       "status=0 (ok return_on_close=0 %stateid layouts=1 offset:8=0 length:8=0xFFFFFFFFFFFFFFFF iomode=1 layouttype=2"
       " layout:o=120 )"),
    OP("secinfo_no_name", 52, NULL, "style=0", "status=0 (ok flavors=1 flavor=1 )"),
    OP("sequence", 53, "slotid", "sessionid:f=16 sequenceid=1 slotid=0 highest=0 cachethis=0",
       "status=0 (ok sessionid:f=16 sequenceid=$sequenceid slotid=$slotid highest=31 target=31 flags=0 )"),
    OP("test_stateid", 55, NULL, "stateids=1 %stateid", "status=0 (ok statuses=1 code=0 )"),
    OP("destroy_clientid", 57, NULL, "clientid:8=0x1122334455667788", "%status"),
    OP("reclaim_complete", 58, NULL, "one_fs=0", "%status"),
    OP("allocate", 59, NULL, "%stateid offset:8=0 length:8=4096", "%status"),
    OP("deallocate", 62, NULL, "%stateid offset:8=0 length:8=4096", "%status"),
    OP("read_plus", 68, "count", "%stateid offset:8=0 count=4096",
       "status=0 len:v=$count (ok eof=1 contents=1 what=0 offset:8=0 data:o=$len )"),
    OP("seek", 69, NULL, "%stateid offset:8=0 what=0", "status=0 (ok eof=0 offset:8=4096 )"),
    OP("write_same", 70, "len",
       "%stateid stable=2 offset:8=0 blocksize:8=4096 blocks:8=16 reloff_num:8=0 number=0 reloff_pattern:8=0 len:v=4096"
       " pattern:o=$len",
       "status=0 (ok callbacks=0 count:8=65536 committed=2 verf:f=8 )"),
    OP("getxattr", 72, "name", "name:s=user.test", "status=0 len:v=32 (ok value:o=$len )"),
    OP("setxattr", 73, "len", "how=0 name:s=user.test len:v=32 value:o=$len", "%status_change"),
    OP("illegal", 10044, NULL, "", "status=10044"),
};

static const struct nfs_template callback_operations[] = {
    OP("cb_getattr", 3, "mask0", "%fh %few_masks", "status=0 (ok %masks_asked %attrs )"),
    OP("cb_recall", 4, NULL, "%stateid truncate=0 %fh", "%status"),
    OP("cb_recall_any", 8, NULL, "keep=0 masks=1 mask0=1", "%status"),
    OP("cb_recall_slot", 10, "slot", "slot=1", "%status"),
    OP("cb_sequence", 11, "slotid", "sessionid:f=16 sequenceid=1 slotid=0 highest=0 cachethis=0 referring=0",
       "status=0 (ok sessionid:f=16 sequenceid=$sequenceid slotid=$slotid highest=15 target=15 )"),
    OP("cb_illegal", 10044, NULL, "", "status=10044"),
};

const struct nfs_template *nfs_operation_template_at(unsigned index, bool callback)
{
    if (callback)
        return index < G_N_ELEMENTS(callback_operations) ? &callback_operations[index] : NULL;
    return index < G_N_ELEMENTS(operations) ? &operations[index] : NULL;
}

const struct nfs_template *nfs_operation_template(const char *name, bool callback)
{
    const struct nfs_template *op;

    for (unsigned i = 0; (op = nfs_operation_template_at(i, callback)); i++) {
        if (strcmp(op->name, name) == 0)
            return op;
    }
    return NULL;
}
