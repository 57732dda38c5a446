// SPDX-License-Identifier: GPL-2.0-or-later
/* wire/ddp.c: RFC 5041 section 4. */
#include "wire/ddp.h"

#include "tests/proofs/proof.h"

void proof_ddp(void)
{
    struct ddp_segment segment, again;
    size_t n = any_size_to(64), size = any_size_to(32), written, i = any_size();
    const uint8_t *p = any_octets(n);
    uint8_t *out = any_octets(size);

    if (!ddp_segment_decode(&segment, p, n)) {
        CLAIM(n < 2 || n < (p[0] & 0x80 ? DDP_TAGGED_HEADER_LEN : DDP_UNTAGGED_HEADER_LEN));
        return;
    }
    CLAIM(segment.header_len + segment.payload_len == n && segment.payload == p + segment.header_len);
    CLAIM(segment.header_len == (segment.tagged ? DDP_TAGGED_HEADER_LEN : DDP_UNTAGGED_HEADER_LEN));
    CLAIM(segment.rsvd < 16 && segment.dv < 4 && segment.rv < 4 && segment.rdmap_rsv < 4 && segment.opcode < 16);
    written = ddp_header_encode(&segment, out, size);
    CLAIM(written == (size < segment.header_len ? 0 : segment.header_len));
    if (written == 0)
        return;
    ASSUME(i < written);
    CLAIM(out[i] == p[i]); /* every bit of the header has one meaning */
    CLAIM(ddp_segment_decode(&again, out, written));
    CLAIM(again.to == segment.to && again.qn == segment.qn && again.msn == segment.msn && again.mo == segment.mo);
    CLAIM(again.payload_len == 0);
    FALSE_CLAIM(segment.payload_len == 0);
    FALSE_CLAIM(segment.tagged);
    FALSE_CLAIM(!segment.tagged);
}

/* From any fields. */
void proof_ddp_encode(void)
{
    struct ddp_segment segment = {.tagged = any_bool(),
                                  .last = any_bool(),
                                  .rsvd = any_u8() & 15,
                                  .dv = any_u8() & 3,
                                  .rv = any_u8() & 3,
                                  .rdmap_rsv = any_u8() & 3,
                                  .opcode = any_u8() & 15,
                                  .stag = any_u32(),
                                  .to = any_u64(),
                                  .qn = any_u32(),
                                  .msn = any_u32(),
                                  .mo = any_u32()},
                       read;
    uint8_t out[DDP_UNTAGGED_HEADER_LEN];
    size_t n = ddp_header_encode(&segment, out, sizeof out);

    CLAIM(ddp_segment_decode(&read, out, n) && read.header_len == n);
    CLAIM(read.tagged == segment.tagged && read.last == segment.last && read.rsvd == segment.rsvd);
    CLAIM(read.dv == segment.dv && read.rv == segment.rv && read.rdmap_rsv == segment.rdmap_rsv);
    CLAIM(read.opcode == segment.opcode && read.stag == segment.stag);
    CLAIM(IMPLIES(segment.tagged, read.to == segment.to));
    CLAIM(IMPLIES(!segment.tagged, read.qn == segment.qn && read.msn == segment.msn && read.mo == segment.mo));
    FALSE_CLAIM(read.to == segment.to);
}
