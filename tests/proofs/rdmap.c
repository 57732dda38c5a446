// SPDX-License-Identifier: GPL-2.0-or-later
/* wire/rdmap.c and wire/atomic.c: RFC 5040 section 4, RFC 7306 sections 5 and 6. */
#include "wire/atomic.h"

#include "tests/proofs/proof.h"

/* Each decoder takes any number of octets, and its encoder gives the same octets again. */
#define SAME_AGAIN(decode, encode, length)                                                                             \
    do {                                                                                                               \
        bool decoded = decode;                                                                                         \
        CLAIM(decoded == (n >= (length)));                                                                             \
        if (decoded) {                                                                                                 \
            CLAIM((encode) == (size >= (length) ? (length) : 0));                                                      \
            CLAIM(IMPLIES(size >= (length) && i < (length), out[i] == p[i]));                                          \
            FALSE_CLAIM(size < (length));                                                                              \
        }                                                                                                              \
    } while (0)

void proof_rdmap(void)
{
    size_t n = any_size_to(60), size = any_size_to(60), i = any_size();
    const uint8_t *p = any_octets(n);
    uint8_t *out = any_octets(size);
    struct rdmap_read_request read;
    struct rdmap_atomic_request atomic;
    struct rdmap_atomic_response response;
    uint64_t immediate;

    switch (any_u8()) {
    case 0:
        SAME_AGAIN(rdmap_read_request_decode(&read, p, n), rdmap_read_request_encode(&read, out, size),
                   (size_t)RDMAP_READ_REQUEST_LEN);
        break;
    case 1:
        SAME_AGAIN(rdmap_atomic_request_decode(&atomic, p, n), rdmap_atomic_request_encode(&atomic, out, size),
                   (size_t)RDMAP_ATOMIC_REQUEST_LEN);
        break;
    case 2:
        SAME_AGAIN(rdmap_atomic_response_decode(&response, p, n), rdmap_atomic_response_encode(&response, out, size),
                   (size_t)RDMAP_ATOMIC_RESPONSE_LEN);
        break;
    case 3:
        SAME_AGAIN(rdmap_immediate_decode(&immediate, p, n), rdmap_immediate_encode(immediate, out, size),
                   (size_t)RDMAP_IMMEDIATE_LEN);
        break;
    default:
        break;
    }
}

void proof_rdmap_opcodes(void)
{
    unsigned opcode = any_u32();
    const struct rdmap_opcode_info *info = rdmap_opcode_info(opcode);

    CLAIM((info != NULL) == (opcode <= RDMAP_ATOMIC_RESPONSE));
    if (info) {
        CLAIM(info->name && info->token && info->key);
        CLAIM(info->tagged == (info->queue == RDMAP_QN_NONE));
        CLAIM(IMPLIES(info->invalidates || rdmap_is_send(opcode), info->queue == DDP_QN_SEND));
        CLAIM(rdmap_ulpdu_max(info) <= 18 + RDMAP_ATOMIC_REQUEST_LEN);
        CLAIM((rdmap_ulpdu_max(info) == 0) == info->ulp_data);
        FALSE_CLAIM(info->tagged);
    }
    CLAIM(IMPLIES(rdmap_invalidates(opcode), rdmap_is_send(opcode)));
    (void)rdmap_atomic_name(opcode);
}

/* RFC 7306 section 5.1.1 bit by bit: a carry goes on unless the mask ends the field here. */
static uint64_t add_by_bits(uint64_t original, uint64_t add, uint64_t mask)
{
    uint64_t sum = 0;
    bool carry = false;

    for (unsigned i = 0; i < 64; i++) {
        bool a = original >> i & 1, b = add >> i & 1, end = mask >> i & 1;

        sum |= (uint64_t)(a ^ b ^ carry) << i;
        carry = !end && ((a && b) || (a && carry) || (b && carry));
    }
    return sum;
}

void proof_atomic(void)
{
    struct rdmap_atomic_request request = {.opcode = any_u8() & 15,
                                           .data = any_u64(),
                                           .mask = any_u64(),
                                           .compare_data = any_u64(),
                                           .compare_mask = any_u64()};
    uint64_t original = any_u64(), result;
    bool defined = rdmap_atomic_apply(&request, original, &result), equal = true;
    unsigned bit = any_u8() & 63;

    CLAIM(defined == (request.opcode == RDMAP_ATOMIC_FETCH_ADD || request.opcode == RDMAP_ATOMIC_CMP_SWAP));
    if (request.opcode == RDMAP_ATOMIC_FETCH_ADD) {
        CLAIM(result == add_by_bits(original, request.data, request.mask));
        CLAIM(IMPLIES(request.mask == 0, result == original + request.data));
        FALSE_CLAIM(result == original + request.data);
    }
    if (request.opcode != RDMAP_ATOMIC_CMP_SWAP)
        return;
    for (unsigned i = 0; i < 64; i++)
        equal &= !(request.compare_mask >> i & 1) || (original >> i & 1) == (request.compare_data >> i & 1);
    if (equal && request.mask >> bit & 1)
        CLAIM((result >> bit & 1) == (request.data >> bit & 1));
    else
        CLAIM((result >> bit & 1) == (original >> bit & 1));
    FALSE_CLAIM(equal);
    FALSE_CLAIM(result == original);
}
