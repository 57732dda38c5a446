// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How long the Reply to a Call can be, given the Call's arguments: RFC 1094, 1813, 7531, 5662, 7863, and the auxiliary
 * programs. Sizes include neither the RPC verifier nor what goes into Write chunks.
 */
#include "engine/nfs/nfs_internal.h"
#include "wire/invariant.h"

enum {
    REPLY_HEADER = 24,     /* an accepted RPC Reply with an empty verifier */
    COMPOUND_HEADER = 12,  /* status, empty tag, count of results */
    OPERATION_HEADER = 8,  /* number and status */
    READ4_HEADER = 8,      /* eof, count of octets */
    READ_PLUS_HEADER = 24, /* eof, count of contents; of a data content its kind, offset, count of octets */
    V2_DATA_MAX = 8192,
    VERIFIER_MAX = RPC_AUTH_MAX,
    BITMAP = 16, /* count and three words */
    NOTHING = 1, /* no result beyond the status; 0 means that the table has no entry */
};

/* The largest results of procedures other than COMPOUND, in octets, without the items that an argument limits. */
static const struct legacy {
    uint32_t program;
    uint8_t version, procedure;
    uint16_t fixed;
    uint8_t mark;   /* of the argument that limits the variable part; NFS_MARK_NONE: no argument does */
    bool eligible;  /* the variable part is DDP-eligible */
    bool unlimited; /* nothing limits the variable part */
} legacy[] = {
#define V2(procedure, fixed)                                                                                           \
    {                                                                                                                  \
        NFS_PROGRAM, 2, procedure, fixed, NFS_MARK_NONE, false, false                                                  \
    }
#define V3(procedure, fixed)                                                                                           \
    {                                                                                                                  \
        NFS_PROGRAM, 3, procedure, fixed, NFS_MARK_NONE, false, false                                                  \
    }
#define OTHER(program, version, procedure, fixed)                                                                      \
    {                                                                                                                  \
        NFS_PROGRAM##program, version, procedure, fixed, NFS_MARK_NONE, false, false                                   \
    }
#define ENDLESS(program, version, procedure, fixed)                                                                    \
    {                                                                                                                  \
        NFS_PROGRAM##program, version, procedure, fixed, NFS_MARK_NONE, false, true                                    \
    }
    /* The table is searched from its beginning: the most frequent procedures come first. */
    V3(0, 0),
    V3(1, 88),
    V3(2, 120),
    V3(3, 248),
    V3(4, 96),
    {NFS_PROGRAM, 3, 5, 96, NFS_MARK_NONE, true, true},
    {NFS_PROGRAM, 3, 6, 104, NFS_MARK_COUNT, true, false},
    V3(7, 136),
    V3(8, 280),
    V3(9, 280),
    V3(10, 280),
    V3(11, 280),
    V3(12, 120),
    V3(13, 120),
    V3(14, 236),
    V3(15, 208),
    {NFS_PROGRAM, 3, 16, 4, NFS_MARK_COUNT, false, false},
    {NFS_PROGRAM, 3, 17, 4, NFS_MARK_MAXCOUNT, false, false},
    V3(18, 144),
    V3(19, 140),
    V3(20, 116),
    V3(21, 128),
    V2(0, 0),
    V2(1, 72),
    V2(2, 72),
    V2(4, 104),
    {NFS_PROGRAM, 2, 6, 76, NFS_MARK_COUNT, true, false},
    V2(8, 72),
    V2(9, 104),
    V2(10, 4),
    V2(11, 4),
    V2(12, 4),
    V2(13, 4),
    V2(14, 104),
    V2(15, 4),
    {NFS_PROGRAM, 2, 16, 4, NFS_MARK_COUNT, false, false},
    V2(17, 24),
    {NFS_PROGRAM, 4, 0, 0, NFS_MARK_NONE, false, false},
    /* ACLs have any number of entries. */
    OTHER(_ACL, 2, 0, 0),
    ENDLESS(_ACL, 2, 1, 92),
    OTHER(_ACL, 2, 2, 72),
    OTHER(_ACL, 2, 3, 72),
    OTHER(_ACL, 2, 4, 76),
    OTHER(_ACL, 3, 0, 0),
    ENDLESS(_ACL, 3, 1, 112),
    OTHER(_ACL, 3, 2, 92),
    OTHER(_MOUNT, 1, 0, 0),
    OTHER(_MOUNT, 1, 1, 36),
    ENDLESS(_MOUNT, 1, 2, 4),
    OTHER(_MOUNT, 1, 3, 0),
    OTHER(_MOUNT, 1, 4, 0),
    ENDLESS(_MOUNT, 1, 5, 4),
    OTHER(_MOUNT, 2, 0, 0),
    OTHER(_MOUNT, 2, 1, 36),
    OTHER(_MOUNT, 2, 3, 0),
    OTHER(_MOUNT, 2, 4, 0),
    OTHER(_MOUNT, 3, 0, 0),
    ENDLESS(_MOUNT, 3, 1, 76), /* flavors */
    ENDLESS(_MOUNT, 3, 2, 4),
    OTHER(_MOUNT, 3, 3, 0),
    OTHER(_MOUNT, 3, 4, 0),
    ENDLESS(_MOUNT, 3, 5, 4),
#undef V2
#undef V3
#undef OTHER
#undef ENDLESS
};

static const struct legacy *legacy_find(const struct nfs_procedure *procedure)
{
    for (size_t i = 0; i < sizeof legacy / sizeof legacy[0]; i++) {
        if (procedure->program == legacy[i].program && legacy[i].version == procedure->version &&
            legacy[i].procedure == procedure->number)
            return &legacy[i];
    }
    return NULL;
}

/* NLM returns the Call's cookie and a status; TEST may also return the holder of the lock. */
static bool nlm_size(const struct rpcrdma_body *body, struct nfs_reply_size *size)
{
    const struct nfs_procedure *procedure = body->procedure;

    if (procedure->program != NFS_PROGRAM_NLM)
        return false;
    *size = (struct nfs_reply_size){.largest = REPLY_HEADER, .exact = true};
    if (procedure->number == 0 || (procedure->number >= 6 && procedure->number <= 15))
        return true;
    if (procedure->number > 5 || body->n_items == 0 || body->walk.status != NFS_WALK_OK)
        return false;
    size->largest += 8 + xdr_padded(body->items[0].item.count);
    INVARIANT(size->largest >= REPLY_HEADER + 8);
    size->exact = procedure->number != 1;
    return true;
}

static bool legacy_size(const struct nfs_look *look, struct nfs_reply_size *size)
{
    const struct legacy *row = legacy_find(look->body->procedure);
    const struct nfs_value *value = NULL;
    uint64_t rest;
    unsigned i = 0;

    if (!row)
        return nlm_size(look->body, size);
    *size = (struct nfs_reply_size){.largest = REPLY_HEADER + row->fixed, .exact = !row->unlimited};
    if (row->mark == NFS_MARK_NONE)
        return true;
    value = rpcrdma_value(look->body, (enum nfs_mark)row->mark, 0, &i);
    if (!value)
        return false;
    if (row->eligible && !look->body->wrapped && nfs_chunk_offered(look->nfs, look->t, 0))
        return true;
    rest = row->version == 2 && row->eligible && value->value > V2_DATA_MAX ? V2_DATA_MAX : value->value;
    size->asked = rest;
    size->largest += row->eligible ? xdr_padded(rest) : rest;
    size->eligible = row->eligible ? xdr_padded(rest) : 0;
    INVARIANT(size->asked <= size->largest && size->eligible <= size->largest);
    return true;
}

/* ---- COMPOUND ---- */

/* The count argument of this operation, which limits its results. */
static uint64_t count_argument(const struct rpcrdma_body *body, const struct nfs_operation *operation)
{
    const struct nfs_value *value;
    unsigned i = 0;

    while ((value = rpcrdma_value(body, NFS_MARK_COUNT, operation->op, &i))) {
        if (value->op_index == operation->index)
            return value->value;
    }
    return 0;
}

/*
 * The operation's count limits everything that the operation returns when it succeeds (RFC 8881 sections 18.23, 18.40;
 * RFC 8276).
 */
static bool limits_resok(uint32_t op)
{
    return op == NFS_OP_READDIR || op == NFS_OP_GETDEVICEINFO || op == NFS_OP_LISTXATTRS;
}

/* A lower bound of the largest Reply. */
static void compound_at_least(const struct nfs_look *look, struct nfs_reply_size *size)
{
    const struct rpcrdma_body *body = look->body;
    unsigned read_class = 0;

    *size = (struct nfs_reply_size){.largest = REPLY_HEADER + COMPOUND_HEADER};
    for (unsigned i = 0; i < body->n_operations; i++) {
        const struct nfs_operation *operation = &body->operations[i];
        uint64_t octets = 0;

        size->largest += OPERATION_HEADER;
        if (nfs_op_read_class(operation->op) && !body->wrapped && nfs_chunk_offered(look->nfs, look->t, read_class++))
            continue;
        if (operation->op == NFS_OP_READ) {
            octets = xdr_padded(count_argument(body, operation));
            size->eligible += octets;
            size->largest += READ4_HEADER;
        } else if (operation->op == NFS_OP_READ_PLUS) {
            octets = xdr_padded(count_argument(body, operation));
            size->largest += READ_PLUS_HEADER;
        } else if (limits_resok(operation->op)) {
            octets = count_argument(body, operation);
        }
        size->largest += octets;
        size->asked += octets;
        INVARIANT(size->asked <= size->largest && size->eligible <= size->asked);
    }
}

/*
 * The largest results of operations, in octets after number and status; 0: unknown or unlimited. READLINK is left out,
 * because a link may be too long for its chunk.
 */
static const uint16_t results[] = {
    [NFS_OP_ACCESS] = 8,
    [4 /* CLOSE */] = 16,
    [5 /* COMMIT */] = 8,
    [NFS_OP_CREATE] = 20 + BITMAP,
    [7 /* DELEGPURGE */] = NOTHING,
    [NFS_OP_DELEGRETURN] = NOTHING,
    [NFS_OP_GETATTR] = BITMAP + 4, /* and the attributes */
    [10 /* GETFH */] = 132,
    [NFS_OP_LINK] = 20,
    [12 /* LOCK */] = 1056,
    [13 /* LOCKT */] = 1056,
    [14 /* LOCKU */] = 16,
    [NFS_OP_LOOKUP] = NOTHING,
    [16 /* LOOKUPP */] = NOTHING,
    [17 /* NVERIFY */] = NOTHING,
    [NFS_OP_OPEN] = 600, /* mostly an ACE with a user name */
    [19 /* OPENATTR */] = NOTHING,
    [20 /* OPEN_CONFIRM */] = 16,
    [21 /* OPEN_DOWNGRADE */] = 16,
    [NFS_OP_PUTFH] = NOTHING,
    [NFS_OP_PUTPUBFH] = NOTHING,
    [NFS_OP_PUTROOTFH] = NOTHING,
    [NFS_OP_READ] = READ4_HEADER,
    [NFS_OP_READDIR] = NOTHING,
    [NFS_OP_REMOVE] = 20,
    [NFS_OP_RENAME] = 40,
    [NFS_OP_RENEW] = NOTHING,
    [31 /* RESTOREFH */] = NOTHING,
    [32 /* SAVEFH */] = NOTHING,
    [NFS_OP_SETATTR] = BITMAP,
    [NFS_OP_SETCLIENTID] = 300,
    [36 /* SETCLIENTID_CONFIRM */] = NOTHING,
    [37 /* VERIFY */] = NOTHING,
    [NFS_OP_WRITE] = 16,
    [39 /* RELEASE_LOCKOWNER */] = NOTHING,
    [40 /* BACKCHANNEL_CTL */] = NOTHING,
    [NFS_OP_BIND_CONN_TO_SESSION] = 24,
    [NFS_OP_CREATE_SESSION] = 88,
    [NFS_OP_DESTROY_SESSION] = NOTHING,
    [45 /* FREE_STATEID */] = NOTHING,
    [NFS_OP_SEQUENCE] = 36,
    [57 /* DESTROY_CLIENTID */] = NOTHING,
    [58 /* RECLAIM_COMPLETE */] = NOTHING,
    [59 /* ALLOCATE */] = NOTHING,
    [62 /* DEALLOCATE */] = NOTHING,
    [66 /* OFFLOAD_CANCEL */] = NOTHING,
    [69 /* SEEK */] = 12,
    [71 /* CLONE */] = NOTHING,
    [73 /* SETXATTR */] = 20,
    [75 /* REMOVEXATTR */] = 20,
};

enum {
    MASK = 24, /* a bitmap4 with room for extensions */
    OWNER = 4 + 128,
    HANDLE = 4 + 128,
    TIME = 12,
    RETENTION = 8 + 4 + TIME,
};

/*
 * The largest values of attributes, in octets: RFC 7531, 5662, 7863, 8275 and 8276. owner and owner_group are strings
 * of any length, in practice user names. Attributes that can only be set are left out.
 */
static const uint8_t attributes[] = {
    [0 /* supported_attrs */] = MASK,
    [1 /* type */] = 4,
    [2 /* fh_expire_type */] = 4,
    [3 /* change */] = 8,
    [4 /* size */] = 8,
    [5 /* link_support */] = 4,
    [6 /* symlink_support */] = 4,
    [7 /* named_attr */] = 4,
    [8 /* fsid */] = 16,
    [9 /* unique_handles */] = 4,
    [10 /* lease_time */] = 4,
    [11 /* rdattr_error */] = 4,
    [13 /* aclsupport */] = 4,
    [14 /* archive */] = 4,
    [15 /* cansettime */] = 4,
    [16 /* case_insensitive */] = 4,
    [17 /* case_preserving */] = 4,
    [18 /* chown_restricted */] = 4,
    [19 /* filehandle */] = HANDLE,
    [20 /* fileid */] = 8,
    [21 /* files_avail */] = 8,
    [22 /* files_free */] = 8,
    [23 /* files_total */] = 8,
    [25 /* hidden */] = 4,
    [26 /* homogeneous */] = 4,
    [27 /* maxfilesize */] = 8,
    [28 /* maxlink */] = 4,
    [29 /* maxname */] = 4,
    [30 /* maxread */] = 8,
    [31 /* maxwrite */] = 8,
    [33 /* mode */] = 4,
    [34 /* no_trunc */] = 4,
    [35 /* numlinks */] = 4,
    [36 /* owner */] = OWNER,
    [37 /* owner_group */] = OWNER,
    [38 /* quota_avail_hard */] = 8,
    [39 /* quota_avail_soft */] = 8,
    [40 /* quota_used */] = 8,
    [41 /* rawdev */] = 8,
    [42 /* space_avail */] = 8,
    [43 /* space_free */] = 8,
    [44 /* space_total */] = 8,
    [45 /* space_used */] = 8,
    [46 /* system */] = 4,
    [47 /* time_access */] = TIME,
    [49 /* time_backup */] = TIME,
    [50 /* time_create */] = TIME,
    [51 /* time_delta */] = TIME,
    [52 /* time_metadata */] = TIME,
    [53 /* time_modify */] = TIME,
    [55 /* mounted_on_fileid */] = 8,
    [56 /* dir_notif_delay */] = TIME,
    [57 /* dirent_notif_delay */] = TIME,
    [60 /* change_policy */] = 16,
    [65 /* layout_blksize */] = 4,
    [66 /* layout_alignment */] = 4,
    [69 /* retention_get */] = RETENTION,
    [71 /* retentevt_get */] = RETENTION,
    [73 /* retention_hold */] = 8,
    [75 /* suppattr_exclcreat */] = MASK,
    [76 /* fs_charset_cap */] = 4,
    [77 /* clone_blksize */] = 4,
    [78 /* space_freed */] = 8,
    [79 /* change_attr_type */] = 4,
    [82 /* xattr_support */] = 4,
};

/* Adds the attributes that this GETATTR asks for; false: at least one has no known limit. */
static bool add_attributes(const struct rpcrdma_body *body, const struct nfs_operation *operation, uint64_t *octets)
{
    const struct nfs_value *word;
    unsigned i = 0;

    while ((word = rpcrdma_value(body, NFS_MARK_ATTR_MASK, NFS_OP_GETATTR, &i))) {
        if (word->op_index != operation->index)
            continue;
        for (unsigned bit = 0; bit < 32; bit++) {
            uint64_t number = 32 * (uint64_t)word->index + bit;

            if ((word->value >> bit & 1) == 0)
                continue;
            if (number >= sizeof attributes || attributes[number] == 0)
                return false;
            *octets += attributes[number];
        }
    }
    return true;
}

/* Adds the operation's results; false: the results have no known limit. */
static bool bound_add_results(const struct nfs_look *look, const struct nfs_operation *operation, unsigned *reads,
                              uint64_t *octets)
{
    uint32_t op = operation->op;
    bool in_chunk = nfs_op_read_class(op) && nfs_chunk_offered(look->nfs, look->t, (*reads)++);

    if (op >= sizeof results / sizeof results[0] || results[op] == 0 ||
        (op == NFS_OP_GETATTR && !add_attributes(look->body, operation, octets)))
        return false;
    *octets += OPERATION_HEADER + results[op];
    if (op == NFS_OP_READ && !in_chunk)
        *octets += xdr_padded(count_argument(look->body, operation));
    else if (op == NFS_OP_READDIR)
        *octets += count_argument(look->body, operation);
    INVARIANT(*reads <= look->body->n_operations && *octets >= REPLY_HEADER + COMPOUND_HEADER);
    return true;
}

/* An upper bound of the Reply; false: there is no bound. */
static bool compound_at_most(const struct nfs_look *look, uint64_t *octets)
{
    const struct rpcrdma_body *body = look->body;
    unsigned reads = 0;

    *octets = REPLY_HEADER + COMPOUND_HEADER;
    if (body->n_items > 0 && body->items[0].item.op == 0) /* the tag, which the Reply repeats */
        *octets += xdr_padded(body->items[0].item.count);
    for (unsigned i = 0; i < body->n_operations; i++) {
        if (!bound_add_results(look, &body->operations[i], &reads, octets))
            return false;
    }
    return true;
}

/* ---- for the rules ---- */

bool nfs_reply_size(const struct nfs_look *look, struct nfs_reply_size *size)
{
    if (!look->body->procedure->compound)
        return legacy_size(look, size);
    compound_at_least(look, size);
    return true;
}

uint64_t nfs_reply_transport(const struct rpcrdma_transaction *t)
{
    uint64_t octets = RPCRDMA_HEADER_MIN;

    for (unsigned i = 0; i < t->n_writes; i++)
        octets += 8 + (uint64_t)RPCRDMA_SEGMENT_LEN * t->chunks[t->first_write + i].n;
    INVARIANT(octets % 4 == 0 && octets >= RPCRDMA_HEADER_MIN);
    return octets;
}

bool nfs_reply_fits(const struct nfs_look *look)
{
    const struct rpcrdma_transaction *t = look->t;
    struct nfs_reply_size size;
    uint64_t octets;
    uint32_t threshold;
    bool negotiated;

    if (!look->body->procedure || look->body->cut || look->body->wrapped)
        return false;
    if (look->body->procedure->compound) {
        if (!compound_at_most(look, &octets))
            return false;
    } else {
        /* A link goes into a chunk, which may be too small for the link. */
        if (!legacy_size(look, &size) || !size.exact)
            return false;
        octets = size.largest;
    }
    if (look->body->rpc.cred.flavor == RPC_AUTH_GSS)
        octets += VERIFIER_MAX;
    if (t->reply_chunk >= 0 && t->chunks[t->reply_chunk].length >= octets)
        return true;
    threshold = rpcrdma_connection_threshold(look->nfs->rpcrdma, 1u - t->side, &negotiated);
    return nfs_reply_transport(t) + octets <= (threshold != 0 ? threshold : RPCRDMA_INLINE_DEFAULT);
}
