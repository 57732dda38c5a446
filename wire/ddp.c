// SPDX-License-Identifier: GPL-2.0-or-later
#include "wire/ddp.h"

#include "wire/invariant.h"
#include "wire/octets.h"

bool ddp_segment_decode(struct ddp_segment *out, const uint8_t *p, size_t n)
{
    if (n < 2)
        return false;
    *out = (struct ddp_segment){
        .tagged = p[0] & 0x80,
        .last = p[0] & 0x40,
        .rsvd = p[0] >> 2 & 0x0F,
        .dv = p[0] & 0x03,
        .rv = p[1] >> 6,
        .rdmap_rsv = p[1] >> 4 & 0x03,
        .opcode = p[1] & 0x0F,
    };
    out->header_len = out->tagged ? DDP_TAGGED_HEADER_LEN : DDP_UNTAGGED_HEADER_LEN;
    if (n < out->header_len)
        return false;
    out->stag = get_be32(p + 2);
    if (out->tagged) {
        out->to = get_be64(p + 6);
    } else {
        out->qn = get_be32(p + 6);
        out->msn = get_be32(p + 10);
        out->mo = get_be32(p + 14);
    }
    out->payload = p + out->header_len;
    out->payload_len = n - out->header_len;
    INVARIANT(out->header_len + out->payload_len == n);
    return true;
}

size_t ddp_header_encode(const struct ddp_segment *segment, uint8_t *out, size_t size)
{
    size_t len = segment->tagged ? DDP_TAGGED_HEADER_LEN : DDP_UNTAGGED_HEADER_LEN;

    if (size < len)
        return 0;
    out[0] = (uint8_t)((segment->tagged ? 0x80 : 0) | (segment->last ? 0x40 : 0) | (segment->rsvd & 0x0F) << 2 |
                       (segment->dv & 0x03));
    out[1] = (uint8_t)((segment->rv & 0x03) << 6 | (segment->rdmap_rsv & 0x03) << 4 | (segment->opcode & 0x0F));
    put_be32(out + 2, segment->stag);
    if (segment->tagged) {
        put_be64(out + 6, segment->to);
    } else {
        put_be32(out + 6, segment->qn);
        put_be32(out + 10, segment->msn);
        put_be32(out + 14, segment->mo);
    }
    return len;
}
