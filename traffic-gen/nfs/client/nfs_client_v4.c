// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The NFS client's COMPOUNDs on names and attributes, of all minor versions: RFC 7530 section 16, RFC 8881 section 18.
 * Each begins with SEQUENCE from minor version 1 on. Open files are in nfs_client_v4_files.c, set-up and tear-down in
 * nfs_client_v4_setup.c.
 */
#include "traffic-gen/nfs/client/nfs_client_v4.h"

#include <string.h>

enum {
    NF4DIR = 2,
    NF4LNK = 5,
    ATTR_TYPE = 1 << 1,
    ATTR_SIZE = 1 << 4,
    ATTR_RDATTR_ERROR = 1 << 11,
    ATTR_MAXREAD = 1 << 30,
    ATTR_FILEID = 1 << 20,
    ATTR_MODE = 1 << 1,                       /* of the second word */
    ATTR_SPACE = 1 << 10 | 1 << 11 | 1 << 12, /* avail, free, total; likewise */
};

#define ATTR_MAXWRITE (UINT32_C(1) << 31)

/* ---- COMPOUNDs ---- */

void v4_begin_plain(struct nfs_client *client, struct xdr_out *out)
{
    xdr_out_opaque(out, NULL, 0); /* tag */
    xdr_out_u32(out, client->options.minor);
    client->v4.count_at = xdr_out_at(out);
    client->v4.n_ops = 0;
    xdr_out_u32(out, 0);
}

void v4_op(struct nfs_client *client, struct xdr_out *out, uint32_t op)
{
    xdr_out_set_u32(out, client->v4.count_at, ++client->v4.n_ops);
    xdr_out_u32(out, op);
}

void v4_begin(struct nfs_client *client, const struct client_step *step, struct xdr_out *out)
{
    v4_begin_plain(client, out);
    if (client->options.minor == 0)
        return;
    v4_op(client, out, NFS_OP_SEQUENCE);
    xdr_out_fixed(out, client->v4.session, sizeof client->v4.session);
    xdr_out_words(out, client->v4.slots[step->slot], step->slot, client->options.depth - 1);
    xdr_out_bool(out, false); /* not to be cached */
    v4_put_returns(client, step, out);
}

static void put_handle(struct nfs_client *client, struct xdr_out *out, const struct client_handle *handle)
{
    v4_op(client, out, NFS_OP_PUTFH);
    xdr_out_opaque(out, handle->p, handle->n);
}

/* SEQUENCE if the version has it, and the handle that the rest is about. */
void v4_begin_on(struct nfs_client *client, const struct client_step *step, struct xdr_out *out)
{
    v4_begin(client, step, out);
    put_handle(client, out, &step->handle);
}

void v4_begin_op(struct nfs_client *client, const struct client_step *step, struct xdr_out *out, uint32_t op)
{
    v4_begin_on(client, step, out);
    v4_op(client, out, op);
}

/* fattr4: the mode alone. */
void v4_put_mode(struct xdr_out *out, uint32_t mode)
{
    xdr_out_words(out, 2, 0, ATTR_MODE, 4, mode);
}

bool v4_get_begin_plain(struct xdr *x, struct client_answer *answer)
{
    const uint8_t *tag;
    uint32_t n, count;

    (void)answer; /* the status of the COMPOUND is that of its last operation */
    return xdr_u32(x, &n) && xdr_opaque(x, &tag, &n) && xdr_u32(x, &count);
}

bool v4_get_op(struct xdr *x, uint32_t op, struct client_answer *answer)
{
    uint32_t found = 0;

    if (!xdr_u32(x, &found))
        return false;
    x->failed |= found != op;
    return client_get_status(x, answer);
}

bool v4_get_begin(struct nfs_client *client, const struct client_step *step, struct xdr *x,
                  struct client_answer *answer)
{
    if (!v4_get_begin_plain(x, answer))
        return false;
    if (client->options.minor == 0)
        return true;
    if (!v4_get_op(x, NFS_OP_SEQUENCE, answer))
        return false;
    client->v4.slots[step->slot]++;
    return xdr_skip(x, sizeof client->v4.session) && xdr_skip(x, 20) && v4_get_returns(client, step, x, answer);
}

bool v4_get_begin_on(struct nfs_client *client, const struct client_step *step, struct xdr *x,
                     struct client_answer *answer)
{
    return v4_get_begin(client, step, x, answer) && v4_get_op(x, NFS_OP_PUTFH, answer);
}

bool v4_get_begin_op(struct nfs_client *client, const struct client_step *step, struct xdr *x, uint32_t op,
                     struct client_answer *answer)
{
    return v4_get_begin_on(client, step, x, answer) && v4_get_op(x, op, answer);
}

void v4_get_handle(struct xdr *x, struct client_answer *answer)
{
    if (v4_get_op(x, V4_OP_GETFH, answer))
        client_get_handle(x, &answer->handle);
}

/* bitmap4: its first two words. */
void v4_get_bitmap(struct xdr *x, uint32_t words[2])
{
    uint32_t n = 0, word;

    words[0] = words[1] = 0;
    xdr_u32(x, &n);
    for (uint32_t i = 0; i < n && xdr_u32(x, i < 2 ? &words[i] : &word); i++)
        ;
}

/* ---- the root ---- */

static CLIENT_PUT(put_mount)
{
    const char *path = client->options.export;
    size_t n;

    v4_begin(client, step, out);
    v4_op(client, out, NFS_OP_PUTROOTFH);
    while (*(path += strspn(path, "/"))) {
        n = strcspn(path, "/");
        v4_op(client, out, V4_OP_LOOKUP);
        xdr_out_opaque(out, path, (uint32_t)n);
        path += n;
    }
    v4_op(client, out, V4_OP_GETFH);
    v4_op(client, out, NFS_OP_GETATTR);
    xdr_out_words(out, 1, ATTR_MAXREAD | ATTR_MAXWRITE);
}

static CLIENT_GET(get_mount)
{
    const char *path = client->options.export;
    uint32_t words[2], n;
    uint64_t max;

    if (!v4_get_begin(client, step, x, answer) || !v4_get_op(x, NFS_OP_PUTROOTFH, answer))
        return;
    while (*(path += strspn(path, "/"))) {
        path += strcspn(path, "/");
        if (!v4_get_op(x, V4_OP_LOOKUP, answer))
            return;
    }
    v4_get_handle(x, answer);
    if (answer->status != CLIENT_STATUS_OK || !v4_get_op(x, NFS_OP_GETATTR, answer))
        return;
    v4_get_bitmap(x, words);
    xdr_u32(x, &n);
    if (words[0] & ATTR_MAXREAD && xdr_u64(x, &max))
        client->read_max = (uint32_t)MIN(client->read_max, MAX(max, 1));
    if (words[0] & ATTR_MAXWRITE && xdr_u64(x, &max))
        client->write_max = (uint32_t)MIN(client->write_max, MAX(max, 1));
}

/* ---- names ---- */

static CLIENT_PUT(put_lookup)
{
    v4_begin_op(client, step, out, V4_OP_LOOKUP);
    client_put_name(out, &step->name);
    v4_op(client, out, V4_OP_GETFH);
}

static CLIENT_GET(get_lookup)
{
    if (v4_get_begin_op(client, step, x, V4_OP_LOOKUP, answer))
        v4_get_handle(x, answer);
}

static void put_creation(struct nfs_client *client, const struct client_step *step, struct xdr_out *out, uint32_t kind)
{
    v4_begin_op(client, step, out, NFS_OP_CREATE);
    xdr_out_u32(out, kind);
    if (kind == NF4LNK)
        xdr_out_eligible(out, step->new_name.p, step->new_name.n);
    client_put_name(out, &step->name);
    v4_put_mode(out, kind == NF4LNK ? 0777 : 0755);
}

static CLIENT_PUT(put_mkdir)
{
    put_creation(client, step, out, NF4DIR);
}

static CLIENT_PUT(put_symlink)
{
    put_creation(client, step, out, NF4LNK);
}

/* The results that are a status and nothing else of interest. */
static CLIENT_GET(get_done)
{
    v4_get_begin_op(client, step, x, client->dialect->rpcs[step->kind].op, answer);
}

static CLIENT_PUT(put_remove)
{
    v4_begin_op(client, step, out, NFS_OP_REMOVE);
    client_put_name(out, &step->name);
}

/* Both have a saved handle beside the current one. */
static void begin_on_two(struct nfs_client *client, const struct client_step *step, struct xdr_out *out)
{
    v4_begin_op(client, step, out, V4_OP_SAVEFH);
    put_handle(client, out, &step->other);
}

static CLIENT_PUT(put_rename)
{
    begin_on_two(client, step, out);
    v4_op(client, out, NFS_OP_RENAME);
    client_put_name(out, &step->name);
    client_put_name(out, &step->new_name);
}

static CLIENT_GET(get_done_on_two)
{
    if (v4_get_begin_op(client, step, x, V4_OP_SAVEFH, answer) && v4_get_op(x, NFS_OP_PUTFH, answer))
        v4_get_op(x, client->dialect->rpcs[step->kind].op, answer);
}

static CLIENT_PUT(put_link)
{
    begin_on_two(client, step, out);
    v4_op(client, out, NFS_OP_LINK);
    client_put_name(out, &step->new_name);
}

static CLIENT_PUT(put_list)
{
    v4_begin_op(client, step, out, NFS_OP_READDIR);
    xdr_out_u64(out, step->at);
    xdr_out_u64(out, step->verifier);
    xdr_out_words(out, step->n, step->n, 1, ATTR_TYPE | ATTR_RDATTR_ERROR | ATTR_FILEID);
    how->reply_max = V4_REPLY_OCTETS + step->n;
}

static CLIENT_GET(get_list)
{
    const uint8_t *p;
    uint32_t words[2], n;

    if (!v4_get_begin_op(client, step, x, NFS_OP_READDIR, answer))
        return;
    answer->cookie = step->at;
    xdr_u64(x, &answer->verifier);
    while (client_get_bool(x)) {
        xdr_u64(x, &answer->cookie);
        xdr_opaque(x, &p, &n);
        v4_get_bitmap(x, words);
        xdr_opaque(x, &p, &n);
        answer->entries++;
    }
    answer->eof = client_get_bool(x);
}

/* ---- attributes ---- */

static void put_getattr(struct nfs_client *client, struct xdr_out *out, uint32_t first, uint32_t second)
{
    v4_op(client, out, NFS_OP_GETATTR);
    xdr_out_words(out, second ? 2 : 1, first);
    if (second)
        xdr_out_u32(out, second);
}

static CLIENT_PUT(put_attributes)
{
    v4_begin_on(client, step, out);
    put_getattr(client, out, ATTR_TYPE | ATTR_SIZE, 0);
}

static CLIENT_PUT(put_statfs)
{
    v4_begin_on(client, step, out);
    put_getattr(client, out, 0, ATTR_SPACE);
}

static CLIENT_GET(get_attributes)
{
    uint32_t words[2], n;

    if (!v4_get_begin_op(client, step, x, NFS_OP_GETATTR, answer))
        return;
    v4_get_bitmap(x, words);
    xdr_u32(x, &n);
    if (words[0] & ATTR_TYPE)
        xdr_skip(x, 4);
    if (words[0] & ATTR_SIZE)
        answer->has_size = xdr_u64(x, &answer->size);
}

static CLIENT_PUT(put_access)
{
    v4_begin_op(client, step, out, NFS_OP_ACCESS);
    xdr_out_u32(out, 0x3f);
}

static CLIENT_PUT(put_truncate)
{
    static const uint8_t anonymous[16];

    v4_begin_op(client, step, out, NFS_OP_SETATTR);
    xdr_out_fixed(out, anonymous, sizeof anonymous);
    xdr_out_words(out, 1, ATTR_SIZE, 8);
    xdr_out_u64(out, step->at);
}

/* ---- what the minor versions have in common, and what they do not ---- */

#define FILE_RPCS                                                                                                      \
    [STEP_NULL] = {0, client_put_nothing, client_get_nothing}, [STEP_MOUNT] = {1, put_mount, get_mount},               \
    [STEP_LOOKUP] = {1, put_lookup, get_lookup}, [STEP_CREATE] = {1, v4_put_create, v4_get_open},                      \
    [STEP_OPEN] = {1, v4_put_open_file, v4_get_open}, [STEP_WRITE] = {1, v4_put_write, v4_get_write},                  \
    [STEP_COMMIT] = {1, v4_put_commit, v4_get_commit}, [STEP_READ] = {1, v4_put_read, v4_get_read},                    \
    [STEP_CLOSE] = {1, v4_put_close, v4_get_close}, [STEP_LIST] = {1, put_list, get_list},                             \
    [STEP_ATTRIBUTES] = {1, put_attributes, get_attributes},                                                           \
    [STEP_ACCESS] = {1, put_access, get_done, false, NFS_OP_ACCESS},                                                   \
    [STEP_TRUNCATE] = {1, put_truncate, get_done, false, NFS_OP_SETATTR},                                              \
    [STEP_MKDIR] = {1, put_mkdir, get_done, false, NFS_OP_CREATE},                                                     \
    [STEP_SYMLINK] = {1, put_symlink, get_done, false, NFS_OP_CREATE},                                                 \
    [STEP_READLINK] = {1, v4_put_readlink, v4_get_readlink},                                                           \
    [STEP_RENAME] = {1, put_rename, get_done_on_two, false, NFS_OP_RENAME},                                            \
    [STEP_LINK] = {1, put_link, get_done_on_two, false, NFS_OP_LINK},                                                  \
    [STEP_REMOVE] = {1, put_remove, get_done, false, NFS_OP_REMOVE},                                                   \
    [STEP_RMDIR] = {1, put_remove, get_done, false, NFS_OP_REMOVE}, [STEP_STATFS] = {1, put_statfs, get_attributes}

const struct client_dialect client_v40 = {
    .version = 4,
    .rpcs = {FILE_RPCS, [STEP_OPEN_CONFIRM] = {1, v4_put_open_confirm, v4_get_open_confirm},
             [STEP_CLIENT] = {1, v4_put_setclientid, v4_get_setclientid},
             [STEP_CONFIRM] = {1, v4_put_confirm, v4_get_done_plain, false, V4_OP_SETCLIENTID_CONFIRM}},
    .before = {STEP_CLIENT, STEP_CONFIRM, STEP_MOUNT},
};

const struct client_dialect client_v41 = {
    .version = 4,
    .rpcs = {FILE_RPCS, [STEP_CLIENT] = {1, v4_put_exchange_id, v4_get_exchange_id},
             [STEP_SESSION] = {1, v4_put_create_session, v4_get_create_session},
             [STEP_RECLAIMED] = {1, v4_put_reclaim_complete, v4_get_reclaim_complete},
             [STEP_RETURN] = {1, v4_put_return, v4_get_return},
             [STEP_END_SESSION] = {1, v4_put_destroy_session, v4_get_done_plain, false, NFS_OP_DESTROY_SESSION},
             [STEP_END_CLIENT] = {1, v4_put_destroy_client, v4_get_done_plain, false, V4_OP_DESTROY_CLIENTID}},
    .before = {STEP_CLIENT, STEP_SESSION, STEP_RECLAIMED, STEP_MOUNT},
    .after = {STEP_RETURN, STEP_END_SESSION, STEP_END_CLIENT},
};
