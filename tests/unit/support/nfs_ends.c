// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/support/nfs_ends.h"

static void receive(void *end, const uint8_t *p, size_t n)
{
    qp_receive(nfs_end_qp(end), p, n);
}

static void receive_fin(void *end)
{
    qp_receive_fin(nfs_end_qp(end));
}

static void receive_reset(void *end)
{
    qp_receive_reset(nfs_end_qp(end));
}

static void tick(void *end)
{
    qp_tick(nfs_end_qp(end));
    nfs_end_tick(end);
}

void nfs_ends_attach(struct pair *pair, unsigned side, struct nfs_end *end)
{
    pair_attach(pair, side, &(struct pair_end){end, receive, receive_fin, receive_reset, tick});
}
