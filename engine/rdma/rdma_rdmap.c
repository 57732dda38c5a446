// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/rdma/rdma_rdmap.h"

#include "wire/invariant.h"
#include "wire/rdmap_terminate.h"

/* By opcode; others are RDMA_OTHER. */
static const uint8_t kinds[16] = {
    [RDMAP_WRITE] = RDMA_WRITE,
    [RDMAP_READ_REQUEST] = RDMA_READ,
    [RDMAP_READ_RESPONSE] = RDMA_READ_RESPONSE,
    [RDMAP_SEND] = RDMA_SEND,
    [RDMAP_SEND_INVALIDATE] = RDMA_SEND,
    [RDMAP_SEND_SE] = RDMA_SEND,
    [RDMAP_SEND_SE_INVALIDATE] = RDMA_SEND,
    [RDMAP_TERMINATE] = RDMA_OTHER,
    [RDMAP_IMMEDIATE] = RDMA_OTHER,
    [RDMAP_IMMEDIATE_SE] = RDMA_OTHER,
    [RDMAP_ATOMIC_REQUEST] = RDMA_OTHER,
    [RDMAP_ATOMIC_RESPONSE] = RDMA_OTHER,
    [12] = RDMA_OTHER,
    [13] = RDMA_OTHER,
    [14] = RDMA_OTHER,
    [15] = RDMA_OTHER,
};

/* A Tagged segment names the memory that it writes to; the request of a Read names the memory that it reads. */
static void set_memory(struct rdma_part *part, const struct ddp_segment *ddp, const struct rdmap_operation *op)
{
    bool of_read = op && op->kind == RDMAP_OP_READ;

    switch (part->kind) {
    case RDMA_WRITE:
        part->memory_known = true;
        part->handle = ddp->stag;
        part->address = ddp->to;
        break;
    case RDMA_READ:
        part->memory_known = op != NULL;
        part->handle = op ? op->read.source_stag : 0;
        part->address = op ? op->read.source_to : 0;
        part->length = op ? op->read.size : 0;
        break;
    case RDMA_READ_RESPONSE:
        part->memory_known = of_read;
        part->handle = of_read ? op->read.source_stag : 0;
        part->address = of_read ? op->read.source_to + (ddp->to - op->read.sink_to) : 0;
        break;
    case RDMA_SEND:
    case RDMA_OTHER:
        break;
    }
}

/* Sets each field separately: this runs for every FPDU, and clearing all fields first would double the cost. */
void rdma_part_of_rdmap(struct rdma_part *part, const struct rdmap_segment_event *event)
{
    const struct mpa_fpdu_event *fpdu = event->fpdu;
    const struct ddp_segment *ddp = &fpdu->ddp;

    part->kind = (enum rdma_kind)kinds[ddp->opcode & 0x0F];
    part->place = fpdu->place;
    part->end = fpdu->fpdu.offset + fpdu->fpdu.length;
    part->direction = fpdu->direction;
    part->first_of_all = fpdu->number == 0 && !fpdu->after_resync;
    part->after_gap = fpdu->after_resync;
    part->in_message = event->in_message;
    part->faulty = event->faulty;
    part->unseen = false;
    part->set_up = event->rtr;
    part->message = event->message;
    part->number = ddp->msn;
    part->index = event->index;
    part->first_known = event->first_known;
    part->last = ddp->last;
    part->complete = event->complete;
    part->operation = event->operation;
    part->offset = ddp->mo;
    part->p = ddp->payload;
    part->n = ddp->payload_len;
    part->lacking = ddp->lacking;
    part->memory_known = false;
    part->handle = 0;
    part->address = 0;
    part->length = ddp->payload_len;
    part->invalidates = rdmap_invalidates(ddp->opcode);
    part->invalidated = ddp->stag;
    part->acked_known = event->acked_known;
    part->acked = event->acked;
    part->received = event->acked_known ? event->acked : 0;
    part->psns = rdma_no_psns;
    set_memory(part, ddp, event->op);
    INVARIANT(part->kind <= RDMA_OTHER && (part->memory_known || part->handle == 0));
    INVARIANT(part->lacking <= part->n && (part->p || part->n == 0));
}

/* Invalid STag, base or bounds, access rights: RFC 5040 section 4.8, RFC 5041 section 7.1. */
static bool is_about_memory(const struct rdmap_terminate *terminate)
{
    return (terminate->layer == RDMAP_LAYER_RDMA || terminate->layer == RDMAP_LAYER_DDP) && terminate->etype == 1 &&
           terminate->code <= (terminate->layer == RDMAP_LAYER_RDMA ? 2 : 1);
}

/* RFC 5040 section 4.8: the STag of a Send with Invalidate cannot be invalidated. */
static bool is_about_invalidation(const struct rdmap_terminate *terminate)
{
    enum { PROTECTION_ERROR = 1, OPERATION_ERROR = 2, CANNOT_INVALIDATE = 9 };

    return terminate->layer == RDMAP_LAYER_RDMA &&
           (terminate->etype == PROTECTION_ERROR || terminate->etype == OPERATION_ERROR) &&
           terminate->code == CANNOT_INVALIDATE;
}

/* RFC 5041 section 7.2. */
enum { DDP_UNTAGGED_ERROR = 2, DDP_NO_BUFFER = 2, DDP_TOO_LONG = 5 };

static enum rdma_refusal_cause rdmap_cause_of(const struct rdmap_terminate *terminate)
{
    if (is_about_memory(terminate))
        return RDMA_REFUSED_MEMORY;
    if (is_about_invalidation(terminate))
        return RDMA_REFUSED_INVALIDATION;
    if (terminate->layer != RDMAP_LAYER_DDP || terminate->etype != DDP_UNTAGGED_ERROR)
        return RDMA_REFUSED_OTHER;
    return terminate->code == DDP_NO_BUFFER  ? RDMA_REFUSED_NO_RECEIVE
           : terminate->code == DDP_TOO_LONG ? RDMA_REFUSED_TOO_LONG
                                             : RDMA_REFUSED_RECEIVE;
}

struct rdma_refusal rdma_refusal_of_rdmap(const struct rdmap_terminate_event *event)
{
    const struct rdmap_terminate *terminate = event->terminate;

    return (struct rdma_refusal){
        .place = event->fpdu->place,
        .cause = rdmap_cause_of(terminate),
        .name = "a Terminate",
        .culprit_found = event->culprit_found,
        .culprit = event->culprit,
        .blames_send = terminate->has_ddp && !terminate->ddp.tagged && terminate->ddp.qn == DDP_QN_SEND,
    };
}

struct rdma_private_data rdma_private_data_of_mpa(const struct mpa_startup_event *event)
{
    return (struct rdma_private_data){
        .place = event->place,
        .end = event->place.offset + event->length,
        .direction = event->direction,
        .carrier = event->frame.kind == MPA_REQUEST ? "MPA Request" : "MPA Reply",
        .p = event->frame.private_data,
        .n = event->frame.pd_length,
        .of_transport = event->frame.has_enhanced ? MPA_ENHANCED_LEN : 0,
    };
}

struct rdma_terms rdma_terms_of_mpa(const struct mpa_parameters *parameters)
{
    struct rdma_terms terms = {
        .initiator_side = parameters->initiator_side,
        .from_start = parameters->startup_seen && !parameters->midstream,
    };

    if (parameters->ird_ord_known && parameters->initiator_side >= 0) {
        unsigned initiator = parameters->initiator_side & 1u;

        terms.reads_max[initiator] = parameters->ird != MPA_IRD_ORD_NOT_NEGOTIATED ? parameters->ird : 0;
        terms.reads_max[other_side(initiator)] = parameters->ord != MPA_IRD_ORD_NOT_NEGOTIATED ? parameters->ord : 0;
    }
    return terms;
}
