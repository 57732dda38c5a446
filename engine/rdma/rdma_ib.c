// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/rdma/rdma_ib.h"

#include "wire/invariant.h"
#include "wire/rpcrdma_private_data.h"

static int initiator_of_ib(const struct ib_connection *connection)
{
    if (connection->request_seen)
        return 0;
    return connection->tapped ? (int)connection->client : -1;
}

/* The direction of packets that a side sends. */
static enum direction rdma_direction_of_ib(const struct ib_connection *connection, unsigned side)
{
    int initiator = initiator_of_ib(connection);

    if (initiator < 0)
        return DIR_UNKNOWN;
    return (int)side == initiator ? DIR_TO_RESPONDER : DIR_TO_INITIATOR;
}

static enum rdma_kind ib_kind_of(enum ib_message kind)
{
    switch (kind) {
    case IB_MESSAGE_SEND:
        return RDMA_SEND;
    case IB_MESSAGE_WRITE:
        return RDMA_WRITE;
    case IB_MESSAGE_READ:
        return RDMA_READ;
    case IB_MESSAGE_READ_RESPONSE:
        return RDMA_READ_RESPONSE;
    case IB_MESSAGE_ACK:
    case IB_MESSAGE_ATOMIC:
    case IB_MESSAGE_ATOMIC_ACK:
        break;
    }
    return RDMA_OTHER;
}

static struct rdma_psns psns_of_ib(const struct ib_connection *connection, const struct ib_rc_part *part)
{
    if (connection->tapped) /* nothing is sent again, and each missing PSN in between may be a Send */
        return (struct rdma_psns){.gaps_show_late = true,
                                  .copy_ns = INT64_MAX,
                                  .others_held = part->others_held,
                                  .by_receiver = connection->by_client != (part->place.side == connection->client),
                                  .sends_missing = part->sends_missing,
                                  .skew_ns = part->skew_ns};
    return (struct rdma_psns){.gaps_show_late = true,
                              .reads_unseen = part->reads_unseen,
                              .reads_open = part->reads_open,
                              .asked_again = part->asked_again,
                              .copy_ns = part->copy_ns,
                              .others_held = part->others_held,
                              .resent = part->resent,
                              .sends_missing = part->sends_missing,
                              .skew_ns = part->skew_ns};
}

struct rdma_part rdma_part_of_ib(const struct ib_connection *connection, const struct ib_rc_part *part)
{
    INVARIANT(part->n <= part->length);
    return (struct rdma_part){
        .kind = ib_kind_of(part->kind),
        .place = part->place,
        .end = part->next,
        .direction = rdma_direction_of_ib(connection, part->place.side),
        .first_of_all =
            part->place.offset == 0 && part->first_known && connection->request_seen && connection->reply_seen,
        .in_message = part->n == part->length || part->length <= IB_MTU_MAX,
        .message = part->message,
        .index = part->index,
        .first_known = part->first_known,
        .last = part->last,
        .complete = part->complete,
        .operation = part->operation,
        .offset = part->offset,
        .p = part->p,
        .n = part->length,
        .lacking = part->length - part->n,
        .memory_known = part->memory_known,
        .handle = part->rkey,
        .address = part->address,
        .length = part->kind == IB_MESSAGE_READ ? part->size : part->length,
        .invalidates = part->packet->headers & IB_HAS_INVALIDATE,
        .invalidated = part->packet->invalidate,
        .received = part->acked_known ? part->acked : 0,
        .unseen = part->packet->tap.found,
        .psns = psns_of_ib(connection, part),
    };
}

struct rdma_copy rdma_copy_of_ib(const struct ib_connection *connection, const struct ib_rc_copy *copy)
{
    return (struct rdma_copy){
        .kind = ib_kind_of(copy->kind),
        .place = copy->place,
        .direction = rdma_direction_of_ib(connection, copy->place.side),
        .first_frame = copy->first_frame,
        .difference = copy->difference,
        .taken = copy->taken,
        .handle = copy->rkey,
    };
}

/* In a sound Send without Invalidate, only the length can be wrong (section 9.7.5.2.8, inbound Send length). */
static enum rdma_refusal_cause ib_cause_of(const struct ib_rc_refusal *refusal)
{
    if (refusal->not_ready)
        return refusal->known && refusal->kind == IB_MESSAGE_SEND ? RDMA_REFUSED_NO_RECEIVE : RDMA_REFUSED_OTHER;
    if (refusal->nak == IB_NAK_REMOTE_ACCESS)
        return RDMA_REFUSED_MEMORY;
    return refusal->nak == IB_NAK_INVALID_REQUEST && refusal->known && refusal->kind == IB_MESSAGE_SEND &&
                   !refusal->invalidates
               ? RDMA_REFUSED_TOO_LONG
               : RDMA_REFUSED_OTHER;
}

struct rdma_refusal rdma_refusal_of_ib(const struct ib_rc_refusal *refusal)
{
    bool send = refusal->known && refusal->kind == IB_MESSAGE_SEND;
    /* The last packet identifies a Send; any packet of other messages is an access to memory. */
    struct place culprit = send ? refusal->culprit
                                : (struct place){.frame = refusal->known ? refusal->culprit.frame : 0,
                                                 .offset = refusal->offset,
                                                 .side = (uint8_t)other_side(refusal->side)};

    INVARIANT(culprit.side < 2);

    return (struct rdma_refusal){
        .place = refusal->place,
        .cause = ib_cause_of(refusal),
        .name = refusal->not_ready ? "an RNR NAK" : "a NAK",
        .culprit_found = true,
        .culprit = culprit,
        .blames_send = send,
        .hasty = refusal->hasty,
    };
}

bool rdma_private_data_of_ib(struct rdma_private_data *out, const struct ib_connection *connection, unsigned side,
                             const struct ib_cm *cm, const struct place *place)
{
    size_t n;
    const uint8_t *p = ib_cm_consumer_data(cm, &n);
    struct rpcrdma_private_data block;
    bool cut = cm->private_len < (cm->attribute == IB_CM_REQUEST ? IB_CM_REQUEST_PRIVATE : IB_CM_REPLY_PRIVATE);

    if (cm->attribute != IB_CM_REQUEST && cm->attribute != IB_CM_REPLY)
        return false;
    /* In an incomplete capture, a missing block proves nothing, but a captured block counts. */
    if (cut && rpcrdma_private_data_find(&block, p, n) != RPCRDMA_PD_OK)
        return false;
    *out = (struct rdma_private_data){
        .place = *place,
        .direction = rdma_direction_of_ib(connection, side),
        .carrier = ib_cm_name(cm->attribute),
        .p = p,
        .n = n,
    };
    return true;
}

/*
 * The number of Reads that the receiver serves at a time, or the smaller number that its peer announces in the
 * ConnectReply.
 */
static unsigned reads_of_passive(const struct ib_connection *connection)
{
    unsigned served = connection->ird[0], asked = connection->ord[1];

    return asked > 0 && asked < served ? asked : served;
}

struct rdma_terms rdma_terms_of_ib(const struct ib_connection *connection)
{
    bool whole = connection->request_seen && connection->reply_seen;

    return (struct rdma_terms){
        .initiator_side = initiator_of_ib(connection),
        .from_start = whole,
        .refusals_unseen = connection->tapped,
        .reads_max = {whole ? connection->ird[1] : 0, whole ? reads_of_passive(connection) : 0},
    };
}
