// SPDX-License-Identifier: GPL-2.0-or-later
#include "wire/ib.h"

#include "wire/invariant.h"
#include "wire/octets.h"

#include <string.h>

enum { OPERATIONS = 0x18 };

/* Section 9.2.1, by the lower five bits. */
static const struct ib_opcode_info operations[OPERATIONS] = {
    /* clang-format off */
    [IB_SEND_FIRST]           = {"SEND First", "SEND_FIRST", IB_MESSAGE_SEND, 0, true, false, true, false},
    [IB_SEND_MIDDLE]          = {"SEND Middle", "SEND_MIDDLE", IB_MESSAGE_SEND, 0, false, false, true, false},
    [IB_SEND_LAST]            = {"SEND Last", "SEND_LAST", IB_MESSAGE_SEND, 0, false, true, true, false},
    [IB_SEND_LAST_IMMEDIATE]  = {"SEND Last with Immediate", "SEND_LAST_IMM", IB_MESSAGE_SEND, IB_HAS_IMMEDIATE, false, true, true, false},
    [IB_SEND_ONLY]            = {"SEND Only", "SEND_ONLY", IB_MESSAGE_SEND, 0, true, true, true, false},
    [IB_SEND_ONLY_IMMEDIATE]  = {"SEND Only with Immediate", "SEND_ONLY_IMM", IB_MESSAGE_SEND, IB_HAS_IMMEDIATE, true, true, true, false},
    [IB_WRITE_FIRST]          = {"RDMA WRITE First", "WRITE_FIRST", IB_MESSAGE_WRITE, IB_HAS_RETH, true, false, true, false},
    [IB_WRITE_MIDDLE]         = {"RDMA WRITE Middle", "WRITE_MIDDLE", IB_MESSAGE_WRITE, 0, false, false, true, false},
    [IB_WRITE_LAST]           = {"RDMA WRITE Last", "WRITE_LAST", IB_MESSAGE_WRITE, 0, false, true, true, false},
    [IB_WRITE_LAST_IMMEDIATE] = {"RDMA WRITE Last with Immediate", "WRITE_LAST_IMM", IB_MESSAGE_WRITE, IB_HAS_IMMEDIATE, false, true, true, false},
    [IB_WRITE_ONLY]           = {"RDMA WRITE Only", "WRITE_ONLY", IB_MESSAGE_WRITE, IB_HAS_RETH, true, true, true, false},
    [IB_WRITE_ONLY_IMMEDIATE] = {"RDMA WRITE Only with Immediate", "WRITE_ONLY_IMM", IB_MESSAGE_WRITE, IB_HAS_RETH | IB_HAS_IMMEDIATE, true, true, true, false},
    [IB_READ_REQUEST]         = {"RDMA READ Request", "READ_REQ", IB_MESSAGE_READ, IB_HAS_RETH, true, true, false, false},
    [IB_READ_RESPONSE_FIRST]  = {"RDMA READ response First", "READ_RESP_FIRST", IB_MESSAGE_READ_RESPONSE, IB_HAS_AETH, true, false, true, true},
    [IB_READ_RESPONSE_MIDDLE] = {"RDMA READ response Middle", "READ_RESP_MIDDLE", IB_MESSAGE_READ_RESPONSE, 0, false, false, true, true},
    [IB_READ_RESPONSE_LAST]   = {"RDMA READ response Last", "READ_RESP_LAST", IB_MESSAGE_READ_RESPONSE, IB_HAS_AETH, false, true, true, true},
    [IB_READ_RESPONSE_ONLY]   = {"RDMA READ response Only", "READ_RESP_ONLY", IB_MESSAGE_READ_RESPONSE, IB_HAS_AETH, true, true, true, true},
    [IB_ACKNOWLEDGE]          = {"Acknowledge", "ACK", IB_MESSAGE_ACK, IB_HAS_AETH, true, true, false, true},
    [IB_ATOMIC_ACKNOWLEDGE]   = {"ATOMIC Acknowledge", "ATOMIC_ACK", IB_MESSAGE_ATOMIC_ACK, IB_HAS_AETH | IB_HAS_ATOMIC_ACK, true, true, false, true},
    [IB_COMPARE_SWAP]         = {"CmpSwap", "CMP_SWAP", IB_MESSAGE_ATOMIC, IB_HAS_ATOMIC, true, true, false, false},
    [IB_FETCH_ADD]            = {"FetchAdd", "FETCH_ADD", IB_MESSAGE_ATOMIC, IB_HAS_ATOMIC, true, true, false, false},
    [IB_SEND_LAST_INVALIDATE] = {"SEND Last with Invalidate", "SEND_LAST_INV", IB_MESSAGE_SEND, IB_HAS_INVALIDATE, false, true, true, false},
    [IB_SEND_ONLY_INVALIDATE] = {"SEND Only with Invalidate", "SEND_ONLY_INV", IB_MESSAGE_SEND, IB_HAS_INVALIDATE, true, true, true, false},
    /* clang-format on */
};

static bool assigned(enum ib_service service, unsigned operation)
{
    switch (service) {
    case IB_RC:
        return operation < OPERATIONS && operations[operation].name;
    case IB_UC:
        return operation <= IB_WRITE_ONLY_IMMEDIATE;
    case IB_UD:
        return operation == IB_SEND_ONLY || operation == IB_SEND_ONLY_IMMEDIATE;
    case IB_RD:
    case IB_CNP:
    case IB_XRC:
        break;
    }
    return false;
}

const struct ib_opcode_info *ib_opcode_info(unsigned opcode)
{
    return opcode <= UINT8_MAX && assigned(ib_service_of(opcode), opcode & 0x1F) ? &operations[opcode & 0x1F] : NULL;
}

int64_t ib_rnr_timer_ns(uint8_t syndrome)
{
    unsigned code = syndrome & 0x1F;
    int64_t tens = code == 0 ? 65536 : code < 5 ? code : (code % 2 == 0 ? INT64_C(4) : INT64_C(6)) << (code / 2 - 2);

    return tens * 10000; /* microseconds */
}

const char *ib_nak_name(uint8_t syndrome)
{
    static const char *const names[] = {"PSN sequence error", "invalid request", "remote access error",
                                        "remote operational error", "invalid RD request"};
    unsigned code = syndrome & 0x1F;

    return ib_aeth_kind(syndrome) == IB_AETH_NAK && code < sizeof names / sizeof names[0] ? names[code] : NULL;
}

/* ---- the extended headers, in their order on the wire ---- */

static void decode_deth(struct ib_packet *out, const uint8_t *p)
{
    out->qkey = get_be32(p);
    out->source_qp = get_be24(p + 5);
}

static void encode_deth(const struct ib_packet *packet, uint8_t *p)
{
    put_be32(p, packet->qkey);
    put_be32(p + 4, packet->source_qp & IB_PSN_MASK);
}

static void decode_reth(struct ib_packet *out, const uint8_t *p)
{
    out->reth = (struct ib_reth){get_be64(p), get_be32(p + 8), get_be32(p + 12)};
}

static void encode_reth(const struct ib_packet *packet, uint8_t *p)
{
    put_be64(p, packet->reth.address);
    put_be32(p + 8, packet->reth.rkey);
    put_be32(p + 12, packet->reth.length);
}

static void decode_atomic(struct ib_packet *out, const uint8_t *p)
{
    out->atomic = (struct ib_atomic){get_be64(p), get_be32(p + 8), get_be64(p + 12), get_be64(p + 20)};
}

static void encode_atomic(const struct ib_packet *packet, uint8_t *p)
{
    put_be64(p, packet->atomic.address);
    put_be32(p + 8, packet->atomic.rkey);
    put_be64(p + 12, packet->atomic.swap);
    put_be64(p + 20, packet->atomic.compare);
}

static void decode_aeth(struct ib_packet *out, const uint8_t *p)
{
    out->aeth = (struct ib_aeth){p[0], get_be24(p + 1)};
}

static void encode_aeth(const struct ib_packet *packet, uint8_t *p)
{
    p[0] = packet->aeth.syndrome;
    put_be24(p + 1, packet->aeth.msn);
}

static void decode_atomic_ack(struct ib_packet *out, const uint8_t *p)
{
    out->original = get_be64(p);
}

static void encode_atomic_ack(const struct ib_packet *packet, uint8_t *p)
{
    put_be64(p, packet->original);
}

static void decode_immediate(struct ib_packet *out, const uint8_t *p)
{
    out->immediate = get_be32(p);
}

static void encode_immediate(const struct ib_packet *packet, uint8_t *p)
{
    put_be32(p, packet->immediate);
}

static void decode_invalidate(struct ib_packet *out, const uint8_t *p)
{
    out->invalidate = get_be32(p);
}

static void encode_invalidate(const struct ib_packet *packet, uint8_t *p)
{
    put_be32(p, packet->invalidate);
}

static const struct {
    unsigned header;
    size_t length;
    void (*decode)(struct ib_packet *out, const uint8_t *p);
    void (*encode)(const struct ib_packet *packet, uint8_t *p);
} extended[] = {
    {IB_HAS_DETH, IB_DETH_LEN, decode_deth, encode_deth},
    {IB_HAS_RETH, IB_RETH_LEN, decode_reth, encode_reth},
    {IB_HAS_ATOMIC, IB_ATOMIC_ETH_LEN, decode_atomic, encode_atomic},
    {IB_HAS_AETH, IB_AETH_LEN, decode_aeth, encode_aeth},
    {IB_HAS_ATOMIC_ACK, IB_ATOMIC_ACK_ETH_LEN, decode_atomic_ack, encode_atomic_ack},
    {IB_HAS_IMMEDIATE, IB_IMMDT_LEN, decode_immediate, encode_immediate},
    {IB_HAS_INVALIDATE, IB_IETH_LEN, decode_invalidate, encode_invalidate},
};

enum { EXTENDED = sizeof extended / sizeof extended[0] };

static unsigned headers_of(const struct ib_opcode_info *info, unsigned opcode)
{
    return info ? info->headers | (ib_service_of(opcode) == IB_UD ? IB_HAS_DETH : 0u) : 0u;
}

/* ---- packets ---- */

static void decode_bth(struct ib_bth *out, const uint8_t *p)
{
    *out = (struct ib_bth){
        .opcode = p[0],
        .solicited = p[1] & 0x80,
        .migration = p[1] & 0x40,
        .pad = p[1] >> 4 & 3,
        .version = p[1] & 0x0F,
        .pkey = get_be16(p + 2),
        .fecn = p[4] & 0x80,
        .becn = p[4] & 0x40,
        .qp = get_be24(p + 5),
        .ack_request = p[8] & 0x80,
        .psn = get_be24(p + 9),
    };
}

static void encode_bth(const struct ib_bth *bth, uint8_t *p)
{
    p[0] = bth->opcode;
    p[1] = (uint8_t)((bth->solicited ? 0x80 : 0) | (bth->migration ? 0x40 : 0) | (bth->pad & 3) << 4 |
                     (bth->version & 0x0F));
    put_be16(p + 2, bth->pkey);
    p[4] = (uint8_t)((bth->fecn ? 0x80 : 0) | (bth->becn ? 0x40 : 0));
    put_be24(p + 5, bth->qp);
    p[8] = bth->ack_request ? 0x80 : 0;
    put_be24(p + 9, bth->psn);
}

enum ib_decoding ib_packet_decode(struct ib_packet *out, const uint8_t *p, size_t length, size_t captured)
{
    unsigned headers;
    size_t at = IB_BTH_LEN, tail;

    *out = (struct ib_packet){0};
    if (captured > length)
        captured = length;
    if (length < IB_BTH_LEN + IB_ICRC_LEN)
        return IB_MALFORMED;
    if (captured < IB_BTH_LEN)
        return IB_CUT;
    decode_bth(&out->bth, p);
    out->info = ib_opcode_info(out->bth.opcode);
    headers = headers_of(out->info, out->bth.opcode);
    tail = out->bth.pad + (size_t)IB_ICRC_LEN;
    for (unsigned i = 0; i < EXTENDED && out->headers != headers; i++) {
        if (!(headers & extended[i].header))
            continue;
        if (length < at + extended[i].length + tail)
            return IB_MALFORMED;
        if (captured < at + extended[i].length)
            return IB_CUT;
        extended[i].decode(out, p + at);
        out->headers |= extended[i].header;
        at += extended[i].length;
    }
    if (length < at + tail)
        return IB_MALFORMED;
    out->header_len = (uint8_t)at;
    out->payload = p + at;
    out->payload_len = length - at - tail;
    out->payload_captured = captured - at < out->payload_len ? captured - at : out->payload_len;
    out->icrc_captured = captured == length;
    out->icrc = out->icrc_captured ? p + length - IB_ICRC_LEN : NULL;
    INVARIANT(out->headers == headers && at <= captured && out->payload_captured <= out->payload_len);
    INVARIANT(out->header_len == at && at + out->payload_len + tail == length);
    return IB_DECODED;
}

size_t ib_headers_encode(const struct ib_packet *packet, uint8_t *out, size_t size)
{
    const struct ib_opcode_info *info = ib_opcode_info(packet->bth.opcode);
    unsigned headers = headers_of(info, packet->bth.opcode);
    size_t at = IB_BTH_LEN;

    if (!info || size < IB_BTH_LEN)
        return 0;
    encode_bth(&packet->bth, out);
    for (unsigned i = 0; i < EXTENDED; i++) {
        if (!(headers & extended[i].header))
            continue;
        if (size < at + extended[i].length)
            return 0;
        extended[i].encode(packet, out + at);
        at += extended[i].length;
    }
    INVARIANT(at <= size);
    return at;
}

/* ---- below the transport ---- */

bool ib_lrh_decode(struct ib_lrh *out, const uint8_t *p, size_t n)
{
    if (n < IB_LRH_LEN)
        return false;
    *out = (struct ib_lrh){
        .virtual_lane = p[0] >> 4,
        .service_level = p[1] >> 4,
        .next = p[1] & 3,
        .destination = get_be16(p + 2),
        .words = get_be16(p + 4) & 0x7FF,
        .source = get_be16(p + 6),
    };
    return true;
}

size_t ib_lrh_encode(const struct ib_lrh *lrh, uint8_t *out, size_t size)
{
    if (size < IB_LRH_LEN)
        return 0;
    out[0] = (uint8_t)(lrh->virtual_lane << 4);
    out[1] = (uint8_t)(lrh->service_level << 4 | (lrh->next & 3));
    put_be16(out + 2, lrh->destination);
    put_be16(out + 4, lrh->words & 0x7FF);
    put_be16(out + 6, lrh->source);
    return IB_LRH_LEN;
}

bool ib_grh_decode(struct ib_grh *out, const uint8_t *p, size_t n)
{
    if (n < IB_GRH_LEN)
        return false;
    *out = (struct ib_grh){
        .version = p[0] >> 4,
        .traffic_class = (uint8_t)(get_be16(p) >> 4),
        .flow_label = get_be32(p) & 0xFFFFF,
        .payload_length = get_be16(p + 4),
        .next = p[6],
        .hop_limit = p[7],
    };
    memcpy(out->source, p + 8, sizeof out->source);
    memcpy(out->destination, p + 24, sizeof out->destination);
    return true;
}

size_t ib_grh_encode(const struct ib_grh *grh, uint8_t *out, size_t size)
{
    if (size < IB_GRH_LEN)
        return 0;
    put_be32(out, (uint32_t)grh->version << 28 | (uint32_t)grh->traffic_class << 20 | (grh->flow_label & 0xFFFFF));
    put_be16(out + 4, grh->payload_length);
    out[6] = grh->next;
    out[7] = grh->hop_limit;
    memcpy(out + 8, grh->source, sizeof grh->source);
    memcpy(out + 24, grh->destination, sizeof grh->destination);
    return IB_GRH_LEN;
}
