// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/stack/stack_ib.h"

#include "engine/rdma/rdma_ib.h"
#include "wire/invariant.h"

#include <string.h>

/* Passes on a packet that was cut by the snap length: missing octets read as zero. */
static void give_cut(struct stack_ib *ib, const struct rdma_part *part, size_t captured)
{
    uint8_t octets[IB_MTU_MAX] = {0};
    struct rdma_part whole = *part;

    INVARIANT(captured <= sizeof octets && part->n <= sizeof octets && captured + part->lacking == part->n);
    if (captured > 0)
        memcpy(octets, part->p, captured);
    whole.p = octets;
    stack_part(ib->stack, &whole);
}

static void stack_ib_introduce(struct stack_ib *ib)
{
    struct rdma_terms terms = rdma_terms_of_ib(ib->connection);

    ib->introduced = true;
    stack_terms(ib->stack, &terms);
    stack_ports(ib->stack, ib->connection->port);
}

static void stack_ib_on_part(void *ctx, const struct ib_rc_part *seen)
{
    struct stack_ib *ib = ctx;
    struct rdma_part part = rdma_part_of_ib(ib->connection, seen);

    INVARIANT(part.lacking <= part.n);

    if (ib->connection->tapped && !ib->introduced)
        stack_ib_introduce(ib);

    if (part.lacking > 0 && part.in_message)
        give_cut(ib, &part, seen->n);
    else
        stack_part(ib->stack, &part);
}

static void stack_ib_on_hole(void *ctx, const struct ib_rc_hole *hole)
{
    struct stack_ib *ib = ctx;
    struct stack_entrance entrance = stack_entrance(ib->stack);

    entrance.skipped(entrance.ctx, hole->side);
}

/* Reports a side that ends the connection after it received the other side's requests before this offset. */
static void stack_ib_note_closing(const struct stack_ib *ib, unsigned side, uint64_t received)
{
    const struct ib_rc *rc = ib->connection->rc;
    const struct path_trouble *path = ib_rc_path(rc);
    struct rdma_closing closing = {.silent = path->side[side].silent,
                                   .resent = path->resent,
                                   .resent_ns = path->resent_ns,
                                   .missing = {ib_rc_missing(rc, 0), ib_rc_missing(rc, 1)},
                                   .acked = received};

    stack_closing(ib->stack, &closing);
}

/* The end of this side is missing in the capture, and possibly packets before it. */
static void note_unseen_closing(const struct stack_ib *ib, unsigned side)
{
    struct rdma_closing closing = {.missing = {side == 0, side == 1}};

    stack_closing(ib->stack, &closing);
}

static void stack_ib_on_refused(void *ctx, const struct ib_rc_refusal *seen)
{
    struct stack_ib *ib = ctx;
    struct rdma_refusal refusal = rdma_refusal_of_ib(seen);

    /* A request refused by a NAK was received; an RNR NAK says that it was not. */
    stack_ib_note_closing(ib, seen->side, seen->not_ready ? seen->offset : refusal.culprit.offset + 1);
    stack_refusal(ib->stack, &refusal);
}

static void stack_ib_on_acknowledged(void *ctx, unsigned side, uint64_t offset)
{
    struct stack_ib *ib = ctx;

    stack_received(ib->stack, side, offset);
}

static void stack_ib_on_missed(void *ctx, unsigned side, uint64_t offset)
{
    struct stack_ib *ib = ctx;

    stack_missed(ib->stack, side, offset);
}

static void stack_ib_on_copy(void *ctx, const struct ib_rc_copy *seen)
{
    struct stack_ib *ib = ctx;
    struct rdma_copy copy = rdma_copy_of_ib(ib->connection, seen);

    stack_copy(ib->stack, &copy);
}

struct ib_rc_events stack_ib_events(struct stack_ib *ib)
{
    return (struct ib_rc_events){.ctx = ib,
                                 .part = stack_ib_on_part,
                                 .hole = stack_ib_on_hole,
                                 .refused = stack_ib_on_refused,
                                 .acknowledged = stack_ib_on_acknowledged,
                                 .missed = stack_ib_on_missed,
                                 .copy = stack_ib_on_copy};
}

/* A DisconnectReply answers a DisconnectRequest, which the capture may lack (IBTA 12.6.8, 12.6.9). */
static void give_request_shown(struct stack_ib *ib, unsigned side, const struct ib_cm *cm, const struct place *place)
{
    struct stack_entrance entrance = stack_entrance(ib->stack);
    unsigned other = 1 - side;

    if (cm->attribute == IB_CM_DISCONNECT_REQUEST) {
        ib->asked[side] = true;
    } else if (cm->attribute == IB_CM_DISCONNECT_REPLY && !ib->asked[other]) {
        ib->asked[other] = true;
        note_unseen_closing(ib, other);
        entrance.end(entrance.ctx, other, false, place);
    }
    INVARIANT(cm->attribute != IB_CM_DISCONNECT_REQUEST || ib->asked[side]);
}

void stack_ib_managed(struct stack_ib *ib, unsigned side, const struct ib_cm *cm, const struct place *place)
{
    struct rdma_terms terms = rdma_terms_of_ib(ib->connection);
    struct rdma_private_data data;
    struct stack_entrance entrance = stack_entrance(ib->stack);

    give_request_shown(ib, side, cm, place);
    stack_terms(ib->stack, &terms);
    stack_ports(ib->stack, ib->connection->port);
    if (rdma_private_data_of_ib(&data, ib->connection, side, cm, place))
        stack_private_data(ib->stack, &data);
    if (cm->attribute == IB_CM_DISCONNECT_REQUEST) {
        stack_ib_note_closing(ib, side, ib_rc_acked(ib->connection->rc, other_side(side)));
        entrance.end(entrance.ctx, side, false, place);
    }
}

void stack_ib_finish(struct stack_ib *ib, int64_t now_ns)
{
    stack_finish(ib->stack, now_ns);
}
