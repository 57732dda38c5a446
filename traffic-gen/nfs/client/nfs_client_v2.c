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
    xdr_out_words(out, mode, (uint32_t)UNSET, (uint32_t)UNSET, size, (uint32_t)UNSET, (uint32_t)UNSET, (uint32_t)UNSET,
                  (uint32_t)UNSET);
}

static CLIENT_PUT(put_create)
{
    client_put_where(client, step, out, how);
    put_sattr(out, 0644, (uint32_t)UNSET);
}

static CLIENT_PUT(put_mkdir)
{
    client_put_where(client, step, out, how);
    put_sattr(out, 0755, (uint32_t)UNSET);
}

static CLIENT_PUT(put_symlink)
{
    client_put_where(client, step, out, how);
    xdr_out_eligible(out, step->new_name.p, step->new_name.n);
    put_sattr(out, 0777, (uint32_t)UNSET);
}

static CLIENT_PUT(put_truncate)
{
    client_put_object(client, step, out, how);
    put_sattr(out, (uint32_t)UNSET, (uint32_t)step->at);
}

static CLIENT_PUT(put_readlink)
{
    client_put_object(client, step, out, how);
    client_plan_link(client, how, TARGET_MAX, REPLY_OCTETS);
}

static CLIENT_PUT(put_read)
{
    client_put_object(client, step, out, how);
    xdr_out_words(out, (uint32_t)step->at, step->n, 0);
    client_plan_data(client, how, step->n, REPLY_OCTETS);
}

static CLIENT_PUT(put_write)
{
    uint8_t *octets = g_malloc(step->n);

    client_put_object(client, step, out, how);
    client_fill(octets, step->n, step->at, client->jobs[client->index].pattern);
    xdr_out_words(out, 0, (uint32_t)step->at, 0);
    xdr_out_eligible(out, octets, step->n);
    g_free(octets);
}

static CLIENT_PUT(put_list)
{
    client_put_object(client, step, out, how);
    xdr_out_words(out, (uint32_t)step->at, step->n);
    how->reply_max = REPLY_OCTETS + step->n;
}

/* ---- results ---- */

static bool get_handle(struct xdr *x, struct client_handle *handle)
{
    const uint8_t *p = x->p + x->at;

    if (!xdr_skip(x, HANDLE))
        return false;
    memcpy(handle->p, p, HANDLE);
    handle->n = HANDLE;
    return true;
}

static CLIENT_GET(get_attr)
{
    uint32_t size = 0;

    if (!client_get_status(x, answer))
        return;
    xdr_skip(x, 20);
    answer->has_size = xdr_u32(x, &size);
    answer->size = size;
}

static CLIENT_GET(get_readlink)
{
    if (client_get_status(x, answer))
        xdr_opaque(x, &answer->p, &answer->n);
}

static CLIENT_GET(get_read)
{
    if (!client_get_status(x, answer))
        return;
    xdr_skip(x, ATTRIBUTES);
    xdr_opaque(x, &answer->p, &answer->n);
}

/* What was accepted was written as a whole (section 2.2.9). */
static CLIENT_GET(get_write)
{
    if (client_get_status(x, answer))
        answer->n = step->n;
}

static CLIENT_GET(get_list)
{
    const uint8_t *name;
    uint32_t id, n, cookie = (uint32_t)step->at;

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
    .put_handle = put_handle,
    .get_handle = get_handle,
    .rpcs = {[STEP_NULL] = {0, client_put_nothing, client_get_nothing, false},
             [STEP_MOUNT] = {1, client_put_export, client_get_file, true},
             [STEP_UNMOUNT] = {3, client_put_export, client_get_nothing, true},
             [STEP_LOOKUP] = {4, client_put_where, client_get_file, false},
             [STEP_CREATE] = {9, put_create, client_get_file, false},
             [STEP_OPEN] = {4, client_put_where, client_get_file, false},
             [STEP_WRITE] = {8, put_write, get_write, false},
             [STEP_READ] = {6, put_read, get_read, false},
             [STEP_LIST] = {16, put_list, get_list, false},
             [STEP_ATTRIBUTES] = {1, client_put_object, get_attr, false},
             [STEP_TRUNCATE] = {2, put_truncate, client_get_status_only, false},
             [STEP_MKDIR] = {14, put_mkdir, client_get_file, false},
             [STEP_SYMLINK] = {13, put_symlink, client_get_status_only, false},
             [STEP_READLINK] = {5, put_readlink, get_readlink, false},
             [STEP_RENAME] = {11, client_put_rename, client_get_status_only, false},
             [STEP_LINK] = {12, client_put_link, client_get_status_only, false},
             [STEP_REMOVE] = {10, client_put_where, client_get_status_only, false},
             [STEP_RMDIR] = {15, client_put_where, client_get_status_only, false},
             [STEP_STATFS] = {17, client_put_object, client_get_status_only, false}},
    .before = {STEP_MOUNT},
    .after = {STEP_UNMOUNT},
};
