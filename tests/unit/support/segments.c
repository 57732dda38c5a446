// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/support/segments.h"

struct ddp_segment untagged_segment(uint8_t opcode, uint32_t qn, uint32_t msn)
{
    return (struct ddp_segment){.last = true, .dv = 1, .rv = 1, .opcode = opcode, .qn = qn, .msn = msn};
}

struct ddp_segment tagged_segment(uint8_t opcode, uint32_t stag, uint64_t to)
{
    return (struct ddp_segment){
        .tagged = true, .last = true, .dv = 1, .rv = 1, .opcode = opcode, .stag = stag, .to = to};
}

uint16_t segment_octets(uint8_t *out, size_t size, const struct ddp_segment *segment, const void *payload, size_t n)
{
    size_t header = ddp_header_encode(segment, out, size);

    assert_true(header > 0 && header + n <= size);
    if (payload && n > 0)
        memcpy(out + header, payload, n);
    else
        memset(out + header, 0, n);
    return (uint16_t)(header + n);
}
