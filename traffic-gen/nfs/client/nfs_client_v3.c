// SPDX-License-Identifier: GPL-2.0-or-later
/* The NFS client's RPCs of version 3 and its MOUNT: RFC 1813 section 3 and appendix I. */
#include "traffic-gen/nfs/client/nfs_client_internal.h"

#include <string.h>

enum {
    UNCHECKED = 0,
    POST_OCTETS = 88,
    REPLY_OCTETS = 24 + POST_OCTETS + 20, /* headers, status and attributes around data */
};

/* ---- arguments ---- */

static void put_handle(struct xdr_out *out, const struct client_handle *handle)
{
    xdr_out_opaque(out, handle->p, handle->n);
}

/* sattr3: the mode, or the size, or neither. */
static void put_sattr(struct xdr_out *out, const uint32_t *mode, const uint64_t *size)
{
    xdr_out_bool(out, mode);
    if (mode)
        xdr_out_u32(out, *mode);
    xdr_out_bool(out, false);
    xdr_out_bool(out, false);
    xdr_out_bool(out, size);
    if (size)
        xdr_out_u64(out, *size);
    xdr_out_words(out, 0, 0);
}

static CLIENT_PUT(put_create)
{
    const uint32_t mode = 0644;

    client_put_where(client, step, out, how);
    xdr_out_u32(out, UNCHECKED);
    put_sattr(out, &mode, NULL);
}

static CLIENT_PUT(put_mkdir)
{
    const uint32_t mode = 0755;

    client_put_where(client, step, out, how);
    put_sattr(out, &mode, NULL);
}

static CLIENT_PUT(put_symlink)
{
    client_put_where(client, step, out, how);
    put_sattr(out, NULL, NULL);
    xdr_out_eligible(out, step->new_name.p, step->new_name.n);
}

static CLIENT_PUT(put_truncate)
{
    client_put_object(client, step, out, how);
    put_sattr(out, NULL, &step->at);
    xdr_out_bool(out, false); /* no guard */
}

static CLIENT_PUT(put_access)
{
    client_put_object(client, step, out, how);
    xdr_out_u32(out, 0x3f);
}

static CLIENT_PUT(put_readlink)
{
    client_put_object(client, step, out, how);
    client_plan_link(client, how, CLIENT_TARGET_MAX, REPLY_OCTETS);
}

static CLIENT_PUT(put_read)
{
    client_put_object(client, step, out, how);
    xdr_out_u64(out, step->at);
    xdr_out_u32(out, step->n);
    client_plan_data(client, how, step->n, REPLY_OCTETS);
}

static CLIENT_PUT(put_write)
{
    uint8_t *octets = g_malloc(step->n);

    client_put_object(client, step, out, how);
    client_fill(octets, step->n, step->at, client->jobs[client->index].pattern);
    xdr_out_u64(out, step->at);
    xdr_out_u32(out, step->n);
    xdr_out_u32(out, 0); /* UNSTABLE */
    xdr_out_eligible(out, octets, step->n);
    g_free(octets);
}

static CLIENT_PUT(put_commit)
{
    client_put_object(client, step, out, how);
    xdr_out_u64(out, 0);
    xdr_out_u32(out, 0);
}

static CLIENT_PUT(put_list)
{
    client_put_object(client, step, out, how);
    xdr_out_u64(out, step->at);
    xdr_out_u64(out, step->verifier);
    xdr_out_u32(out, step->n); /* of names alone: as many as there is room for */
    xdr_out_u32(out, step->n);
    how->reply_max = REPLY_OCTETS + step->n;
}

/* ---- results ---- */

static void get_attributes(struct xdr *x, struct client_answer *answer)
{
    xdr_skip(x, 20);
    answer->has_size = xdr_u64(x, &answer->size);
    xdr_skip(x, POST_OCTETS - 4 - 28);
}

static void get_post(struct xdr *x)
{
    if (client_get_bool(x))
        xdr_skip(x, POST_OCTETS - 4);
}

static void get_wcc(struct xdr *x)
{
    if (client_get_bool(x))
        xdr_skip(x, 24);
    get_post(x);
}

static CLIENT_GET(get_limits)
{
    uint32_t words[7] = {0};

    if (!client_get_status(x, answer))
        return;
    get_post(x);
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
        xdr_u32(x, &words[i]);
    client->read_max = MIN(client->read_max, MAX(words[0], 1));
    client->write_max = MIN(client->write_max, MAX(words[3], 1));
}

static CLIENT_GET(get_attr)
{
    if (client_get_status(x, answer))
        get_attributes(x, answer);
}

static CLIENT_GET(get_made)
{
    if (!client_get_status(x, answer))
        return;
    answer->needs_lookup = !client_get_bool(x);
    if (!answer->needs_lookup)
        client_get_handle(x, &answer->handle);
}

static CLIENT_GET(get_readlink)
{
    if (!client_get_status(x, answer))
        return;
    get_post(x);
    xdr_opaque(x, &answer->p, &answer->n);
}

static CLIENT_GET(get_read)
{
    uint32_t count = 0;

    if (!client_get_status(x, answer))
        return;
    get_post(x);
    xdr_u32(x, &count);
    answer->eof = client_get_bool(x);
    xdr_opaque(x, &answer->p, &answer->n);
    x->failed |= count != answer->n;
}

static CLIENT_GET(get_write)
{
    uint32_t committed;

    if (!client_get_status(x, answer))
        return;
    get_wcc(x);
    xdr_u32(x, &answer->n);
    xdr_u32(x, &committed);
    xdr_u64(x, &answer->verifier);
}

static CLIENT_GET(get_commit)
{
    if (!client_get_status(x, answer))
        return;
    get_wcc(x);
    xdr_u64(x, &answer->verifier);
}

static CLIENT_GET(get_list)
{
    struct client_handle handle;
    const uint8_t *name;
    uint64_t id;
    uint32_t n;

    if (!client_get_status(x, answer))
        return;
    answer->cookie = step->at;
    get_post(x);
    xdr_u64(x, &answer->verifier);
    while (client_get_bool(x)) {
        xdr_u64(x, &id);
        if (xdr_opaque(x, &name, &n))
            answer->entries += !client_is_dots(name, n);
        xdr_u64(x, &answer->cookie);
        get_post(x);
        if (client_get_bool(x))
            client_get_handle(x, &handle);
    }
    answer->eof = client_get_bool(x);
}

const struct client_dialect client_v3 = {
    .version = 3,
    .mount_version = 3,
    .put_handle = put_handle,
    .get_handle = client_get_handle,
    .rpcs = {[STEP_NULL] = {0, client_put_nothing, client_get_nothing, false},
             [STEP_MOUNT] = {1, client_put_export, client_get_file, true},
             [STEP_UNMOUNT] = {3, client_put_export, client_get_nothing, true},
             [STEP_LIMITS] = {19, client_put_object, get_limits, false},
             [STEP_LOOKUP] = {3, client_put_where, client_get_file, false},
             [STEP_CREATE] = {8, put_create, get_made, false},
             [STEP_OPEN] = {3, client_put_where, client_get_file, false},
             [STEP_WRITE] = {7, put_write, get_write, false},
             [STEP_COMMIT] = {21, put_commit, get_commit, false},
             [STEP_READ] = {6, put_read, get_read, false},
             [STEP_LIST] = {17, put_list, get_list, false},
             [STEP_ATTRIBUTES] = {1, client_put_object, get_attr, false},
             [STEP_ACCESS] = {4, put_access, client_get_status_only, false},
             [STEP_TRUNCATE] = {2, put_truncate, client_get_status_only, false},
             [STEP_MKDIR] = {9, put_mkdir, get_made, false},
             [STEP_SYMLINK] = {10, put_symlink, get_made, false},
             [STEP_READLINK] = {5, put_readlink, get_readlink, false},
             [STEP_RENAME] = {14, client_put_rename, client_get_status_only, false},
             [STEP_LINK] = {15, client_put_link, client_get_status_only, false},
             [STEP_REMOVE] = {12, client_put_where, client_get_status_only, false},
             [STEP_RMDIR] = {13, client_put_where, client_get_status_only, false},
             [STEP_STATFS] = {18, client_put_object, client_get_status_only, false}},
    .before = {STEP_MOUNT, STEP_LIMITS},
    .after = {STEP_UNMOUNT},
};
