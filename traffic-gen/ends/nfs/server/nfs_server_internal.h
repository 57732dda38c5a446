/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the versions of the NFS server: a Call, its credentials, file handles, the tables of procedures. */
#ifndef IWARP_TRAFFIC_ENDS_NFS_SERVER_NFS_SERVER_INTERNAL_H
#define IWARP_TRAFFIC_ENDS_NFS_SERVER_NFS_SERVER_INTERNAL_H

#include "traffic-gen/ends/nfs/server/nfs_server.h"
#include "traffic-gen/ends/stack/xdr_out.h"
#include "traffic-gen/speak/sim/random.h"
#include "wire/nfs.h"

enum {
    NFS_HANDLE_OCTETS = 16, /* this server's file handles of versions 3 and 4; version 2 pads them with zeros to 32 */
    NFS_GROUPS_MAX = 16,    /* of AUTH_SYS: RFC 5531 appendix A */
    NFS_STATUS_SERVERFAULT = 10006,
    NFS_STATUS_BADHANDLE = 10001, /* NFS3ERR_BADHANDLE, NFS4ERR_BADHANDLE */
    NFS_IO_MAX_DEFAULT = 1 << 20,
    NFS_NOBODY = 65534, /* the caller with AUTH_NONE */
};

struct nfs_server {
    struct nfs_server_options options; /* defaults filled in */
    struct nfs_tree *tree;
    struct random_source random;
    uint64_t instance; /* the server's instance, in its file handles: handles of other instances are refused */
    uint64_t verifier; /* for WRITE and COMMIT: changes when the server has forgotten written data */
    GPtrArray *mounts; /* struct nfs_mount_entry, what DUMP reports */
    GHashTable *acls;  /* NULL: NFSACL is not served */
    void *v4;          /* clients, sessions, states: nfs_v4*.c */
};

struct nfs_peer {
    struct nfs_server *server;
    struct nfs_peer_events events; /* call is NULL without a backchannel */
    void *v4;
};

struct nfs_credentials {
    uint32_t flavor, uid, gid;
    uint32_t groups[NFS_GROUPS_MAX];
    unsigned n_groups;
    const char *machine; /* machine_n octets of the Call */
    uint32_t machine_n;
};

/* The Call being served. */
struct nfs_call {
    struct nfs_server *server;
    struct nfs_peer *peer;
    const struct rpc_message *header;
    struct nfs_credentials credentials;
    struct xdr in; /* in.p[0] is the Call's XID; in.at: the next argument; the arguments match wire/nfs_types.txt */
    struct xdr_out *out; /* begins with the Reply's XID; holds the header of an accepted, successful Reply */
    size_t room;         /* largest Reply from its XID on; SIZE_MAX: unknown */
    bool garbage;        /* set: wire/nfs_types.txt allows the arguments, but they make no sense to any server */
};

/* The octets that the Reply still has room for. */
static inline size_t nfs_room_left(const struct nfs_call *call)
{
    return call->room > xdr_out_at(call->out) ? call->room - xdr_out_at(call->out) : 0;
}

/*
 * Reads arguments from call->in and writes results to call->out. If call->garbage is set, the results are dropped, for
 * GARBAGE_ARGS.
 */
typedef void nfs_serve(struct nfs_call *call);

struct nfs_version {
    uint32_t program, version;
    unsigned n_procedures;
    nfs_serve *const *procedures; /* by number; NULL: nothing to do */
};

extern const struct nfs_version nfs_v2, nfs_v3, nfs_v4, nfs_mount_v1, nfs_mount_v3, nfs_acl_v3;
void nfs_mount_entry_free(gpointer p);

int64_t nfs_now(const struct nfs_server *server);

/* ---- arguments: present, because the walker has checked them; otherwise 0, or empty ---- */

struct nfs_opaque {
    const void *p; /* borrowed */
    uint32_t n;
};

uint32_t nfs_get_u32(struct xdr *in);
uint64_t nfs_get_u64(struct xdr *in);
struct nfs_opaque nfs_get_opaque(struct xdr *in);
/* n octets, at most 32; borrowed. */
const uint8_t *nfs_get_fixed(struct xdr *in, uint32_t n);

/* ---- file handles ---- */

void nfs_handle_encode(const struct nfs_server *server, uint64_t id, uint8_t out[NFS_HANDLE_OCTETS]);
void nfs_put_handle(struct nfs_call *call, uint64_t id);
/* NFS_TREE_OK, NFS_TREE_STALE (the node has been removed), or NFS_STATUS_BADHANDLE (not a handle of this server). */
uint32_t nfs_handle_decode(const struct nfs_server *server, const uint8_t *p, uint32_t n, uint64_t *id);

/* ---- permissions: mode bits and ACL against the caller's numbers; uid 0 may do everything ---- */

/* CHANGE: entries of a directory. */
enum { NFS_MAY_EXECUTE = 1, NFS_MAY_WRITE = 2, NFS_MAY_CHANGE = 3, NFS_MAY_READ = 4 };
bool nfs_may(const struct nfs_call *call, const struct nfs_node *node, unsigned what);
bool nfs_is_in_group(const struct nfs_credentials *credentials, uint32_t gid);
/* The owner's privilege: mode, owner, times. */
bool nfs_owns(const struct nfs_call *call, const struct nfs_node *node);

/* ---- directories ---- */

struct nfs_entry {
    uint64_t cookie, id;
    const char *name;
    size_t n;
};

/* Like nfs_tree_next(), with "." (cookie 1) and ".." (2) in front. */
bool nfs_next_entry(const struct nfs_server *server, uint64_t dir, uint64_t cookie, struct nfs_entry *entry);

/* ---- nfs_acl.c: NFSACL sets ACLs, and all versions of NFS enforce them ---- */

/* For the member acls of struct nfs_server: from a node to its ACL. */
GHashTable *nfs_acls_new(void);
/*
 * *may: whether the ACL gives a caller, who is not the owner, all these rights. False: no entry applies to the caller.
 */
bool nfs_acl_may(const struct nfs_call *call, const struct nfs_node *node, unsigned what, bool *may);

/* ---- nfs_v4.c ---- */

/* server->v4: created with the server, and freed after the last of its peers. */
void nfs4_begin(struct nfs_server *server);
void nfs4_end(struct nfs_server *server);
/* Forgets everything that clients hold, and starts the grace period. */
void nfs4_restart(struct nfs_server *server);
/* The connection has ended: it carries no more callbacks. */
void nfs4_peer_gone(struct nfs_peer *peer);
/* After each Call: sends the callbacks that it made due. */
void nfs4_send_callbacks(struct nfs_server *server);
/*
 * For the other versions of the protocol: true if a delegation conflicts with the operation. The delegation is being
 * recalled, and the caller should answer "try again later" (NFS3ERR_JUKEBOX).
 */
bool nfs4_delegated(struct nfs_server *server, uint64_t node, bool modifies);

#endif
