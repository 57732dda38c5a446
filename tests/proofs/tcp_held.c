// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/tcp/tcp_held.c: pieces that wait for the octets before them stay sorted, apart, and within the limit. A proof
 * takes any such pieces, does one operation, and finds such pieces again. So what holds after one operation holds after
 * many, as long as there are no more pieces. Numbers of pieces and places are constants; offsets and lengths are any.
 */
#include "engine/tcp/tcp_held.h"

#include "engine/core/heap.h"
#include "tests/proofs/proof.h"

enum { PIECES = 3, FEW = 2, CAPACITY = 4, LARGER = 16, NEWEST = PIECES };

static struct tcp_piece first_piece, second_piece, third_piece, new_piece;
static struct tcp_piece *const piece[] = {&first_piece, &second_piece, &third_piece, &new_piece};
static unsigned freed[PIECES + 1];
static struct tcp_piece *table[CAPACITY], *larger[LARGER];
static const uint8_t octets[1];
static bool refuses; /* requests for memory */
static size_t room;  /* of the new piece */

void *heap_get(size_t n)
{
    room = n;
    return refuses ? NULL : piece[NEWEST];
}

void *heap_resize(void *p, size_t n)
{
    CLAIM((!p || p == table) && n <= sizeof larger && n > sizeof table[0]);
    for (unsigned i = 0; p && i < CAPACITY; i++)
        larger[i] = table[i];
    return refuses ? NULL : larger;
}

void free(void *p)
{
    CLAIM(!p || p == table || p == piece[0] || p == piece[1] || p == piece[2]);
    for (unsigned i = 0; i < PIECES; i++)
        freed[i] += p == piece[i];
}

/* Copies octets to a new piece: that they fit is enough. */
void *memcpy(void *to, const void *from, size_t n)
{
    CLAIM(to == piece[NEWEST]->octets && from == octets && n <= room - offsetof(struct tcp_piece, octets));
    return to;
}

/* Moves pointers to pieces. */
void *memmove(void *to, const void *from, size_t n)
{
    struct tcp_piece **out = to, *const *in = from, *moved[PIECES];
    size_t count = n / sizeof *out;

    CLAIM(n % sizeof *out == 0 && count <= PIECES && (n == 0 || (READABLE(from, n) && WRITABLE(to, n))));
    for (unsigned i = 0; i < PIECES && i < count; i++)
        moved[i] = in[i];
    for (unsigned i = 0; i < PIECES && i < count; i++)
        out[i] = moved[i];
    return to;
}

static bool is_sorted(const struct tcp_held *held)
{
    size_t taken = 0;

    for (size_t i = 0; i <= PIECES && i < held->n; i++) {
        const struct tcp_piece *one = held->pieces[held->first + i];

        taken += sizeof *one + one->captured;
        if (one->length == 0 || one->captured > one->length)
            return false;
        if (i > 0 && held->pieces[held->first + i - 1]->start + held->pieces[held->first + i - 1]->length > one->start)
            return false;
    }
    return held->octets == taken && taken <= held->limit && held->first + held->n <= held->capacity;
}

static void set_any_piece(struct tcp_piece *one)
{
    one->start = any_u64();
    one->length = any_u32();
    one->captured = any_u32();
    ASSUME(one->start < UINT64_C(1) << 62 && one->length > 0 && one->captured <= one->length);
}

/* n pieces, from place `first` of the table. */
static struct tcp_held any_held(size_t n, size_t first, size_t capacity)
{
    struct tcp_held held = {.pieces = capacity ? table : NULL, .first = first, .n = n, .capacity = capacity};

    for (size_t i = 0; i < n; i++) {
        set_any_piece(piece[i]);
        freed[i] = 0;
        table[first + i] = piece[i];
        held.octets += sizeof *piece[i] + piece[i]->captured;
    }
    held.limit = any_size();
    ASSUME(held.limit < SIZE_MAX / 2 && is_sorted(&held));
    return held;
}

static void add(size_t n, size_t first, size_t capacity)
{
    static const struct octets_origin origin;
    struct tcp_held held = any_held(n, first, capacity);
    struct tcp_piece wanted;
    size_t before = held.octets;
    bool added;

    set_any_piece(&wanted);
    for (size_t i = 0; i < n; i++) /* the caller's promise */
        ASSUME(wanted.start + wanted.length <= piece[i]->start || piece[i]->start + piece[i]->length <= wanted.start);
    added = tcp_held_add(&held, wanted.start, wanted.length, octets, wanted.captured, &origin);
    CLAIM(is_sorted(&held));
    FALSE_CLAIM(added);
    if (added) {
        CLAIM(!refuses && held.n == n + 1 && tcp_held_after(&held, wanted.start) == piece[NEWEST]);
        CLAIM(piece[NEWEST]->start == wanted.start && piece[NEWEST]->length == wanted.length &&
              piece[NEWEST]->captured == wanted.captured);
        FALSE_CLAIM(tcp_held_first(&held) != piece[NEWEST]);
        FALSE_CLAIM(n < FEW || tcp_held_first(&held) == piece[NEWEST]);
        FALSE_CLAIM(held.pieces == table);
    } else {
        CLAIM(held.n == n && held.octets == before);
        CLAIM(refuses || before + sizeof wanted + wanted.captured > held.limit);
    }
}

void proof_tcp_held_add(void)
{
    for (unsigned refused = 0; refused <= 1; refused++) {
        refuses = refused;
        for (size_t n = 0; n <= FEW; n++) {
            add(n, 0, CAPACITY);
            add(n, 0, n);     /* full */
            add(n, 1, n + 1); /* full, except for what was taken */
        }
    }
}

static void cut(size_t n, size_t first)
{
    struct tcp_held held = any_held(n, first, CAPACITY);
    uint64_t end = any_u64();
    size_t before_end = 0;

    for (size_t i = 0; i < n; i++)
        before_end += piece[i]->start < end;
    tcp_held_cut(&held, end);
    CLAIM(is_sorted(&held) && held.n == before_end && !tcp_held_after(&held, end));
    for (size_t i = 0; i < n; i++)
        CLAIM(freed[i] == (i >= before_end));
    FALSE_CLAIM(held.n == n);
    FALSE_CLAIM(held.n < n);
    FALSE_CLAIM(held.n == 0 || n == 0 || piece[held.n - 1]->start + piece[held.n - 1]->length < end);
}

void proof_tcp_held_cut(void)
{
    for (size_t n = 0; n <= FEW; n++) {
        cut(n, 0);
        cut(n, 1);
    }
}

static void take(size_t n, size_t first)
{
    struct tcp_held held = any_held(n, first, CAPACITY);
    uint64_t at = any_u64();
    const struct tcp_piece *after = NULL;

    for (size_t i = n; i > 0; i--) {
        if (piece[i - 1]->start + piece[i - 1]->length > at)
            after = piece[i - 1];
    }
    CLAIM(tcp_held_after(&held, at) == after);
    FALSE_CLAIM(!after);
    FALSE_CLAIM(n < PIECES || after == piece[0]);
    if (n > 0) {
        const struct tcp_piece *taken = tcp_held_take(&held);

        CLAIM(taken == piece[0] && held.n == n - 1 && is_sorted(&held) && freed[0] == 0);
        FALSE_CLAIM(held.n == 0);
    }
    tcp_held_free(&held);
    CLAIM(held.octets == 0 && held.n == 0 && held.capacity == 0);
    for (size_t i = 1; i < n; i++)
        CLAIM(freed[i] == 1);
}

void proof_tcp_held_take(void)
{
    for (size_t n = 0; n <= PIECES; n++) {
        take(n, 0);
        take(n, 1);
    }
}
