// SPDX-License-Identifier: GPL-2.0-or-later
/* Terminates: RFC 5040 sections 4.8 and 7.1. Only the first error is reported; nothing is sent after it. */
#include "traffic-gen/ends/stack/queue_pair_internal.h"

const unsigned qp_protection_causes[] = {
    [MEMORY_NO_STAG] = QP_CAUSE(0, 1, 0x00), [MEMORY_FOREIGN] = QP_CAUSE(0, 1, 0x03),
    [MEMORY_BOUNDS] = QP_CAUSE(0, 1, 0x01),  [MEMORY_ACCESS] = QP_CAUSE(0, 1, 0x02),
    [MEMORY_WRAP] = QP_CAUSE(0, 1, 0x04),    [MEMORY_UNALIGNED] = QP_CAUSE(0, 2, 0x07), /* RFC 7306 section 8.2 */
};

static void queue_pair_terminate_with(struct soft_qp *qp, struct rdmap_terminate *message, unsigned cause)
{
    uint8_t octets[DDP_UNTAGGED_HEADER_LEN + RDMAP_TERMINATE_LEN_MAX];
    struct ddp_segment ddp = {
        .last = true,
        .dv = qp->version,
        .rv = qp->version,
        .opcode = RDMAP_TERMINATE,
        .qn = DDP_QN_TERMINATE,
        .msn = 1,
    };
    size_t head, n;

    if (qp->terminated)
        return;
    qp->terminated = true;
    qp->failed = true;
    message->layer = cause >> 12 & 0x0F;
    message->etype = cause >> 8 & 0x0F;
    message->code = cause & 0xFF;
    if (qp->spoil.terminate && !qp->spoil.terminate(qp->spoil.ctx, message)) {
        mpa_end_close(qp->mpa, false);
        qp_flush(qp);
        return;
    }
    head = ddp_header_encode(&ddp, octets, sizeof octets);
    n = rdmap_terminate_encode(message, octets + head, sizeof octets - head);
    /* A Responder may not send before the first FPDU has come: it only closes (RFC 5044 section 7.1.2). */
    if (mpa_end_may_send(qp->mpa)) {
        mpa_end_send(qp->mpa, octets, head, octets + head, n);
        if (qp->events.terminated)
            qp->events.terminated(qp->events.ctx, true, message);
    }
    mpa_end_close(qp->mpa, false);
    qp_flush(qp);
}

void qp_fail(struct soft_qp *qp, unsigned cause)
{
    struct rdmap_terminate message = {0};

    queue_pair_terminate_with(qp, &message, cause);
}

void qp_fail_about(struct soft_qp *qp, unsigned cause, const uint8_t *p, size_t n)
{
    struct rdmap_terminate message = {0};

    rdmap_terminate_echo(&message, p, n); /* "if possible": not without a whole header */
    queue_pair_terminate_with(qp, &message, cause);
}

void qp_fail_request(struct soft_qp *qp, unsigned cause, const struct qp_request *request)
{
    struct rdmap_terminate message = {0};

    rdmap_terminate_echo(&message, request->header, sizeof request->header);
    message.segment_length = request->ulpdu_length;
    if (!request->atomic) {
        message.r = message.has_read = true;
        message.read = request->read;
    }
    queue_pair_terminate_with(qp, &message, cause);
}

void soft_qp_terminate(struct qp *base, unsigned layer, unsigned etype, unsigned code)
{
    qp_fail(soft_qp_of(base), QP_CAUSE(layer & 0x0F, etype & 0x0F, code & 0xFF));
}
