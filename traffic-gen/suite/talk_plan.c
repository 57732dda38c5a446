// SPDX-License-Identifier: GPL-2.0-or-later
/* Plans of FPDUs, and segments, for cases that do not say it in statements. */
#include "traffic-gen/suite/talk_internal.h"

#include <string.h>

/* ---- FPDUs ---- */

void talk_plan(struct talk *talk, struct mpa_fpdu_plan *plan, const uint8_t *ulpdu, size_t n)
{
    mpa_fpdu_plan_init(plan, talk_framing(talk, true), talk->out_offset, ulpdu, (uint16_t)n, talk_crc(talk));
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

struct ddp_segment talk_segment(struct talk *talk, enum rdmap_opcode opcode)
{
    const struct rdmap_opcode_info *info = rdmap_opcode_info(opcode);
    struct ddp_segment segment = {
        .last = true,
        .dv = talk->said->version,
        .rv = talk->said->version,
        .opcode = (uint8_t)opcode,
        .tagged = info && info->tagged,
    };

    if (info && !info->tagged) {
        segment.qn = (uint32_t)info->queue;
        segment.msn = ++talk->said->msn[talk_role(talk)][info->queue];
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

size_t talk_make_question(struct talk *talk, enum talk_sign sign, uint8_t *ulpdu)
{
    const struct advert_memory *region = &talk->advert.regions[REGION_ALL];

    switch (sign) {
    case SIGN_READ:
        return talk_make_read(talk, ulpdu, 0, 0, 0);
    case SIGN_REGION:
        return talk_make_read(talk, ulpdu, region->stag, region->address, 1);
    default:
        return *talk_question(talk, sign) ? talk_make_send(talk, ulpdu, talk->given, talk->given_n) : 0;
    }
}
