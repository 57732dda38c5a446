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

static size_t tcp_header_of(const struct forged *f)
{
    return (size_t)(f->transport[12] >> 4) * 4;
}

/* Other octets of payload; false: it has none. */
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

/* ---- kinds: each changes a copy; false: the packet does not have what the kind changes ---- */

static void move_sequence(struct forged *f, uint32_t by)
{
    put_be32(f->transport + 4, get_be32(f->transport + 4) + by);
}

static bool forge_damaged(struct forged *f)
{
    return change_payload(f, tcp_header_of(f), 0);
}

/* A segment without payload, where the copied one begins. */
static bool forge_flags(struct forged *f, uint8_t flags)
{
    size_t payload = f->n - tcp_header_of(f);

    f->n -= payload;
    if (f->ipv6)
        put_be16(f->ip + 4, (uint16_t)f->n);
    else
        put_be16(f->ip + 2, (uint16_t)(f->ip_header + f->n));
    f->transport[13] = flags;
    return true;
}

/* A side that waits for the answer to its SYN takes any reset that acknowledges the SYN. */
static bool forge_reset_far(struct forged *f)
{
    bool first = f->transport[13] & TCP_SYN;

    move_sequence(f, FAR_IN_TCP);
    return forge_flags(f, TCP_RST | TCP_ACK) && !first;
}

static bool forge_reset_damaged(struct forged *f)
{
    return forge_flags(f, TCP_RST | TCP_ACK);
}

static bool forge_end_far(struct forged *f)
{
    bool first = f->transport[13] & TCP_SYN;

    move_sequence(f, FAR_IN_TCP);
    return forge_flags(f, TCP_FIN | TCP_ACK) && !first;
}

static bool forge_data_far(struct forged *f)
{
    move_sequence(f, FAR_IN_TCP);
    return change_payload(f, tcp_header_of(f), 0);
}

static bool forge_acknowledge_far(struct forged *f)
{
    put_be32(f->transport + 8, get_be32(f->transport + 8) + FAR_IN_TCP);
    change_payload(f, tcp_header_of(f), 0);
    return f->transport[13] & TCP_ACK;
}

static bool forge_without_ack(struct forged *f)
{
    f->transport[13] &= (uint8_t)~TCP_ACK;
    return !(f->transport[13] & TCP_SYN) && change_payload(f, tcp_header_of(f), 0);
}

static bool forge_syn(struct forged *f)
{
    put_be32(f->transport + 4, (uint32_t)f->random);
    put_be32(f->transport + 8, 0);
    return forge_flags(f, TCP_SYN);
}

static bool forge_blind_data(struct forged *f)
{
    put_be32(f->transport + 4, (uint32_t)f->random);
    put_be32(f->transport + 8, (uint32_t)(f->random >> 32));
    return change_payload(f, tcp_header_of(f), 0);
}

static bool forge_blind_reset(struct forged *f)
{
    put_be32(f->transport + 4, (uint32_t)f->random);
    return forge_flags(f, TCP_RST);
}

static bool forge_payload_tcp(struct forged *f)
{
    return change_payload(f, tcp_header_of(f), 0);
}

/* IPv4's total length is longer than the frame. */
static bool forge_long_datagram(struct forged *f)
{
    if (f->ipv6)
        return false;
    put_be16(f->ip + 2, (uint16_t)(get_be16(f->ip + 2) + 100));
    return change_payload(f, tcp_header_of(f), 0);
}

static bool is_rc(const struct forged *f)
{
    return f->transport[0] >> 5 == IB_RC;
}

static void move_psn(struct forged *f, uint32_t by)
{
    uint32_t psn = get_be24(f->transport + 9) + by;

    put_be24(f->transport + 9, psn & IB_PSN_MASK);
}

static bool forge_damaged_ib(struct forged *f)
{
    return is_rc(f) && change_payload(f, IB_BTH_LEN, IB_ICRC_LEN);
}

static bool forge_version(struct forged *f)
{
    f->transport[1] |= 1;
    return is_rc(f) && change_payload(f, IB_BTH_LEN, IB_ICRC_LEN);
}

static bool forge_p_key(struct forged *f)
{
    put_be16(f->transport + 2, 0x1234);
    return is_rc(f) && change_payload(f, IB_BTH_LEN, IB_ICRC_LEN);
}

static bool forge_psn_far(struct forged *f)
{
    move_psn(f, FAR_IN_PSNS);
    return is_rc(f);
}

static bool forge_psn_ahead(struct forged *f)
{
    move_psn(f, AHEAD_IN_PSNS);
    return is_rc(f);
}

static bool forge_nak(struct forged *f)
{
    if (!is_rc(f) || (f->transport[0] & 0x1F) != IB_ACKNOWLEDGE)
        return false;
    f->transport[IB_BTH_LEN] = SYNDROME_NAK;
    move_psn(f, AHEAD_IN_PSNS);
    return true;
}

static bool forge_blind_psn(struct forged *f)
{
    put_be24(f->transport + 9, (uint32_t)f->random & IB_PSN_MASK);
    return is_rc(f);
}

static bool forge_payload_ib(struct forged *f)
{
    return is_rc(f) && change_payload(f, IB_BTH_LEN, IB_ICRC_LEN);
}

enum {
    OUTSIDER = 1 << ADVERSARY_OUTSIDER,
    BLIND = 1 << ADVERSARY_BLIND,
    ENDS = 1 << ADVERSARY_INITIATOR | 1 << ADVERSARY_RESPONDER,
    EARLY = 1,      /* before the packet that is copied, too */
    LEFT_WRONG = 2, /* the checksum, or ICRC, stays as it was */
    WRONG_IP = 4,   /* IPv4's header checksum is wrong */
};

static const struct {
    const char *text;
    bool roce;
    uint8_t who, how;
    bool (*change)(struct forged *f);
} kinds[] = {
    {"other octets and a wrong TCP checksum", false, OUTSIDER | ENDS, EARLY | LEFT_WRONG, forge_damaged},
    {"a RST outside the window", false, OUTSIDER | ENDS, EARLY, forge_reset_far},
    {"a RST with a wrong TCP checksum", false, OUTSIDER | ENDS, EARLY | LEFT_WRONG, forge_reset_damaged},
    {"a FIN outside the window", false, OUTSIDER | ENDS, EARLY, forge_end_far},
    {"data outside the window", false, OUTSIDER | ENDS, EARLY, forge_data_far},
    {"an acknowledgment of octets never sent", false, OUTSIDER | ENDS, EARLY, forge_acknowledge_far},
    {"data without the flag ACK", false, OUTSIDER | ENDS, EARLY, forge_without_ack},
    {"a SYN in the middle of the connection", false, OUTSIDER | BLIND, EARLY, forge_syn},
    {"data with random numbers", false, OUTSIDER | BLIND, EARLY, forge_blind_data},
    {"a RST with a random number", false, OUTSIDER | BLIND, EARLY, forge_blind_reset},
    {"other octets and a wrong IPv4 checksum", false, OUTSIDER | ENDS, EARLY | WRONG_IP, forge_payload_tcp},
    {"a datagram longer than its frame", false, OUTSIDER | ENDS, EARLY, forge_long_datagram},
    {"other octets and a wrong ICRC", true, OUTSIDER | ENDS, EARLY | LEFT_WRONG, forge_damaged_ib},
    {"TVer 1", true, OUTSIDER | ENDS, EARLY, forge_version},
    {"another P_Key", true, OUTSIDER | ENDS, EARLY, forge_p_key},
    {"a PSN far from all others", true, OUTSIDER | ENDS, EARLY, forge_psn_far},
    {"a PSN that is 1000 ahead", true, OUTSIDER | ENDS, EARLY, forge_psn_ahead},
    {"a NAK of a PSN that is not outstanding", true, OUTSIDER | ENDS, EARLY, forge_nak},
    {"a random PSN", true, OUTSIDER | BLIND, EARLY, forge_blind_psn},
    {"other octets and a wrong IPv4 checksum", true, OUTSIDER | ENDS, EARLY | WRONG_IP, forge_payload_ib},
};

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
    const bool roce = kinds[forgery->kind].roce;
    struct forged f = forged_layers(octets, n, roce, forgery->random);
    const unsigned how = kinds[forgery->kind].how;

    if (!kinds[forgery->kind].change(&f))
        return 0;
    right_ip_checksum(&f);
    if (!(how & LEFT_WRONG) && roce)
        right_icrc(&f);
    else if (!(how & LEFT_WRONG))
        right_tcp_checksum(&f);
    if (how & WRONG_IP && f.ipv6)
        return 0;
    if (how & WRONG_IP)
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
