// SPDX-License-Identifier: GPL-2.0-or-later
/* engine/tcp/tcp_held.c: pieces that wait for the octets before them stay sorted, apart, and within the limit. */
#include "engine/tcp/tcp_held.h"

#include "engine/core/heap.h"
#include "tests/proofs/proof.h"

enum { PIECES = 2, LONGEST = 2 };

void *heap_get(size_t n)
{
    if (any_bool())
        return NULL;
    /* Objects of constant sizes are much faster. */
    for (size_t captured = 0; captured <= LONGEST; captured++)
        if (n == sizeof(struct tcp_piece) + captured)
            return malloc(sizeof(struct tcp_piece) + captured);
    CLAIM(n == 16 * sizeof(struct tcp_piece *));
    return malloc(16 * sizeof(struct tcp_piece *));
}

void *heap_resize(void *p, size_t n)
{
    CLAIM(!p); /* so few pieces need no second block */
    return heap_get(n);
}

static bool is_sorted(const struct tcp_held *held)
{
    size_t octets = 0;

    for (size_t i = 0; i < PIECES; i++) {
        const struct tcp_piece *piece = i < held->n ? held->pieces[held->first + i] : NULL;

        if (!piece)
            break;
        octets += sizeof *piece + piece->captured;
        if (piece->captured > piece->length)
            return false;
        if (i + 1 < held->n && piece->start + piece->length > held->pieces[held->first + i + 1]->start)
            return false;
    }
    return held->octets == octets && octets <= held->limit;
}

void proof_tcp_held(void)
{
    static const struct octets_origin origin;
    const uint8_t *octets = any_octets(LONGEST);
    struct tcp_held held;
    uint64_t start[PIECES], cut = any_u64();
    uint32_t length[PIECES];
    size_t n = 0;

    tcp_held_init(&held, any_size_to(4096));
    for (unsigned i = 0; i < PIECES; i++) {
        bool added;

        start[i] = any_u64();
        length[i] = 1 + (uint32_t)any_size_to(LONGEST - 1);
        ASSUME(start[i] < UINT64_C(1) << 62);
        for (unsigned k = 0; k < i; k++) /* the caller's promise */
            ASSUME(start[i] + length[i] <= start[k] || start[k] + length[k] <= start[i]);
        added = tcp_held_add(&held, start[i], length[i], octets, (uint32_t)any_size_to(length[i]), &origin);
        n += added;
        CLAIM(held.n == n && is_sorted(&held));
        CLAIM(IMPLIES(added, tcp_held_after(&held, start[i])->start == start[i]));
    }
    FALSE_CLAIM(n < PIECES);
    tcp_held_cut(&held, cut);
    CLAIM(is_sorted(&held) && !tcp_held_after(&held, cut));
    if (!tcp_held_empty(&held)) {
        uint64_t first = tcp_held_first(&held)->start;
        struct tcp_piece *piece = tcp_held_take(&held);

        CLAIM(piece->start == first && is_sorted(&held));
        free(piece);
        FALSE_CLAIM(held.n == 0);
    }
    tcp_held_free(&held);
    CLAIM(held.octets == 0);
}
