// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/live/services/nfs_chaos.h"

/* Out of a hundred Calls, or Replies. */
enum { FIN_BEFORE = 5, RST_BEFORE = 5, RST_INSTEAD = 8, FEW_CREDITS = 20, SPARED = 60 /* number of Calls */ };

struct nfs_chaos_end {
    struct nfs_chaos *chaos;
    struct rpc_end *end;
    bool resets; /* resets the connection instead of the next Reply */
};

static bool strikes(struct nfs_chaos_end *connection, int of_hundred)
{
    return g_rand_int_range(connection->chaos->random, 0, 100) < of_hundred;
}

static enum rpc_end_answer chaos_decide(void *ctx, const struct rpc_end_incoming *in, enum rpc_end_answer due)
{
    struct nfs_chaos_end *connection = ctx;

    /* Without octets in->p: the second decision for a Call, after its Read chunks have come. */
    if (!in->call || !in->p || due != RPC_END_SERVE || connection->chaos->calls++ < SPARED)
        return due;
    if (strikes(connection, FIN_BEFORE))
        return RPC_END_HANG_UP;
    if (strikes(connection, RST_BEFORE)) {
        qp_close(rpc_end_qp(connection->end), true);
        return RPC_END_DISCARD;
    }
    connection->resets = strikes(connection, RST_INSTEAD);
    return due;
}

/* The grant is never zero (RFC 8166 section 3.3.1). */
static void withhold(void *ctx, struct rpcrdma_plan *plan)
{
    struct nfs_chaos_end *connection = ctx;

    if (connection->chaos->calls > SPARED && strikes(connection, FEW_CREDITS))
        plan->credit = 1;
}

static bool reset_instead(void *ctx, struct qp_work *work)
{
    struct nfs_chaos_end *connection = ctx;

    if (work->kind != QP_SEND || !connection->resets)
        return true;
    connection->resets = false;
    qp_close(rpc_end_qp(connection->end), true);
    return false;
}

struct nfs_chaos_end *nfs_chaos_end_new(struct nfs_chaos *chaos, struct rpc_end *end)
{
    struct nfs_chaos_end *connection = g_new0(struct nfs_chaos_end, 1);

    connection->chaos = chaos;
    connection->end = end;
    rpc_end_set_spoil(end, &(struct rpc_end_spoil){
                               .ctx = connection, .decide = chaos_decide, .header = withhold, .work = reset_instead});
    return connection;
}

void nfs_chaos_end_free(struct nfs_chaos_end *connection)
{
    g_free(connection);
}
