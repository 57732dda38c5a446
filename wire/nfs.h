/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A walker over the arguments and results of NFS and its auxiliary programs: versions 2 (RFC 1094), 3 (RFC 1813), 4.0
 * (RFC 7531), 4.1 (RFC 5662), 4.2 (RFC 7863) with COMPOUND and CB_COMPOUND, NFSACL, MOUNT, NLM. It finds operations,
 * variable-length items, marked fields and their places, and knows which items are DDP-eligible (RFC 8267 sections 4
 * and 6.1).
 *
 * Messages may be reduced (RFC 8166 section 3.4): the contents of an item, including the roundup, may have been removed
 * from the stream. At each variable-length item the walker asks how much of the item is present, and keeps two offsets:
 * `at` in the given octets, `position` in the unreduced stream (section 3.4.5, counted from the RPC message's XID).
 *
 * The types come from tables (wire/nfs_types.txt, compiled at build time). A type that the tables lack ends the walk
 * with NFS_WALK_UNKNOWN. Octets may have any values: no recursion, no allocation, time linear in their number.
 */
/* clang-format off */
/*
 * A COMPOUND (RFC 7531, RFC 5662, RFC 7863) after the RPC header; an operation's result begins with its status:
 *
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +---------------------------------------------------------------+
 *  |  Reply: status                                                |
 *  +---------------------------------------------------------------+
 *  /                           tag (string)                        /
 *  +---------------------------------------------------------------+
 *  |  Call: minorversion                                           |
 *  +---------------------------------------------------------------+
 *  |                      number of operations                     |
 *  +---------------------------------------------------------------+
 *  |                            operation                          |
 *  +---------------------------------------------------------------+
 *  /                its arguments, or its result                   /
 *  +---------------------------------------------------------------+
 *  /                          ...                                  /
 */
/* clang-format on */
#ifndef IWARP_WIRE_NFS_H
#define IWARP_WIRE_NFS_H

#include "wire/rpc.h"

enum nfs_program {
    NFS_PROGRAM = 100003,
    NFS_PROGRAM_MOUNT = 100005,
    NFS_PROGRAM_NLM = 100021,
    NFS_PROGRAM_NSM = 100024,
    NFS_PROGRAM_ACL = 100227,
    NFS_PROGRAM_RPCBIND = 100000,
    NFS_PROGRAM_CCP = 100417,                /* RFC 5666 section 6, no longer used */
    NFS_PROGRAM_CALLBACK_FIRST = 0x40000000, /* transient numbers: clients choose one for their callbacks */
    NFS_PROGRAM_CALLBACK_LAST = 0x5fffffff,
};

/* Operations that rules mention. */
enum nfs_op {
    NFS_OP_ACCESS = 3,
    NFS_OP_CLOSE = 4,
    NFS_OP_CREATE = 6,
    NFS_OP_DELEGRETURN = 8,
    NFS_OP_GETATTR = 9,
    NFS_OP_GETFH = 10,
    NFS_OP_LINK = 11,
    NFS_OP_LOOKUP = 15,
    NFS_OP_OPEN = 18,
    NFS_OP_OPEN_CONFIRM = 20,
    NFS_OP_READ = 25,
    NFS_OP_READDIR = 26,
    NFS_OP_READLINK = 27,
    NFS_OP_REMOVE = 28,
    NFS_OP_RENAME = 29,
    NFS_OP_RENEW = 30,
    NFS_OP_RESTOREFH = 31,
    NFS_OP_SAVEFH = 32,
    NFS_OP_SETATTR = 34,
    NFS_OP_SETCLIENTID = 35,
    NFS_OP_WRITE = 38,
    NFS_OP_BIND_CONN_TO_SESSION = 41,
    NFS_OP_EXCHANGE_ID = 42,
    NFS_OP_CREATE_SESSION = 43,
    NFS_OP_DESTROY_SESSION = 44,
    NFS_OP_GETDEVICEINFO = 47,
    NFS_OP_LAYOUTGET = 50,
    NFS_OP_LAYOUTRETURN = 51,
    NFS_OP_SEQUENCE = 53,
    NFS_OP_CB_RECALL = 4,
    NFS_OP_CB_LAYOUTRECALL = 5,
    NFS_OP_CB_RECALL_SLOT = 10,
    NFS_OP_CB_SEQUENCE = 11,
    NFS_OP_CB_OFFLOAD = 15,
    NFS_OP_COPY = 60,
    NFS_OP_READ_PLUS = 68,
    NFS_OP_WRITE_SAME = 70,
    NFS_OP_LISTXATTRS = 74,
    NFS_OP_PUTFH = 22,
    NFS_OP_PUTPUBFH = 23,
    NFS_OP_PUTROOTFH = 24,
};

/* Properties of one procedure. */
struct nfs_procedure {
    uint32_t program, version, number;
    const char *name;     /* "READ", "COMPOUND", "CB_COMPOUND" */
    bool compound;        /* carries a list of operations */
    bool callback;        /* belongs to a callback program */
    bool reduces_call;    /* an argument may be DDP-eligible */
    bool reduces_reply;   /* a result may be */
    uint16_t call, reply; /* private to the walker */
};

/* NULL: unknown. Transient program numbers are assumed to be callbacks, as they usually are on RPC-over-RDMA. */
const struct nfs_procedure *nfs_procedure_find(uint32_t program, uint32_t version, uint32_t number);
const char *nfs_program_name(uint32_t program); /* "NFS", "NFSACL", ...; NULL */
/* For an operation of a COMPOUND or CB_COMPOUND; NULL when unknown. */
const char *nfs_op_name(uint32_t op, bool callback);

/* Fields that the tables mark, so that rules and estimates can read them. */
enum nfs_mark {
    NFS_MARK_NONE,
    NFS_MARK_STATUS, /* nfsstat of a procedure's or operation's result */
    /*
     * Argument: octets requested by READ, READ_PLUS (count), READDIR (count; v4: maxcount), GETDEVICEINFO, LISTXATTRS
     * (maxcount); WRITE3args.count.
     */
    NFS_MARK_COUNT,
    NFS_MARK_DIRCOUNT,        /* READDIRPLUS, v4 READDIR: dircount */
    NFS_MARK_MAXCOUNT,        /* READDIRPLUS: maxcount */
    NFS_MARK_TOTALCOUNT,      /* NFSv2 WRITE, READ: totalcount */
    NFS_MARK_RESULT_COUNT,    /* READ3resok.count, WRITE results: count */
    NFS_MARK_ATTR_MASK,       /* each word of the bitmap4 of a GETATTR or READDIR argument; `index` says which word */
    NFS_MARK_MINOR_VERSION,   /* of a COMPOUND */
    NFS_MARK_SLOT,            /* SEQUENCE, CB_SEQUENCE argument: sa_slotid, csa_slotid */
    NFS_MARK_SEQUENCE,        /* SEQUENCE, CB_SEQUENCE argument: sa_sequenceid, csa_sequenceid */
    NFS_MARK_CACHE_THIS,      /* SEQUENCE, CB_SEQUENCE argument: sa_cachethis, csa_cachethis */
    NFS_MARK_HIGHEST_SLOT,    /* SEQUENCE argument: sa_highest_slotid */
    NFS_MARK_TARGET_SLOT,     /* SEQUENCE result: sr_target_highest_slotid; CB_RECALL_SLOT: rsa_target_highest_slotid */
    NFS_MARK_STATUS_FLAGS,    /* SEQUENCE result: sr_status_flags */
    NFS_MARK_SYNCHRONOUS,     /* COPY result: cr_synchronous */
    NFS_MARK_SESSION,         /* item: a session id */
    NFS_MARK_CLIENT,          /* item: a client id of EXCHANGE_ID */
    NFS_MARK_SESSION_FLAGS,   /* CREATE_SESSION: csa_flags, csr_flags */
    NFS_MARK_CB_PROGRAM,      /* CREATE_SESSION argument: csa_cb_program; SETCLIENTID: cb_program */
    NFS_MARK_FORE_MAXREQUEST, /* CREATE_SESSION, argument and result: channel attributes in both directions */
    NFS_MARK_FORE_MAXRESPONSE,
    NFS_MARK_FORE_MAXREQUESTS,
    NFS_MARK_BACK_MAXREQUEST,
    NFS_MARK_BACK_MAXRESPONSE,
    NFS_MARK_FORE_HEADERPAD,
    NFS_MARK_BACK_HEADERPAD,
    NFS_MARK_FORE_IRD, /* each element of ca_rdma_ird */
    NFS_MARK_BACK_IRD,
    NFS_MARK_BIND_DIR,    /* BIND_CONN_TO_SESSION: bctsa_dir, bctsr_dir */
    NFS_MARK_RDMA_MODE,   /* BIND_CONN_TO_SESSION: bctsa_use_conn_in_rdma_mode, bctsr_... */
    NFS_MARK_CREATE_TYPE, /* CREATE argument: objtype */
    NFS_MARK_OPEN_CREATE, /* OPEN argument: opentype (1: creates) */
    NFS_MARK_DELEGATION,  /* OPEN result: delegation_type */
    NFS_MARK_NETID,       /* item: r_netid of a netaddr4 */
    NFS_MARK_NETADDR,     /* item: r_addr */
    NFS_MARK_DATA,        /* item: file data of READ or WRITE */
    NFS_MARK_CONTENT,     /* item: file data that are not DDP-eligible: of READ_PLUS, WRITE_SAME */
    NFS_MARK_LINK,        /* item: text of a symbolic link */
    NFS_MARK_HANDLE,      /* item: a file handle */
    NFS_MARK_NAME,        /* item: a component name or path */
    NFS_MARK_MAX
};

struct nfs_value {
    enum nfs_mark mark;
    uint64_t value;
    unsigned index;    /* among values with the same mark in this operation */
    unsigned op_index; /* index of its operation; 0 outside COMPOUNDs */
    uint32_t op;       /* 0 outside COMPOUNDs */
    size_t at;
    uint64_t position;
};

/* A variable-length opaque or string, or a marked fixed one. */
struct nfs_item {
    enum nfs_mark mark;
    bool eligible; /* DDP-eligible by RFC 8267 */
    unsigned op_index;
    uint32_t op;
    uint32_t count; /* as encoded */
    /* Offset of the first content octet in the given octets, or of the next octet when the contents were removed. */
    size_t at;
    uint64_t position; /* of the first content octet in the unreduced stream */
};

struct nfs_operation {
    unsigned index; /* in the COMPOUND, from 0 */
    uint32_t op;
    size_t at; /* of its opcode word */
    uint64_t position;
    bool has_status; /* results */
    uint32_t status;
};

struct nfs_walk_events {
    void *ctx; /* any of the functions may be NULL */
    void (*operation)(void *ctx, const struct nfs_operation *operation);
    /*
     * How many octets of this item's contents and roundup are in the given octets: xdr_padded(count) when nothing was
     * removed (assumed when this is NULL), 0 when everything was.
     */
    uint64_t (*item)(void *ctx, const struct nfs_item *item);
    void (*value)(void *ctx, const struct nfs_value *value);
    /* Nonzero roundup octets after an item. */
    void (*roundup)(void *ctx, size_t at, uint64_t position);
};

enum nfs_walk_status {
    NFS_WALK_OK,      /* all arguments or results were complete; result.left says how many octets remain */
    NFS_WALK_UNKNOWN, /* an operation, union arm or version that the tables lack: the rest is not judged */
    NFS_WALK_SHORT,   /* the octets end within `needs` */
    NFS_WALK_BAD, /* an impossible value: a boolean above 1, a discriminant without an arm, a count above its limit */
};

struct nfs_walk_result {
    enum nfs_walk_status status;
    size_t at; /* where the walk ended, or the wrong word */
    uint64_t position;
    uint32_t fault;                            /* with BAD: the value; with SHORT: number of octets needed */
    size_t left;                               /* octets after the end */
    unsigned operations, operations_announced; /* of a COMPOUND */
    unsigned op_index;                         /* the operation in which the walk ended */
    uint32_t op;
};

/*
 * Walks p[0..n), the arguments (reply false) or results of `procedure`. position: of p[0] in the unreduced stream, i.e.
 * the length of the RPC header.
 */
enum nfs_walk_status nfs_walk(const struct nfs_procedure *procedure, bool reply, const uint8_t *p, size_t n,
                              uint64_t position, const struct nfs_walk_events *events, struct nfs_walk_result *result);

/* Likewise p[0..n), which begins with the arguments of one operation of a COMPOUND: result->at is where they end. */
enum nfs_walk_status nfs_walk_operation(uint32_t op, const uint8_t *p, size_t n, struct nfs_walk_result *result);

/* True for operations whose results may be DDP-eligible, which RFC 8267 section 6.4.1 counts. */
static inline bool nfs_op_read_class(uint32_t op)
{
    return op == NFS_OP_READ || op == NFS_OP_READLINK;
}

#endif
