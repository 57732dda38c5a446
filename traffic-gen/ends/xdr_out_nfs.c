// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/ends/xdr_out_nfs.h"

bool xdr_out_nfs(struct xdr_out *out, const struct nfs_template *procedure, const struct nfs_options *options)
{
    struct nfs_body body;
    const char *wrong;

    nfs_body_init(&body);
    g_byte_array_unref(body.octets);
    body.octets = g_byte_array_ref(out->octets);
    wrong = nfs_build_arguments(procedure, options, &body);
    for (guint i = 0; i < body.items->len; i++) {
        const struct nfs_body_item *item = &g_array_index(body.items, struct nfs_body_item, i);

        if (item->eligible && out->n_items < RPC_END_ITEMS_MAX)
            out->items[out->n_items++] = (struct rpc_end_item){.at = item->at, .n = item->length};
    }
    nfs_body_clear(&body);
    return !wrong;
}
