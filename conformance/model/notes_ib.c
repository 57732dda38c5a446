// SPDX-License-Identifier: GPL-2.0-or-later
/* Events of RoCE and InfiniBand. */
#include "conformance/model/notes_internal.h"

#include <inttypes.h>

void notes_managed(struct notes *notes, unsigned side, const struct ib_cm *cm, const struct place *place)
{
    const char *name = ib_cm_name(cm->attribute);
    struct note *note = notes_add(notes, NOTE_STARTUP, side, place);

    WHAT(note, "%s", name ? name : "connection management");
    if (cm->attribute == IB_CM_REQUEST || cm->attribute == IB_CM_REPLY)
        DETAIL(note, "QP 0x%x, first PSN of the peer %u, IRD %u, ORD %u", cm->qp, cm->psn, cm->responder_resources,
               cm->initiator_depth);
    else if (cm->attribute == IB_CM_REJECT)
        DETAIL(note, "reason %u", cm->reason);
}

void notes_part(struct notes *notes, const struct ib_rc_part *part)
{
    struct note *note = notes_add(notes, NOTE_PART, part->place.side, &part->place);
    const struct ib_packet *packet = part->packet;

    note->length = part->next > part->place.offset ? part->next - part->place.offset : 1;
    WHAT(note, "%s", packet->info ? packet->info->name : "packet");
    DETAIL(note, "PSN %u", packet->bth.psn);
    if (part->kind == IB_MESSAGE_READ)
        DETAIL(note, ", %u octets", part->size);
    else if (part->kind != IB_MESSAGE_ATOMIC && part->kind != IB_MESSAGE_ATOMIC_ACK)
        DETAIL(note, ", %zu octets", part->length);
    if (part->memory_known)
        DETAIL(note, " %s handle 0x%x, offset 0x%" PRIx64, part->kind == IB_MESSAGE_WRITE ? "to" : "from", part->rkey,
               part->address);
    if (packet->headers & IB_HAS_INVALIDATE)
        DETAIL(note, ", invalidates 0x%x", packet->invalidate);
}

void notes_lost(struct notes *notes, unsigned side, uint64_t from, uint64_t to, const struct place *place)
{
    struct note *note;

    if (from == to)
        return;
    note = notes_add(notes, NOTE_SKIPPED, side, place);
    note->offset = from;
    note->length = to - from;
    WHAT(note, "%" PRIu64 " packet%s not captured", to - from, to - from == 1 ? "" : "s");
}

void notes_refused(struct notes *notes, const struct ib_rc_refusal *refusal)
{
    const char *name =
        refusal->not_ready ? "no Receive" : ib_nak_name((uint8_t)(IB_AETH_NAK << 5 | (unsigned)refusal->nak));
    struct note *note = notes_add(notes, NOTE_TERMINATE, refusal->side, &refusal->place);

    WHAT(note, refusal->not_ready ? "RNR NAK" : "NAK");
    DETAIL(note, "%s", name ? name : "");
}
