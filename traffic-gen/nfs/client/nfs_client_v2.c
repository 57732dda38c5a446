// SPDX-License-Identifier: GPL-2.0-or-later
/* The NFS client's RPCs of version 2: RFC 1094 section 2.2. */
#include "traffic-gen/nfs/client/nfs_client_internal.h"

#include <string.h>

enum { HANDLE = 32, UNSET = -1, ATTRIBUTES = 68, REPLY_OCTETS = 24 + 4 + ATTRIBUTES + 4, TARGET_MAX = 1024 };

/* ---- arguments ---- */

static void put_handle(struct xdr_out *out, const struct client_handle *handle)
{
    uint8_t octets[HANDLE] = {0};

    memcpy(octets, handle->p, MIN(handle->n, HANDLE));
    xdr_out_fixed(out, octets, HANDLE);
}

static void put_sattr(struct xdr_out *out, uint32_t mode, uint32_t size)
{
    const uint32_t words[] = {
        mode,           (uint32_t)UNSET, (uint32_t)UNSET, size, (uint32_t)UNSET, (uint32_t)UNSET, (uint32_t)UNSET,
        (uint32_t)UNSET};

    for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
        xdr_out_u32(out, words[i]);
}

CLIENT_PUT(put_object)
{
    CLIENT_UNUSED_PUT;
    put_handle(out, &step->handle);
}

CLIENT_PUT(put_where)
{
    put_object(client, step, out, how);
    client_put_name(out, &step->name);
}

CLIENT_PUT(put_create)
{
    put_where(client, step, out, how);
    put_sattr(out, 0644, (uint32_t)UNSET);
}

CLIENT_PUT(put_mkdir)
{
    put_where(client, step, out, how);
    put_sattr(out, 0755, (uint32_t)UNSET);
}

CLIENT_PUT(put_symlink)
{
    put_where(client, step, out, how);
    xdr_out_eligible(out, step->new_name.p, step->new_name.n);
    put_sattr(out, 0777, (uint32_t)UNSET);
}

CLIENT_PUT(put_truncate)
{
    put_object(client, step, out, how);
    put_sattr(out, (uint32_t)UNSET, (uint32_t)step->at);
}

CLIENT_PUT(put_readlink)
{
    put_object(client, step, out, how);
    client_plan_link(client, how, TARGET_MAX, REPLY_OCTETS);
}

CLIENT_PUT(put_read)
{
    put_object(client, step, out, how);
    xdr_out_u32(out, (uint32_t)step->at);
    xdr_out_u32(out, step->n);
    xdr_out_u32(out, 0);
    client_plan_data(client, how, step->n, REPLY_OCTETS);
}

CLIENT_PUT(put_write)
{
    uint8_t *octets = g_malloc(step->n);

    put_object(client, step, out, how);
    client_fill(octets, step->n, step->at, client->jobs[client->index].pattern);
    xdr_out_u32(out, 0);
    xdr_out_u32(out, (uint32_t)step->at);
    xdr_out_u32(out, 0);
    xdr_out_eligible(out, octets, step->n);
    g_free(octets);
}

CLIENT_PUT(put_list)
{
    put_object(client, step, out, how);
    xdr_out_u32(out, (uint32_t)step->at);
    xdr_out_u32(out, step->n);
    how->reply_max = REPLY_OCTETS + step->n;
}

CLIENT_PUT(put_rename)
{
    put_where(client, step, out, how);
    put_handle(out, &step->other);
    client_put_name(out, &step->new_name);
}

CLIENT_PUT(put_link)
{
    put_object(client, step, out, how);
    put_handle(out, &step->other);
    client_put_name(out, &step->new_name);
}

/* ---- results ---- */

static void get_handle(struct xdr *x, struct client_handle *handle)
{
    const uint8_t *p = x->p + x->at;

    if (!xdr_skip(x, HANDLE))
        return;
    memcpy(handle->p, p, HANDLE);
    handle->n = HANDLE;
}

CLIENT_GET(get_nothing)
{
    CLIENT_UNUSED_GET;
}

CLIENT_GET(get_status_only)
{
    CLIENT_UNUSED_GET;
    client_get_status(x, answer);
}

/* MNT, LOOKUP, CREATE, MKDIR */
CLIENT_GET(get_file)
{
    CLIENT_UNUSED_GET;
    if (client_get_status(x, answer))
        get_handle(x, &answer->handle);
}

CLIENT_GET(get_attr)
{
    uint32_t size = 0;

    CLIENT_UNUSED_GET;
    if (!client_get_status(x, answer))
        return;
    xdr_skip(x, 20);
    answer->has_size = xdr_u32(x, &size);
    answer->size = size;
}

CLIENT_GET(get_readlink)
{
    CLIENT_UNUSED_GET;
    if (client_get_status(x, answer))
        xdr_opaque(x, &answer->p, &answer->n);
}

CLIENT_GET(get_read)
{
    CLIENT_UNUSED_GET;
    if (!client_get_status(x, answer))
        return;
    xdr_skip(x, ATTRIBUTES);
    xdr_opaque(x, &answer->p, &answer->n);
}

/* What was accepted was written as a whole (section 2.2.9). */
CLIENT_GET(get_write)
{
    CLIENT_UNUSED_GET;
    if (client_get_status(x, answer))
        answer->n = step->n;
}

CLIENT_GET(get_list)
{
    const uint8_t *name;
    uint32_t id, n, cookie = (uint32_t)step->at;

    CLIENT_UNUSED_GET;
    if (!client_get_status(x, answer))
        return;
    while (client_get_bool(x)) {
        xdr_u32(x, &id);
        if (xdr_opaque(x, &name, &n))
            answer->entries += !client_is_dots(name, n);
        xdr_u32(x, &cookie);
    }
    answer->cookie = cookie;
    answer->eof = client_get_bool(x);
}

const struct client_dialect client_v2 = {
    .version = 2,
    .mount_version = 1,
    .rpcs = {[STEP_NULL] = {0, client_put_nothing, get_nothing, false},
             [STEP_MOUNT] = {1, client_put_export, get_file, true},
             [STEP_UNMOUNT] = {3, client_put_export, get_nothing, true},
             [STEP_LOOKUP] = {4, put_where, get_file, false},
             [STEP_CREATE] = {9, put_create, get_file, false},
             [STEP_OPEN] = {4, put_where, get_file, false},
             [STEP_WRITE] = {8, put_write, get_write, false},
             [STEP_READ] = {6, put_read, get_read, false},
             [STEP_LIST] = {16, put_list, get_list, false},
             [STEP_ATTRIBUTES] = {1, put_object, get_attr, false},
             [STEP_TRUNCATE] = {2, put_truncate, get_status_only, false},
             [STEP_MKDIR] = {14, put_mkdir, get_file, false},
             [STEP_SYMLINK] = {13, put_symlink, get_status_only, false},
             [STEP_READLINK] = {5, put_readlink, get_readlink, false},
             [STEP_RENAME] = {11, put_rename, get_status_only, false},
             [STEP_LINK] = {12, put_link, get_status_only, false},
             [STEP_REMOVE] = {10, put_where, get_status_only, false},
             [STEP_RMDIR] = {15, put_where, get_status_only, false},
             [STEP_STATFS] = {17, put_object, get_status_only, false}},
    .before = {STEP_MOUNT},
    .after = {STEP_UNMOUNT},
};
