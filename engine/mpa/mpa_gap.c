// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What missing octets can have been, judged by the FPDUs before and after them: for a message with segments on both
 * sides, TO says how much payload is missing, and hence how many octets that takes. If as many octets are missing, no
 * other message is: the segments of a message are sent in succession (RFC 5041 section 5.3).
 */
#include "engine/mpa/mpa_framing.h"
#include "wire/invariant.h"

enum {
    AROUND_PAYLOAD = MPA_LENGTH_LEN + DDP_TAGGED_HEADER_LEN + MPA_CRC_LEN,
    PAD_MAX = 3,
    ANOTHER_MIN = MPA_LENGTH_LEN + DDP_UNTAGGED_HEADER_LEN + MPA_CRC_LEN, /* the smallest size of another message */
};

static uint64_t gap_markers_before(const struct mpa_framing_state *fs, uint64_t at)
{
    return at <= fs->framing.seq_start ? 0 : (at - fs->framing.seq_start + fs->period - 1) / fs->period;
}

/* Number of Marker octets in [from, to), whose ends are between FPDUs. */
static uint64_t marker_octets(const struct mpa_framing_state *fs, uint64_t from, uint64_t to)
{
    return fs->framing.markers ? (gap_markers_before(fs, to) - gap_markers_before(fs, from)) * MPA_MARKER_LEN : 0;
}

/* `octets`, without Markers, are exactly what it takes to send `payload` octets in segments like the previous one. */
static bool is_all_of_it(const struct mpa_tail *tail, uint64_t payload, uint64_t octets)
{
    uint64_t around = octets - payload, each = AROUND_PAYLOAD + (0 - AROUND_PAYLOAD - tail->payload_len) % 4;

    if (payload == 0 || octets < payload + AROUND_PAYLOAD)
        return false;
    if (around < AROUND_PAYLOAD + ANOTHER_MIN)
        return around <= AROUND_PAYLOAD + PAD_MAX;
    return tail->payload_len > 0 && payload % tail->payload_len == 0 && around == payload / tail->payload_len * each;
}

void mpa_gap_open(struct mpa_side *s)
{
    if (!s->gap_open)
        s->hole_before = s->hole;
    s->gap_open = s->hole = true;
}

void mpa_gap_settle(struct mpa_side *s, struct mpa_fpdu_event *event)
{
    const struct mpa_tail *tail = &s->tail;
    const struct ddp_segment *ddp = &event->ddp;
    uint64_t octets = event->fpdu.offset - tail->end;

    event->within =
        tail->goes_on && event->has_ddp && event->crc != MPA_CRC_WRONG && !event->faulty && ddp->tagged &&
        ddp->opcode == tail->opcode && ddp->stag == tail->stag && event->fpdu.offset > tail->end &&
        is_all_of_it(tail, ddp->to - tail->to, octets - marker_octets(s->framing, tail->end, event->fpdu.offset));
    s->gap_open = false;
    INVARIANT(!event->within || (event->skipped > 0 && s->fpdus > 0));
    /* The rest of an RDMA Read Response may belong to another message, depending on its request. */
    if (event->within && event->ddp.opcode == RDMAP_WRITE)
        s->hole = s->hole_before;
}

void mpa_tail_note(struct mpa_side *s, const struct mpa_fpdu_event *event)
{
    const struct ddp_segment *ddp = &event->ddp;

    s->tail.end = event->fpdu.offset + event->fpdu.length;
    INVARIANT(s->tail.end > event->fpdu.offset);
    s->tail.goes_on = event->has_ddp && ddp->tagged && !ddp->last && event->crc != MPA_CRC_WRONG;
    if (!s->tail.goes_on)
        return;
    s->tail.opcode = ddp->opcode;
    s->tail.stag = ddp->stag;
    s->tail.to = ddp->to + ddp->payload_len;
    s->tail.payload_len = (uint16_t)ddp->payload_len;
    INVARIANT(ddp->payload_len <= UINT16_MAX);
}
