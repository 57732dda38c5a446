// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/rdmap_terminate_layout.h"

#include <string.h>

enum { CONTROL_LEN = 4 };

bool rdmap_terminate_defined(const struct rdmap_terminate *terminate)
{
    if (terminate->layer == RDMAP_LAYER_RDMA && terminate->etype == 0)
        return true; /* any code */
    return rdmap_terminate_code_name(terminate->layer, terminate->etype, terminate->code) != NULL;
}

static bool all_zero(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] != 0)
            return false;
    return true;
}

static uint8_t swap_nibbles(uint8_t octet)
{
    return (uint8_t)(octet << 4 | octet >> 4);
}

static uint8_t reverse_bits(uint8_t octet)
{
    octet = (uint8_t)((octet & 0x55) << 1 | (octet & 0xAA) >> 1);
    octet = (uint8_t)((octet & 0x33) << 2 | (octet & 0xCC) >> 2);
    return swap_nibbles(octet);
}

/* Each gives the word as the RFC wants it, from the word as it might have been written. */

/* Bit fields of a word that the compiler fills from the least significant bit of each octet. */
static void low_bits_first(uint8_t out[CONTROL_LEN], const uint8_t p[CONTROL_LEN])
{
    uint8_t reserved = (uint8_t)(p[2] >> 3);

    out[0] = swap_nibbles(p[0]);
    out[1] = p[1];
    out[2] = (uint8_t)((p[2] & 1) << 7 | (p[2] & 2) << 5 | (p[2] & 4) << 3 | (reserved & 0x1F));
    out[3] = p[3];
}

static void octets_reversed(uint8_t out[CONTROL_LEN], const uint8_t p[CONTROL_LEN])
{
    for (unsigned i = 0; i < CONTROL_LEN; i++)
        out[i] = p[CONTROL_LEN - 1 - i];
}

static void both(uint8_t out[CONTROL_LEN], const uint8_t p[CONTROL_LEN])
{
    uint8_t word[CONTROL_LEN];

    octets_reversed(word, p);
    low_bits_first(out, word);
}

static void nibbles_swapped(uint8_t out[CONTROL_LEN], const uint8_t p[CONTROL_LEN])
{
    memcpy(out, p, CONTROL_LEN);
    out[0] = swap_nibbles(p[0]);
}

static void header_bits_low(uint8_t out[CONTROL_LEN], const uint8_t p[CONTROL_LEN])
{
    low_bits_first(out, p);
    out[0] = p[0];
}

static void bits_reversed(uint8_t out[CONTROL_LEN], const uint8_t p[CONTROL_LEN])
{
    for (unsigned i = 0; i < CONTROL_LEN; i++)
        out[i] = reverse_bits(p[i]);
}

static void all_reversed(uint8_t out[CONTROL_LEN], const uint8_t p[CONTROL_LEN])
{
    for (unsigned i = 0; i < CONTROL_LEN; i++)
        out[i] = reverse_bits(p[CONTROL_LEN - 1 - i]);
}

static const struct {
    void (*read)(uint8_t out[CONTROL_LEN], const uint8_t p[CONTROL_LEN]);
    const char *how;
} layouts[] = {
    {low_bits_first, "its fields filled from the least significant bit of each octet (Layer and EType in each other's "
                     "place, M, D and R in the low bits of the third octet)"},
    {nibbles_swapped, "Layer and EType in each other's place"},
    {header_bits_low, "M, D and R in the low bits of the third octet"},
    {octets_reversed, "its octets in the opposite order"},
    {both, "its octets in the opposite order and its fields filled from the least significant bit"},
    {bits_reversed, "the bits of each octet in the opposite order"},
    {all_reversed, "all its bits in the opposite order"},
};

/* The word may say what it says: nothing is left over, and what it says is defined. */
static bool plausible(const struct rdmap_terminate *terminate, enum rdmap_terminate_status status)
{
    return status == RDMAP_TERMINATE_OK && terminate->reserved == 0 && rdmap_terminate_defined(terminate) &&
           all_zero(terminate->trailing, terminate->trailing_len);
}

/* The octets behind the word prove the reading: exactly the parts that it announces, and of the kind that it names. */
static bool proven(const struct rdmap_terminate *terminate, enum rdmap_terminate_status status)
{
    const struct ddp_segment *ddp = &terminate->ddp;

    if (status != RDMAP_TERMINATE_OK || terminate->reserved != 0 || terminate->trailing_len != 0 ||
        !rdmap_terminate_defined(terminate) || !terminate->has_ddp || terminate->layer == RDMAP_LAYER_LLP ||
        (terminate->layer == RDMAP_LAYER_RDMA && terminate->etype == 0))
        return false;
    if (terminate->layer == RDMAP_LAYER_DDP && terminate->etype != 0 && ddp->tagged != (terminate->etype == 1))
        return false;
    /* Figure 10: what a Remote Protection Error speaks of, and what comes with it. */
    if (terminate->layer == RDMAP_LAYER_RDMA && terminate->etype == 1 &&
        (ddp->tagged || terminate->has_read != (ddp->opcode == RDMAP_READ_REQUEST) ||
         (ddp->opcode != RDMAP_READ_REQUEST && ddp->opcode != RDMAP_SEND_INVALIDATE &&
          ddp->opcode != RDMAP_SEND_SE_INVALIDATE && ddp->opcode != RDMAP_ATOMIC_REQUEST)))
        return false;
    return !terminate->has_read || (!ddp->tagged && ddp->opcode == RDMAP_READ_REQUEST);
}

const char *rdmap_terminate_reread(struct rdmap_terminate *terminate, enum rdmap_terminate_status *status,
                                   const uint8_t *p, size_t n)
{
    uint8_t octets[RDMAP_TERMINATE_LEN_MAX];
    struct rdmap_terminate other;
    enum rdmap_terminate_status other_status;

    if (n <= CONTROL_LEN || n > sizeof octets || plausible(terminate, *status))
        return NULL;
    memcpy(octets, p, n);
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        layouts[i].read(octets, p);
        other_status = rdmap_terminate_decode(&other, octets, n);
        if (!proven(&other, other_status))
            continue;
        /* Nothing of `other` leads into octets[]: trailing octets are excluded. */
        *terminate = other;
        *status = other_status;
        return layouts[i].how;
    }
    return NULL;
}
