// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/live/tcp/record.h"

#include "support/frames/frame.h"
#include "traffic-gen/live/tcp/live.h"
#include "traffic-gen/live/tcp/units.h"
#include "traffic-gen/speak/sim/sim_tcp.h"
#include "wire/octets.h"

#include <errno.h>
#include <glib.h>
#include <netinet/in.h>
#include <string.h>

static const char comment[] =
    "Recorded by iwarp-gen from a live TCP connection, at one of its ends. The octets of both streams, the order in "
    "which this end sent and received them, addresses and ports are real. Ethernet, IP and TCP headers are "
    "synthetic, and so are segment boundaries, sequence numbers, windows and pure acknowledgements.";

enum { OWN, PEER };
enum { WINDOW = 65535, WINDOW_SCALE = 7, ISN_TICK_NS = 4000, ISN_APART = 0x20000000 };

struct record_side {
    uint32_t isn;
    uint64_t sent;  /* stream octets in segments so far */
    uint64_t acked; /* of the other side, as last acknowledged */
    uint16_t ip_id;
    bool fin;
};

struct record {
    struct capture_file *file;
    struct frame_path path;
    unsigned tcp_side[2]; /* of OWN and PEER */
    unsigned segment_max;
    struct record_side sides[2];
    struct units units;
    GByteArray *held; /* received octets that wait for the rest of their unit */
    int64_t held_ns;
    bool over;
};

/* One shared buffer, as there is one thread. */
static uint8_t frame[FRAME_MAX];

static void write_segment(struct record *record, unsigned who, int64_t time_ns, uint8_t flags, const uint8_t *p,
                          size_t n, uint16_t mss)
{
    struct record_side *side = &record->sides[who];
    const struct record_side *other = &record->sides[!who];
    uint8_t options[12] = {2, 4, (uint8_t)(mss >> 8), (uint8_t)mss, 4, 2, 1, 3, 3, WINDOW_SCALE, 1, 1};
    bool syn = flags & SEG_SYN;
    struct frame_tcp tcp = {
        .side = record->tcp_side[who],
        .seq = side->isn + (syn ? 0 : 1 + (uint32_t)side->sent + (side->fin && !(flags & SEG_FIN))),
        .ack = flags & SEG_ACK ? other->isn + 1 + (uint32_t)side->acked : 0,
        .flags = flags,
        .window = WINDOW,
        .ip_id = side->ip_id++,
        .options = options,
        .options_length = syn ? sizeof options : 0,
        .payload = p,
        .payload_length = n,
    };

    capture_file_packet(record->file, time_ns, frame, frame_encode(&record->path, &tcp, frame));
    side->sent += n;
}

static void tcp_record_write_octets(struct record *record, unsigned who, int64_t time_ns, const uint8_t *p, size_t n)
{
    while (n > 0) {
        size_t part = MIN(n, record->segment_max);

        write_segment(record, who, time_ns, SEG_ACK | (part == n ? SEG_PSH : 0), p, part, 0);
        p += part;
        n -= part;
    }
}

/* ---- the file ---- */

struct capture_file *record_create(const char *path, char **why)
{
    struct capture_file *file = path ? capture_file_open_commented(path, comment) : NULL;

    if (path && !file)
        *why = g_strdup_printf("%s: %s", path, g_strerror(errno));
    return file;
}

bool record_finish(const char *path, struct capture_file *file, char **why)
{
    if (!file || capture_file_close(file))
        return true;
    g_free(*why);
    *why = g_strdup_printf("%s: %s", path, g_strerror(errno));
    return false;
}

/* ---- life ---- */

static void tcp_record_set_address(struct frame_path *path, unsigned side, const struct sockaddr *address)
{
    if (address->sa_family == AF_INET6) {
        const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)(const void *)address;

        memcpy(path->address[side], &in6->sin6_addr, 16);
        path->port[side] = ntohs(in6->sin6_port);
    } else {
        const struct sockaddr_in *in = (const struct sockaddr_in *)(const void *)address;

        memcpy(path->address[side], &in->sin_addr, 4);
        path->port[side] = ntohs(in->sin_port);
    }
}

struct record *record_new(struct capture_file *file, const struct sockaddr *own, const struct sockaddr *peer,
                          bool opened_by_peer, uint16_t mss, int64_t time_ns)
{
    struct record *record = g_new0(struct record, 1);
    unsigned opener = opened_by_peer ? PEER : OWN;

    record->file = file;
    record->path = (struct frame_path){.ipv6 = own->sa_family == AF_INET6, .real = true, .host = {1, 2}};
    record->tcp_side[OWN] = opened_by_peer;
    record->tcp_side[PEER] = !opened_by_peer;
    tcp_record_set_address(&record->path, record->tcp_side[OWN], own);
    tcp_record_set_address(&record->path, record->tcp_side[PEER], peer);
    record->segment_max = MAX(mss, 1);
    record->held = g_byte_array_new();
    /* RFC 9293 section 3.4.1: from a clock, so that a later connection between the same ports begins elsewhere. */
    record->sides[opener].isn = (uint32_t)(time_ns / ISN_TICK_NS);
    record->sides[!opener].isn = record->sides[opener].isn + ISN_APART;
    write_segment(record, opener, time_ns, SEG_SYN, NULL, 0, mss);
    write_segment(record, !opener, time_ns, SEG_SYN | SEG_ACK, NULL, 0, mss);
    write_segment(record, opener, time_ns, SEG_ACK, NULL, 0, 0);
    return record;
}

static void write_held(struct record *record)
{
    if (record->held->len == 0)
        return;
    tcp_record_write_octets(record, PEER, record->held_ns, record->held->data, record->held->len);
    g_byte_array_set_size(record->held, 0);
}

void record_free(struct record *record)
{
    write_held(record);
    g_byte_array_unref(record->held);
    g_free(record);
}

/* ---- events ---- */

/* All received octets are acknowledged. */
static void tcp_record_acknowledge(struct record *record, int64_t time_ns, bool alone)
{
    struct record_side *own = &record->sides[OWN];
    uint64_t all = record->sides[PEER].sent + record->sides[PEER].fin;

    if (own->acked == all)
        return;
    own->acked = all;
    if (alone)
        write_segment(record, OWN, time_ns, SEG_ACK, NULL, 0, 0);
}

static void set_acked(struct record *record, uint64_t acked)
{
    uint64_t all = record->sides[OWN].sent + record->sides[OWN].fin;

    record->sides[PEER].acked = MAX(record->sides[PEER].acked, MIN(acked, all));
}

void record_sent(struct record *record, int64_t time_ns, const uint8_t *p, size_t n)
{
    if (record->over)
        return;
    write_held(record);
    tcp_record_acknowledge(record, time_ns, false);
    tcp_record_write_octets(record, OWN, time_ns, p, n);
    for (size_t taken = 0; taken < n;)
        taken += units_take(&record->units, OWN, p + taken, n - taken);
}

/* Octets before the current unit go into the previous unit's segment: segments end where units end. */
void record_received(struct record *record, int64_t time_ns, const uint8_t *p, size_t n, uint64_t acked, bool more)
{
    GByteArray *held = record->held;

    if (record->over)
        return;
    set_acked(record, acked);
    while (n > 0) {
        size_t taken = units_take(&record->units, PEER, p, n);

        g_byte_array_append(held, p, (guint)taken);
        record->held_ns = time_ns;
        p += taken;
        n -= taken;
        if (n > 0 || units_at_boundary(&record->units, PEER) || !more || held->len >= record->segment_max)
            write_held(record);
    }
    if (held->len == 0)
        tcp_record_acknowledge(record, time_ns, true);
}

void record_acked(struct record *record, int64_t time_ns, uint64_t acked)
{
    uint64_t before = record->sides[PEER].acked;

    if (record->over)
        return;
    set_acked(record, acked);
    if (record->sides[PEER].acked == before)
        return;
    write_held(record);
    write_segment(record, PEER, time_ns, SEG_ACK, NULL, 0, 0);
}

void record_fin(struct record *record, int64_t time_ns, bool ours)
{
    unsigned who = ours ? OWN : PEER;

    if (record->over || record->sides[who].fin)
        return;
    write_held(record);
    if (ours)
        tcp_record_acknowledge(record, time_ns, false);
    record->sides[who].fin = true;
    write_segment(record, who, time_ns, SEG_FIN | SEG_ACK, NULL, 0, 0);
    if (!ours)
        tcp_record_acknowledge(record, time_ns, true);
}

void record_reset(struct record *record, int64_t time_ns, bool ours)
{
    if (record->over)
        return;
    write_held(record);
    if (ours)
        tcp_record_acknowledge(record, time_ns, false);
    record->over = true;
    write_segment(record, ours ? OWN : PEER, time_ns, SEG_RST | SEG_ACK, NULL, 0, 0);
}
