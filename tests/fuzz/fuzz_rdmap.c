// SPDX-License-Identifier: GPL-2.0-or-later
/* A ULPDU: DDP header, then the RDMAP header of its opcode. Decoded headers are encoded to the same octets. */
#include "tests/fuzz/fuzz.h"
#include "wire/atomic.h"
#include "wire/rdmap_terminate.h"

static uint8_t back[64];

static void atomic(const struct rdmap_atomic_request *request)
{
    uint64_t after, again;

    if (!rdmap_atomic_apply(request, request->compare_data, &after))
        return;
    if (request->opcode == RDMAP_ATOMIC_CMP_SWAP) {
        HOLDS((after & request->mask) == (request->data & request->mask));
        HOLDS((after & ~request->mask) == (request->compare_data & ~request->mask));
    } else {
        /* Addition commutes, and there is no carry into the lowest bit. */
        again = masked_fetch_add(request->data, request->compare_data, request->mask);
        HOLDS(after == again && ((after ^ request->data ^ request->compare_data) & 1) == 0);
    }
}

static void terminate(const uint8_t *p, size_t n)
{
    struct rdmap_terminate t;
    size_t written;

    if (rdmap_terminate_decode(&t, p, n) == RDMAP_TERMINATE_SHORT)
        return;
    written = rdmap_terminate_encode(&t, back, sizeof back);
    HOLDS(written >= 4 && written <= RDMAP_TERMINATE_LEN_MAX && written <= n);
    HOLDS(memcmp(back, p, written) == 0);
    HOLDS(!t.trailing || (t.trailing == p + written && t.trailing_len == n - written));
    rdmap_terminate_code_name(t.layer, t.etype, t.code);
}

static void header(const struct rdmap_opcode_info *info, uint8_t opcode, const uint8_t *p, size_t n)
{
    struct rdmap_read_request read;
    struct rdmap_atomic_request request;
    struct rdmap_atomic_response response;
    uint64_t immediate;
    size_t written = 0;

    switch (opcode) {
    case RDMAP_READ_REQUEST:
        if (rdmap_read_request_decode(&read, p, n))
            written = rdmap_read_request_encode(&read, back, sizeof back);
        break;
    case RDMAP_IMMEDIATE:
    case RDMAP_IMMEDIATE_SE:
        if (rdmap_immediate_decode(&immediate, p, n))
            written = rdmap_immediate_encode(immediate, back, sizeof back);
        break;
    case RDMAP_ATOMIC_REQUEST:
        if (rdmap_atomic_request_decode(&request, p, n)) {
            written = rdmap_atomic_request_encode(&request, back, sizeof back);
            atomic(&request);
        }
        break;
    case RDMAP_ATOMIC_RESPONSE:
        if (rdmap_atomic_response_decode(&response, p, n))
            written = rdmap_atomic_response_encode(&response, back, sizeof back);
        break;
    case RDMAP_TERMINATE:
        terminate(p, n);
        return;
    default:
        return;
    }
    HOLDS(written == (n >= info->header_min ? info->header_min : 0));
    HOLDS(memcmp(back, p, written) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct rdmap_opcode_info *info;
    struct ddp_segment segment;
    struct rdmap_terminate blame = {0};

    if (!ddp_segment_decode(&segment, data, size)) {
        HOLDS(size < DDP_UNTAGGED_HEADER_LEN && !rdmap_terminate_echo(&blame, data, size));
        return 0;
    }
    HOLDS(segment.header_len + segment.payload_len == size);
    HOLDS(ddp_header_encode(&segment, back, sizeof back) == segment.header_len);
    HOLDS(memcmp(back, data, segment.header_len) == 0);
    HOLDS(rdmap_terminate_echo(&blame, data, size));
    HOLDS(rdmap_terminate_encode(&blame, back, sizeof back) == 6u + segment.header_len);
    HOLDS(memcmp(back + 6, data, segment.header_len) == 0);
    info = rdmap_opcode_info(segment.opcode);
    if (info)
        header(info, segment.opcode, segment.payload, segment.payload_len);
    return 0;
}
