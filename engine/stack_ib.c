// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/stack_ib.h"

#include "engine/rdma_ib.h"

static void on_part(void *ctx, const struct ib_rc_part *seen)
{
    struct stack_ib *ib = ctx;
    struct rdma_part part = rdma_part_of_ib(ib->connection, seen);

    stack_part(ib->stack, &part);
}

static void on_hole(void *ctx, const struct ib_rc_hole *hole)
{
    struct stack_ib *ib = ctx;
    struct stack_entrance entrance = stack_entrance(ib->stack);

    entrance.skipped(entrance.ctx, hole->side);
}

static void on_refused(void *ctx, const struct ib_rc_refusal *seen)
{
    struct stack_ib *ib = ctx;
    struct rdma_refusal refusal = rdma_refusal_of_ib(seen);

    stack_refusal(ib->stack, &refusal);
}

struct ib_rc_events stack_ib_events(struct stack_ib *ib)
{
    return (struct ib_rc_events){.ctx = ib, .part = on_part, .hole = on_hole, .refused = on_refused};
}

void stack_ib_managed(struct stack_ib *ib, unsigned side, const struct ib_cm *cm, const struct place *place)
{
    struct rdma_terms terms = rdma_terms_of_ib(ib->connection);
    struct rdma_private_data data;
    struct stack_entrance entrance = stack_entrance(ib->stack);

    stack_terms(ib->stack, &terms);
    stack_ports(ib->stack, ib->connection->port);
    if (rdma_private_data_of_ib(&data, ib->connection, side, cm, place))
        stack_private_data(ib->stack, &data);
    if (cm->attribute == IB_CM_DISCONNECT_REQUEST)
        entrance.end(entrance.ctx, side, false, place);
}

void stack_ib_finish(struct stack_ib *ib, int64_t now_ns)
{
    stack_finish(ib->stack, now_ns);
}
