// SPDX-License-Identifier: GPL-2.0-or-later
#include "tap/link.h"

#include "wire/ib.h"
#include "wire/octets.h"

#include <netinet/in.h>
#include <string.h>

enum {
    PKEY = 0xFFFF,
    FLOW_PORT = 0xC000, /* UDP source port */
    QP_FIRST = 2,       /* 0 and 1 are for management */
    ACK_NO_CREDITS = 0x1F,
    PATH_MTU_CODE = 5, /* LINK_MTU */
    SKIP_MAX = 1 << 20,
    PACKET_MAX = FRAME_MAX,
    REJECT_PRIVATE = 148, /* octets */
    IPV4_MAPPED = 12,
};
static const uint32_t cm_key = 0x80010000;

/* ---- packets ---- */

static uint32_t link_qp(const struct link *link, unsigned side)
{
    return (QP_FIRST + 2 * link->number + side) & IB_PSN_MASK;
}

/* One packet: `length` octets of payload, of which n are known. */
struct link_packet {
    unsigned side;
    struct ib_packet wire; /* its headers; BTH: opcode, PSN and destination */
    const uint8_t *p;
    size_t n, length;
    bool found;
    uint8_t left_out; /* packets before it: see wire/tap_mark.h */
};

static void link_put(struct link_output *out, struct link *link, int64_t time_ns, struct link_packet *packet)
{
    static _Thread_local uint8_t frame[PACKET_MAX], payload[LINK_MTU + 4];
    uint8_t headers[IB_HEADERS_MAX];
    struct ib_packet *wire = &packet->wire;
    struct tap_mark mark = link->mark;
    size_t n, tail = (packet->length - packet->n) + (-packet->length & 3) + IB_ICRC_LEN;

    wire->info = ib_opcode_info(wire->bth.opcode);
    wire->headers |= wire->info->headers;
    wire->bth.pkey = PKEY;
    wire->bth.pad = (uint8_t)(-packet->length & 3);
    if (packet->n > 0)
        memcpy(payload, packet->p, packet->n);
    memset(payload + packet->n, 0, packet->length - packet->n);
    n = frame_encode_roce(&link->path,
                          &(struct frame_roce){.side = packet->side,
                                               .source_port = FLOW_PORT,
                                               .ip_id = link->ip_id[packet->side]++,
                                               .headers = headers,
                                               .headers_length = ib_headers_encode(wire, headers, sizeof headers),
                                               .payload = payload,
                                               .payload_length = packet->length,
                                               .no_icrc = true},
                          frame);
    mark.found = packet->found;
    mark.left_out = packet->left_out;
    mark.source_port = link->path.port[packet->side];
    mark.destination_port = link->path.port[!packet->side];
    tap_mark_encode(&mark, frame);
    tail = packet->n < packet->length ? tail : 0; /* unknown octets are cut, and everything after them */
    if (out->snap > 0 && n - tail > out->snap)
        tail = n - out->snap;
    out->failed |= !capture_file_cut_packet(out->file, time_ns, frame, n - tail, n);
    out->packets++;
}

static struct link_packet packet_to(const struct link *link, unsigned side, enum ib_operation operation, uint32_t psn)
{
    return (struct link_packet){
        .side = side, .wire.bth = {.opcode = (uint8_t)operation, .qp = link_qp(link, !side), .psn = psn & IB_PSN_MASK}};
}

/* The opcodes of a message's first, middle, last and only packet. */
struct link_opcodes {
    enum ib_operation first, middle, last, only;
};

static enum ib_operation opcode_at(const struct link_opcodes *opcodes, bool first, bool last)
{
    if (first)
        return last ? opcodes->only : opcodes->first;
    return last ? opcodes->last : opcodes->middle;
}

/* Writes the message as packets starting with this PSN; returns the PSN after the last packet. */
static uint32_t link_message_put(struct link_output *out, struct link *link, int64_t time_ns, uint32_t psn,
                                 const struct link_opcodes *opcodes, const struct link_message *message)
{
    size_t at = 0, known = message->n < message->length ? message->n : message->length;
    uint8_t left_out = 0;

    do {
        size_t length = message->length - at < LINK_MTU ? message->length - at : LINK_MTU;
        bool last = at + length == message->length;
        struct link_packet packet = packet_to(link, message->side, opcode_at(opcodes, at == 0, last), psn++);

        if (at > 0 && !last && known <= at && left_out < UINT8_MAX) { /* all of these are alike */
            left_out++;
            at += length;
            continue;
        }

        packet.length = length;
        packet.n = known > at ? (known - at < length ? known - at : length) : 0;
        packet.p = packet.n > 0 ? message->p + at : NULL;
        packet.found = message->found;
        packet.left_out = left_out;
        left_out = 0;
        packet.wire.reth = (struct ib_reth){message->address, message->handle, (uint32_t)message->length};
        packet.wire.aeth = (struct ib_aeth){.syndrome = ACK_NO_CREDITS};
        packet.wire.invalidate = message->handle;
        link_put(out, link, time_ns, &packet);
        at += length;
    } while (at < message->length);
    return psn & IB_PSN_MASK;
}

/* ---- messages ---- */

uint32_t link_send(struct link_output *out, struct link *link, int64_t time_ns, const struct link_message *message)
{
    static const struct link_opcodes plain = {IB_SEND_FIRST, IB_SEND_MIDDLE, IB_SEND_LAST, IB_SEND_ONLY},
                                     invalidate = {IB_SEND_FIRST, IB_SEND_MIDDLE, IB_SEND_LAST_INVALIDATE,
                                                   IB_SEND_ONLY_INVALIDATE};
    uint32_t *psn = &link->psn[message->side];

    *psn = link_message_put(out, link, time_ns, *psn, message->invalidates ? &invalidate : &plain, message);
    return (*psn - 1) & IB_PSN_MASK;
}

void link_write(struct link_output *out, struct link *link, int64_t time_ns, const struct link_message *message)
{
    static const struct link_opcodes write = {IB_WRITE_FIRST, IB_WRITE_MIDDLE, IB_WRITE_LAST, IB_WRITE_ONLY};
    uint32_t *psn = &link->psn[message->side];

    *psn = link_message_put(out, link, time_ns, *psn, &write, message);
}

uint32_t link_read(struct link_output *out, struct link *link, int64_t time_ns, const struct link_message *message)
{
    uint32_t psn = link->psn[message->side];
    struct link_packet packet = packet_to(link, message->side, IB_READ_REQUEST, psn);

    packet.found = message->found;
    packet.wire.reth = (struct ib_reth){message->address, message->handle, (uint32_t)message->length};
    link_put(out, link, time_ns, &packet);
    /* A Read has the PSNs of its Response's packets (InfiniBand Architecture Specification volume 1, section 9.7.3.1).
     */
    link->psn[message->side] =
        (psn + (message->length > 0 ? (uint32_t)((message->length + LINK_MTU - 1) / LINK_MTU) : 1)) & IB_PSN_MASK;
    return psn;
}

void link_read_response(struct link_output *out, struct link *link, int64_t time_ns, uint32_t psn,
                        const struct link_message *message)
{
    static const struct link_opcodes response = {IB_READ_RESPONSE_FIRST, IB_READ_RESPONSE_MIDDLE, IB_READ_RESPONSE_LAST,
                                                 IB_READ_RESPONSE_ONLY};

    link_message_put(out, link, time_ns, psn, &response, message);
}

void link_acknowledge(struct link_output *out, struct link *link, int64_t time_ns, unsigned side, uint32_t psn)
{
    struct link_packet packet = packet_to(link, side, IB_ACKNOWLEDGE, psn);

    if (ib_psn_distance(link->acked[!side], psn + 1) <= 0)
        return;
    link->acked[!side] = (psn + 1) & IB_PSN_MASK;
    packet.wire.aeth = (struct ib_aeth){.syndrome = ACK_NO_CREDITS};
    link_put(out, link, time_ns, &packet);
}

void link_skip(struct link_output *out, struct link *link, int64_t time_ns, uint32_t n)
{
    for (unsigned side = 0; side < 2; side++) {
        link->psn[side] = (link->psn[side] + (n < SKIP_MAX ? n : SKIP_MAX)) & IB_PSN_MASK;
        link_acknowledge(out, link, time_ns, !side, (link->psn[side] - 1) & IB_PSN_MASK);
    }
}

/* ---- set-up ---- */

/* RoCE v2 carries IP addresses in GIDs. */
static void link_gid(const struct link *link, unsigned side, uint8_t *out)
{
    if (!link->path.ipv6)
        out[10] = out[11] = 0xFF;
    memcpy(out + (link->path.ipv6 ? 0 : IPV4_MAPPED), link->path.address[side], link->path.ipv6 ? 16 : 4);
}

/* Addresses as in the IP-CM header: IPv4 in the last four octets. */
static void ip_cm_address(const struct link *link, unsigned side, uint8_t *out)
{
    if (link->path.ipv6)
        memcpy(out, link->path.address[side], 16);
    else
        memcpy(out + IPV4_MAPPED, link->path.address[side], 4);
}

/* The room for private data, which are at the end of the message. */
static size_t private_room(const struct ib_cm *cm)
{
    switch ((enum ib_cm_attribute)cm->attribute) {
    case IB_CM_REQUEST:
        return IB_CM_REQUEST_PRIVATE - IB_IP_CM_LEN;
    case IB_CM_REJECT:
        return REJECT_PRIVATE;
    default:
        return IB_CM_REPLY_PRIVATE;
    }
}

/* A ConnectRequest's private data begin with the addresses. Returns the length. */
static size_t request_data(const struct link *link, const struct ib_cm *cm, uint8_t *out)
{
    struct ib_ip_cm header = {.ip_version = link->path.ipv6 ? 6 : 4, .source_port = link->path.port[LINK_CLIENT]};
    size_t n = cm->private_len;

    ip_cm_address(link, LINK_CLIENT, header.source);
    ip_cm_address(link, LINK_SERVER, header.destination);
    ib_ip_cm_encode(&header, out, IB_IP_CM_LEN);
    if (n > 0)
        memcpy(out + IB_IP_CM_LEN, cm->private_data, n);
    return IB_IP_CM_LEN + n;
}

bool link_manage(struct link_output *out, struct link *link, int64_t time_ns, unsigned side, struct ib_cm *cm,
                 size_t total)
{
    uint8_t mad[IB_MAD_LEN], data[IB_CM_REQUEST_PRIVATE];
    struct link_packet packet = {.side = side, .p = mad, .n = sizeof mad, .length = sizeof mad};
    size_t room = private_room(cm);
    bool whole;

    cm->private_len = (uint8_t)(cm->private_len < room ? cm->private_len : room);
    whole = cm->private_len >= total;
    if (!whole)
        packet.n -= room - cm->private_len;
    cm->transaction = link->number;
    cm->local_id = link_qp(link, side);
    cm->remote_id = cm->attribute == IB_CM_REQUEST ? 0 : link_qp(link, !side);
    cm->qp = link_qp(link, cm->attribute == IB_CM_DISCONNECT_REQUEST ? !side : side);
    cm->psn = link->psn[!side];
    if (cm->attribute == IB_CM_REQUEST) {
        cm->service = ib_service_of_port(link->path.port[LINK_SERVER]);
        cm->path_mtu = PATH_MTU_CODE;
        link_gid(link, side, cm->path.gid[0]);
        link_gid(link, !side, cm->path.gid[1]);
        cm->private_len = (uint8_t)request_data(link, cm, data);
        cm->private_data = data;
    }
    if (ib_cm_encode(cm, mad, sizeof mad) == 0)
        return whole;
    packet.wire.bth = (struct ib_bth){
        .opcode = IB_UD << 5 | IB_SEND_ONLY, .qp = IB_QP_CM, .psn = link->mad_psn[side]++ & IB_PSN_MASK};
    packet.wire.headers = IB_HAS_DETH;
    packet.wire.qkey = cm_key;
    packet.wire.source_qp = IB_QP_CM;
    link_put(out, link, time_ns, &packet);
    return whole;
}

/* ---- addresses ---- */

/* Takes one end of the connection from a socket address. An IPv4 address in IPv6 is an IPv4 address. */
static bool link_take_address(struct link *link, unsigned side, const uint8_t *octets, bool *ipv6)
{
    static const uint8_t mapped[IPV4_MAPPED] = {[10] = 0xFF, [11] = 0xFF};
    struct sockaddr_in6 six;
    struct sockaddr_in four;

    memcpy(&four, octets, sizeof four);
    memcpy(&six, octets, TAP_SOCKADDR);
    if (four.sin_family != AF_INET && four.sin_family != AF_INET6)
        return false;
    link->path.port[side] = ntohs(four.sin_port);
    *ipv6 = four.sin_family == AF_INET6 && memcmp(&six.sin6_addr, mapped, sizeof mapped) != 0;
    if (*ipv6)
        memcpy(link->path.address[side], &six.sin6_addr, 16);
    else if (four.sin_family == AF_INET)
        memcpy(link->path.address[side], &four.sin_addr, 4);
    else
        memcpy(link->path.address[side], six.sin6_addr.s6_addr + IPV4_MAPPED, 4);
    return true;
}

bool link_init(struct link *link, uint32_t number, const struct tap_event *event)
{
    unsigned host = event->server ? LINK_SERVER : LINK_CLIENT;
    bool six[2];

    *link = (struct link){.number = number, .by_client = !event->server, .path = {.real = true}};
    link->mark = (struct tap_mark){.tapped = true, .by_client = !event->server};
    if (!link_take_address(link, host, event->local, &six[0]) ||
        !link_take_address(link, !host, event->peer, &six[1]) || six[0] != six[1])
        return false;
    link->path.ipv6 = six[0];
    return true;
}

bool link_is_of(const struct link *link, const struct tap_event *event)
{
    struct link other;

    return !link_init(&other, link->number, event) ||
           (link->path.ipv6 == other.path.ipv6 &&
            memcmp(link->path.address, other.path.address, sizeof other.path.address) == 0 &&
            memcmp(link->path.port, other.path.port, sizeof other.path.port) == 0);
}
