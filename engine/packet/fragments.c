// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/packet/fragments.h"
#include "engine/core/heap.h"
#include "wire/invariant.h"

#include <stdlib.h>
#include <string.h>

enum {
    DATAGRAMS_MAX = 256,
    DATAGRAM_OCTETS_MAX = 65535,
    PIECES_MAX = 2048, /* a datagram of 64 KiB over the smallest MTU of IPv4 takes 1366 */
    LIMIT_DEFAULT = 4 << 20,
};
static const int64_t lifetime_ns = INT64_C(60) * 1000000000; /* RFC 8200 section 4.5 */

struct piece {
    uint32_t start, length, captured;
};

struct partial {
    bool used;
    bool useless; /* overlapping: kept so that its other fragments do not start a new datagram */
    struct fragment_key key;
    int64_t since;
    uint64_t serial; /* order of creation */
    bool length_known;
    uint32_t length;
    uint8_t *octets;
    size_t capacity;
    struct piece *pieces; /* sorted, not overlapping */
    size_t n_pieces, pieces_capacity;
    uint32_t covered;
};

struct fragments {
    size_t limit, held;
    uint64_t serials, forgotten;
    uint8_t *complete; /* octets of the datagram returned last */
    struct partial partials[DATAGRAMS_MAX];
};

struct fragments *fragments_new(size_t limit)
{
    struct fragments *fragments = heap_zeroed(1, sizeof *fragments);
    if (fragments)
        fragments->limit = limit ? limit : LIMIT_DEFAULT;
    return fragments;
}

static bool partial_is_sound(const struct partial *partial)
{
    return partial->n_pieces <= partial->pieces_capacity && partial->n_pieces <= PIECES_MAX &&
           partial->covered <= partial->capacity && (!partial->length_known || partial->covered <= partial->length) &&
           (!partial->useless || (partial->n_pieces == 0 && partial->capacity == 0));
}

/* Pieces i - 1 and i do not overlap. */
static bool fragments_in_order(const struct partial *partial, size_t i)
{
    const struct piece *piece = partial->pieces + i;

    return i == 0 || i >= partial->n_pieces || piece[-1].start + piece[-1].length <= piece->start;
}

static void fragments_forget(struct fragments *fragments, struct partial *partial)
{
    fragments->held -= partial->capacity + partial->pieces_capacity * sizeof *partial->pieces;
    INVARIANT(fragments->held <= fragments->limit);
    free(partial->octets);
    free(partial->pieces);
    memset(partial, 0, sizeof *partial);
}

void fragments_free(struct fragments *fragments)
{
    if (!fragments)
        return;
    for (size_t i = 0; i < DATAGRAMS_MAX; i++)
        fragments_forget(fragments, &fragments->partials[i]);
    free(fragments->complete);
    free(fragments);
}

static bool fragments_same_key(const struct fragment_key *a, const struct fragment_key *b)
{
    return a->id == b->id && a->network == b->network && a->vlan == b->vlan && a->wrong == b->wrong && a->ip == b->ip &&
           a->protocol == b->protocol && memcmp(a->source, b->source, 16) == 0 &&
           memcmp(a->destination, b->destination, 16) == 0;
}

static struct partial *fragments_oldest(struct fragments *fragments, const struct partial *but)
{
    struct partial *found = NULL;
    for (size_t i = 0; i < DATAGRAMS_MAX; i++) {
        struct partial *p = &fragments->partials[i];
        if (p->used && p != but && (!found || p->serial < found->serial))
            found = p;
    }
    return found;
}

static struct partial *find_or_create(struct fragments *fragments, const struct fragment_key *key, int64_t now)
{
    struct partial *vacant = NULL;
    for (size_t i = 0; i < DATAGRAMS_MAX; i++) {
        struct partial *p = &fragments->partials[i];
        if (p->used && now - p->since > lifetime_ns)
            fragments_forget(fragments, p);
        if (p->used && fragments_same_key(&p->key, key))
            return p;
        if (!p->used && !vacant)
            vacant = p;
    }
    if (!vacant) {
        vacant = fragments_oldest(fragments, NULL);
        fragments->forgotten += !vacant->useless;
        fragments_forget(fragments, vacant);
    }
    vacant->used = true;
    vacant->key = *key;
    vacant->since = now;
    vacant->serial = fragments->serials++;
    INVARIANT(vacant->n_pieces == 0 && partial_is_sound(vacant));
    return vacant;
}

/* Makes room for `more` octets of memory, by dropping older datagrams. */
static bool fragments_make_room(struct fragments *fragments, const struct partial *partial, size_t more)
{
    while (fragments->held + more > fragments->limit) {
        struct partial *victim = fragments_oldest(fragments, partial);
        if (!victim)
            return false;
        fragments->forgotten += !victim->useless;
        fragments_forget(fragments, victim);
    }
    INVARIANT(fragments->held + more <= fragments->limit);
    return true;
}

static bool fragments_grow_octets(struct fragments *fragments, struct partial *partial, uint32_t octets)
{
    size_t capacity = partial->capacity ? partial->capacity : 2048;
    if (octets <= partial->capacity)
        return true;
    while (capacity < octets)
        capacity *= 2;
    if (!fragments_make_room(fragments, partial, capacity - partial->capacity))
        return false;
    uint8_t *p = heap_resize(partial->octets, capacity);
    if (!p)
        return false;
    fragments->held += capacity - partial->capacity;
    partial->octets = p;
    partial->capacity = capacity;
    INVARIANT(capacity >= octets && fragments->held >= capacity);
    INVARIANT(fragments->held <= fragments->limit);
    return true;
}

/* Grows the array when all pieces are in use. */
static bool grow_pieces(struct fragments *fragments, struct partial *partial)
{
    size_t capacity = partial->pieces_capacity ? partial->pieces_capacity * 2 : 8;
    size_t more = (capacity - partial->pieces_capacity) * sizeof *partial->pieces;
    if (partial->n_pieces < partial->pieces_capacity)
        return true;
    if (partial->n_pieces >= PIECES_MAX || !fragments_make_room(fragments, partial, more))
        return false;
    struct piece *p = heap_resize(partial->pieces, capacity * sizeof *p);
    if (!p)
        return false;
    fragments->held += more;
    partial->pieces = p;
    partial->pieces_capacity = capacity;
    INVARIANT(partial->n_pieces < capacity && fragments->held <= fragments->limit);
    return true;
}

static uint32_t fragments_smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

enum overlap { OVERLAP_NONE, OVERLAP_REPEAT, OVERLAP_SAME, OVERLAP_DIFFERENT };

/* How a fragment overlaps the held ones. *at: where to insert its piece. */
static enum overlap overlap_of(const struct partial *partial, const struct fragment *fragment, size_t *at)
{
    uint32_t start = fragment->offset, end = start + fragment->length, captured_end = start + fragment->captured;
    enum overlap overlap = OVERLAP_NONE;
    size_t i = 0;
    while (i < partial->n_pieces && partial->pieces[i].start + partial->pieces[i].length <= start)
        i++;
    *at = i;
    INVARIANT(i == 0 || partial->pieces[i - 1].start + partial->pieces[i - 1].length <= start);
    for (; i < partial->n_pieces && partial->pieces[i].start < end; i++) {
        const struct piece *piece = &partial->pieces[i];
        uint32_t from = piece->start > start ? piece->start : start;
        uint32_t to = fragments_smaller(piece->start + piece->captured, captured_end);
        if (from < to && memcmp(partial->octets + from, fragment->octets + (from - start), to - from) != 0)
            return OVERLAP_DIFFERENT;
        bool repeat = piece->start == start && piece->length == fragment->length;
        overlap = repeat && overlap == OVERLAP_NONE ? OVERLAP_REPEAT : OVERLAP_SAME;
    }
    return overlap;
}

/* Inserts the parts of a fragment that are still missing. */
static bool fragments_insert(struct fragments *fragments, struct partial *partial, const struct fragment *fragment)
{
    uint32_t at = fragment->offset, end = at + fragment->length, captured_end = at + fragment->captured;
    size_t i = 0;
    while (at < end) {
        while (i < partial->n_pieces && partial->pieces[i].start + partial->pieces[i].length <= at)
            i++;
        if (i < partial->n_pieces && partial->pieces[i].start <= at) {
            at = partial->pieces[i].start + partial->pieces[i].length;
            continue;
        }
        uint32_t to = i < partial->n_pieces ? fragments_smaller(end, partial->pieces[i].start) : end;
        if (!fragments_grow_octets(fragments, partial, to) || !grow_pieces(fragments, partial))
            return false;
        uint32_t captured_to = fragments_smaller(to, captured_end), captured = captured_to > at ? captured_to - at : 0;
        memmove(partial->pieces + i + 1, partial->pieces + i, (partial->n_pieces - i) * sizeof *partial->pieces);
        partial->pieces[i] = (struct piece){at, to - at, captured};
        partial->n_pieces++;
        partial->covered += to - at;
        INVARIANT(fragments_in_order(partial, i) && fragments_in_order(partial, i + 1));
        INVARIANT(to > at && captured <= to - at && partial_is_sound(partial));
        if (captured)
            memcpy(partial->octets + at, fragment->octets + (at - fragment->offset), captured);
        at = to;
    }
    INVARIANT(partial->covered >= fragment->length);
    return true;
}

static uint32_t captured_prefix(const struct partial *partial)
{
    uint32_t captured = 0;
    for (size_t i = 0; i < partial->n_pieces; i++) {
        captured += partial->pieces[i].captured;
        if (partial->pieces[i].captured < partial->pieces[i].length)
            break;
    }
    INVARIANT(captured <= partial->covered);
    return captured;
}

static void make_useless(struct fragments *fragments, struct partial *partial)
{
    struct partial kept = {
        .used = true, .useless = true, .key = partial->key, .since = partial->since, .serial = partial->serial};
    fragments_forget(fragments, partial);
    *partial = kept;
    INVARIANT(partial_is_sound(partial) && fragments->held <= fragments->limit);
}

uint64_t fragments_forgotten(const struct fragments *fragments)
{
    return fragments->forgotten;
}

enum fragment_status fragments_add(struct fragments *fragments, const struct fragment_key *key,
                                   const struct fragment *fragment, int64_t time_ns, struct datagram *out)
{
    uint32_t end = fragment->offset + fragment->length;
    if (fragment->length == 0 || fragment->offset > DATAGRAM_OCTETS_MAX || fragment->length > DATAGRAM_OCTETS_MAX ||
        end > DATAGRAM_OCTETS_MAX || (fragment->more && fragment->length % 8 != 0))
        return FRAGMENT_BAD;
    struct partial *partial = find_or_create(fragments, key, time_ns);
    if (partial->useless)
        return FRAGMENT_BAD;

    size_t at;
    enum overlap overlap = overlap_of(partial, fragment, &at);
    bool contradicts = (!fragment->more && partial->length_known && partial->length != end) ||
                       (partial->length_known && end > partial->length);
    if (!fragment->more && partial->n_pieces) {
        const struct piece *last = &partial->pieces[partial->n_pieces - 1];
        contradicts = contradicts || last->start + last->length > end;
    }
    if (contradicts || overlap == OVERLAP_DIFFERENT || (overlap == OVERLAP_SAME && key->ip == 6)) {
        make_useless(fragments, partial);
        return FRAGMENT_BAD;
    }
    if (!fragment->more) {
        partial->length_known = true;
        partial->length = end;
    }
    if (!fragments_insert(fragments, partial, fragment)) {
        fragments->forgotten++;
        fragments_forget(fragments, partial);
        return FRAGMENT_BAD;
    }
    if (!partial->length_known || partial->covered < partial->length)
        return FRAGMENT_KEPT;

    INVARIANT(partial->covered == partial->length && partial_is_sound(partial));
    out->length = partial->length;
    out->captured = captured_prefix(partial);
    free(fragments->complete);
    out->octets = fragments->complete = partial->octets;
    fragments->held -= partial->capacity;
    partial->octets = NULL;
    partial->capacity = 0;
    fragments_forget(fragments, partial);
    INVARIANT(out->captured <= out->length && out->length <= DATAGRAM_OCTETS_MAX);
    return FRAGMENT_COMPLETE;
}
