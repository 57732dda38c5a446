// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/terminate/terminate_layout.h"

#include "wire/invariant.h"

#include <string.h>

enum { CONTROL_LEN = 4, CODE_CRC = 2, CODE_MARKER = 3 };

bool rdmap_terminate_defined(const struct rdmap_terminate *terminate)
{
    if (terminate->layer == RDMAP_LAYER_RDMA && terminate->etype == 0)
        return true; /* any code is defined */
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

/* Each function turns a word in a wrong layout into the layout of the RFC. */

/* Bit fields that the compiler fills from the least significant bit of each octet. */
static void low_bits_first(uint8_t out[CONTROL_LEN], const uint8_t p[CONTROL_LEN])
{
    uint8_t reserved = (uint8_t)(p[2] >> 3);

    out[0] = swap_nibbles(p[0]);
    out[1] = p[1];
    out[2] = (uint8_t)((p[2] & 1) << 7 | (p[2] & 2) << 5 | (p[2] & 4) << 3 | (reserved & 0x1F));
    out[3] = p[3];
    INVARIANT((out[2] & 0x1F) == reserved); /* no bit is lost */
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
    {low_bits_first, "its fields filled from the least significant bit of each octet (Layer and EType swapped, M, D "
                     "and R in the low bits of the third octet)"},
    {nibbles_swapped, "Layer and EType swapped"},
    {header_bits_low, "M, D and R in the low bits of the third octet"},
    {octets_reversed, "its octets in reverse order"},
    {both, "its octets in reverse order and its fields filled from the least significant bit"},
    {bits_reversed, "the bits of each octet in reverse order"},
    {all_reversed, "all its bits in reverse order"},
};

enum { LAYOUTS = sizeof layouts / sizeof layouts[0] };

/* The word makes sense: no reserved bit is set, and its values are defined. */
static bool plausible(const struct rdmap_terminate *terminate, enum rdmap_terminate_status status)
{
    return status == RDMAP_TERMINATE_OK && terminate->reserved == 0 && rdmap_terminate_defined(terminate) &&
           all_zero(terminate->trailing, terminate->trailing_len);
}

/*
 * The octets after the word prove the reading: they are exactly the parts that the word announces, of the right kind.
 */
static bool layout_proven(const struct rdmap_terminate *terminate, enum rdmap_terminate_status status)
{
    const struct ddp_segment *ddp = &terminate->ddp;

    if (status != RDMAP_TERMINATE_OK || terminate->reserved != 0 || terminate->trailing_len != 0 ||
        !rdmap_terminate_defined(terminate) || !terminate->has_ddp || terminate->layer == RDMAP_LAYER_LLP ||
        (terminate->layer == RDMAP_LAYER_RDMA && terminate->etype == 0))
        return false;
    if (terminate->layer == RDMAP_LAYER_DDP && terminate->etype != 0 && ddp->tagged != (terminate->etype == 1))
        return false;
    /* Figure 10: the segments that a Remote Protection Error is about, and the headers it includes. */
    if (terminate->layer == RDMAP_LAYER_RDMA && terminate->etype == 1 &&
        (ddp->tagged || terminate->has_read != (ddp->opcode == RDMAP_READ_REQUEST) ||
         (ddp->opcode != RDMAP_READ_REQUEST && ddp->opcode != RDMAP_ATOMIC_REQUEST && !rdmap_invalidates(ddp->opcode))))
        return false;
    return !terminate->has_read || (!ddp->tagged && ddp->opcode == RDMAP_READ_REQUEST);
}

/* A word alone, or one that announces no headers: only its first two octets count. */
static bool is_bare(const struct rdmap_terminate *terminate, enum rdmap_terminate_status status)
{
    return status == RDMAP_TERMINATE_OK && !terminate->m && !terminate->d && !terminate->r &&
           terminate->reserved == 0 && all_zero(terminate->trailing, terminate->trailing_len);
}

static bool same_word(const struct rdmap_terminate *a, const struct rdmap_terminate *b)
{
    return a->layer == b->layer && a->etype == b->etype && a->code == b->code;
}

/*
 * Nothing after the word proves its layout, but other Terminates of its host may. Without them, the word is read
 * differently only if it is undefined as written, and otherwise means MPA's "CRC error" or "Marker error": errors
 * without a header, which leave no other evidence.
 */
static size_t bare_layout(const struct rdmap_terminate *terminate, const uint8_t *p, size_t n, uint8_t seen,
                          struct rdmap_terminate *other)
{
    uint8_t octets[RDMAP_TERMINATE_LEN_MAX];
    size_t layout = seen != 0 ? seen - 1u : 0;

    if (layout >= LAYOUTS || (seen == 0 && rdmap_terminate_defined(terminate)))
        return LAYOUTS;
    memcpy(octets, p, n);
    layouts[layout].read(octets, p);
    if (!is_bare(other, rdmap_terminate_decode(other, octets, n)) || !rdmap_terminate_defined(other) ||
        same_word(other, terminate) ||
        (seen == 0 && (other->layer != RDMAP_LAYER_LLP || other->code < CODE_CRC || other->code > CODE_MARKER)))
        return LAYOUTS;
    other->trailing = terminate->trailing;
    other->trailing_len = terminate->trailing_len;
    return layout;
}

/*
 * The host is known to have that layout, and the parts announced by that reading are there. Should the word also make
 * sense as written, that is by accident.
 */
static bool fits_known(const uint8_t *p, size_t n, uint8_t seen, struct rdmap_terminate *other)
{
    uint8_t octets[RDMAP_TERMINATE_LEN_MAX];

    if (seen == 0 || seen > LAYOUTS)
        return false;
    memcpy(octets, p, n);
    layouts[seen - 1].read(octets, p);
    return layout_proven(other, rdmap_terminate_decode(other, octets, n));
}

static size_t proven_layout(const uint8_t *p, size_t n, struct rdmap_terminate *other)
{
    uint8_t octets[RDMAP_TERMINATE_LEN_MAX];

    memcpy(octets, p, n);
    for (size_t i = 0; i < LAYOUTS; i++) {
        layouts[i].read(octets, p);
        /* No pointer leads into octets[]: trailing octets are excluded. */
        if (layout_proven(other, rdmap_terminate_decode(other, octets, n)))
            return i;
    }
    return LAYOUTS;
}

const char *rdmap_terminate_reread(struct rdmap_terminate *terminate, enum rdmap_terminate_status *status,
                                   const uint8_t *p, size_t n, const struct terminate_host *host)
{
    static const struct terminate_host nothing;
    struct rdmap_terminate other;
    size_t layout = LAYOUTS;

    if (n < CONTROL_LEN || n > RDMAP_TERMINATE_LEN_MAX)
        return NULL;
    if (!host)
        host = &nothing;
    if (is_bare(terminate, *status)) {
        layout = bare_layout(terminate, p, n, terminate_layouts_get(host), &other);
    } else if (fits_known(p, n, terminate_layouts_get(host), &other)) {
        layout = terminate_layouts_get(host) - 1u;
    } else if (!plausible(terminate, *status)) {
        layout = proven_layout(p, n, &other);
        if (layout < LAYOUTS)
            terminate_layouts_put(host, (uint8_t)(layout + 1));
    }
    if (layout == LAYOUTS)
        return NULL;
    INVARIANT(layout < LAYOUTS);
    INVARIANT(rdmap_terminate_defined(&other) && other.reserved == 0);
    *terminate = other;
    *status = RDMAP_TERMINATE_OK;
    return layouts[layout].how;
}

void rdmap_terminate_assume(const char *layout, const struct terminate_host *host)
{
    for (size_t i = 0; i < LAYOUTS; i++)
        if (layouts[i].how == layout)
            terminate_layouts_put(host, (uint8_t)(i + 1));
}

bool rdmap_terminate_meant(const char *layout, unsigned layer, unsigned etype, unsigned code,
                           struct rdmap_terminate *out)
{
    const uint8_t word[CONTROL_LEN] = {(uint8_t)(layer << 4 | (etype & 0x0F)), (uint8_t)code};
    uint8_t right[CONTROL_LEN];

    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        /* The other layouts mix in octets that are unknown here. */
        if (layouts[i].how != layout || (layouts[i].read != low_bits_first && layouts[i].read != nibbles_swapped &&
                                         layouts[i].read != header_bits_low))
            continue;
        layouts[i].read(right, word);
        *out = (struct rdmap_terminate){
            .layer = (uint8_t)(right[0] >> 4), .etype = (uint8_t)(right[0] & 0x0F), .code = right[1]};
        return rdmap_terminate_defined(out);
    }
    return false;
}
