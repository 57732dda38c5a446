/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the parts of NFSv4: one COMPOUND, and the state that clients hold (RFC 7530 section 9, RFC 8881 sections
 * 2.10, 8, 9 and 10).
 */
#ifndef IWARP_TRAFFIC_ENDS_NFS_SERVER_NFS_V4_INTERNAL_H
#define IWARP_TRAFFIC_ENDS_NFS_SERVER_NFS_V4_INTERNAL_H

#include "traffic-gen/ends/nfs/server/nfs_server_internal.h"
#include "traffic-gen/ends/nfs/tree/nfs_status.h"

#include <string.h>

/* Limits on what clients can make the server keep: about 200 MB in total. */
enum {
    NFS4_CLIENTS_MAX = 1024,
    NFS4_SESSIONS_MAX = 16, /* of one client */
    NFS4_SLOTS_MAX = 64,    /* of one session */
    NFS4_OPS_MAX = 64,
    NFS4_OWNERS_MAX = 4096,  /* of one client */
    NFS4_STATES_MAX = 16384, /* of one client */
    NFS4_RANGES_MAX = 1024,  /* of one lock stateid */
    NFS4_ALL_SLOTS_MAX = 16384,
    NFS4_ALL_OWNERS_MAX = 16384,
    NFS4_ALL_STATES_MAX = 65536,
    NFS4_ALL_RANGES_MAX = 262144,
    NFS4_ALL_XATTR_OCTETS_MAX = 16 << 20,
    NFS4_CACHED_MAX = 4096, /* octets of a Reply kept for a retry */
    NFS4_REPLAY_MAX = 1024, /* octets of a result kept for a retry in minor version 0 */
    NFS4_XATTRS_MAX = 64,   /* of one file */
    NFS4_XATTR_OCTETS_MAX = 65536,
    NFS4_OTHER_SIZE = 12,
    NFS4_SESSION_OCTETS = 16,
    NFS4_VERIFIER_OCTETS = 8,
};

enum { NFS4_REPLAYED = -1 }; /* not a status: the result of an earlier request has replaced this result */

struct nfs4_stateid {
    uint32_t seqid;
    uint8_t other[NFS4_OTHER_SIZE];
};

enum nfs4_kind { NFS4_OPEN = 1, NFS4_LOCK = 2, NFS4_DELEGATION = 4 };
enum { NFS4_ACCESS_READ = 1, NFS4_ACCESS_WRITE = 2, NFS4_ACCESS_BOTH = 3 }; /* share_access, share_deny */

struct nfs4_range {
    uint64_t first, last; /* inclusive */
    bool write;
};

/* What a client holds on a file: an open, an owner's byte-range locks, or a delegation. */
struct nfs4_state {
    uint64_t number; /* in the stateid's "other" */
    uint32_t seqid;
    enum nfs4_kind kind;
    struct nfs4_client *client;
    struct nfs4_file *file;
    struct nfs4_owner *owner; /* NULL for a delegation */
    unsigned access, deny;    /* of an open; for a delegation: what it allows */
    bool closed;              /* a closed open of minor version 0, kept for retries of CLOSE */
    bool revoked;             /* a delegation that was not returned in time */
    /* Of a delegation: recalled; waits for a callback; a callback is under way or was received. */
    bool asked_back, queued, asked;
    int64_t asked_at;
    struct nfs4_state *open; /* of locks: the open that they come from */
    GArray *ranges;          /* of locks: struct nfs4_range, ascending, apart */
    GList in_file, in_client;
};

struct nfs4_file {
    uint64_t node;
    GQueue states;
    int64_t recalled_at; /* when a delegation was last recalled: a new one is not granted soon after */
};

/* An open-owner or lock-owner. */
struct nfs4_owner {
    struct nfs4_client *client;
    GBytes *name; /* prefixed by 'o' or 'l' */
    bool lock, confirmed;
    unsigned states;
    /* For minor version 0: RFC 7530 section 9.1.7. */
    bool used;
    uint32_t seqid;
    uint32_t replay_op;
    uint64_t replay_node; /* current file handle after the operation */
    GByteArray *replay;   /* its result from the status on */
    struct nfs4_state *closed;
};

struct nfs4_client {
    struct nfs4 *v4;
    uint64_t id;
    bool sessions_used; /* minor version 1 and above */
    bool confirmed;
    GBytes *name;
    uint8_t verifier[NFS4_VERIFIER_OCTETS];
    uint8_t confirm[NFS4_VERIFIER_OCTETS]; /* of SETCLIENTID_CONFIRM */
    uint32_t uid;                          /* principal that made it */
    int64_t renewed;
    GHashTable *owners; /* by name */
    GQueue states;
    /* Minor version 1 and above. */
    GQueue sessions;
    uint32_t sequence;   /* of the next CREATE_SESSION */
    GByteArray *created; /* result of the last one, from the status on */
    bool reclaim_complete;
    unsigned revoked; /* states */
};

struct nfs4_slot {
    uint32_t sequence;
    bool used;
    uint32_t crc;                  /* of the arguments: a retry must be the same */
    struct rpc_end_message *reply; /* without the RPC header; NULL: not kept */
    uint32_t status;               /* of the COMPOUND */
};

struct nfs4_channel {
    uint32_t max_request, max_response, max_cached, max_ops, max_requests;
};

struct nfs4_session {
    uint8_t id[NFS4_SESSION_OCTETS];
    struct nfs4_client *client;
    unsigned minor;
    struct nfs4_channel fore, back;
    struct nfs4_slot *slots; /* fore.max_requests of them */
    unsigned writes;         /* executed: for loses_writes of struct nfs_server_options */
    unsigned delayable;      /* requests and WRITEs: for delays of struct nfs_server_options */
    GList in_client;
    /* Callbacks. */
    uint32_t program;
    uint32_t flavor;
    GByteArray *credential; /* body of it */
    struct nfs_peer *back_peer;
    bool had_back;          /* a backchannel once existed: its loss is reported */
    bool in_use;            /* a SEQUENCE was seen */
    bool probed, back_good; /* CB_NULL was sent; the last callback was answered */
    unsigned back_failures;
    bool back_fault; /* the client does not understand this server */
    bool back_busy;  /* the only slot is in use */
    uint32_t back_sequence;
};

struct nfs4_callback {
    uint64_t cookie;
    struct nfs_peer *peer;
    uint8_t session[NFS4_SESSION_OCTETS];
    uint64_t state; /* recalled; 0: a probe */
};

struct nfs4 {
    struct nfs_server *server;
    uint32_t boot;       /* in stateids and client ids, to recognise those of earlier instances */
    int64_t grace_until; /* nfs_now() */
    uint64_t last_client, last_state, last_session, last_cookie;
    uint32_t last_xid;
    GHashTable *clients;   /* by id */
    GHashTable *sessions;  /* by id */
    GHashTable *states;    /* by number */
    GHashTable *files;     /* by node */
    GHashTable *xattrs;    /* by node: struct nfs4_xattrs */
    GHashTable *callbacks; /* by cookie */
    /* How many of each kind exist in total. */
    unsigned n_slots, n_owners, n_ranges;
    size_t xattr_octets;
    GArray *recalls; /* numbers of delegations that wait for CB_RECALL */
    bool callbacks_due;
    /* What the latest WRITE has replaced, if a restart loses it: for UNSTABLE4, or by struct nfs_server_options. */
    GByteArray *replaced;
    uint64_t replaced_node, replaced_at;
};

/* A COMPOUND while it is served. */
struct nfs4_call {
    struct nfs_call *rpc;
    struct nfs4 *v4;
    struct nfs_tree *tree;
    unsigned minor;
    struct xdr *in;
    struct xdr_out *out;
    unsigned n_ops, index;
    uint32_t op;             /* being served */
    size_t rpc_start;        /* of the results after the RPC header */
    size_t limit;            /* octets of the Reply */
    uint64_t current, saved; /* nodes; 0: no file handle */
    struct nfs4_stateid stateid, saved_stateid;
    bool has_stateid, has_saved_stateid;
    struct nfs4_session *session;
    struct nfs4_slot *slot;
    bool cache_this;
    struct nfs4_client *client; /* the session's */
    struct nfs4_owner *owner;   /* the owner whose seqid this operation has */
    bool keep_result;           /* there is a result although the status is an error */
    bool replayed;              /* the whole Reply has replaced it */
    bool uncached;              /* a retry of a Reply that was not kept: the next operation cannot be answered */
};

/* Reads arguments from call->in, which match wire/nfs_types.txt; writes the result after its status to call->out. */
typedef int nfs4_serve(struct nfs4_call *call);

struct nfs4_op {
    nfs4_serve *serve;   /* NULL: NFS4ERR_NOTSUPP */
    uint8_t first, last; /* minor versions that have the operation */
    uint8_t flags;
    uint16_t reserve; /* octets of result for which a modifying operation needs room before it is executed */
};

enum {
    NFS4_NEEDS_HANDLE = 1,
    NFS4_OUTSIDE = 2, /* may be alone, without SEQUENCE */
    NFS4_ALONE = 4,   /* must be alone */
};

/* The grace period lasts: READ, WRITE, and new opens and locks have to wait (RFC 8881 section 8.4.2). */
bool nfs4_in_grace(const struct nfs4 *v4);

/* ---- XDR ---- */

struct nfs4_stateid nfs4_get_stateid(struct xdr *in);
void nfs4_put_stateid(struct xdr_out *out, const struct nfs4_stateid *stateid);
/* change_info4 */
void nfs4_put_change(struct nfs4_call *call, uint64_t before, uint64_t node);
/* A component name: NFS4_OK, or the error in it. */
int nfs4_get_name(struct nfs4_call *call, struct nfs_opaque *name);
int nfs4_check_name(struct nfs_opaque name);

/* ---- nodes: nfs_v4_handles.c ---- */

/* The current file handle's node; NULL: see *status. */
const struct nfs_node *nfs4_node(const struct nfs4_call *call, int *status);
/* Likewise, and it must be a directory, or a regular file. */
const struct nfs_node *nfs4_directory(const struct nfs4_call *call, int *status);
const struct nfs_node *nfs4_regular(const struct nfs4_call *call, int *status);
uint64_t nfs4_change_of(const struct nfs4_call *call, uint64_t node);

/* ---- attributes: nfs_v4_attributes.c ---- */

enum {
    NFS4_MASK_WORDS = 3,
    NFS4_ATTR_CHANGE = 3,
    NFS4_ATTR_SIZE = 4,
    NFS4_ATTR_RDATTR_ERROR = 11,
    NFS4_ATTR_TIME_MODIFY = 53,
    NFS4_ATTR_MODE_UMASK = 81,
};

struct nfs4_mask {
    uint32_t words[NFS4_MASK_WORDS];
    bool unknown; /* there were bits beyond these words */
};

static inline bool nfs4_mask_has(const struct nfs4_mask *mask, unsigned bit)
{
    return mask->words[bit / 32] >> bit % 32 & 1;
}

static inline void nfs4_mask_add(struct nfs4_mask *mask, unsigned bit)
{
    mask->words[bit / 32] |= UINT32_C(1) << bit % 32;
}

struct nfs4_mask nfs4_get_mask(struct xdr *in);
void nfs4_put_mask(struct xdr_out *out, const struct nfs4_mask *mask);
/* One of the two is write-only. */
bool nfs4_mask_write_only(const struct nfs4_mask *mask);
bool nfs4_mask_supported(const struct nfs4_call *call, const struct nfs4_mask *mask);
/* fattr4 of a node, with the attributes that are requested and supported. */
void nfs4_put_attributes(struct nfs4_call *call, const struct nfs_node *node, const struct nfs4_mask *wanted);
/* fattr4 to be set: *set names its attributes. */
int nfs4_get_attributes(struct nfs4_call *call, struct nfs_node_change *change, struct nfs4_mask *set);
/* Fills in what a new object inherits from its creator, unless set: mode, owner, group. */
void nfs4_new_attributes(const struct nfs4_call *call, struct nfs_node_change *change, uint32_t mode);
nfs4_serve nfs4_getattr, nfs4_setattr, nfs4_verify, nfs4_nverify, nfs4_access;

/* ---- handles and names ---- */

nfs4_serve nfs4_putrootfh, nfs4_putfh, nfs4_getfh, nfs4_savefh, nfs4_restorefh, nfs4_lookup, nfs4_lookupp, nfs4_secinfo,
    nfs4_secinfo_no_name, nfs4_create, nfs4_remove, nfs4_rename, nfs4_link, nfs4_readlink, nfs4_readdir;

/* ---- data: nfs_v4_io.c, nfs_v4_2.c, nfs_v4_xattr.c ---- */

/* The current file handle's regular file, if the stateid allows this use; NULL: see *status. */
const struct nfs_node *nfs4_usable(struct nfs4_call *call, const struct nfs4_stateid *stateid, unsigned access,
                                   int *status);
/* The arguments of READ and READ_PLUS: stateid, offset, count. NFS4_OK if *node may be read with that stateid. */
int nfs4_begin_read(struct nfs4_call *call, const struct nfs_node **node, uint64_t *offset, uint32_t *count);

nfs4_serve nfs4_read, nfs4_write;
/* A restart: undoes the latest WRITE if the server may, or has to, lose it. */
void nfs4_lose_write(struct nfs4 *v4);
nfs4_serve nfs4_commit, nfs4_allocate, nfs4_deallocate, nfs4_seek, nfs4_read_plus, nfs4_copy, nfs4_clone,
    nfs4_io_advise, nfs4_offload, nfs4_getxattr, nfs4_setxattr, nfs4_listxattrs, nfs4_removexattr;
void nfs4_xattrs_free(void *xattrs);

/* ---- clients: nfs_v4_client.c ---- */

struct nfs4_client *nfs4_client_find(struct nfs4 *v4, uint64_t id);
/* Removes the client with all its state. */
void nfs4_client_free(struct nfs4_client *client);
/* The client's lease has expired: what it holds no longer blocks others. */
bool nfs4_client_expired(const struct nfs4_client *client);
void nfs4_client_renew(struct nfs4_client *client);
/* A client of minor version 0 by its id; renews its lease. */
int nfs4_client_of_minor_0(struct nfs4_call *call, uint64_t id, struct nfs4_client **client);
/* Likewise; with sessions, the session's client, because the id is ignored there (RFC 8881 section 18.16.3). */
int nfs4_client_of(struct nfs4_call *call, uint64_t id, struct nfs4_client **client);
/* Confirms the client, and removes an earlier instance of the same client. */
void nfs4_client_confirm(struct nfs4_call *call, struct nfs4_client *client);
nfs4_serve nfs4_setclientid, nfs4_setclientid_confirm, nfs4_renew, nfs4_exchange_id, nfs4_destroy_clientid,
    nfs4_reclaim_complete;

/* ---- sessions: nfs_v4_session.c, nfs_v4_sequence.c ---- */

void nfs4_session_free(struct nfs4_session *session);
/* The slot keeps no Reply. */
void nfs4_slot_clear(struct nfs4_slot *slot);
struct nfs4_session *nfs4_session_find(struct nfs4 *v4, const uint8_t *id);
nfs4_serve nfs4_create_session, nfs4_destroy_session, nfs4_bind_conn_to_session, nfs4_backchannel_ctl, nfs4_sequence;
/* True: the request is to be answered with NFS4ERR_DELAY, only because of struct nfs_server_options. */
bool nfs4_is_delayed(const struct nfs4_call *call, struct nfs4_session *session);
/* The Reply is complete: keeps it for a retry. start: of the results after the RPC header. */
void nfs4_slot_keep(struct nfs4_call *call, size_t start);

/* ---- owners and states: nfs_v4_state.c ---- */

struct nfs4_owner *nfs4_owner_find(struct nfs4_client *client, bool lock, struct nfs_opaque name);
/* NULL: too many owners. */
struct nfs4_owner *nfs4_owner_get(struct nfs4_client *client, bool lock, struct nfs_opaque name);
void nfs4_owner_free(struct nfs4_owner *owner);
/* Frees everything that the client holds. */
void nfs4_owner_release(struct nfs4_owner *owner);
/*
 * Minor version 0: whether this is the owner's next request. NFS4_OK: it is, and its result will be kept;
 * NFS4_REPLAYED: it repeats the last request; otherwise NFS4ERR_BAD_SEQID. Other minor versions: NFS4_OK.
 */
int nfs4_owner_seqid(struct nfs4_call *call, struct nfs4_owner *owner, uint32_t seqid);
/* After an operation with call->owner; result: the position of its status. */
void nfs4_owner_keep(struct nfs4_call *call, int status, size_t result);

struct nfs4_file *nfs4_file_find(struct nfs4 *v4, uint64_t node);
/* One more would be too many. */
bool nfs4_states_full(const struct nfs4_client *client);
/* NULL: there are too many. */
struct nfs4_state *nfs4_state_new(struct nfs4_client *client, enum nfs4_kind kind, uint64_t node,
                                  struct nfs4_owner *owner);
void nfs4_state_free(struct nfs4_state *state);
/* Frees what a client holds on removed files. */
void nfs4_states_forget_gone(struct nfs4_client *client);
/* An open of minor version 0: nothing is held any more, but a retry of CLOSE finds its owner through it. */
void nfs4_state_close(struct nfs4_state *state);
struct nfs4_state *nfs4_state_find(struct nfs4 *v4, uint64_t number);
/* What an owner holds on a node, an open or locks; NULL: nothing. */
struct nfs4_state *nfs4_state_of(const struct nfs4_owner *owner, uint64_t node);
/* What a stateid names, whatever its seqid; NULL: nothing of this instance. */
struct nfs4_state *nfs4_state_named(struct nfs4 *v4, const struct nfs4_stateid *stateid);
/*
 * Minor version 0: recognises a retry by its seqid, before the check of the stateid, which has advanced. NFS4_OK: not a
 * retry; otherwise as nfs4_owner_seqid().
 */
int nfs4_retried(struct nfs4_call *call, const struct nfs4_stateid *stateid, enum nfs4_kind kind, uint32_t seqid);
struct nfs4_stateid nfs4_stateid_of(const struct nfs4_state *state);
/* Increments the seqid, makes it the current stateid, and writes it. */
void nfs4_put_state(struct nfs4_call *call, struct nfs4_state *state);
/* The state that a stateid names, of one of these kinds. node 0: on any file. */
int nfs4_state_get(struct nfs4_call *call, const struct nfs4_stateid *stateid, unsigned kinds, uint64_t node,
                   struct nfs4_state **state);
/* For READ, WRITE, SETATTR of the size and the like: special stateids, share reservations, delegations. */
int nfs4_may_access(struct nfs4_call *call, const struct nfs4_stateid *stateid, uint64_t node, unsigned access);
/* NFS4_OK unless other opens deny the access; drops opens of expired clients. */
int nfs4_share_conflict(struct nfs4_call *call, uint64_t node, const struct nfs4_owner *owner, unsigned access,
                        unsigned deny);

nfs4_serve nfs4_open, nfs4_open_confirm, nfs4_open_downgrade, nfs4_close, nfs4_lock, nfs4_lockt, nfs4_locku,
    nfs4_release_lockowner, nfs4_free_stateid, nfs4_test_stateid;

/* ---- delegations: nfs_v4_delegation.c, nfs_v4_callback.c ---- */

nfs4_serve nfs4_delegreturn, nfs4_delegpurge;
/* A session of the client that can carry a callback now; NULL: none. */
struct nfs4_session *nfs4_session_back(const struct nfs4_client *client, bool now);
/* NFS4ERR_DELAY while another client's delegation conflicts; it is recalled. */
int nfs4_delegation_conflict(struct nfs4 *v4, const struct nfs4_client *client, uint64_t node, bool modifies);
/* Writes open_delegation4: what OPEN gets for these bits of share_access. */
void nfs4_put_delegation(struct nfs4_call *call, struct nfs4_state *open, uint32_t share_access);

#endif
