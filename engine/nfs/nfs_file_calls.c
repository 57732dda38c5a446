// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What NFS Calls do with the contents of files: RFC 1813, RFC 7530, RFC 8881, RFC 7862. Unless a Call is known to leave
 * the contents alone, it may change any file.
 */
#include "engine/core/hash.h"
#include "engine/nfs/nfs_readback.h"
#include "wire/invariant.h"

enum { SETATTR3 = 2, READ3 = 6, WRITE3 = 7, CREATE3 = 8, COMMIT3 = 21, LAST3 = 21 };

/* n octets of arguments or results from `at` on; NULL: the message is shorter. */
static const uint8_t *octets_at(const struct rpcrdma_body *body, size_t at, size_t n)
{
    uint64_t from = (uint64_t)body->rpc.header_len + at;

    return from + n <= body->length ? body->payload + from : NULL;
}

static uint64_t file_of(const struct rpcrdma_body *body, const struct rpcrdma_item *item)
{
    const uint8_t *handle = rpcrdma_contents(body, item);

    return handle ? hash_octets(0, handle, item->item.count) | 1 : 0;
}

static const struct rpcrdma_item *calls_item_of(const struct rpcrdma_body *body, enum nfs_mark mark, uint32_t op,
                                                unsigned index)
{
    for (unsigned i = 0; i < body->n_items; i++)
        if (body->items[i].item.mark == mark && body->items[i].item.op == op && body->items[i].item.op_index == index)
            return &body->items[i];
    return NULL;
}

/* Reads the offset and the count from `at` on. For a WRITE, the count is that of the data. */
static bool take_range(const struct rpcrdma_body *body, size_t at, struct nfs_use *use)
{
    const uint8_t *p = octets_at(body, at, 12);

    if (!p)
        return false;
    use->offset = get_be64(p);
    use->count = use->data ? use->data->item.count : get_be32(p + 8);
    INVARIANT(use->count <= UINT32_MAX);
    return use->offset <= INT64_MAX; /* no file is larger */
}

/* ---- version 3 ---- */

static const struct nfs_use unknown_use = {.kind = NFS_USE_UNKNOWN};

static struct nfs_use use_of_3(const struct rpcrdma_body *body)
{
    static const uint8_t kinds[LAST3 + 1] = {[READ3] = NFS_USE_READ,
                                             [WRITE3] = NFS_USE_WRITE,
                                             [CREATE3] = NFS_USE_CREATE,
                                             [COMMIT3] = NFS_USE_COMMIT,
                                             [SETATTR3] = NFS_USE_CHANGE};
    const struct rpcrdma_item *handle = calls_item_of(body, NFS_MARK_HANDLE, 0, 0);
    struct nfs_use use = {.kind = (enum nfs_use_kind)kinds[body->rpc.proc]};

    if (use.kind == NFS_USE_NONE || use.kind == NFS_USE_CREATE)
        return use;
    if (!handle)
        return unknown_use;
    use.file = file_of(body, handle);
    if (use.kind == NFS_USE_CHANGE)
        return use;
    if (use.kind == NFS_USE_WRITE && !(use.data = calls_item_of(body, NFS_MARK_DATA, 0, 0)))
        return unknown_use;
    return take_range(body, handle->item.at + xdr_padded(handle->item.count), &use) ? use : unknown_use;
}

/* ---- COMPOUND ---- */

enum { STATEID = 16, OPCODE = 4 };

/* Operations that leave the contents of all files alone and do not change the current file. */
static const uint64_t harmless[2] = {
    UINT64_C(1) << NFS_OP_ACCESS | UINT64_C(1) << NFS_OP_CLOSE | UINT64_C(1) << 7 /* DELEGPURGE */ |
        UINT64_C(1) << NFS_OP_DELEGRETURN | UINT64_C(1) << NFS_OP_GETATTR | UINT64_C(1) << NFS_OP_GETFH |
        UINT64_C(1) << NFS_OP_LINK | UINT64_C(7) << 12 /* LOCK, LOCKT, LOCKU */ | UINT64_C(1) << 17 /* NVERIFY */ |
        UINT64_C(3) << NFS_OP_OPEN_CONFIRM /* and OPEN_DOWNGRADE */ |
        UINT64_C(7) << NFS_OP_READDIR /* READLINK, REMOVE */
        | UINT64_C(3) << NFS_OP_RENAME /* and RENEW */ | UINT64_C(1) << NFS_OP_SAVEFH |
        UINT64_C(1) << 33 /* SECINFO */ | UINT64_C(7) << NFS_OP_SETCLIENTID /* _CONFIRM, VERIFY */ |
        UINT64_C(63) << 39 /* RELEASE_LOCKOWNER to DESTROY_SESSION */ | UINT64_C(1) << 45 /* FREE_STATEID */ |
        UINT64_C(1) << NFS_OP_GETDEVICEINFO | UINT64_C(1) << 48 /* GETDEVICELIST */ |
        UINT64_C(15) << 52 /* SECINFO_NO_NAME, SEQUENCE, SET_SSV, TEST_STATEID */ |
        UINT64_C(7) << 56 /* WANT_DELEGATION, DESTROY_CLIENTID, RECLAIM_COMPLETE */ | UINT64_C(1) << 63 /* IO_ADVISE */,
    UINT64_C(1) << (69 - 64) /* SEEK */ | UINT64_C(15) << (72 - 64) /* extended attributes */
        | UINT64_C(1) << (NFS_OP_READ_PLUS - 64)};

static bool calls_is_harmless(uint32_t op)
{
    return op < 128 && (harmless[op / 64] >> op % 64 & 1) != 0;
}

/* The part of a COMPOUND that was read: its current and its saved file, 0 if unknown. */
struct compound {
    const struct rpcrdma_body *body;
    uint64_t file, saved;
    struct nfs_use use;
};

/* Adds an operation on contents. From the second operation on, only the fact that the file changes is kept. */
static void add_use(struct compound *c, struct nfs_use use)
{
    if (c->use.kind == NFS_USE_NONE)
        c->use = use;
    else if (use.kind == NFS_USE_UNKNOWN || c->use.kind == NFS_USE_UNKNOWN)
        c->use = unknown_use;
    else
        c->use = (struct nfs_use){.kind = NFS_USE_CHANGE};
    INVARIANT(c->use.kind != NFS_USE_NONE || use.kind == NFS_USE_NONE);
}

static void add_data_use(struct compound *c, const struct nfs_operation *operation, enum nfs_use_kind kind,
                         size_t before)
{
    struct nfs_use use = {.kind = kind, .file = c->file, .op = operation->op};

    if (kind == NFS_USE_WRITE)
        use.data = calls_item_of(c->body, NFS_MARK_DATA, operation->op, operation->index);
    if (kind == NFS_USE_WRITE && !use.data)
        use = unknown_use;
    else if (!take_range(c->body, operation->at + OPCODE + before, &use))
        use = unknown_use;
    if (use.kind != NFS_USE_UNKNOWN && use.file == 0)
        use = (struct nfs_use){.kind = kind == NFS_USE_WRITE ? NFS_USE_CHANGE : NFS_USE_NONE};
    INVARIANT(use.kind == NFS_USE_UNKNOWN || use.kind == NFS_USE_NONE || use.kind == NFS_USE_CHANGE || use.file != 0);
    add_use(c, use);
}

static void calls_open_file(struct compound *c, const struct nfs_operation *operation)
{
    const struct nfs_value *value;
    bool creates = true;

    for (unsigned i = 0; (value = rpcrdma_value(c->body, NFS_MARK_OPEN_CREATE, NFS_OP_OPEN, &i));)
        if (value->op_index == operation->index)
            creates = value->value != 0;
    if (creates)
        add_use(c, (struct nfs_use){.kind = NFS_USE_CREATE});
    c->file = 0;
}

static void calls_take_handle(struct compound *c, const struct nfs_operation *operation)
{
    const struct rpcrdma_item *handle = calls_item_of(c->body, NFS_MARK_HANDLE, NFS_OP_PUTFH, operation->index);

    c->file = handle ? file_of(c->body, handle) : 0;
}

static void take_file_operation(struct compound *c, const struct nfs_operation *operation)
{
    enum { COMMIT = 5, LOOKUPP = 16, OPENATTR = 19, ALLOCATE = 59, DEALLOCATE = 62, CLONE = 71 };

    switch (operation->op) {
    case NFS_OP_PUTFH:
        calls_take_handle(c, operation);
        break;
    case NFS_OP_SAVEFH:
        c->saved = c->file;
        break;
    case NFS_OP_RESTOREFH:
        c->file = c->saved;
        break;
    case NFS_OP_CREATE: /* never of a regular file */
    case NFS_OP_LOOKUP:
    case NFS_OP_PUTPUBFH:
    case NFS_OP_PUTROOTFH:
    case LOOKUPP:
    case OPENATTR:
        c->file = 0;
        break;
    case NFS_OP_OPEN:
        calls_open_file(c, operation);
        break;
    case NFS_OP_READ:
        add_data_use(c, operation, NFS_USE_READ, STATEID);
        break;
    case NFS_OP_WRITE:
        add_data_use(c, operation, NFS_USE_WRITE, STATEID);
        break;
    case COMMIT:
        add_data_use(c, operation, NFS_USE_COMMIT, 0);
        break;
    case NFS_OP_SETATTR:
    case NFS_OP_WRITE_SAME:
    case ALLOCATE:
    case DEALLOCATE:
    case CLONE:
        add_use(c, (struct nfs_use){.kind = NFS_USE_CHANGE, .file = c->file});
        break;
    default: /* a COPY may continue after its Reply; a layout lets others write */
        if (!calls_is_harmless(operation->op))
            add_use(c, unknown_use);
        break;
    }
}

static struct nfs_use use_of_compound(const struct rpcrdma_body *body)
{
    struct compound c = {.body = body};

    for (unsigned i = 0; i < body->n_operations; i++)
        take_file_operation(&c, &body->operations[i]);
    INVARIANT(c.use.offset <= INT64_MAX && (!c.use.data || c.use.kind == NFS_USE_WRITE));
    return c.use;
}

struct nfs_use nfs_use_of(const struct rpcrdma_body *body)
{
    if (body->rpc.prog != NFS_PROGRAM || body->rpc.proc == 0)
        return (struct nfs_use){.kind = NFS_USE_NONE};
    if (!body->procedure || body->wrapped || !nfs_understood(body))
        return unknown_use;
    if (body->procedure->compound)
        return use_of_compound(body);
    return body->rpc.vers == 3 && body->rpc.proc <= LAST3 ? use_of_3(body) : unknown_use;
}

/* ---- Replies ---- */

/* The whole Reply was read, and the operation succeeded. */
static bool calls_succeeded(const struct rpcrdma_body *reply, uint32_t op, const struct nfs_operation **operation)
{
    uint32_t status;

    if (!nfs_understood(reply) || reply->wrapped)
        return false;
    *operation = op != 0 ? nfs_operation_find(reply, op) : NULL;
    if (op != 0)
        return *operation && (*operation)->has_status && (*operation)->status == 0;
    return nfs_value_of(reply, NFS_MARK_STATUS, 0, &status) && status == 0;
}

bool nfs_written_of(const struct rpcrdma_body *reply, const struct nfs_use *use, struct nfs_written *written)
{
    enum { COUNT = 4, COMMITTED = 4, STATUS = 4, VERIFIER = 8 };
    const struct nfs_operation *operation;
    const struct nfs_value *count;
    const uint8_t *p;
    unsigned i = 0;

    *written = (struct nfs_written){0};
    if (!calls_succeeded(reply, use->op, &operation))
        return false;
    if (use->kind == NFS_USE_WRITE) {
        count = rpcrdma_value(reply, NFS_MARK_RESULT_COUNT, use->op, &i);
        p = count ? octets_at(reply, count->at, COUNT + COMMITTED + VERIFIER) : NULL;
        if (!p)
            return false;
        written->count = count->value;
        written->stable = get_be32(p + COUNT) != 0;
        written->verifier = get_be64(p + COUNT + COMMITTED);
        return true;
    }
    /* In the Reply to COMMIT of version 3, the verifier comes last. */
    if (operation)
        p = octets_at(reply, operation->at + OPCODE + STATUS, VERIFIER);
    else
        p = reply->length >= VERIFIER ? reply->payload + reply->length - VERIFIER : NULL;
    if (p)
        written->verifier = get_be64(p);
    return p != NULL;
}

const struct rpcrdma_item *nfs_data_read(const struct rpcrdma_body *reply, const struct nfs_use *use)
{
    const struct nfs_operation *operation;

    if (!calls_succeeded(reply, use->op, &operation))
        return NULL;
    return calls_item_of(reply, NFS_MARK_DATA, use->op, operation ? operation->index : 0);
}

/* The handle in the GETFH that follows the OPEN, before any operation may set another current file. */
static const struct rpcrdma_item *handle_opened(const struct rpcrdma_body *reply)
{
    const struct nfs_operation *operation = nfs_operation_find(reply, NFS_OP_OPEN);

    if (!operation)
        return NULL;
    for (operation++; operation < reply->operations + reply->n_operations && calls_is_harmless(operation->op);
         operation++)
        if (operation->op == NFS_OP_GETFH)
            return calls_item_of(reply, NFS_MARK_HANDLE, NFS_OP_GETFH, operation->index);
    return NULL;
}

uint64_t nfs_file_created(const struct rpcrdma_body *reply)
{
    const struct rpcrdma_item *handle;

    if (!nfs_understood(reply) || reply->wrapped || !reply->procedure)
        return 0;
    handle = reply->procedure->compound ? handle_opened(reply) : calls_item_of(reply, NFS_MARK_HANDLE, 0, 0);
    return handle ? file_of(reply, handle) : 0;
}
