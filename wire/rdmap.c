// SPDX-License-Identifier: GPL-2.0-or-later
#include "wire/rdmap.h"

#include "wire/octets.h"

#define TAGGED    .tagged = true, .queue = RDMAP_QN_NONE
#define QUEUE(qn) .queue = (qn)
#define HEADER(n) .header_min = (n), .header_max = (n)
#define ULP_DATA  .ulp_data = true

/* RFC 5040 Figures 4 and 5, RFC 7306 Figures 2 and 3. */
/* clang-format off */
const struct rdmap_opcode_info rdmap_opcodes[RDMAP_OPCODES] = {
    [RDMAP_WRITE] = {"RDMA Write", "WRITE", "write", TAGGED, ULP_DATA},
    [RDMAP_READ_REQUEST] = {"RDMA Read Request", "READ-REQ", "read_request",
                            QUEUE(DDP_QN_READ_REQUEST), HEADER(RDMAP_READ_REQUEST_LEN)},
    [RDMAP_READ_RESPONSE] = {"RDMA Read Response", "READ-RESP", "read_response", TAGGED, ULP_DATA},
    [RDMAP_SEND] = {"Send", "SEND", "send", QUEUE(DDP_QN_SEND), ULP_DATA},
    [RDMAP_SEND_INVALIDATE] = {"Send with Invalidate", "SEND-INV", "send_invalidate",
                               QUEUE(DDP_QN_SEND), ULP_DATA, .invalidates = true},
    [RDMAP_SEND_SE] = {"Send with SE", "SEND-SE", "send_se", QUEUE(DDP_QN_SEND), ULP_DATA, .solicited = true},
    [RDMAP_SEND_SE_INVALIDATE] = {"Send with SE and Invalidate", "SEND-SE-INV", "send_se_invalidate",
                                  QUEUE(DDP_QN_SEND), ULP_DATA, .invalidates = true, .solicited = true},
    [RDMAP_TERMINATE] = {"Terminate", "TERMINATE", "terminate", QUEUE(DDP_QN_TERMINATE),
                         .header_min = RDMAP_TERMINATE_LEN_MIN, .header_max = RDMAP_TERMINATE_LEN_MAX},
    [RDMAP_IMMEDIATE] = {"Immediate Data", "IMM", "immediate",
                         QUEUE(DDP_QN_SEND), HEADER(RDMAP_IMMEDIATE_LEN), .rfc_version_only = true},
    [RDMAP_IMMEDIATE_SE] = {"Immediate Data with SE", "IMM-SE", "immediate_se", QUEUE(DDP_QN_SEND),
                            HEADER(RDMAP_IMMEDIATE_LEN), .solicited = true, .rfc_version_only = true},
    [RDMAP_ATOMIC_REQUEST] = {"Atomic Request", "ATOMIC-REQ", "atomic_request",
                              QUEUE(DDP_QN_READ_REQUEST), HEADER(RDMAP_ATOMIC_REQUEST_LEN), .rfc_version_only = true},
    [RDMAP_ATOMIC_RESPONSE] = {"Atomic Response", "ATOMIC-RESP", "atomic_response", QUEUE(DDP_QN_ATOMIC_RESPONSE),
                               HEADER(RDMAP_ATOMIC_RESPONSE_LEN), .rfc_version_only = true},
};
/* clang-format on */

unsigned rdmap_ulpdu_max(const struct rdmap_opcode_info *info)
{
    if (info->ulp_data)
        return 0;
    return (info->tagged ? DDP_TAGGED_HEADER_LEN : DDP_UNTAGGED_HEADER_LEN) + (unsigned)info->header_max;
}

bool rdmap_read_request_decode(struct rdmap_read_request *out, const uint8_t *p, size_t n)
{
    if (n < RDMAP_READ_REQUEST_LEN)
        return false;
    *out = (struct rdmap_read_request){
        .sink_stag = get_be32(p),
        .sink_to = get_be64(p + 4),
        .size = get_be32(p + 12),
        .source_stag = get_be32(p + 16),
        .source_to = get_be64(p + 20),
    };
    return true;
}

size_t rdmap_read_request_encode(const struct rdmap_read_request *request, uint8_t *out, size_t size)
{
    if (size < RDMAP_READ_REQUEST_LEN)
        return 0;
    put_be32(out, request->sink_stag);
    put_be64(out + 4, request->sink_to);
    put_be32(out + 12, request->size);
    put_be32(out + 16, request->source_stag);
    put_be64(out + 20, request->source_to);
    return RDMAP_READ_REQUEST_LEN;
}

bool rdmap_immediate_decode(uint64_t *out, const uint8_t *p, size_t n)
{
    if (n < RDMAP_IMMEDIATE_LEN)
        return false;
    *out = get_be64(p);
    return true;
}

size_t rdmap_immediate_encode(uint64_t data, uint8_t *out, size_t size)
{
    if (size < RDMAP_IMMEDIATE_LEN)
        return 0;
    put_be64(out, data);
    return RDMAP_IMMEDIATE_LEN;
}

bool rdmap_atomic_request_decode(struct rdmap_atomic_request *out, const uint8_t *p, size_t n)
{
    if (n < RDMAP_ATOMIC_REQUEST_LEN)
        return false;
    *out = (struct rdmap_atomic_request){
        .reserved = get_be32(p) >> 4,
        .opcode = p[3] & 0x0F,
        .identifier = get_be32(p + 4),
        .stag = get_be32(p + 8),
        .to = get_be64(p + 12),
        .data = get_be64(p + 20),
        .mask = get_be64(p + 28),
        .compare_data = get_be64(p + 36),
        .compare_mask = get_be64(p + 44),
    };
    return true;
}

size_t rdmap_atomic_request_encode(const struct rdmap_atomic_request *request, uint8_t *out, size_t size)
{
    if (size < RDMAP_ATOMIC_REQUEST_LEN)
        return 0;
    put_be32(out, request->reserved << 4 | (request->opcode & 0x0F));
    put_be32(out + 4, request->identifier);
    put_be32(out + 8, request->stag);
    put_be64(out + 12, request->to);
    put_be64(out + 20, request->data);
    put_be64(out + 28, request->mask);
    put_be64(out + 36, request->compare_data);
    put_be64(out + 44, request->compare_mask);
    return RDMAP_ATOMIC_REQUEST_LEN;
}

const char *rdmap_atomic_name(unsigned atomic_opcode)
{
    switch (atomic_opcode) {
    case RDMAP_ATOMIC_FETCH_ADD:
        return "FetchAdd";
    case RDMAP_ATOMIC_CMP_SWAP:
        return "CmpSwap";
    default:
        return NULL;
    }
}

bool rdmap_atomic_response_decode(struct rdmap_atomic_response *out, const uint8_t *p, size_t n)
{
    if (n < RDMAP_ATOMIC_RESPONSE_LEN)
        return false;
    *out = (struct rdmap_atomic_response){.identifier = get_be32(p), .original = get_be64(p + 4)};
    return true;
}

size_t rdmap_atomic_response_encode(const struct rdmap_atomic_response *response, uint8_t *out, size_t size)
{
    if (size < RDMAP_ATOMIC_RESPONSE_LEN)
        return 0;
    put_be32(out, response->identifier);
    put_be64(out + 4, response->original);
    return RDMAP_ATOMIC_RESPONSE_LEN;
}
