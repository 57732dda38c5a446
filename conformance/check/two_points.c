// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/check/two_points.h"

#include "engine/core/heap.h"
#include "wire/octets.h"

#include <pcap/dlt.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 2 * TWO_POINTS_SCANNED /* a power of two */, PROBES = 16 };

static const int64_t window_ns = INT64_C(10000000000), copy_ns = 20000;

/* ---- keys ---- */

enum { IPV4 = 0x0800, IPV6 = 0x86dd, VLAN = 0x8100, PROVIDER_VLAN = 0x88a8, TCP = 6, UDP = 17 };

/* The offset of the IP header; 0: none. */
static uint32_t ip_at(const struct packet *packet)
{
    enum { SLL_TYPE = 14, RAW_SLL2 = 20 };
    uint32_t at = packet->linktype == DLT_EN10MB ? 12 : packet->linktype == DLT_LINUX_SLL ? SLL_TYPE : 0;
    unsigned type;

    if (packet->linktype == DLT_LINUX_SLL2)
        return packet->captured > RAW_SLL2 ? RAW_SLL2 : 0;
    if (at == 0 || packet->captured < at + 12)
        return 0;
    for (type = get_be16(packet->data + at); (type == VLAN || type == PROVIDER_VLAN) && at + 16 < packet->captured;
         type = get_be16(packet->data + at))
        at += 4;
    return type == IPV4 || type == IPV6 ? at + 2 : 0;
}

static void key_put(struct packet_key *key, unsigned *n, const uint8_t *p, unsigned length)
{
    memcpy(key->octets + *n, p, length);
    *n += length;
}

bool packet_key_of(const struct packet *packet, struct packet_key *key)
{
    static const uint64_t odd = UINT64_C(0x9E3779B97F4A7C15);
    enum { UPPER = 20 };
    uint32_t at = ip_at(packet), header;
    const uint8_t *ip = packet->data + at, *upper;
    bool v4 = at > 0 && ip[0] >> 4 == 4;
    unsigned n = 0, protocol;
    uint64_t word;

    header = v4 ? 4U * (ip[0] & 0x0F) : 40;
    if (at == 0 || header < 20 || packet->captured < at + header + UPPER)
        return false;
    protocol = ip[v4 ? 9 : 6];
    upper = ip + header;
    if (protocol != TCP && (protocol != UDP || get_be16(upper + 2) != IB_ROCE2_UDP_PORT))
        return false;
    *key = (struct packet_key){.identified = v4 && get_be16(ip + 4) != 0, .hash = protocol};
    key_put(key, &n, ip + (v4 ? 2 : 4), v4 ? 4 : 2); /* length, identification */
    key_put(key, &n, ip + (v4 ? 12 : 8), v4 ? 8 : 32);
    /* Without the checksum, which the sending host may leave to its adapter. */
    key_put(key, &n, upper, protocol == TCP ? 16 : 6);
    if (protocol == UDP)
        key_put(key, &n, upper + 8, 12); /* the BTH */
    for (unsigned i = 0; i < TWO_POINTS_HEAD; i += sizeof word) {
        memcpy(&word, key->octets + i, sizeof word);
        key->hash = (key->hash ^ word) * odd;
        key->hash ^= key->hash >> 32;
    }
    key->forward = memcmp(ip + (v4 ? 12 : 8), ip + (v4 ? 16 : 24), v4 ? 4 : 16) < 0;
    return true;
}

/* ---- the packets of the latest time ---- */

struct seen {
    uint64_t hash;
    int64_t time_ns;
    bool used, paired;
};

struct two_points {
    struct seen slots[SLOTS];
    uint64_t thrice; /* packets that came a third time: a host sends them again */
};

struct two_points *two_points_new(void)
{
    return heap_zeroed(1, sizeof(struct two_points));
}

void two_points_free(struct two_points *points)
{
    free(points);
}

static bool two_points_is_over(const struct seen *seen, int64_t now)
{
    return !seen->used || now - seen->time_ns > window_ns;
}

/* The slot of the same packet, or, with `*found` false, the slot for this packet. */
static struct seen *slot_for(struct two_points *points, uint64_t hash, int64_t now, bool *found)
{
    struct seen *oldest = &points->slots[hash & (SLOTS - 1)];

    *found = false;
    for (unsigned i = 0; i < PROBES; i++) {
        struct seen *seen = &points->slots[(hash + i) & (SLOTS - 1)];

        if (seen->used && seen->hash == hash && !two_points_is_over(seen, now)) {
            *found = true;
            return seen;
        }
        if (two_points_is_over(seen, now) ? !two_points_is_over(oldest, now) : seen->time_ns < oldest->time_ns)
            oldest = seen;
    }
    return oldest;
}

static bool take_key(struct two_points *points, const struct packet_key *key, int64_t now, int64_t *apart)
{
    bool found;
    struct seen *seen = slot_for(points, key->hash, now, &found);

    *apart = found ? now - seen->time_ns : 0;
    if (found && !seen->paired) {
        seen->paired = true;
        return true;
    }
    points->thrice += found;
    *seen = (struct seen){.hash = key->hash, .time_ns = now, .used = true};
    return false;
}

bool two_points_take(struct two_points *points, const struct packet *packet, int64_t *apart)
{
    struct packet_key key;

    return packet_key_of(packet, &key) && take_key(points, &key, packet->time_ns, apart);
}

/* ---- recognition ---- */

/*
 * After the first thousand packets, only one packet in sixteen is looked at. The identification chooses these packets,
 * so either both copies of a packet are among them, or neither is.
 */
static bool is_sampled(const struct packet *packet, uint64_t number)
{
    enum { WHOLE = 1024, ONE_OF = 16, IDENTIFICATION = 4 };
    uint32_t at = number < WHOLE ? 0 : ip_at(packet);

    return number < WHOLE || (at > 0 && packet->captured >= at + IDENTIFICATION + 2 &&
                              get_be16(packet->data + at + IDENTIFICATION) % ONE_OF == 0);
}

struct scan {
    uint64_t packets, pairs[2], identified; /* pairs: by direction, with the time of another capture point */
    int64_t apart_ns, last_ns;              /* the longest */
};

/* The packets whose other copy, if there is one, must be in the scanned part. */
static uint64_t settled_packets(const struct two_points *points, const struct scan *scan)
{
    uint64_t n = 0;

    for (unsigned i = 0; i < SLOTS; i++)
        n += points->slots[i].used && points->slots[i].time_ns + scan->apart_ns <= scan->last_ns;
    return n;
}

static bool scan_decides(const struct two_points *points, const struct scan *scan)
{
    enum { PAIRS_FEW = 4 /* of each direction */ };
    uint64_t pairs = scan->pairs[0] + scan->pairs[1];

    /* Without identification a packet and its retransmission are the same. */
    return scan->pairs[0] >= PAIRS_FEW && scan->pairs[1] >= PAIRS_FEW && scan->identified >= pairs - pairs / 4 &&
           points->thrice <= pairs / 4 && pairs >= settled_packets(points, scan) / 4 * 3;
}

bool two_points_found(struct capture *capture)
{
    struct two_points *points = two_points_new();
    struct scan scan = {.last_ns = INT64_MIN};
    struct capture_error error;
    struct packet packet;
    struct packet_key key;
    bool found;
    int64_t apart;

    while (points && scan.packets < TWO_POINTS_SCANNED && capture_next(capture, &packet, &error) == CAPTURE_PACKET) {
        if (!is_sampled(&packet, scan.packets++) || !packet_key_of(&packet, &key))
            continue;
        scan.last_ns = packet.time_ns > scan.last_ns ? packet.time_ns : scan.last_ns;
        if (!take_key(points, &key, packet.time_ns, &apart) || apart <= copy_ns)
            continue;
        scan.pairs[key.forward]++;
        scan.identified += key.identified;
        scan.apart_ns = apart > scan.apart_ns ? apart : scan.apart_ns;
    }
    found = points && scan_decides(points, &scan);
    two_points_free(points);
    return found;
}
