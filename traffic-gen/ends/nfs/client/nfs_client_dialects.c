// SPDX-License-Identifier: GPL-2.0-or-later
/* The NFS client's RPCs for each version, and the arguments that nfs_client_say.c does not encode. */
#include "traffic-gen/ends/nfs/client/nfs_client_v4.h"

/* ---- RFC 1094 section 2.2 ---- */

#define OWNER_KEPT ":uid=-1:gid=-1"

const struct client_dialect client_v2 = {
    .version = 2,
    .reply_octets = 24 + 4 + 68 + 4, /* headers, status, attributes and count */
    .link_octets = 1024,
    .rpcs = {[STEP_NULL] = {"nfs2.null"},
             [STEP_MOUNT] = {"mount1.mnt"},
             [STEP_UNMOUNT] = {"mount1.umnt"},
             [STEP_LOOKUP] = {"nfs2.lookup"},
             [STEP_CREATE] = {"nfs2.create", "mode=0644:size=-1" OWNER_KEPT},
             [STEP_OPEN] = {"nfs2.lookup"},
             [STEP_WRITE] = {"nfs2.write"},
             [STEP_READ] = {"nfs2.read"},
             [STEP_LIST] = {"nfs2.readdir"},
             [STEP_ATTRIBUTES] = {"nfs2.getattr"},
             [STEP_TRUNCATE] = {"nfs2.setattr", "mode=-1" OWNER_KEPT},
             [STEP_MKDIR] = {"nfs2.mkdir", "mode=0755:size=-1" OWNER_KEPT},
             [STEP_SYMLINK] = {"nfs2.symlink", "mode=0777:size=-1" OWNER_KEPT},
             [STEP_READLINK] = {"nfs2.readlink"},
             [STEP_RENAME] = {"nfs2.rename"},
             [STEP_LINK] = {"nfs2.link"},
             [STEP_REMOVE] = {"nfs2.remove"},
             [STEP_RMDIR] = {"nfs2.rmdir"},
             [STEP_STATFS] = {"nfs2.statfs"}},
    .before = {STEP_MOUNT},
    .after = {STEP_UNMOUNT},
};

/* ---- RFC 1813 section 3 and appendix I ---- */

const struct client_dialect client_v3 = {
    .version = 3,
    .reply_octets = 24 + 88 + 20, /* headers, attributes, and the fields around data */
    .link_octets = CLIENT_TARGET_MAX,
    .rpcs = {[STEP_NULL] = {"nfs3.null"},
             [STEP_MOUNT] = {"mount3.mnt"},
             [STEP_UNMOUNT] = {"mount3.umnt"},
             [STEP_LIMITS] = {"nfs3.fsinfo"},
             [STEP_LOOKUP] = {"nfs3.lookup"},
             [STEP_CREATE] = {"nfs3.create", "mode=0644"},
             [STEP_OPEN] = {"nfs3.lookup"},
             [STEP_WRITE] = {"nfs3.write", "stable=0"},
             [STEP_COMMIT] = {"nfs3.commit", "offset=0:count=0"},
             [STEP_READ] = {"nfs3.read"},
             [STEP_LIST] = {"nfs3.readdirplus"},
             [STEP_ATTRIBUTES] = {"nfs3.getattr"},
             [STEP_ACCESS] = {"nfs3.access", "access=0x3f"},
             [STEP_TRUNCATE] = {"nfs3.setattr", "set_mode=0:set_size=1"},
             [STEP_MKDIR] = {"nfs3.mkdir", "mode=0755"},
             [STEP_SYMLINK] = {"nfs3.symlink", "set_mode=0"},
             [STEP_READLINK] = {"nfs3.readlink"},
             [STEP_RENAME] = {"nfs3.rename"},
             [STEP_LINK] = {"nfs3.link"},
             [STEP_REMOVE] = {"nfs3.remove"},
             [STEP_RMDIR] = {"nfs3.rmdir"},
             [STEP_STATFS] = {"nfs3.fsstat"}},
    .before = {STEP_MOUNT, STEP_LIMITS},
    .after = {STEP_UNMOUNT},
};

/* ---- RFC 7530 section 16, RFC 8881 section 18: the operations of COMPOUNDs, after SEQUENCE ---- */

#define FILE_RPCS                                                                                                      \
    [STEP_MOUNT] = {NULL, "putrootfh" /* LOOKUPs */ ",getfh,getattr:masks=1:mask0=0xC0000000"},                        \
    [STEP_LOOKUP] = {NULL, "putfh,lookup,getfh"},                                                                      \
    [STEP_CREATE] = {NULL, "putfh,open:opentype=1:mode=0644,getfh", v4_take_open},                                     \
    [STEP_OPEN] = {NULL, "putfh,open,getfh", v4_take_open}, [STEP_WRITE] = {NULL, "putfh,write:stable=0"},             \
    [STEP_COMMIT] = {NULL, "putfh,commit:offset=0:count=0"}, [STEP_READ] = {NULL, "putfh,read"},                       \
    [STEP_CLOSE] = {NULL, "putfh,close"}, [STEP_LIST] = {NULL, "putfh,readdir:masks=1:mask0=0x00100802"},              \
    [STEP_ATTRIBUTES] = {NULL, "putfh,getattr:masks=1:mask0=0x12"}, [STEP_ACCESS] = {NULL, "putfh,access:0x3f"},       \
    [STEP_TRUNCATE] = {NULL, "putfh,setattr:masks=1:mask0=0x10"},                                                      \
    [STEP_MKDIR] = {NULL, "putfh,create:objtype=2:mode=0755"}, [STEP_SYMLINK] = {NULL, "putfh,create:mode=0777"},      \
    [STEP_READLINK] = {NULL, "putfh,readlink"}, [STEP_RENAME] = {NULL, "putfh,savefh,putfh,rename"},                   \
    [STEP_LINK] = {NULL, "putfh,savefh,putfh,link"}, [STEP_REMOVE] = {NULL, "putfh,remove"},                           \
    [STEP_RMDIR] = {NULL, "putfh,remove"}, [STEP_STATFS] = {NULL, "putfh,getattr:masks=2:mask0=0:mask1=0x1C00"}

const struct client_dialect client_v40 = {
    .version = 4,
    .reply_octets = V4_REPLY_OCTETS,
    .link_octets = CLIENT_TARGET_MAX,
    .rpcs =
        {FILE_RPCS, [STEP_NULL] = {"nfs40.null"}, [STEP_OPEN_CONFIRM] = {NULL, "putfh,open_confirm", v4_take_stateid},
         /* Nobody listens for callbacks, so there are no delegations. */
         [STEP_CLIENT] = {NULL, "setclientid:addr=0.0.0.0.0.0:ident=0", v4_take_client},
         [STEP_CONFIRM] = {NULL, "setclientid_confirm"}},
    .before = {STEP_CLIENT, STEP_CONFIRM, STEP_MOUNT},
};

const struct client_dialect client_v41 = {
    .version = 4,
    .reply_octets = V4_REPLY_OCTETS,
    .link_octets = CLIENT_TARGET_MAX,
    .rpcs = {FILE_RPCS, [STEP_NULL] = {"nfs41.null"}, [STEP_CLIENT] = {NULL, "exchange_id:flags=0", v4_take_client},
             [STEP_SESSION] = {NULL, "create_session:fmaxcached=0:fmaxops=16:bmaxreqs=1", v4_take_session},
             [STEP_RECLAIMED] = {NULL, "reclaim_complete"}, [STEP_RETURN] = {NULL, ""},
             [STEP_END_SESSION] = {NULL, "destroy_session"}, [STEP_END_CLIENT] = {NULL, "destroy_clientid"}},
    .before = {STEP_CLIENT, STEP_SESSION, STEP_RECLAIMED, STEP_MOUNT},
    .after = {STEP_RETURN, STEP_END_SESSION, STEP_END_CLIENT},
};
