// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mutate SEED RATE IN OUT: a capture whose messages are damaged as by a peer: lengths, PAD, CRC, sequence numbers and
 * checksums are corrected afterwards, so that the damage reaches the layer that reads it. RATE is the share of units
 * (start-up frames, FPDUs, other octets of a segment) that are changed; a tenth of these keep their old CRC, and some
 * packets are removed, duplicated or swapped. The same SEED gives the same capture.
 */
#include "wire/crc32c.h"
#include "wire/mpa_fpdu.h"
#include "wire/mpa_startup.h"
#include "wire/octets.h"

#include <glib.h>
#include <netinet/in.h>
#include <pcap/pcap.h>
#include <string.h>

enum {
    PACKET_MAX = 65535,
    ROOM = 4 * PACKET_MAX,
    ETHERNET_TYPE_AT = 12,
    TYPE_IPV4 = 0x0800,
    TYPE_IPV6 = 0x86DD,
    TYPE_VLAN = 0x8100,
    IPV4_MIN = 20,
    IPV6_LEN = 40,
    TCP_MIN = 20,
    TCP_SYN = 2,
};

/* Where the layers of a packet begin. */
struct layers {
    size_t ip, tcp, payload, end;
    bool ipv6;
};

struct flow {
    uint32_t grown; /* octets added in this direction so far, modulo 2^32 */
};

static GRand *dice;
static double rate;
static GHashTable *flows; /* GBytes of sender and receiver: struct flow */

static uint32_t roll(uint32_t sides)
{
    return sides == 0 ? 0 : (uint32_t)g_rand_int_range(dice, 0, (gint32)MIN(sides, (uint32_t)G_MAXINT32));
}

/* ---- layers ---- */

static bool find_ip(int link, const uint8_t *p, size_t n, struct layers *out)
{
    static const struct {
        int link;
        size_t length;
    } heads[] = {{DLT_RAW, 0}, {DLT_IPV4, 0}, {DLT_NULL, 4}, {DLT_LOOP, 4}, {DLT_LINUX_SLL, 16}, {DLT_LINUX_SLL2, 20}};
    size_t at = ETHERNET_TYPE_AT;

    for (size_t i = 0; i < G_N_ELEMENTS(heads); i++)
        if (heads[i].link == link && heads[i].length < n) {
            out->ip = heads[i].length;
            out->ipv6 = p[out->ip] >> 4 == 6;
            return out->ipv6 || p[out->ip] >> 4 == 4;
        }
    if (link != DLT_EN10MB)
        return false;
    while (at + 2 <= n && get_be16(p + at) == TYPE_VLAN)
        at += 4;
    if (at + 2 > n || (get_be16(p + at) != TYPE_IPV4 && get_be16(p + at) != TYPE_IPV6))
        return false;
    out->ip = at + 2;
    out->ipv6 = get_be16(p + at) == TYPE_IPV6;
    return true;
}

/* A complete TCP segment in a packet that is neither a fragment nor cut. */
static bool find_layers(int link, const uint8_t *p, size_t n, struct layers *out)
{
    if (!find_ip(link, p, n, out) || n - out->ip < IPV4_MIN)
        return false;
    if (out->ipv6) {
        if (n - out->ip < IPV6_LEN || p[out->ip + 6] != IPPROTO_TCP)
            return false;
        out->tcp = out->ip + IPV6_LEN;
        out->end = out->tcp + get_be16(p + out->ip + 4);
    } else {
        if (p[out->ip + 9] != IPPROTO_TCP || (get_be16(p + out->ip + 6) & 0x3FFF) != 0)
            return false;
        out->tcp = out->ip + (p[out->ip] & 15) * 4u;
        out->end = out->ip + get_be16(p + out->ip + 2);
    }
    if (out->end > n || out->tcp + TCP_MIN > out->end)
        return false;
    out->payload = out->tcp + (p[out->tcp + 12] >> 4) * 4u;
    return out->payload >= out->tcp + TCP_MIN && out->payload <= out->end;
}

/* ---- checksums ---- */

static uint32_t add(uint32_t sum, const uint8_t *p, size_t n)
{
    for (; n > 1; p += 2, n -= 2)
        sum += get_be16(p);
    return n > 0 ? sum + (uint32_t)(p[0] << 8) : sum;
}

static uint16_t fold(uint32_t sum)
{
    while (sum >> 16)
        sum = (sum & 0xFFFF) + (sum >> 16);
    return (uint16_t)~sum;
}

static void repair_headers(uint8_t *p, const struct layers *at)
{
    size_t segment = at->end - at->tcp;

    if (at->ipv6) {
        put_be16(p + at->ip + 4, (uint16_t)segment);
    } else {
        put_be16(p + at->ip + 2, (uint16_t)(at->end - at->ip));
        put_be16(p + at->ip + 10, 0);
        put_be16(p + at->ip + 10, fold(add(0, p + at->ip, at->tcp - at->ip)));
    }
    put_be16(p + at->tcp + 16, 0);
    put_be16(p + at->tcp + 16,
             fold(add(add(IPPROTO_TCP + (uint32_t)segment, p + at->ip + (at->ipv6 ? 8 : 12), at->ipv6 ? 32 : 8),
                      p + at->tcp, segment)));
}

/* ---- damage ---- */

/* Octets of one unit that may be changed, with room after them. */
static void change_octets(uint8_t *p, size_t n)
{
    static const uint32_t words[] = {0, 1, 2, 3, 4, 8, 16, 0x7F, 0xFF, 0x400, 0xFFFF, 0x10000, 0x7FFFFFFF, UINT32_MAX};
    size_t head = MIN(n, 64); /* the headers: changed more often than the payload */

    for (unsigned times = 1 + roll(3); times > 0 && n > 0; times--) {
        size_t at = roll((uint32_t)(roll(4) ? head : n));

        switch (roll(4)) {
        case 0:
            p[at] ^= (uint8_t)(1u << roll(8));
            break;
        case 1:
            p[at] = (uint8_t)roll(256);
            break;
        case 2: /* one more or less */
            p[at] = (uint8_t)(p[at] + (roll(2) ? 1 : 255));
            break;
        default: /* XDR counts and discriminators, STags, MSNs */
            if (n >= 4)
                put_be32(p + MIN(at / 2 * 2, n - 4), words[roll(G_N_ELEMENTS(words))]);
            break;
        }
    }
}

/* Removes or inserts octets, mostly words. */
static size_t change_length(uint8_t *p, size_t n, size_t most)
{
    size_t step = (roll(4) ? 4 : 1) * (1 + roll(roll(4) ? 4 : 64)), at = roll((uint32_t)n + 1);

    if (roll(2)) {
        step = MIN(step, n - at);
        memmove(p + at, p + at + step, n - at - step);
        return n - step;
    }
    if (n + step > most)
        return n;
    memmove(p + at + step, p + at, n - at);
    for (size_t i = 0; i < step; i++)
        p[at + i] = (uint8_t)(roll(2) ? 0 : roll(256));
    return n + step;
}

static size_t damage(uint8_t *p, size_t n, size_t most)
{
    size_t length = roll(3) ? n : change_length(p, n, most);

    if (length == n || roll(2))
        change_octets(p, length);
    return length;
}

/* ---- units ---- */

/* The octets of a unit of `kind` at p[0..n), 0: none begins here. */
static size_t startup_octets(const uint8_t *p, size_t n)
{
    struct mpa_startup frame;
    size_t need;

    return mpa_startup_decode(&frame, &need, p, n) == MPA_STARTUP_OK ? need : 0;
}

/* Without Markers in it; recognised by its CRC, or because it ends with the segment. */
static size_t fpdu_octets(const uint8_t *p, size_t n)
{
    const struct mpa_framing framing = {0};
    struct mpa_fpdu fpdu;
    size_t need;

    if (mpa_fpdu_parse(&fpdu, &need, &framing, true, 0, p, n, NULL) != MPA_FPDU_OK)
        return 0;
    return fpdu.crc == fpdu.crc_computed || need == n ? need : 0;
}

static size_t damaged_startup(const uint8_t *p, size_t n, uint8_t *out)
{
    size_t private_length;

    memcpy(out, p, n);
    if (roll(2)) {
        change_octets(out + (roll(4) ? MPA_KEY_LEN : 0), n - MPA_KEY_LEN);
        return n;
    }
    private_length = damage(out + MPA_STARTUP_HEADER_LEN, n - MPA_STARTUP_HEADER_LEN, 1024);
    put_be16(out + 18, (uint16_t)private_length);
    return MPA_STARTUP_HEADER_LEN + private_length;
}

static size_t damaged_fpdu(const uint8_t *p, size_t n, uint8_t *out)
{
    static uint8_t ulpdu[ROOM];
    const struct mpa_framing framing = {0};
    size_t length = get_be16(p), octets;
    bool crc = crc32c(p, n - MPA_CRC_LEN) == get_le32(p + n - MPA_CRC_LEN);
    struct mpa_fpdu_plan plan;

    memcpy(ulpdu, p + MPA_LENGTH_LEN, length);
    length = damage(ulpdu, length, 60000);
    mpa_fpdu_plan_init(&plan, &framing, 0, ulpdu, (uint16_t)length, crc);
    octets = mpa_fpdu_encode(&plan, out, ROOM);
    if (roll(10) == 0)
        change_octets(out, octets);
    return octets;
}

/* Octets that are not a unit: perhaps an FPDU with Markers, whose CRC is then the last word. */
static size_t damaged_rest(const uint8_t *p, size_t n, uint8_t *out)
{
    bool crc = n > MPA_CRC_LEN && crc32c(p, n - MPA_CRC_LEN) == get_le32(p + n - MPA_CRC_LEN);

    memcpy(out, p, n);
    change_octets(out, crc ? n - MPA_CRC_LEN : n);
    if (crc)
        put_le32(out + n - MPA_CRC_LEN, crc32c(out, n - MPA_CRC_LEN));
    return n;
}

static size_t damaged_payload(const uint8_t *p, size_t n, uint8_t *out)
{
    size_t length = 0;

    while (n > 0) {
        size_t (*make)(const uint8_t *, size_t, uint8_t *) = damaged_startup;
        size_t unit = startup_octets(p, n);

        if (unit == 0) {
            make = damaged_fpdu;
            unit = fpdu_octets(p, n);
        }
        if (unit == 0) {
            make = damaged_rest;
            unit = n;
        }
        if (length < PACKET_MAX && g_rand_double(dice) < rate) {
            length += make(p, unit, out + length);
        } else {
            memcpy(out + length, p, unit);
            length += unit;
        }
        p += unit;
        n -= unit;
    }
    return length;
}

/* ---- packets ---- */

static struct flow *flow_of(const uint8_t *p, const struct layers *at, bool other)
{
    size_t size = at->ipv6 ? 16 : 4, from = at->ip + (at->ipv6 ? 8 : 12);
    uint8_t name[36] = {0};
    GBytes *key;
    struct flow *flow;

    memcpy(name, p + from + (other ? size : 0), size);
    memcpy(name + size, p + from + (other ? 0 : size), size);
    memcpy(name + 32, p + at->tcp + (other ? 2 : 0), 2);
    memcpy(name + 34, p + at->tcp + (other ? 0 : 2), 2);
    key = g_bytes_new(name, sizeof name);
    flow = g_hash_table_lookup(flows, key);
    if (flow) {
        g_bytes_unref(key);
        return flow;
    }
    flow = g_new0(struct flow, 1);
    g_hash_table_insert(flows, key, flow);
    return flow;
}

/* Writes p[0..n), changed, to out; returns its length. */
static size_t damaged_packet(int link, const uint8_t *p, size_t n, uint8_t *out)
{
    struct layers at;
    struct flow *flow;
    size_t before, after;

    memcpy(out, p, n);
    if (!find_layers(link, p, n, &at))
        return n;
    flow = flow_of(p, &at, false);
    if (p[at.tcp + 13] & TCP_SYN)
        flow->grown = 0;
    put_be32(out + at.tcp + 4, get_be32(p + at.tcp + 4) + flow->grown);
    put_be32(out + at.tcp + 8, get_be32(p + at.tcp + 8) + flow_of(p, &at, true)->grown);
    before = at.end - at.payload;
    after = damaged_payload(p + at.payload, before, out + at.payload);
    if (at.payload + after > PACKET_MAX) { /* too long for an IP datagram: unchanged */
        memcpy(out + at.payload, p + at.payload, before);
        after = before;
    }
    flow->grown += (uint32_t)(after - before);
    at.end = at.payload + after;
    repair_headers(out, &at);
    return at.end;
}

static void write_packet(pcap_dumper_t *out, const struct pcap_pkthdr *header, const uint8_t *p, size_t n)
{
    struct pcap_pkthdr changed = *header;

    changed.caplen = (bpf_u_int32)n;
    if (changed.len < n || header->caplen == header->len)
        changed.len = changed.caplen;
    pcap_dump((u_char *)out, &changed, p);
}

static int run(pcap_t *in, pcap_dumper_t *out)
{
    static uint8_t room[2][ROOM];
    struct pcap_pkthdr *header, held_header;
    const u_char *p;
    size_t held = 0;
    int status, link = pcap_datalink(in);

    while ((status = pcap_next_ex(in, &header, &p)) == 1) {
        size_t n = damaged_packet(link, p, MIN(header->caplen, PACKET_MAX), room[0]);
        bool odd = g_rand_double(dice) < rate / 10;
        unsigned what = odd ? roll(3) : 3;

        if (what == 0) /* lost */
            continue;
        if (what == 1 && held == 0) { /* after the next one */
            memcpy(room[1], room[0], n);
            held = n;
            held_header = *header;
            continue;
        }
        write_packet(out, header, room[0], n);
        if (what == 2) /* twice */
            write_packet(out, header, room[0], n);
        if (held > 0) {
            held_header.ts = header->ts;
            write_packet(out, &held_header, room[1], held);
            held = 0;
        }
    }
    return status == PCAP_ERROR_BREAK ? 0 : 1;
}

int main(int argc, char **argv)
{
    char error[PCAP_ERRBUF_SIZE] = "usage: mutate SEED RATE IN OUT";
    pcap_t *in = argc == 5 ? pcap_open_offline_with_tstamp_precision(argv[3], PCAP_TSTAMP_PRECISION_NANO, error) : NULL;
    pcap_dumper_t *out = in ? pcap_dump_open(in, argv[4]) : NULL;
    int status;

    if (!out) {
        fprintf(stderr, "mutate: %s\n", in ? pcap_geterr(in) : error);
        return 2;
    }
    dice = g_rand_new_with_seed((guint32)g_ascii_strtoull(argv[1], NULL, 10));
    rate = g_ascii_strtod(argv[2], NULL);
    flows = g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, g_free);
    status = run(in, out);
    if (status != 0)
        fprintf(stderr, "mutate: %s: %s\n", argv[3], pcap_geterr(in));
    g_hash_table_unref(flows);
    g_rand_free(dice);
    pcap_dump_close(out);
    pcap_close(in);
    return status;
}
