// SPDX-License-Identifier: GPL-2.0-or-later
/* How plausible octets are as the beginning of an FPDU: the only evidence there is without Markers and CRCs. */
#include "engine/mpa_framing.h"

enum {
    TAGGED = 1,
    UNTAGGED = 2,
};

/* RFC 5040 section 4.3, RFC 7306: how each opcode is carried, and the queue of the untagged ones. */
static const struct {
    uint8_t model;
    uint8_t qn;
    bool stag; /* the word behind the control octets carries an Invalidate STag */
} carriage[16] = {
    [RDMAP_WRITE] = {TAGGED, 0, true},
    [RDMAP_READ_REQUEST] = {UNTAGGED, DDP_QN_READ_REQUEST, false},
    [RDMAP_READ_RESPONSE] = {TAGGED, 0, true},
    [RDMAP_SEND] = {UNTAGGED, DDP_QN_SEND, false},
    [RDMAP_SEND_INVALIDATE] = {UNTAGGED, DDP_QN_SEND, true},
    [RDMAP_SEND_SE] = {UNTAGGED, DDP_QN_SEND, false},
    [RDMAP_SEND_SE_INVALIDATE] = {UNTAGGED, DDP_QN_SEND, true},
    [RDMAP_TERMINATE] = {UNTAGGED, DDP_QN_TERMINATE, false},
    [RDMAP_IMMEDIATE] = {UNTAGGED, DDP_QN_SEND, false},
    [RDMAP_IMMEDIATE_SE] = {UNTAGGED, DDP_QN_SEND, false},
    [RDMAP_ATOMIC_REQUEST] = {UNTAGGED, DDP_QN_READ_REQUEST, false},
    [RDMAP_ATOMIC_RESPONSE] = {UNTAGGED, DDP_QN_ATOMIC_RESPONSE, false},
};

static unsigned odd_control(unsigned ddp, unsigned rdmap)
{
    unsigned dv = ddp & 3, rv = rdmap >> 6, model = ddp & 0x80 ? TAGGED : UNTAGGED, odd = 0;

    /* The versions go wrong together, so they count once. */
    if (dv > 1 || rv > 1)
        odd += 2;
    else if (dv + rv < 2)
        odd += 1;
    odd += (ddp & 0x3C) != 0;
    odd += (rdmap & 0x30) != 0;
    if (carriage[rdmap & 0x0F].model != model)
        odd += 2;
    return odd;
}

unsigned mpa_header_oddity(const uint8_t *p, size_t n)
{
    unsigned odd = 0, length, opcode;

    if (n < MPA_LENGTH_LEN)
        return 0;
    length = get_be16(p);
    if (length == 0)
        odd += 4;
    else if (length < DDP_TAGGED_HEADER_LEN)
        odd += 2;
    else if (length > MPA_ULPDU_MAX)
        odd += 2;
    if (n < HEADER_VISIBLE_MIN)
        return odd;
    odd += odd_control(p[2], p[3]);
    if (p[2] & 0x80)
        return odd;
    opcode = p[3] & 0x0F;
    if (carriage[opcode].model == TAGGED)
        return odd; /* one wrong T bit, and nothing behind it means what it seems */
    if (length < DDP_UNTAGGED_HEADER_LEN && length >= DDP_TAGGED_HEADER_LEN)
        odd += 2;
    if (n >= MPA_LENGTH_LEN + 6 && carriage[opcode].model == UNTAGGED && !carriage[opcode].stag)
        odd += get_be32(p + 4) != 0;
    if (n >= MPA_LENGTH_LEN + 10) {
        uint32_t qn = get_be32(p + 8);

        if (qn > DDP_QN_ATOMIC_RESPONSE)
            odd += 2;
        else
            odd += carriage[opcode].model == UNTAGGED && carriage[opcode].qn != qn;
    }
    if (n >= MPA_LENGTH_LEN + 14)
        odd += get_be32(p + 12) == 0; /* MSNs begin at 1 */
    return odd;
}

bool mpa_header_plausible(const uint8_t *p, size_t n)
{
    return n >= HEADER_VISIBLE_MIN && mpa_header_oddity(p, n) == 0;
}

/* RFC 5040 section 4.8: Terminate Control, then length, DDP and RDMAP headers as its HdrCt bits M, D and R tell. */
static unsigned terminate_length(const uint8_t *ulpdu, size_t n)
{
    unsigned length = DDP_UNTAGGED_HEADER_LEN + 4, bits;

    if (n < length)
        return 0;
    bits = ulpdu[DDP_UNTAGGED_HEADER_LEN + 2] >> 5;
    if (bits & 6)
        length += 2;
    if (bits & 2) {
        if (n <= length)
            return 0;
        length += ulpdu[length] & 0x80 ? DDP_TAGGED_HEADER_LEN : DDP_UNTAGGED_HEADER_LEN;
    }
    if (bits & 1)
        length += 28;
    return length;
}

unsigned mpa_fixed_ulpdu_length(const uint8_t *ulpdu, size_t n)
{
    static const uint8_t payload[16] = {
        [RDMAP_READ_REQUEST] = 28,   [RDMAP_IMMEDIATE] = 8,        [RDMAP_IMMEDIATE_SE] = 8,
        [RDMAP_ATOMIC_REQUEST] = 52, [RDMAP_ATOMIC_RESPONSE] = 12,
    };
    unsigned opcode;

    if (n < DDP_UNTAGGED_HEADER_LEN || ulpdu[0] & 0x80)
        return 0;
    opcode = ulpdu[1] & 0x0F;
    if (opcode == RDMAP_TERMINATE)
        return terminate_length(ulpdu, n);
    return payload[opcode] == 0 ? 0 : DDP_UNTAGGED_HEADER_LEN + payload[opcode];
}
