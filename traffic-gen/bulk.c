// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/bulk.h"

#include "traffic-gen/frame.h"
#include "traffic-gen/sim_tcp.h"
#include "wire/ddp.h"
#include "wire/mpa_fpdu.h"
#include "wire/mpa_startup.h"
#include "wire/octets.h"

#include <errno.h>
#include <glib.h>

enum {
    SEGMENTS_PER_MESSAGE = 64,
    SEGMENTS_PER_ACK = 2,
    PACKET_NS = 1200,
    PACKET_OVERHEAD = 32 + 14 + 40, /* pcapng block, Ethernet, IPv4 and TCP */
};

struct bulk {
    struct capture_file *file;
    struct frame_path path;
    uint64_t written[2];
    uint32_t isn[2];
    int64_t now;
    uint16_t ip_id;
    bool failed;
    uint8_t *frame;
};

static void segment(struct bulk *bulk, unsigned side, uint8_t flags, const uint8_t *p, size_t n)
{
    static const uint8_t syn_options[12] = {2, 4, 0xFF, 0xFF, 4, 2, 1, 3, 3, 7, 1, 1};
    struct frame_tcp tcp = {
        .side = side,
        .seq = bulk->isn[side] + (uint32_t)bulk->written[side],
        .ack = flags & SEG_ACK ? bulk->isn[!side] + (uint32_t)bulk->written[!side] : 0,
        .flags = flags,
        .window = 65535,
        .ip_id = bulk->ip_id++,
        .payload = p,
        .payload_length = n,
        .options = syn_options,
        .options_length = flags & SEG_SYN ? sizeof(syn_options) : 0,
    };

    bulk->failed |=
        !capture_file_packet(bulk->file, bulk->now, bulk->frame, frame_encode(&bulk->path, &tcp, bulk->frame));
    bulk->written[side] += n + (flags & (SEG_SYN | SEG_FIN) ? 1 : 0);
    bulk->now += PACKET_NS;
}

static void startup(struct bulk *bulk, const struct bulk_options *options)
{
    uint8_t octets[MPA_STARTUP_HEADER_LEN];
    struct mpa_startup frame = {.kind = MPA_REQUEST, .revision = 1, .flags = options->no_crc ? 0 : MPA_FLAG_C};

    segment(bulk, 0, SEG_SYN, NULL, 0);
    segment(bulk, 1, SEG_SYN | SEG_ACK, NULL, 0);
    segment(bulk, 0, SEG_ACK, NULL, 0);
    segment(bulk, 0, SEG_ACK | SEG_PSH, octets, mpa_startup_encode(&frame, octets, sizeof(octets)));
    frame.kind = MPA_REPLY;
    if (options->markers)
        frame.flags |= MPA_FLAG_M;
    segment(bulk, 1, SEG_ACK | SEG_PSH, octets, mpa_startup_encode(&frame, octets, sizeof(octets)));
}

bool bulk_play(struct capture_file *file, const struct bulk_options *options)
{
    struct bulk bulk = {
        .file = file,
        .path = {.ipv6 = options->ipv6, .vlan = options->vlan, .host = {1, 2}, .port = {40001, 7174}},
        .isn = {0x10000000, 0x20000000},
        .now = INT64_C(1700000000) * 1000000000,
        .frame = g_malloc(FRAME_MAX),
    };
    uint8_t *ulpdu = g_malloc0(options->ulpdu), *octets = g_malloc(MPA_FPDU_OCTETS_MAX);
    uint64_t count = options->size / (options->ulpdu + 6 + PACKET_OVERHEAD + (PACKET_OVERHEAD / SEGMENTS_PER_ACK));
    struct ddp_segment ddp = {.tagged = true, .dv = 1, .rv = 1, .opcode = RDMAP_WRITE, .stag = 0x5600};
    size_t room = options->ulpdu - DDP_TAGGED_HEADER_LEN;
    struct mpa_framing framing = {.markers = options->markers};

    for (size_t i = 0; i < room; i++)
        ulpdu[DDP_TAGGED_HEADER_LEN + i] = (uint8_t)(i * 31);
    startup(&bulk, options);
    framing.seq_start = bulk.written[0] - 1; /* the SYN is no octet of the stream */
    for (uint64_t i = 0; i < MAX(count, 1) && !bulk.failed; i++) {
        struct mpa_fpdu_plan plan;

        ddp.to = i * room;
        ddp.last = i % SEGMENTS_PER_MESSAGE == SEGMENTS_PER_MESSAGE - 1 || i + 1 == MAX(count, 1);
        ddp_header_encode(&ddp, ulpdu, options->ulpdu);
        mpa_fpdu_plan_init(&plan, &framing, bulk.written[0] - 1, ulpdu, (uint16_t)options->ulpdu, !options->no_crc);
        segment(&bulk, 0, SEG_ACK | SEG_PSH, octets, mpa_fpdu_encode(&plan, octets, MPA_FPDU_OCTETS_MAX));
        if (i % SEGMENTS_PER_ACK == SEGMENTS_PER_ACK - 1)
            segment(&bulk, 1, SEG_ACK, NULL, 0);
    }
    segment(&bulk, 0, SEG_ACK | SEG_FIN, NULL, 0);
    segment(&bulk, 1, SEG_ACK | SEG_FIN, NULL, 0);
    segment(&bulk, 0, SEG_ACK, NULL, 0);

    int error = errno;

    g_free(bulk.frame);
    g_free(ulpdu);
    g_free(octets);
    errno = error;
    return !bulk.failed;
}
