// SPDX-License-Identifier: GPL-2.0-or-later
#include "nfs_rpcgen.h"

#include "wire/nfs.h"

static uint64_t see_item(void *ctx, const struct nfs_item *item)
{
    struct walked *walked = ctx;

    if (item->mark == NFS_MARK_DATA) {
        walked->data = item->count;
        walked->data_at = item->at;
    }
    return xdr_padded(item->count);
}

bool walk_whole(uint32_t program, uint32_t version, uint32_t procedure, bool reply, const void *p, size_t n,
                struct walked *walked)
{
    const struct nfs_procedure *known = nfs_procedure_find(program, version, procedure);
    struct nfs_walk_events events = {.ctx = walked, .item = see_item};
    struct nfs_walk_result result;

    *walked = (struct walked){0};
    if (!known)
        return false;
    nfs_walk(known, reply, p, n, 0, &events, &result);
    walked->at = result.at;
    return result.status == NFS_WALK_OK;
}
