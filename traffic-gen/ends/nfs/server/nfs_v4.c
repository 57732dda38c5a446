// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * COMPOUND of NFSv4: executes operations one after another until one fails (RFC 7530 section 15.2, RFC 8881 section
 * 16.2, RFC 7862), and the table of operations.
 */
#include "traffic-gen/ends/nfs/server/nfs_v4_internal.h"

enum { OP_FIRST = 3, OP_SETATTR = 34, OP_SEQUENCE = 53, OP_ILLEGAL = 10044, MINOR_MAX = 2 };

/*
 * Reserved octets: the largest result of a modifying operation, without opcode and status, so that it is not executed
 * if its result could not be returned (RFC 8881 section 2.10.6.4).
 */
enum { CHANGE = 20, STATEID = 16, MASK = 16, OPEN = STATEID + CHANGE + 4 + MASK + 4 + STATEID + 4 + 12 + 16 };

static const struct nfs4_op operations[] = {
    [OP_FIRST] = {nfs4_access, 0, 2, NFS4_NEEDS_HANDLE, 0},
    [4] = {nfs4_close, 0, 2, NFS4_NEEDS_HANDLE, STATEID},
    [5] = {nfs4_commit, 0, 2, NFS4_NEEDS_HANDLE, 0},
    [6] = {nfs4_create, 0, 2, NFS4_NEEDS_HANDLE, CHANGE + MASK},
    [7] = {nfs4_delegpurge, 0, 2, 0, 0},
    [8] = {nfs4_delegreturn, 0, 2, NFS4_NEEDS_HANDLE, 4},
    [9] = {nfs4_getattr, 0, 2, NFS4_NEEDS_HANDLE, 0},
    [10] = {nfs4_getfh, 0, 2, NFS4_NEEDS_HANDLE, 0},
    [11] = {nfs4_link, 0, 2, NFS4_NEEDS_HANDLE, CHANGE},
    [12] = {nfs4_lock, 0, 2, NFS4_NEEDS_HANDLE, STATEID},
    [13] = {nfs4_lockt, 0, 2, NFS4_NEEDS_HANDLE, 0},
    [14] = {nfs4_locku, 0, 2, NFS4_NEEDS_HANDLE, STATEID},
    [15] = {nfs4_lookup, 0, 2, NFS4_NEEDS_HANDLE, 0},
    [16] = {nfs4_lookupp, 0, 2, NFS4_NEEDS_HANDLE, 0},
    [17] = {nfs4_nverify, 0, 2, NFS4_NEEDS_HANDLE, 0},
    [18] = {nfs4_open, 0, 2, NFS4_NEEDS_HANDLE, OPEN},
    [19] = {NULL, 0, 2, 0, 0}, /* OPENATTR */
    [20] = {nfs4_open_confirm, 0, 0, NFS4_NEEDS_HANDLE, STATEID},
    [21] = {nfs4_open_downgrade, 0, 2, NFS4_NEEDS_HANDLE, STATEID},
    [22] = {nfs4_putfh, 0, 2, 0, 0},
    [23] = {nfs4_putrootfh, 0, 2, 0, 0}, /* PUTPUBFH: the public file handle is the root's */
    [24] = {nfs4_putrootfh, 0, 2, 0, 0},
    [25] = {nfs4_read, 0, 2, NFS4_NEEDS_HANDLE, 0},
    [26] = {nfs4_readdir, 0, 2, NFS4_NEEDS_HANDLE, 0},
    [27] = {nfs4_readlink, 0, 2, NFS4_NEEDS_HANDLE, 0},
    [28] = {nfs4_remove, 0, 2, NFS4_NEEDS_HANDLE, CHANGE},
    [29] = {nfs4_rename, 0, 2, NFS4_NEEDS_HANDLE, 2 * CHANGE},
    [30] = {nfs4_renew, 0, 0, 0, 0},
    [31] = {nfs4_restorefh, 0, 2, 0, 0},
    [32] = {nfs4_savefh, 0, 2, NFS4_NEEDS_HANDLE, 0},
    [33] = {nfs4_secinfo, 0, 2, NFS4_NEEDS_HANDLE, 0},
    [OP_SETATTR] = {nfs4_setattr, 0, 2, NFS4_NEEDS_HANDLE, MASK},
    [35] = {nfs4_setclientid, 0, 0, 0, 16},
    [36] = {nfs4_setclientid_confirm, 0, 0, 0, 4},
    [37] = {nfs4_verify, 0, 2, NFS4_NEEDS_HANDLE, 0},
    [38] = {nfs4_write, 0, 2, NFS4_NEEDS_HANDLE, 16},
    [39] = {nfs4_release_lockowner, 0, 0, 0, 4},
    [40] = {nfs4_backchannel_ctl, 1, 2, 0, 4},
    [41] = {nfs4_bind_conn_to_session, 1, 2, NFS4_OUTSIDE | NFS4_ALONE, 24},
    [42] = {nfs4_exchange_id, 1, 2, NFS4_OUTSIDE, 128},
    [43] = {nfs4_create_session, 1, 2, NFS4_OUTSIDE, 96},
    [44] = {nfs4_destroy_session, 1, 2, NFS4_OUTSIDE, 4},
    [45] = {nfs4_free_stateid, 1, 2, 0, 4},
    [46] = {NULL, 1, 2, 0, 0}, /* GET_DIR_DELEGATION */
    [47] = {NULL, 1, 2, 0, 0}, /* GETDEVICEINFO */
    [48] = {NULL, 1, 2, 0, 0}, /* GETDEVICELIST */
    [49] = {NULL, 1, 2, 0, 0}, /* LAYOUTCOMMIT */
    [50] = {NULL, 1, 2, 0, 0}, /* LAYOUTGET */
    [51] = {NULL, 1, 2, 0, 0}, /* LAYOUTRETURN */
    [52] = {nfs4_secinfo_no_name, 1, 2, NFS4_NEEDS_HANDLE, 0},
    [OP_SEQUENCE] = {nfs4_sequence, 1, 2, NFS4_OUTSIDE, 36},
    [54] = {NULL, 1, 2, 0, 0}, /* SET_SSV */
    [55] = {nfs4_test_stateid, 1, 2, 0, 0},
    [56] = {NULL, 1, 2, 0, 0}, /* WANT_DELEGATION */
    [57] = {nfs4_destroy_clientid, 1, 2, NFS4_OUTSIDE, 4},
    [58] = {nfs4_reclaim_complete, 1, 2, 0, 4},
    [59] = {nfs4_allocate, 2, 2, NFS4_NEEDS_HANDLE, 4},
    [60] = {nfs4_copy, 2, 2, NFS4_NEEDS_HANDLE, 32},
    [61] = {NULL, 2, 2, 0, 0}, /* COPY_NOTIFY */
    [62] = {nfs4_deallocate, 2, 2, NFS4_NEEDS_HANDLE, 4},
    [63] = {nfs4_io_advise, 2, 2, NFS4_NEEDS_HANDLE, 0},
    [64] = {NULL, 2, 2, 0, 0}, /* LAYOUTERROR */
    [65] = {NULL, 2, 2, 0, 0}, /* LAYOUTSTATS */
    [66] = {nfs4_offload, 2, 2, NFS4_NEEDS_HANDLE, 0},
    [67] = {nfs4_offload, 2, 2, NFS4_NEEDS_HANDLE, 0},
    [68] = {nfs4_read_plus, 2, 2, NFS4_NEEDS_HANDLE, 0},
    [69] = {nfs4_seek, 2, 2, NFS4_NEEDS_HANDLE, 0},
    [70] = {NULL, 2, 2, 0, 0}, /* WRITE_SAME */
    [71] = {nfs4_clone, 2, 2, NFS4_NEEDS_HANDLE, 4},
    [72] = {nfs4_getxattr, 2, 2, NFS4_NEEDS_HANDLE, 0},
    [73] = {nfs4_setxattr, 2, 2, NFS4_NEEDS_HANDLE, CHANGE},
    [74] = {nfs4_listxattrs, 2, 2, NFS4_NEEDS_HANDLE, 0},
    [75] = {nfs4_removexattr, 2, 2, NFS4_NEEDS_HANDLE, CHANGE},
};

/* The last operation of each minor version: higher numbers are illegal, lower numbers may be unsupported. */
static const uint32_t last_op[MINOR_MAX + 1] = {39, 58, G_N_ELEMENTS(operations) - 1};

/* ---- XDR ---- */

struct nfs4_stateid nfs4_get_stateid(struct xdr *in)
{
    struct nfs4_stateid stateid = {.seqid = nfs_get_u32(in)};

    memcpy(stateid.other, nfs_get_fixed(in, NFS4_OTHER_SIZE), NFS4_OTHER_SIZE);
    return stateid;
}

void nfs4_put_stateid(struct xdr_out *out, const struct nfs4_stateid *stateid)
{
    xdr_out_u32(out, stateid->seqid);
    xdr_out_fixed(out, stateid->other, NFS4_OTHER_SIZE);
}

void nfs4_put_change(struct nfs4_call *call, uint64_t before, uint64_t node)
{
    xdr_out_bool(call->out, true); /* atomic: nothing can intervene */
    xdr_out_u64(call->out, before);
    xdr_out_u64(call->out, nfs4_change_of(call, node));
}

/* ---- one operation ---- */

/* RFC 8881 section 2.10.6.4: sizes of Replies. */
static int too_big(const struct nfs4_call *call, size_t octets)
{
    if (octets > call->limit)
        return call->minor == 0 ? NFS4ERR_RESOURCE : NFS4ERR_REP_TOO_BIG;
    if (call->cache_this && octets > call->session->fore.max_cached)
        return NFS4ERR_REP_TOO_BIG_TO_CACHE;
    return NFS4_OK;
}

/* Where sessions want it: RFC 8881 sections 2.10.6.1 and 18.46. */
static int check_place(const struct nfs4_call *call, uint32_t number, const struct nfs4_op *op)
{
    if (call->minor == 0)
        return call->index < NFS4_OPS_MAX ? NFS4_OK : NFS4ERR_RESOURCE;
    if (number == OP_SEQUENCE)
        return call->index == 0 ? NFS4_OK : NFS4ERR_SEQUENCE_POS;
    if (call->index == 0) {
        if (!(op->flags & NFS4_OUTSIDE))
            return NFS4ERR_OP_NOT_IN_SESSION;
        return call->n_ops == 1 ? NFS4_OK : NFS4ERR_NOT_ONLY_OP;
    }
    return op->flags & NFS4_ALONE ? NFS4ERR_NOT_ONLY_OP : NFS4_OK;
}

static int check_op(const struct nfs4_call *call, uint32_t number, const struct nfs4_op *op)
{
    int status = call->uncached ? NFS4ERR_RETRY_UNCACHED_REP : check_place(call, number, op);

    if (status != NFS4_OK)
        return status;
    /* Later minor versions dropped some operations of minor version 0. */
    if (!op->serve || call->minor < op->first || call->minor > op->last)
        return NFS4ERR_NOTSUPP;
    if (op->flags & NFS4_NEEDS_HANDLE && call->current == 0)
        return NFS4ERR_NOFILEHANDLE;
    return op->reserve > 0 ? too_big(call, xdr_out_at(call->out) + op->reserve) : NFS4_OK;
}

/* The status before a result that may be kept or taken back. */
static void v4_put_status(struct nfs4_call *call, uint32_t number, size_t result, int status)
{
    if (status != NFS4_OK && !call->keep_result) {
        xdr_out_cut(call->out, result + 4);
        if (number == OP_SETATTR) /* alone it has a result whatever its status is */
            xdr_out_u32(call->out, 0);
    }
    xdr_out_set_u32(call->out, result, (uint32_t)status);
    if (call->owner)
        nfs4_owner_keep(call, status, result);
}

static int v4_serve_op(struct nfs4_call *call, uint32_t number, const struct nfs4_op *op)
{
    const size_t result = xdr_out_at(call->out), start = call->in->at;
    struct nfs_walk_result walk = {0};
    int status;

    xdr_out_u32(call->out, NFS4_OK);
    call->op = number;
    call->owner = NULL;
    call->keep_result = false;
    status = check_op(call, number, op);
    if (status == NFS4_OK)
        status = nfs_walk_operation(number, call->in->p + call->in->at, xdr_left(call->in), &walk) == NFS_WALK_OK
                     ? op->serve(call)
                     : NFS4ERR_BADXDR;
    call->in->at = start + walk.at;
    if (call->replayed)
        return status;
    if (status == NFS4_REPLAYED)
        return (int)get_be32(call->out->octets->data + result);
    if ((status == NFS4_OK && op->reserve == 0) || call->keep_result) {
        int size = too_big(call, xdr_out_at(call->out));

        if (size != NFS4_OK) {
            status = size;
            call->keep_result = false;
        }
    }
    v4_put_status(call, number, result, status);
    return status;
}

static int v4_next_op(struct nfs4_call *call)
{
    const struct nfs4_op *op = NULL;
    uint32_t number;

    if (!xdr_u32(call->in, &number)) {
        xdr_out_words(call->out, OP_ILLEGAL, NFS4ERR_BADXDR);
        return NFS4ERR_BADXDR;
    }
    if (number >= OP_FIRST && number <= last_op[call->minor])
        op = &operations[number];
    if (!op) {
        xdr_out_words(call->out, OP_ILLEGAL, NFS4ERR_OP_ILLEGAL);
        return NFS4ERR_OP_ILLEGAL;
    }
    xdr_out_u32(call->out, number);
    return v4_serve_op(call, number, op);
}

/* ---- the COMPOUND ---- */

static void v4_serve_compound(struct nfs_call *rpc)
{
    struct nfs4_call call = {.rpc = rpc,
                             .v4 = rpc->server->v4,
                             .tree = rpc->server->tree,
                             .in = &rpc->in,
                             .out = rpc->out,
                             .limit = rpc->room};
    size_t start = xdr_out_at(rpc->out), count_at;
    const struct nfs_opaque tag = nfs_get_opaque(call.in);
    int status = NFS4_OK;

    call.minor = nfs_get_u32(call.in);
    call.n_ops = nfs_get_u32(call.in);
    /* An operation takes at least four octets, which limits their number. */
    rpc->garbage = call.in->failed || call.n_ops > xdr_left(call.in) / 4;
    call.rpc_start = start;
    xdr_out_u32(call.out, NFS4_OK);
    xdr_out_opaque(call.out, tag.p, tag.n);
    count_at = xdr_out_at(call.out);
    xdr_out_u32(call.out, 0);
    if (call.minor > MINOR_MAX)
        xdr_out_set_u32(call.out, start, NFS4ERR_MINOR_VERS_MISMATCH);
    if (rpc->garbage || call.minor > MINOR_MAX)
        return;
    for (; call.index < call.n_ops && status == NFS4_OK; call.index++) {
        status = v4_next_op(&call);
        if (call.replayed)
            return;
    }
    xdr_out_set_u32(call.out, start, (uint32_t)status);
    xdr_out_set_u32(call.out, count_at, call.index);
    if (call.slot)
        nfs4_slot_keep(&call, start);
}

static nfs_serve *const procedures[] = {NULL, v4_serve_compound};

const struct nfs_version nfs_v4 = {
    .program = NFS_PROGRAM, .version = 4, .n_procedures = G_N_ELEMENTS(procedures), .procedures = procedures};

/* ---- life ---- */

static guint session_hash(gconstpointer id)
{
    return (guint)get_be32((const uint8_t *)id + NFS4_SESSION_OCTETS - 4);
}

static gboolean session_equal(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, NFS4_SESSION_OCTETS) == 0;
}

static void begin_boot(struct nfs4 *v4)
{
    v4->boot = (uint32_t)random_next(&v4->server->random) | 1; /* not 0: stateids of zeros are special */
}

static void forget_clients(struct nfs4 *v4)
{
    GHashTableIter iter;
    gpointer client;

    for (g_hash_table_iter_init(&iter, v4->clients); g_hash_table_iter_next(&iter, NULL, &client);
         g_hash_table_iter_init(&iter, v4->clients))
        nfs4_client_free(client);
}

void nfs4_restart(struct nfs_server *server)
{
    struct nfs4 *v4 = server->v4;

    forget_clients(v4);
    nfs4_lose_write(v4);
    g_hash_table_remove_all(v4->callbacks);
    g_array_set_size(v4->recalls, 0);
    v4->callbacks_due = false;
    begin_boot(v4);
    v4->grace_until = nfs_now(server) + (int64_t)server->options.grace_s * 1000000000;
}

bool nfs4_in_grace(const struct nfs4 *v4)
{
    return v4->grace_until > 0 && nfs_now(v4->server) < v4->grace_until;
}

void nfs4_begin(struct nfs_server *server)
{
    struct nfs4 *v4 = g_new0(struct nfs4, 1);

    v4->server = server;
    begin_boot(v4);
    v4->last_xid = (uint32_t)random_next(&server->random);
    v4->clients = g_hash_table_new(g_int64_hash, g_int64_equal);
    v4->sessions = g_hash_table_new(session_hash, session_equal);
    v4->states = g_hash_table_new(g_int64_hash, g_int64_equal);
    v4->files = g_hash_table_new(g_int64_hash, g_int64_equal);
    v4->xattrs = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, nfs4_xattrs_free);
    v4->callbacks = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, g_free);
    v4->recalls = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    server->v4 = v4;
}

void nfs4_end(struct nfs_server *server)
{
    struct nfs4 *v4 = server->v4;

    forget_clients(v4);
    g_hash_table_unref(v4->clients);
    g_hash_table_unref(v4->sessions);
    g_hash_table_unref(v4->states);
    g_hash_table_unref(v4->files);
    g_hash_table_unref(v4->xattrs);
    g_hash_table_unref(v4->callbacks);
    g_array_unref(v4->recalls);
    if (v4->replaced)
        g_byte_array_unref(v4->replaced);
    g_free(v4);
    server->v4 = NULL;
}
