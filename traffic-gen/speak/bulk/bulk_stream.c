// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/speak/bulk/bulk_stream.h"

#include "traffic-gen/speak/sim/sim_tcp.h"

#include <errno.h>
#include <glib.h>

enum {
    FPDUS_PER_ACK = 2,
    PACKET_NS = 1200,
    PACKET_OVERHEAD = 32 + 14 + 40, /* pcapng block, Ethernet, IPv4 and TCP */
};

uint64_t bulk_stream_cost(unsigned ulpdu)
{
    return ulpdu + 6 + PACKET_OVERHEAD + PACKET_OVERHEAD / FPDUS_PER_ACK;
}

void bulk_stream_init(struct bulk_stream *stream, struct capture_file *file, const struct bulk_options *options,
                      uint16_t port)
{
    *stream = (struct bulk_stream){
        .options = options,
        .file = file,
        .path = {.ipv6 = options->ipv6, .vlan = options->vlan, .host = {1, 2}, .port = {40001, port}},
        .isn = {0x10000000, 0x20000000},
        .now = INT64_C(1700000000) * 1000000000,
        .frame = g_malloc(FRAME_MAX),
        .fpdu = g_malloc(MPA_FPDU_OCTETS_MAX),
    };
}

static void stream_segment(struct bulk_stream *stream, unsigned side, uint8_t flags, const uint8_t *p, size_t n)
{
    static const uint8_t syn_options[12] = {2, 4, 0xFF, 0xFF, 4, 2, 1, 3, 3, 7, 1, 1};
    struct frame_tcp tcp = {
        .side = side,
        .seq = stream->isn[side] + (uint32_t)stream->written[side],
        .ack = flags & SEG_ACK ? stream->isn[!side] + (uint32_t)stream->written[!side] : 0,
        .flags = flags,
        .window = 65535,
        .ip_id = stream->ip_id++,
        .payload = p,
        .payload_length = n,
        .options = syn_options,
        .options_length = flags & SEG_SYN ? sizeof syn_options : 0,
    };

    stream->failed |= !capture_file_packet(stream->file, stream->now, stream->frame,
                                           frame_encode(&stream->path, &tcp, stream->frame));
    stream->written[side] += n + (flags & (SEG_SYN | SEG_FIN) ? 1 : 0);
    stream->now += PACKET_NS;
}

static void say_frame(struct bulk_stream *stream, unsigned side, const struct mpa_startup *frame)
{
    uint8_t octets[MPA_STARTUP_HEADER_LEN + MPA_ENHANCED_LEN + MPA_PRIVATE_DATA_MAX];

    stream_segment(stream, side, SEG_ACK | SEG_PSH, octets, mpa_startup_encode(frame, octets, sizeof octets));
}

void bulk_stream_startup(struct bulk_stream *stream, const struct mpa_startup *request, const struct mpa_startup *reply)
{
    stream_segment(stream, 0, SEG_SYN, NULL, 0);
    stream_segment(stream, 1, SEG_SYN | SEG_ACK, NULL, 0);
    stream_segment(stream, 0, SEG_ACK, NULL, 0);
    say_frame(stream, 0, request);
    say_frame(stream, 1, reply);
    stream->framing[0].markers = reply->flags & MPA_FLAG_M;
    stream->framing[1].markers = request->flags & MPA_FLAG_M;
    for (unsigned side = 0; side < 2; side++)
        stream->framing[side].seq_start = stream->written[side] - 1; /* the SYN is not an octet of the stream */
}

void bulk_stream_ulpdu(struct bulk_stream *stream, unsigned side, const uint8_t *ulpdu, uint16_t n)
{
    struct mpa_fpdu_plan plan;

    mpa_fpdu_plan_init(&plan, &stream->framing[side], stream->written[side] - 1, ulpdu, n, !stream->options->no_crc);
    stream_segment(stream, side, SEG_ACK | SEG_PSH, stream->fpdu,
                   mpa_fpdu_encode(&plan, stream->fpdu, MPA_FPDU_OCTETS_MAX));
    stream->not_acked[!side] = 0;
    if (++stream->not_acked[side] == FPDUS_PER_ACK) {
        stream_segment(stream, !side, SEG_ACK, NULL, 0);
        stream->not_acked[side] = 0;
    }
}

bool bulk_stream_leave(struct bulk_stream *stream)
{
    int error = errno;

    g_free(stream->frame);
    g_free(stream->fpdu);
    errno = error;
    return !stream->failed;
}

bool bulk_stream_end(struct bulk_stream *stream)
{
    stream_segment(stream, 0, SEG_ACK | SEG_FIN, NULL, 0);
    stream_segment(stream, 1, SEG_ACK | SEG_FIN, NULL, 0);
    stream_segment(stream, 0, SEG_ACK, NULL, 0);
    return bulk_stream_leave(stream);
}
