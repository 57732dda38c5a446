// SPDX-License-Identifier: GPL-2.0-or-later
/* What the talker sends in full operation: FPDUs, DDP Segments, messages. */
#include "traffic-gen/suite/talk_internal.h"

#include <string.h>

/* ---- FPDUs ---- */

void talk_plan(struct talk *talk, struct mpa_fpdu_plan *plan, const uint8_t *ulpdu, size_t n)
{
    mpa_fpdu_plan_init(plan, &talk->framing_out, talk->out_offset, ulpdu, (uint16_t)n, talk->crc);
    if (n >= DDP_TAGGED_HEADER_LEN) {
        talk->last_header_n = MIN(n, DDP_UNTAGGED_HEADER_LEN);
        memcpy(talk->last_header, ulpdu, talk->last_header_n);
    }
}

GByteArray *talk_encode_plan(const struct mpa_fpdu_plan *plan)
{
    GByteArray *octets = g_byte_array_new();

    g_byte_array_set_size(octets, MPA_FPDU_OCTETS_MAX + 64);
    g_byte_array_set_size(octets, (guint)mpa_fpdu_encode(plan, octets->data, octets->len));
    return octets;
}

void talk_send_plan(struct talk *talk, const struct mpa_fpdu_plan *plan)
{
    GByteArray *octets = talk_encode_plan(plan);

    talk_write(talk, octets->data, octets->len);
    g_byte_array_unref(octets);
}

void talk_send_ulpdu(struct talk *talk, const uint8_t *ulpdu, size_t n)
{
    struct mpa_fpdu_plan plan;

    talk_plan(talk, &plan, ulpdu, n);
    talk_send_plan(talk, &plan);
}

/* ---- DDP ---- */

static uint8_t version(const struct talk *talk)
{
    const struct mpa_startup *ours = talk_frame(talk, true), *theirs = talk_frame(talk, false);

    return (ours && ours->revision == 0) || (theirs && theirs->revision == 0) ? 0 : 1;
}

struct ddp_segment talk_segment(struct talk *talk, enum rdmap_opcode opcode)
{
    const struct rdmap_opcode_info *info = rdmap_opcode_info(opcode);
    struct ddp_segment segment = {
        .last = true,
        .dv = version(talk),
        .rv = version(talk),
        .opcode = (uint8_t)opcode,
        .tagged = info && info->tagged,
    };

    if (info && !info->tagged) {
        segment.qn = (uint32_t)info->queue;
        segment.msn = talk->msn[info->queue]++;
    }
    return segment;
}

static size_t encode(const struct ddp_segment *segment, uint8_t *out, size_t size)
{
    size_t head = ddp_header_encode(segment, out, size);

    if (segment->payload_len > size - head)
        return 0;
    if (segment->payload_len > 0)
        memcpy(out + head, segment->payload, segment->payload_len);
    return head + segment->payload_len;
}

void talk_send_segment(struct talk *talk, const struct ddp_segment *segment)
{
    g_autofree uint8_t *ulpdu = g_malloc(UINT16_MAX);

    talk_send_ulpdu(talk, ulpdu, encode(segment, ulpdu, UINT16_MAX));
}

size_t talk_make_write(struct talk *talk, uint8_t *out, uint32_t stag, uint64_t to, const void *p, size_t n)
{
    struct ddp_segment segment = talk_segment(talk, RDMAP_WRITE);

    segment.stag = stag;
    segment.to = to;
    segment.payload = p;
    segment.payload_len = n;
    return encode(&segment, out, TALK_ULPDU);
}

size_t talk_make_read(struct talk *talk, uint8_t *out, uint32_t stag, uint64_t to, uint32_t size)
{
    struct ddp_segment segment = talk_segment(talk, RDMAP_READ_REQUEST);
    const struct rdmap_read_request request = {
        .sink_stag = TALK_SINK_STAG,
        .sink_to = TALK_SINK_TO,
        .size = size,
        .source_stag = stag,
        .source_to = to,
    };
    uint8_t payload[RDMAP_READ_REQUEST_LEN];

    segment.payload = payload;
    segment.payload_len = rdmap_read_request_encode(&request, payload, sizeof payload);
    return encode(&segment, out, TALK_ULPDU);
}

size_t talk_make_send(struct talk *talk, uint8_t *out, const void *p, size_t n)
{
    struct ddp_segment segment = talk_segment(talk, RDMAP_SEND);

    segment.payload = p;
    segment.payload_len = n;
    return encode(&segment, out, TALK_ULPDU);
}
