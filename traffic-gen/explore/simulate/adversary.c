// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/explore/simulate/adversary.h"

#include "support/frames/checksum.h"
#include "wire/ib.h"
#include "wire/ib_icrc.h"

#include <string.h>

/* ---- the layers of a frame (support/frames/frame.h) ---- */

enum {
    ETHERNET = 14,
    VLAN_TAG = 4,
    ETHERTYPE_VLAN = 0x8100,
    UDP_HEADER = 8,
    TCP_FIN = 0x01,
    TCP_SYN = 0x02,
    TCP_RST = 0x04,
    TCP_ACK = 0x10,
    IP_PROTOCOL_TCP = 6,
    FAR_IN_TCP = 1 << 30,  /* octets: beyond any window */
    FAR_IN_PSNS = 1 << 22, /* a quarter of all: neither old nor expected */
    AHEAD_IN_PSNS = 1000,  /* more than any conversation has outstanding */
    SYNDROME_NAK = 0x60,   /* PSN sequence error */
    FORGED_OCTET = 0x5A,   /* changes an octet */
    FORGERIES_MAX = 4,
};

struct forged {
    uint8_t *ip, *transport; /* transport: the TCP header, or the BTH */
    size_t ip_header, n;     /* n: octets from the transport header to the end */
    bool ipv6;
    uint64_t random;
};

static struct forged forged_layers(uint8_t *frame, size_t n, bool roce, uint64_t random)
{
    struct forged f = {.random = random};
    size_t at = ETHERNET + (get_be16(frame + 12) == ETHERTYPE_VLAN ? VLAN_TAG : 0);

    f.ip = frame + at;
    f.ipv6 = f.ip[0] >> 4 == 6;
    f.ip_header = f.ipv6 ? 40 : 20;
    at += f.ip_header + (roce ? UDP_HEADER : 0);
    f.transport = frame + at;
    f.n = n - at;
    return f;
}

/* header, behind: octets around the payload. False: there is no payload. */
static bool change_payload(struct forged *f, size_t header, size_t behind)
{
    size_t payload = f->n > header + behind ? f->n - header - behind : 0;

    for (size_t i = 0; i < payload; i++)
        f->transport[header + i] ^= (uint8_t)(FORGED_OCTET + i % 7);
    return payload > 0;
}

static void right_ip_checksum(struct forged *f)
{
    if (f->ipv6)
        return;
    put_be16(f->ip + 10, 0);
    put_be16(f->ip + 10, checksum_of(checksum_add(0, f->ip, f->ip_header)));
}

static void right_tcp_checksum(struct forged *f)
{
    uint64_t sum = f->ipv6 ? checksum_add(0, f->ip + 8, 32) : checksum_add(0, f->ip + 12, 8);

    put_be16(f->transport + 16, 0);
    sum = checksum_add(sum + IP_PROTOCOL_TCP + f->n, f->transport, f->n);
    put_be16(f->transport + 16, checksum_of(sum));
}

static void right_icrc(struct forged *f)
{
    size_t n = f->n - IB_ICRC_LEN;
    uint32_t crc =
        ib_icrc(f->ipv6 ? IB_BELOW_IPV6_UDP : IB_BELOW_IPV4_UDP, f->ip, f->ip_header + UDP_HEADER, f->transport, n);

    for (unsigned i = 0; i < IB_ICRC_LEN; i++)
        f->transport[n + i] = (uint8_t)(crc >> 8 * i);
}

/* ---- kinds ---- */

enum {
    OUTSIDER = 1 << ADVERSARY_OUTSIDER,
    BLIND = 1 << ADVERSARY_BLIND,
    ENDS = 1 << ADVERSARY_INITIATOR | 1 << ADVERSARY_RESPONDER,
};

enum change {
    OTHER_OCTETS = 1, /* of payload; not of a packet without payload */
    EMPTY = 2,        /* no payload; and not the first segment of a side, which may refuse a SYN, if its numbers move */
    LEFT_WRONG = 4,   /* the checksum, or ICRC, stays as it was */
    WRONG_IP = 8,     /* IPv4's header checksum is wrong */
    LONG_IP = 16,     /* IPv4's total length is longer than the frame */
    RANDOM = 32,      /* its numbers are random */
    ACKNOWLEDGES = 64, /* a segment with an ACK number, or a packet with an AETH alone */
    NO_ACK = 128,      /* TCP's flag ACK is missing */
};

static const struct kind {
    const char *text;
    bool roce;
    uint8_t who, change;
    uint8_t flags;     /* TCP's, if not 0 */
    uint32_t seq, ack; /* TCP: added to the numbers; RoCE, seq: added to the PSN */
    uint8_t version, syndrome;
    uint16_t pkey;
} kinds[] = {
    {"other octets and a wrong TCP checksum", false, OUTSIDER | ENDS, .change = OTHER_OCTETS | LEFT_WRONG},
    {"a RST outside the window", false, OUTSIDER | ENDS, .change = EMPTY, .flags = TCP_RST | TCP_ACK,
     .seq = FAR_IN_TCP},
    {"a RST with a wrong TCP checksum", false, OUTSIDER | ENDS, .change = EMPTY | LEFT_WRONG,
     .flags = TCP_RST | TCP_ACK},
    {"a FIN outside the window", false, OUTSIDER | ENDS, .change = EMPTY, .flags = TCP_FIN | TCP_ACK,
     .seq = FAR_IN_TCP},
    {"data outside the window", false, OUTSIDER | ENDS, .change = OTHER_OCTETS, .seq = FAR_IN_TCP},
    {"an acknowledgment of octets never sent", false, OUTSIDER | ENDS, .change = ACKNOWLEDGES, .ack = FAR_IN_TCP},
    {"data without the flag ACK", false, OUTSIDER | ENDS, .change = OTHER_OCTETS | NO_ACK},
    {"a SYN in the middle of the connection", false, OUTSIDER | BLIND, .change = EMPTY | RANDOM, .flags = TCP_SYN},
    {"data with random numbers", false, OUTSIDER | BLIND, .change = OTHER_OCTETS | RANDOM},
    {"a RST with a random number", false, OUTSIDER | BLIND, .change = EMPTY | RANDOM, .flags = TCP_RST},
    {"other octets and a wrong IPv4 checksum", false, OUTSIDER | ENDS, .change = OTHER_OCTETS | WRONG_IP},
    {"a datagram longer than its frame", false, OUTSIDER | ENDS, .change = OTHER_OCTETS | LONG_IP},
    {"other octets and a wrong ICRC", true, OUTSIDER | ENDS, .change = OTHER_OCTETS | LEFT_WRONG},
    {"TVer 1", true, OUTSIDER | ENDS, .change = OTHER_OCTETS, .version = 1},
    {"another P_Key", true, OUTSIDER | ENDS, .change = OTHER_OCTETS, .pkey = 0x1234},
    {"a PSN far from all others", true, OUTSIDER | ENDS, .seq = FAR_IN_PSNS},
    {"a PSN that is 1000 ahead", true, OUTSIDER | ENDS, .seq = AHEAD_IN_PSNS},
    {"a NAK of a PSN that is not outstanding", true, OUTSIDER | ENDS, .change = ACKNOWLEDGES, .seq = AHEAD_IN_PSNS,
     .syndrome = SYNDROME_NAK},
    {"a random PSN", true, OUTSIDER | BLIND, .change = RANDOM},
    {"other octets and a wrong IPv4 checksum", true, OUTSIDER | ENDS, .change = OTHER_OCTETS | WRONG_IP},
};

/* False: the packet does not have what the kind changes. */
static bool change_segment(struct forged *f, const struct kind *kind)
{
    size_t header = (size_t)(f->transport[12] >> 4) * 4, n = f->n;
    uint32_t seq = get_be32(f->transport + 4), ack = get_be32(f->transport + 8);
    uint8_t flags = f->transport[13];
    bool random = kind->change & RANDOM;

    put_be32(f->transport + 4, random ? (uint32_t)f->random : seq + kind->seq);
    put_be32(f->transport + 8, random ? (uint32_t)(f->random >> 32) : ack + kind->ack);
    f->transport[13] = kind->flags ? kind->flags : kind->change & NO_ACK ? flags & (uint8_t)~TCP_ACK : flags;
    if (kind->change & EMPTY) {
        f->n = header;
        if (f->ipv6)
            put_be16(f->ip + 4, (uint16_t)header);
        else
            put_be16(f->ip + 2, (uint16_t)(f->ip_header + header));
        return !(flags & TCP_SYN && kind->seq);
    }
    if (kind->change & LONG_IP)
        put_be16(f->ip + 2, (uint16_t)(get_be16(f->ip + 2) + 100));
    change_payload(f, header, 0);
    return kind->change & ACKNOWLEDGES ? flags & TCP_ACK : n > header && !(kind->change & NO_ACK && flags & TCP_SYN);
}

static bool change_packet(struct forged *f, const struct kind *kind)
{
    uint32_t psn = kind->change & RANDOM ? (uint32_t)f->random : get_be24(f->transport + 9) + kind->seq;
    bool acknowledges = (f->transport[0] & 0x1F) == IB_ACKNOWLEDGE;

    put_be24(f->transport + 9, psn & IB_PSN_MASK);
    f->transport[1] |= kind->version;
    if (kind->pkey)
        put_be16(f->transport + 2, kind->pkey);
    if (kind->syndrome && acknowledges)
        f->transport[IB_BTH_LEN] = kind->syndrome;
    return f->transport[0] >> 5 == IB_RC && (!(kind->change & ACKNOWLEDGES) || acknowledges) &&
           (!(kind->change & OTHER_OCTETS) || change_payload(f, IB_BTH_LEN, IB_ICRC_LEN));
}

enum adversary adversary_named(const char *name)
{
    static const char *const names[] = {"", "outsider", "blind", "initiator", "responder"};

    for (unsigned i = ADVERSARY_OUTSIDER; i < G_N_ELEMENTS(names); i++) {
        if (strcmp(name, names[i]) == 0)
            return i;
    }
    return ADVERSARY_NONE;
}

/* ---- forging ---- */

/* Writes the forged packet to octets, a copy of the frame; its length, or 0: this packet cannot be changed so. */
static size_t forge(const struct forgery *forgery, uint8_t *octets, size_t n)
{
    const struct kind *kind = &kinds[forgery->kind];
    struct forged f = forged_layers(octets, n, kind->roce, forgery->random);

    if ((kind->change & (WRONG_IP | LONG_IP) && f.ipv6) ||
        !(kind->roce ? change_packet(&f, kind) : change_segment(&f, kind)))
        return 0;
    right_ip_checksum(&f);
    if (!(kind->change & LEFT_WRONG) && kind->roce)
        right_icrc(&f);
    else if (!(kind->change & LEFT_WRONG))
        right_tcp_checksum(&f);
    if (kind->change & WRONG_IP)
        f.ip[10] ^= FORGED_OCTET;
    return (size_t)(f.transport - octets) + f.n;
}

static bool can_forge(const struct forgery *forgery, const struct packets *packets)
{
    const struct frame_in_memory *frame = packets_frame(packets, forgery->of);
    g_autofree uint8_t *copy = g_memdup2(packets->octets->data + frame->at, frame->n);

    return forge(forgery, copy, frame->n) > 0;
}

static bool may_send(enum adversary who, const struct frame_in_memory *frame)
{
    return (who != ADVERSARY_INITIATOR || !frame->to_client) && (who != ADVERSARY_RESPONDER || frame->to_client);
}

static gint compare_forgeries(gconstpointer a, gconstpointer b)
{
    const struct forgery *first = a, *second = b;

    return (first->after > second->after) - (first->after < second->after);
}

GArray *adversary_choose(struct random_source *random, enum adversary who, const struct packets *packets, bool roce)
{
    GArray *forgeries = g_array_new(FALSE, FALSE, sizeof(struct forgery));
    unsigned wanted = 1 + (unsigned)random_below(random, FORGERIES_MAX), n = packets->frames->len;

    for (unsigned tries = 0; n > 0 && forgeries->len < wanted && tries < 100; tries++) {
        struct forgery forgery = {.kind = (unsigned)random_below(random, G_N_ELEMENTS(kinds)),
                                  .of = (unsigned)random_below(random, n),
                                  .random = random_next(random)};
        unsigned near = (unsigned)random_below(random, 4);

        forgery.after = forgery.of > 0 && near == 0 ? forgery.of - 1 : MIN(forgery.of + near / 2 * near, n - 1);
        if (kinds[forgery.kind].roce == roce && kinds[forgery.kind].who & 1 << who &&
            may_send(who, packets_frame(packets, forgery.of)) && can_forge(&forgery, packets))
            g_array_append_val(forgeries, forgery);
    }
    g_array_sort(forgeries, compare_forgeries);
    return forgeries;
}

/* Where in the view the packet is; the view's length: nowhere. */
static unsigned place_of(const struct view *view, unsigned packet)
{
    unsigned at = 0;

    while (at < view->shown->len && view_packet(view, at) != packet)
        at++;
    return at;
}

void adversary_forge(const GArray *forgeries, struct packets *packets, struct view *view)
{
    for (unsigned i = 0; i < forgeries->len; i++) {
        const struct forgery *forgery = &g_array_index(forgeries, struct forgery, i);
        struct frame_in_memory frame;
        unsigned number = packets->frames->len, at = place_of(view, forgery->after);
        g_autofree uint8_t *octets = NULL;

        if (forgery->of >= number || forgery->after >= number || at == view->shown->len)
            continue; /* a shorter conversation, while it is reduced */
        frame = *packets_frame(packets, forgery->of);
        octets = g_memdup2(packets->octets->data + frame.at, frame.n);
        frame.n = forge(forgery, octets, frame.n);
        if (frame.n == 0)
            continue;
        frame.at = packets->octets->len;
        frame.time_ns = packets_frame(packets, forgery->after)->time_ns;
        g_byte_array_append(packets->octets, octets, (guint)frame.n);
        g_array_append_val(packets->frames, frame);
        g_array_insert_val(view->shown, at + 1, number);
    }
}

void adversary_append_text(GString *out, const struct forgery *forgery)
{
    g_string_append_printf(out, "after frame %u: frame %u with %s", forgery->after + 1, forgery->of + 1,
                           kinds[forgery->kind].text);
}
