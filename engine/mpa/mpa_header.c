// SPDX-License-Identifier: GPL-2.0-or-later
/* Whether octets look like the beginning of an FPDU. Without Markers and CRCs there is no other evidence. */
#include "engine/mpa/mpa_framing.h"
#include "engine/mpa/mpa_startup_state.h"
#include "wire/rdmap.h"

static unsigned odd_control(unsigned ddp, unsigned rdmap, const struct rdmap_opcode_info *info)
{
    unsigned dv = ddp & 3, rv = rdmap >> 6, odd = 0;
    bool tagged = (ddp & 0x80) != 0;

    /* The versions are usually wrong together, so they count once. */
    if (dv > 1 || rv > 1)
        odd += 2;
    else if (dv + rv < 2)
        odd += 1;
    odd += (ddp & 0x3C) != 0;
    odd += (rdmap & 0x30) != 0;
    if (!info || info->tagged != tagged)
        odd += 2;
    return odd;
}

static unsigned odd_length(unsigned length)
{
    if (length == 0)
        return 4;
    return length < DDP_TAGGED_HEADER_LEN || length > MPA_ULPDU_MAX ? 2 : 0;
}

/* Oddity of Invalidate STag, QN and MSN, as far as n octets show; info is NULL when the opcode is unknown. */
static unsigned odd_untagged(const uint8_t *p, size_t n, const struct rdmap_opcode_info *info)
{
    unsigned odd = 0;
    uint32_t qn;

    if (n >= MPA_LENGTH_LEN + 6 && info && !info->invalidates)
        odd += get_be32(p + 4) != 0;
    if (n < MPA_LENGTH_LEN + 10)
        return odd;
    qn = get_be32(p + 8);
    if (qn > DDP_QN_ATOMIC_RESPONSE)
        odd += 2;
    else
        odd += info && (uint32_t)info->queue != qn;
    if (n >= MPA_LENGTH_LEN + 14)
        odd += get_be32(p + 12) == 0; /* MSNs begin at 1 */
    return odd;
}

unsigned mpa_header_oddity(const uint8_t *p, size_t n)
{
    const struct rdmap_opcode_info *info;
    unsigned odd, length;

    if (n < MPA_LENGTH_LEN)
        return 0;
    length = get_be16(p);
    odd = odd_length(length);
    if (n < HEADER_VISIBLE_MIN)
        return odd;
    info = rdmap_opcode_info(p[3] & 0x0F);
    odd += odd_control(p[2], p[3], info);
    if (p[2] & 0x80)
        return odd;
    if (info && info->tagged)
        return odd; /* if only the T bit is wrong, the following fields mean something else */
    if (length < DDP_UNTAGGED_HEADER_LEN && length >= DDP_TAGGED_HEADER_LEN)
        odd += 2;
    return odd + odd_untagged(p, n, info);
}

enum fpdu_likeness mpa_header_likeness(const uint8_t *p, size_t n)
{
    struct ddp_segment ddp;

    if (n < HEADER_VISIBLE_MIN)
        return FPDU_TOO_SHORT;
    ddp_segment_decode(&ddp, (const uint8_t[DDP_UNTAGGED_HEADER_LEN]){p[2], p[3]}, DDP_UNTAGGED_HEADER_LEN);
    if (!rdmap_control_plausible(&ddp))
        return FPDU_NO;
    if (n < (size_t)MPA_LENGTH_LEN + ddp.header_len)
        return FPDU_TOO_SHORT;
    if (!ddp.tagged && get_be32(p + 8) != (uint32_t)rdmap_opcode_info(ddp.opcode)->queue)
        return FPDU_NO;
    return FPDU_CONVINCING;
}

bool mpa_header_plausible(const uint8_t *p, size_t n)
{
    return n >= HEADER_VISIBLE_MIN && mpa_header_oddity(p, n) == 0;
}

/*
 * RFC 5040 section 4.8: Terminate Control, then length, DDP and RDMAP headers as announced by the HdrCt bits M, D and
 * R.
 */
static unsigned terminate_length(const uint8_t *ulpdu, size_t n)
{
    unsigned length = DDP_UNTAGGED_HEADER_LEN + RDMAP_TERMINATE_LEN_MIN, bits;

    if (n < length)
        return 0;
    bits = ulpdu[DDP_UNTAGGED_HEADER_LEN + 2] >> 5;
    if (bits & 6)
        length += MPA_LENGTH_LEN;
    if (bits & 2) {
        if (n <= length)
            return 0;
        length += ulpdu[length] & 0x80 ? DDP_TAGGED_HEADER_LEN : DDP_UNTAGGED_HEADER_LEN;
    }
    if (bits & 1)
        length += RDMAP_READ_REQUEST_LEN;
    return length;
}

unsigned mpa_fixed_ulpdu_length(const uint8_t *ulpdu, size_t n)
{
    const struct rdmap_opcode_info *info;

    if (n < DDP_UNTAGGED_HEADER_LEN || ulpdu[0] & 0x80)
        return 0;
    info = rdmap_opcode_info(ulpdu[1] & 0x0F);
    if (!info || info->tagged)
        return 0;
    return info->header_min != info->header_max ? terminate_length(ulpdu, n) : rdmap_ulpdu_max(info);
}
