// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The host of our own TCP on a hostile wire. Each step of the input is an octet for the action with its parameters: a
 * raw frame (two octets of length, octets); a segment of the peer with nearly right numbers and correct checksums; a
 * call of the owner; time. In every case memory is bounded, no octet outside a frame is read, and the host's frames are
 * valid for itself.
 */
#include "tests/fuzz/fuzz_input.h"
#include "traffic-gen/live/wire/host.h"

#include <string.h>

enum { STEPS_MAX = 400, PORT = 7174, ROOM = 4096 };

struct world {
    struct wire_host *host;
    struct wire_place place;
    struct wire_tcp *tcps[2]; /* one that we open, one that the peer opens; NULL: gone, or not yet */
    int64_t now;
    uint64_t sent; /* frames */
};

static const uint8_t peer_mac[WIRE_MAC] = {2, 0, 0, 0, 0, 1};

static void on_send(void *ctx, const uint8_t *frame, size_t n)
{
    struct world *world = ctx;
    struct wire_packet packet;

    HOLDS(n >= WIRE_ETHERNET && memcmp(frame + WIRE_MAC, world->place.self.mac, WIRE_MAC) == 0);
    wire_packet_parse(frame, n, true, &packet);
    /* Echo Replies are not read. */
    HOLDS(packet.kind != PACKET_TCP || memcmp(packet.source.address, world->place.self.address, 16) == 0);
    world->sent++;
}

static void on_changed(void *ctx, struct wire_tcp *tcp)
{
    struct world *world = ctx;

    HOLDS(tcp == world->tcps[0] || tcp == world->tcps[1]);
    HOLDS(wire_tcp_unread(tcp) <= WIRE_WINDOW && tcp->beyond.length <= 128);
    HOLDS(tcp->una <= tcp->nxt && tcp->nxt <= MAX(tcp->max, tcp->nxt) && tcp->rcv <= tcp->advertised);
}

static void on_accepted(void *ctx, uint16_t port, struct wire_tcp *tcp)
{
    struct world *world = ctx;

    HOLDS(port == PORT);
    if (world->tcps[1])
        wire_host_release(world->host, tcp, false, world->now);
    else
        world->tcps[1] = tcp;
}

static struct endpoint peer_of(const struct world *world, uint16_t port)
{
    struct endpoint peer = {.ip = world->place.self.ip, .port = port};

    memcpy(peer.address, world->place.self.address, sizeof peer.address);
    peer.address[peer.ip == 4 ? 3 : 15] ^= 3;
    return peer;
}

/* ---- frames from the peer ---- */

static void frame_as_it_is(struct world *world, struct input *input)
{
    const size_t wanted = take(input) << 8 | take(input), n = MIN(MIN(wanted, (size_t)ROOM), input->n);
    uint8_t *frame = g_memdup2(input->p, n); /* separate memory, so that out-of-bounds reads are found */

    if (n > 0)
        wire_host_input(world->host, frame, n, true, world->now);
    input->p += n;
    input->n -= n;
    g_free(frame);
}

/* Interesting offsets from the right number. */
static uint32_t about(unsigned choice)
{
    static const uint32_t away[] = {0, 1, 0xFFFFFFFF, 100, 65535, 65536, 0x80000000, 0xFFFF0000};

    return away[choice % G_N_ELEMENTS(away)];
}

static void segment(struct world *world, struct input *input)
{
    const unsigned which = take(input), flags = take(input), near = take(input), n = take(input);
    struct wire_tcp *tcp = world->tcps[which & 1];
    const struct endpoint peer = peer_of(world, 40000);
    struct frame_path path = {.ipv6 = peer.ip == 6, .real = true, .port = {40000, PORT}};
    uint8_t payload[512], frame[ROOM], mss[4] = {2, 4, (uint8_t)take(input), (uint8_t)take(input)};
    struct frame_tcp tcp_segment = {.side = 0,
                                    .flags = (uint8_t)flags,
                                    .window = (uint16_t)(take(input) << 8),
                                    .options = which & 2 ? mss : NULL,
                                    .options_length = which & 2 ? sizeof mss : 0,
                                    .traffic_class = (uint8_t)(which >> 4),
                                    .payload = payload,
                                    .payload_length = n * 2};

    memcpy(path.address[0], peer.address, 16);
    memcpy(path.address[1], world->place.self.address, 16);
    memset(payload, (int)near, sizeof payload);
    if (tcp) {
        path.port[0] = tcp->path.port[1];
        path.port[1] = tcp->path.port[0];
        tcp_segment.seq = tcp->irs + 1 + (uint32_t)tcp->rcv + about(near);
        tcp_segment.ack = tcp->iss + 1 + (uint32_t)tcp->una + about(near >> 4);
    }
    wire_host_input(world->host, frame, frame_encode(&path, &tcp_segment, frame), true, world->now);
}

/* ---- calls of the owner ---- */

static void call(struct world *world, struct input *input)
{
    static uint8_t octets[ROOM];
    const unsigned what = take(input), n = take(input) * 16;
    struct wire_tcp **place = &world->tcps[what & 1], *tcp = *place;

    if (!tcp)
        return;
    switch (what >> 1 & 7) {
    case 0:
        wire_tcp_write(tcp, octets, n, world->now);
        break;
    case 1:
        wire_tcp_read(tcp, octets, n, world->now);
        break;
    case 2:
        wire_tcp_set_limit(tcp, n * 8, world->now);
        break;
    case 3:
        wire_tcp_finish(tcp, world->now);
        break;
    case 4:
        wire_tcp_hold(tcp, what & 16, world->now);
        break;
    case 5:
        wire_tcp_put(
            tcp, &(struct wire_put){
                     .from = (int64_t)tcp->una + (int64_t)n - 64, .p = octets, .n = n, .flags = (uint8_t)(what & 32)});
        break;
    case 6:
        wire_tcp_cork(tcp, what & 16, world->now);
        break;
    default:
        *place = NULL;
        wire_host_release(world->host, tcp, what & 16, world->now);
        break;
    }
}

static void step(struct world *world, struct input *input)
{
    switch (take(input) & 3) {
    case 0:
        frame_as_it_is(world, input);
        break;
    case 1:
        segment(world, input);
        break;
    case 2:
        call(world, input);
        break;
    default:
        world->now += (int64_t)take(input) * 50 * 1000000;
        wire_host_tick(world->host, world->now);
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {data, size};
    struct world world = {.now = 1};
    const struct wire_host_events events = {
        .send = on_send, .changed = on_changed, .accepted = on_accepted, .ctx = &world};
    const unsigned how = take(&input);
    struct endpoint peer;
    char *why = NULL;

    HOLDS(wire_place_parse(how & 1 ? "2001:db8::2/64" : "192.0.2.2/24", NULL, &world.place, &why));
    world.place.mtu = 1500;
    world.host = wire_host_new(&world.place, &events);
    peer = peer_of(&world, PORT);
    world.tcps[0] = wire_host_connect(world.host, &peer, NULL, world.now);
    HOLDS(world.tcps[0] && wire_host_listen(world.host, &(struct endpoint){.port = PORT}, 0, 0) == PORT);
    /* The peer is known from the beginning, otherwise little would happen. */
    if (!(how & 2)) {
        uint8_t frame[WIRE_SMALL_FRAME];
        struct wire_self self = {.ip = world.place.self.ip};

        memcpy(self.mac, peer_mac, WIRE_MAC);
        memcpy(self.address, peer.address, sizeof self.address);
        wire_host_input(world.host, frame, wire_packet_ask(&self, world.place.self.address, frame), true, world.now);
    }
    for (unsigned i = 0; input.n > 0 && i < STEPS_MAX; i++)
        step(&world, &input);
    wire_host_free(world.host);
    return 0;
}
