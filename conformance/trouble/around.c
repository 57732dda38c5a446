// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/trouble/around.h"

#include "engine/core/heap.h"
#include "engine/packet/decap_link.h"
#include "wire/octets.h"

#include <pcap/dlt.h>
#include <stdlib.h>
#include <string.h>

enum {
    SETS = 256,
    WAYS = 4, /* entries in a set */
    ETHERNET_HEADER = 14,
    ETHERTYPE_IPV4 = 0x0800,
    ETHERTYPE_IPV6 = 0x86dd,
    ETHERTYPE_8021Q = 0x8100,
    ETHERTYPE_8021AD = 0x88a8,
    ETHERTYPE_CONTROL = 0x8808,
    OPCODE_PAUSE = 0x0001,
    OPCODE_PRIORITY_PAUSE = 0x0101,
    QUANTUM_NS = 512, /* at 1 Gbit/s; less on faster links */
    PROTOCOL_ICMP = 1,
    PROTOCOL_TCP = 6,
    PROTOCOL_UDP = 17,
    PROTOCOL_ICMP6 = 58,
    IPV4_HEADER = 20,
    IPV6_HEADER = 40,
    ICMP_HEADER = 8,
    OPCODE_UD = 0x60, /* the upper bits of the opcode: unreliable datagrams, among them connection management */
    OPCODE_CNP = 0x81,
};

struct around_table {
    struct around_pair pair[SETS][WAYS];
    struct around_mac mac[SETS][WAYS];
};

struct around *around_new(void)
{
    return heap_zeroed(1, sizeof(struct around));
}

void around_forget(struct around *around)
{
    if (around) {
        free(around->table);
        around->table = NULL;
    }
}

void around_free(struct around *around)
{
    around_forget(around);
    free(around);
}

/* ---- tables ---- */

static bool is_host(const struct endpoint *a, const struct endpoint *b)
{
    return a->ip == b->ip && a->network == b->network && memcmp(a->address, b->address, sizeof a->address) == 0;
}

static uint32_t fold(const uint8_t *p, size_t n)
{
    uint32_t hash = 2166136261u;

    for (size_t i = 0; i < n; i++)
        hash = (hash ^ p[i]) * 16777619u;
    return hash ^ hash >> 15;
}

/* The same for both directions. */
static unsigned set_of(const struct endpoint *a, const struct endpoint *b)
{
    static const uint64_t odd = UINT64_C(0x9E3779B97F4A7C15);
    uint64_t of_a[2], of_b[2];

    memcpy(of_a, a->address, sizeof of_a);
    memcpy(of_b, b->address, sizeof of_b);
    return (unsigned)(((of_a[0] + of_b[0]) * odd + of_a[1] + of_b[1]) * odd >> 32) % SETS;
}

static bool is_pair(const struct around_pair *pair, const struct endpoint *a, const struct endpoint *b)
{
    return pair->used != 0 && ((is_host(&pair->host[0], a) && is_host(&pair->host[1], b)) ||
                               (is_host(&pair->host[0], b) && is_host(&pair->host[1], a)));
}

const struct around_pair *around_find(const struct around *around, const struct endpoint *a, const struct endpoint *b)
{
    const struct around_pair *set = around->table ? around->table->pair[set_of(a, b)] : NULL;

    for (unsigned i = 0; set && i < WAYS; i++)
        if (is_pair(&set[i], a, b))
            return &set[i];
    return NULL;
}

/* The packets that one host sends to the other. The least recently used entry makes room. */
static struct around_way *way_between(struct around *around, const struct endpoint *from, const struct endpoint *to)
{
    struct around_pair *set = around->table->pair[set_of(from, to)], *oldest = set;

    for (unsigned i = 0; i < WAYS; i++) {
        unsigned way = is_host(&set[i].host[0], from) ? 0 : 1;

        if (set[i].used != 0 && is_host(&set[i].host[!way], to) && (way == 0 || is_host(&set[i].host[1], from))) {
            set[i].used = around->now;
            return &set[i].way[way];
        }
        oldest = set[i].used < oldest->used ? &set[i] : oldest;
    }
    *oldest = (struct around_pair){.host = {*from, *to}, .used = around->now};
    oldest->host[0].port = oldest->host[1].port = 0;
    return &oldest->way[0];
}

const struct around_way *around_way_of(const struct around_pair *pair, const struct endpoint *sender)
{
    return &pair->way[is_host(&pair->host[0], sender) ? 0 : 1];
}

const struct around_mac *around_find_mac(const struct around *around, const uint8_t mac[6])
{
    const struct around_mac *set = around->table ? around->table->mac[fold(mac, 6) % SETS] : NULL;

    for (unsigned i = 0; set && i < WAYS; i++)
        if (set[i].used != 0 && memcmp(set[i].mac, mac, 6) == 0)
            return &set[i];
    return NULL;
}

static struct around_mac *mac_of(struct around *around, const uint8_t mac[6])
{
    struct around_mac *set = around->table->mac[fold(mac, 6) % SETS], *oldest = set;

    for (unsigned i = 0; i < WAYS; i++) {
        if (set[i].used != 0 && memcmp(set[i].mac, mac, 6) == 0)
            return &set[i];
        oldest = set[i].used < oldest->used ? &set[i] : oldest;
    }
    *oldest = (struct around_mac){.used = around->now};
    memcpy(oldest->mac, mac, 6);
    return oldest;
}

static void count(struct around_repeated *repeated, const struct packet *packet)
{
    if (repeated->n++ == 0)
        repeated->first = (struct trouble_event){packet->frame, packet->time_ns};
}

/* ---- Ethernet ---- */

struct frame {
    const uint8_t *mac, *to_mac; /* NULL: no Ethernet */
    struct around_tags tags;
    unsigned type;
    const uint8_t *p; /* after the header */
    uint32_t n;
};

static struct frame around_frame_of(const struct packet *packet)
{
    struct frame frame = {.p = packet->data, .n = packet->captured};

    if (packet->linktype != DLT_EN10MB || packet->captured < ETHERNET_HEADER)
        return frame;
    frame.to_mac = packet->data;
    frame.mac = packet->data + 6;
    frame.tags.frame = packet->frame;
    frame.type = get_be16(packet->data + 12);
    frame.p += ETHERNET_HEADER;
    frame.n -= ETHERNET_HEADER;
    while ((frame.type == ETHERTYPE_8021Q || frame.type == ETHERTYPE_8021AD) && frame.n >= 4 &&
           frame.tags.n < AROUND_TAGS) {
        uint16_t vlan = get_be16(frame.p) & 0xfff;

        if (vlan != 0) /* 0: a priority alone */
            frame.tags.vlan[frame.tags.n++] = vlan;
        frame.type = get_be16(frame.p + 2);
        frame.p += 4;
        frame.n -= 4;
    }
    return frame;
}

static bool same_tags(const struct around_tags *a, const struct around_tags *b)
{
    return a->n == b->n && memcmp(a->vlan, b->vlan, a->n * sizeof *a->vlan) == 0;
}

/* ---- pause frames ---- */

static struct around_pauser *pauser_of(struct around *around, const uint8_t *mac)
{
    for (unsigned i = 0; i < AROUND_PAUSERS; i++) {
        struct around_pauser *pauser = &around->pauser[i];

        if (pauser->all.n == 0)
            memcpy(pauser->mac, mac, sizeof pauser->mac);
        if (memcmp(pauser->mac, mac, sizeof pauser->mac) == 0)
            return pauser;
    }
    return NULL;
}

static void resume(struct around *around, struct around_pauser *pauser, int64_t now_ns)
{
    int64_t until = now_ns < pauser->until_ns ? now_ns : pauser->until_ns;

    if (!pauser->pausing)
        return;
    pauser->pausing = false;
    around->pausing--;
    pauser->paused_ns += until > pauser->since_ns ? (uint64_t)(until - pauser->since_ns) : 0;
}

/* A packet of another sender ends the pause, as far as the capture shows. */
static __attribute__((noinline)) void end_pauses(struct around *around, const struct frame *frame, int64_t now_ns)
{
    for (unsigned i = 0; i < AROUND_PAUSERS; i++)
        if (memcmp(around->pauser[i].mac, frame->mac, sizeof around->pauser[i].mac) != 0)
            resume(around, &around->pauser[i], now_ns);
}

static void take_pause(struct around *around, const struct packet *packet, const struct frame *frame)
{
    unsigned opcode = frame->n >= 4 ? get_be16(frame->p) : 0, enabled, longest = 0;
    struct around_pauser *pauser;

    if ((opcode != OPCODE_PAUSE && (opcode != OPCODE_PRIORITY_PAUSE || frame->n < 4 + 2 * AROUND_PRIORITIES)))
        return;
    pauser = pauser_of(around, frame->mac);
    if (!pauser)
        return;
    enabled = opcode == OPCODE_PAUSE ? 0 : frame->p[3];
    longest = opcode == OPCODE_PAUSE ? get_be16(frame->p + 2) : 0;
    for (unsigned i = 0; i < AROUND_PRIORITIES; i++) {
        unsigned quanta = enabled >> i & 1 ? get_be16(frame->p + 4 + (size_t)2 * i) : 0;

        pauser->of[i] += quanta > 0;
        longest = quanta > longest ? quanta : longest;
    }
    if (longest == 0) {
        resume(around, pauser, packet->time_ns);
        return;
    }
    count(&pauser->all, packet);
    if (!pauser->pausing) {
        pauser->pausing = true;
        pauser->since_ns = packet->time_ns;
        around->pausing++;
    }
    pauser->until_ns = packet->time_ns + (int64_t)longest * QUANTUM_NS;
}

/* ---- ICMP ---- */

static const struct icmp_meaning {
    uint8_t ip, type, code;
    enum around_icmp_kind kind;
} meanings[] = {
    {4, 3, 0, AROUND_UNREACHABLE}, {4, 3, 1, AROUND_UNREACHABLE}, {4, 3, 2, AROUND_UNREACHABLE},
    {4, 3, 3, AROUND_NO_PORT},     {4, 3, 4, AROUND_TOO_BIG},     {4, 3, 6, AROUND_UNREACHABLE},
    {4, 3, 7, AROUND_UNREACHABLE}, {4, 3, 9, AROUND_PROHIBITED},  {4, 3, 10, AROUND_PROHIBITED},
    {4, 3, 13, AROUND_PROHIBITED}, {6, 1, 0, AROUND_UNREACHABLE}, {6, 1, 1, AROUND_PROHIBITED},
    {6, 1, 3, AROUND_UNREACHABLE}, {6, 1, 4, AROUND_NO_PORT},     {6, 1, 5, AROUND_PROHIBITED},
    {6, 1, 6, AROUND_PROHIBITED},  {6, 2, 0, AROUND_TOO_BIG},
};

static const struct icmp_meaning *meaning_of(unsigned ip, unsigned type, unsigned code)
{
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (meanings[i].ip == ip && meanings[i].type == type && meanings[i].code == code)
            return &meanings[i];
    return NULL;
}

static struct endpoint host_of(unsigned ip, const uint8_t *address)
{
    struct endpoint host = {.ip = (uint8_t)ip};

    memcpy(host.address, address, ip == 4 ? 4 : 16);
    return host;
}

/* Reads an IP header without extension headers. Returns its length; 0: the octets are no IP header, or the header is
 * cut. */
static uint32_t read_ip(const uint8_t *p, uint32_t n, uint8_t *protocol, struct endpoint *from, struct endpoint *to)
{
    unsigned version = n > 0 ? p[0] >> 4 : 0;
    uint32_t header = version == 4 ? (uint32_t)(p[0] & 0x0f) * 4 : IPV6_HEADER;

    if ((version != 4 && version != 6) || header < IPV4_HEADER || n < header)
        return 0;
    *protocol = version == 4 ? p[9] : p[6];
    *from = host_of(version, version == 4 ? p + 12 : p + 8);
    *to = host_of(version, version == 4 ? p + 16 : p + 24);
    return header;
}

static bool is_same_icmp(const struct around_icmp *a, const struct around_icmp *b)
{
    return a->kind == b->kind && a->tcp == b->tcp && a->port == b->port && is_host(&a->from, &b->from);
}

/* The kind that came last longest ago makes room for a new kind. */
static void note_icmp(struct around_way *way, const struct around_icmp *icmp, const struct packet *packet)
{
    struct around_icmp *known = way->icmp;

    for (unsigned i = 0; i < AROUND_ICMP && !is_same_icmp(known, icmp); i++)
        if (is_same_icmp(&way->icmp[i], icmp) || way->icmp[i].last.frame < known->last.frame)
            known = &way->icmp[i];
    if (known->all.n == 0 || !is_same_icmp(known, icmp))
        *known = *icmp;
    known->mtu = icmp->mtu;
    known->last = (struct trouble_event){packet->frame, packet->time_ns};
    count(&known->all, packet);
}

static void take_icmp(struct around *around, const struct packet *packet)
{
    struct endpoint to, source, destination;
    struct around_icmp icmp = {.mtu = 0};
    const struct icmp_meaning *meaning;
    struct slice slice = {packet->data, packet->captured, packet->length, 0};
    enum link_payload payload = link_payload(packet->linktype, &slice);
    const uint8_t *p = slice.p;
    uint8_t protocol = 0;
    uint32_t n = payload == LINK_IPV4 || payload == LINK_IPV6 ? slice.captured : 0;
    uint32_t header = read_ip(p, n, &protocol, &icmp.from, &to);

    if (header == 0 || protocol != (icmp.from.ip == 4 ? PROTOCOL_ICMP : PROTOCOL_ICMP6) || n - header < ICMP_HEADER)
        return;
    p += header;
    n -= header;
    meaning = meaning_of(icmp.from.ip, p[0], p[1]);
    if (!meaning)
        return;
    icmp.kind = meaning->kind;
    if (icmp.kind == AROUND_TOO_BIG)
        icmp.mtu = icmp.from.ip == 4 ? get_be16(p + 6) : get_be32(p + 4);
    header = read_ip(p + ICMP_HEADER, n - ICMP_HEADER, &protocol, &source, &destination);
    if (header == 0 || n - ICMP_HEADER - header < 4 || (protocol != PROTOCOL_TCP && protocol != PROTOCOL_UDP))
        return;
    icmp.tcp = protocol == PROTOCOL_TCP;
    icmp.port = get_be16(p + ICMP_HEADER + header + 2);
    if (!icmp.tcp && icmp.port != IB_ROCE2_UDP_PORT)
        return;
    note_icmp(way_between(around, &source, &destination), &icmp, packet);
}

/* Packets that are neither TCP nor RoCE. */
static __attribute__((noinline)) void take_other(struct around *around, const struct packet *packet,
                                                 const struct frame *frame)
{
    struct around_mac *mac;

    if (frame->mac && frame->type == ETHERTYPE_CONTROL) {
        take_pause(around, packet, frame);
        return;
    }
    if (frame->mac) {
        mac = mac_of(around, frame->mac);
        if (mac->first.frame == 0)
            mac->first = frame->tags;
        else if (mac->other.frame == 0 && !same_tags(&mac->first, &frame->tags))
            mac->other = frame->tags;
    }
    take_icmp(around, packet);
}

/* ---- TCP and RoCE ---- */

static void take_dscp(struct around_way *way, const struct packet *packet, const uint8_t *ip)
{
    uint8_t dscp = (uint8_t)((ip[0] >> 4 == 4 ? ip[1] : (unsigned)(ip[0] << 4 | ip[1] >> 4) & 0xff) >> 2);

    if (way->same == 0) {
        way->dscp = dscp;
        way->dscp_first = (struct trouble_event){packet->frame, packet->time_ns};
    }
    if (way->dscp == dscp)
        way->same++;
    else
        way->differing++;
}

static void take_way(struct around_way *way, const struct packet *packet, const struct frame *frame, bool part)
{
    static const uint8_t none[6];

    if (!frame->mac)
        return;
    if (!way->mac_known) {
        memcpy(way->mac, frame->mac, sizeof way->mac);
        memcpy(way->to_mac, frame->to_mac, sizeof way->to_mac);
        way->tags = frame->tags;
        way->mac_known = true;
    }
    if (memcmp(frame->mac, frame->to_mac, sizeof none) == 0 && memcmp(frame->mac, none, sizeof none) != 0)
        count(&way->own, packet);
    if (part && frame->n >= IPV4_HEADER)
        take_dscp(way, packet, frame->p);
}

/* Inside a tunnel, the headers before the packet say nothing about these hosts. */
static bool is_direct(const struct frame *frame, const struct endpoint *source)
{
    return source->ip == 4 ? frame->type == ETHERTYPE_IPV4 && frame->n >= IPV4_HEADER &&
                                 memcmp(frame->p + 12, source->address, 4) == 0
                           : frame->type == ETHERTYPE_IPV6 && frame->n >= IPV6_HEADER &&
                                 memcmp(frame->p + 8, source->address, 16) == 0;
}

static void take_between(struct around *around, const struct packet *packet, const struct frame *frame,
                         const struct endpoint *source, const struct endpoint *destination, bool part)
{
    struct around_way *way = way_between(around, source, destination);

    if (frame->mac && is_direct(frame, source))
        take_way(way, packet, frame, part);
}

static void around_count_cut(struct around *around, const struct packet *packet)
{
    if (around->cut++ == 0)
        around->cut_first = (struct trouble_event){packet->frame, packet->time_ns};
    around->shorter += packet->captured == packet->length;
    around->longest = packet->captured > around->longest ? packet->captured : around->longest;
}

static struct endpoint ib_host(const struct ib_address *address)
{
    struct endpoint host = {.ip = address->kind == IB_ADDRESS_IPV4 ? 4 : 6, .network = address->network};

    memcpy(host.address, address->octets, sizeof host.address);
    return host;
}

void around_packet(struct around *around, const struct packet *packet, enum decap_status status,
                   const struct addressed_segment *segment, const struct ib_datagram *ib)
{
    const struct frame frame = around_frame_of(packet);
    const struct tcp_segment *tcp = &segment->segment;

    if (!around->table && !(around->table = heap_zeroed(1, sizeof *around->table)))
        return;
    around->now++;
    if (around->pausing > 0 && frame.mac && (status == DECAP_TCP || status == DECAP_IB))
        end_pauses(around, &frame, packet->time_ns);
    if (status == DECAP_TCP) {
        if (tcp->captured < tcp->length)
            around_count_cut(around, packet);
        take_between(around, packet, &frame, &segment->source, &segment->destination, tcp->length > 0);
    } else if (status == DECAP_IB && ib->source.kind != IB_ADDRESS_LID) {
        const struct endpoint source = ib_host(&ib->source), destination = ib_host(&ib->destination);

        if (ib->captured < ib->length)
            around_count_cut(around, packet);
        take_between(around, packet, &frame, &source, &destination,
                     ib->p[0] != OPCODE_CNP && (ib->p[0] & 0xe0) != OPCODE_UD);
    } else if (status == DECAP_CUT) {
        around_count_cut(around, packet);
    } else {
        take_other(around, packet, &frame);
    }
}
