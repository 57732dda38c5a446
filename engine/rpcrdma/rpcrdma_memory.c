// SPDX-License-Identifier: GPL-2.0-or-later
/* The memory that Calls offer, by side and STag, and the octets moved to and from it (RFC 8166 section 3.4). */
#include "engine/core/hash.h"
#include "engine/core/heap.h"
#include "engine/rpcrdma/rpcrdma_internal.h"
#include "wire/invariant.h"

#include <stdlib.h>
#include <string.h>

enum { CONTENT_CALL, CONTENT_REPLY, CONTENT_FIRST = 512 };
enum { PIECES_MAX = 64 }; /* segments that a single access may cross */

/* ---- offers of a Call ---- */

/* The chunks of a Call follow each other in its offers. */
static bool chunk_is_last(const struct rpcrdma_transaction *t, const struct rpcrdma_chunk_state *chunk)
{
    return chunk == &t->chunks[t->n_chunks - 1] && chunk->first + chunk->n == t->n_offers;
}

static bool is_linked(const struct rpcrdma_offer *offer)
{
    return *offer->link == offer && (!offer->next || offer->next->link == &offer->next);
}

static struct rpcrdma_chunk_state *add_chunk(struct rpcrdma_transaction *t, enum rpcrdma_chunk_kind kind,
                                             uint32_t number, uint32_t position)
{
    struct rpcrdma_chunk_state *chunk;

    if (t->n_chunks == RPCRDMA_CHUNKS_MAX)
        return NULL;
    if (t->n_chunks == t->chunks_size) { /* most Calls have one chunk, and the array is kept long after the answer */
        unsigned larger = t->chunks_size == 0 ? 1 : 2u * t->chunks_size;
        void *chunks = heap_resize(t->chunks, larger * sizeof *t->chunks);

        if (!chunks)
            return NULL;
        t->chunks = chunks;
        t->chunks_size = (uint16_t)larger;
        INVARIANT(larger > t->n_chunks && t->chunks_size == larger);
    }
    chunk = &t->chunks[t->n_chunks++];
    *chunk = (struct rpcrdma_chunk_state){.kind = kind, .number = number, .position = position, .first = t->n_offers};
    INVARIANT(t->n_chunks <= t->chunks_size && t->n_chunks <= RPCRDMA_CHUNKS_MAX);
    INVARIANT(t->n_chunks == 1 || chunk[-1].first + chunk[-1].n == chunk->first);
    return chunk;
}

/* There must be room already. */
static void add_offer(struct rpcrdma_transaction *t, struct rpcrdma_chunk_state *chunk,
                      const struct rpcrdma_segment *target)
{
    t->offers[t->n_offers++] = (struct rpcrdma_offer){.transaction = t,
                                                      .kind = chunk->kind,
                                                      .chunk = (uint32_t)(chunk - t->chunks),
                                                      .index = chunk->n++,
                                                      .target = *target,
                                                      .start = chunk->length};
    chunk->length += target->length;
    INVARIANT(t->n_offers <= t->offers_size && chunk_is_last(t, chunk));
    INVARIANT(chunk->length <= (uint64_t)chunk->n * UINT32_MAX);
}

static bool has_position(const struct rpcrdma_transaction *t, uint32_t position)
{
    for (unsigned i = 0; i < t->n_chunks; i++)
        if (t->chunks[i].position == position)
            return true;
    return false;
}

/* All read segments of one Position, anywhere in the list, are one chunk (section 3.4.5). */
static bool take_reads(struct rpcrdma_transaction *t, const struct rpcrdma_message *call)
{
    const struct rpcrdma_header *header = &call->header;
    uint32_t number = 0;

    for (uint32_t i = 0; i < header->read.n; i++) {
        struct rpcrdma_read_segment first = rpcrdma_read_segment_at(header, call->p, i);
        struct rpcrdma_chunk_state *chunk;

        if (has_position(t, first.position))
            continue;
        chunk =
            t->n_chunks < RPCRDMA_READ_CHUNKS_MAX ? add_chunk(t, RPCRDMA_READ_CHUNK, number++, first.position) : NULL;
        if (!chunk)
            return false;
        if (first.position == 0)
            t->position_zero = (int16_t)(chunk - t->chunks);
        for (uint32_t k = i; k < header->read.n; k++) {
            struct rpcrdma_read_segment segment = rpcrdma_read_segment_at(header, call->p, k);

            if (segment.position == first.position)
                add_offer(t, chunk, &segment.target);
        }
        INVARIANT(chunk->n > 0 && chunk_is_last(t, chunk));
        INVARIANT(number == t->n_chunks && t->n_chunks <= RPCRDMA_READ_CHUNKS_MAX);
    }
    INVARIANT(t->n_offers == header->read.n);
    INVARIANT(t->position_zero < 0 || t->chunks[t->position_zero].position == 0);
    return true;
}

static bool take_segments(struct rpcrdma_transaction *t, const struct rpcrdma_message *call,
                          enum rpcrdma_chunk_kind kind, uint32_t number, const struct rpcrdma_chunk *from)
{
    struct rpcrdma_chunk_state *chunk = add_chunk(t, kind, number, 0);

    if (!chunk)
        return false;
    for (uint32_t i = 0; i < from->n; i++) {
        struct rpcrdma_segment target = rpcrdma_segment_at(from, call->p, i);

        add_offer(t, chunk, &target);
    }
    INVARIANT(chunk->n == from->n && chunk_is_last(t, chunk));
    return true;
}

static bool memory_take_lists(struct rpcrdma_transaction *t, const struct rpcrdma_message *call)
{
    struct rpcrdma_chunk chunk = rpcrdma_write_begin(&call->header);

    if (!take_reads(t, call))
        return false;
    t->first_write = t->n_chunks;
    while (rpcrdma_write_next(&call->header, call->p, &chunk)) {
        if (!take_segments(t, call, RPCRDMA_WRITE_CHUNK, t->n_writes, &chunk))
            return false;
        t->n_writes++;
        INVARIANT(t->first_write + t->n_writes == t->n_chunks);
    }
    INVARIANT(t->n_writes == call->header.write.n);
    if (!call->header.has_reply)
        return true;
    chunk = rpcrdma_reply_chunk(&call->header);
    if (!take_segments(t, call, RPCRDMA_REPLY_CHUNK, 0, &chunk))
        return false;
    t->reply_chunk = (int16_t)(t->n_chunks - 1);
    INVARIANT(t->reply_chunk == t->first_write + t->n_writes && t->chunks[t->reply_chunk].kind == RPCRDMA_REPLY_CHUNK);
    return true;
}

/* Allocates exactly n: most Calls offer one segment, and the array is kept long after the answer. */
static bool room_for_offers(struct rpcrdma_transaction *t, unsigned n)
{
    void *offers = n > t->offers_size ? heap_resize(t->offers, n * sizeof *t->offers) : t->offers;

    if (!offers)
        return n == 0;
    t->offers = offers;
    t->offers_size = n > t->offers_size ? n : t->offers_size;
    INVARIANT(t->n_offers == 0 && t->offers_size >= n);
    return true;
}

void rpcrdma_offers_take(struct rpcrdma_connection *rpcrdma, struct rpcrdma_transaction *t,
                         const struct rpcrdma_message *call)
{
    const struct rpcrdma_header *header = &call->header;
    unsigned n = header->read.segments + header->write.segments + header->reply.segments;

    if (n == 0 && header->write.n == 0 && !header->has_reply)
        return;
    if (!rpcrdma->offers.of[t->side])
        rpcrdma->offers.of[t->side] = arena_zeroed(rpcrdma->arena, HASH_BUCKETS * sizeof(struct rpcrdma_offer *));
    if (n > rpcrdma->options.segments_max - rpcrdma->offers.n || !rpcrdma->offers.of[t->side] ||
        !room_for_offers(t, n) || !memory_take_lists(t, call)) {
        t->n_chunks = t->n_offers = t->first_write = t->n_writes = 0;
        t->position_zero = t->reply_chunk = -1;
        t->offers_lost = true;
        rpcrdma_damage(t);
        rpcrdma_lacks_track(rpcrdma, t->side); /* operations on the forgotten offers will look like stray ones */
        INVARIANT(t->damage != RPCRDMA_WHOLE && rpcrdma_transaction_is_sound(t));
        return;
    }
    rpcrdma->offers.n += t->n_offers;
    INVARIANT(t->n_offers == n && rpcrdma->offers.n <= rpcrdma->options.segments_max);
    INVARIANT(rpcrdma_transaction_is_sound(t));
    for (unsigned i = 0; i < t->n_offers; i++) {
        struct rpcrdma_offer **first = &rpcrdma->offers.of[t->side][hash_bucket(t->offers[i].target.handle)];

        t->offers[i].next = *first;
        t->offers[i].link = first;
        if (*first)
            (*first)->link = &t->offers[i].next;
        *first = &t->offers[i];
        INVARIANT(is_linked(&t->offers[i]));
    }
}

void rpcrdma_offers_drop(struct rpcrdma_connection *rpcrdma, struct rpcrdma_transaction *t)
{
    if (rpcrdma->offers.recent[t->side] && rpcrdma->offers.recent[t->side]->transaction == t)
        rpcrdma->offers.recent[t->side] = NULL;
    INVARIANT(t->n_offers <= rpcrdma->offers.n);
    for (unsigned i = 0; i < t->n_offers; i++) {
        struct rpcrdma_offer *offer = &t->offers[i];

        INVARIANT(offer->transaction == t && is_linked(offer));

        *offer->link = offer->next;
        if (offer->next)
            offer->next->link = offer->link;
    }
    rpcrdma->offers.n -= t->n_offers;
    INVARIANT(!rpcrdma->offers.recent[t->side] || rpcrdma->offers.recent[t->side]->transaction != t);
    t->n_offers = t->n_chunks = 0;
}

struct rpcrdma_offer *rpcrdma_offers_of(const struct rpcrdma_connection *rpcrdma, unsigned owner, uint32_t stag)
{
    struct rpcrdma_offer *offer = rpcrdma->offers.of[owner] ? rpcrdma->offers.of[owner][hash_bucket(stag)] : NULL;

    while (offer && offer->target.handle != stag)
        offer = offer->next;
    INVARIANT(!offer || offer->transaction->side == owner);
    return offer;
}

/* ---- moves ---- */

static bool within(const struct rpcrdma_offer *offer, const struct rpcrdma_move *move)
{
    uint64_t from = move->to - offer->target.offset;

    return move->to >= offer->target.offset && from <= offer->target.length &&
           move->length <= offer->target.length - from;
}

static bool serves(const struct rpcrdma_offer *offer, const struct rpcrdma_move *move)
{
    return offer->target.handle == move->stag && rpcrdma_waits(offer->transaction) &&
           (offer->kind != RPCRDMA_READ_CHUNK) == (move->kind == RDMA_WRITE) && within(offer, move);
}

/* Most accesses continue the previous access, or are in the next segment: one STag may name thousands of segments. */
static struct rpcrdma_offer *find_recent(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move)
{
    struct rpcrdma_offer *recent = rpcrdma->offers.recent[move->owner];

    INVARIANT(!recent || (recent->transaction->side == move->owner && is_linked(recent)));
    if (!recent || serves(recent, move))
        return recent;
    recent++;
    return recent < recent[-1].transaction->offers + recent[-1].transaction->n_offers && serves(recent, move) ? recent
                                                                                                              : NULL;
}

/* If an access fits several outstanding Calls, the newest is as good as any other. */
static struct rpcrdma_offer *find_offer(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move)
{
    struct rpcrdma_offer *recent = find_recent(rpcrdma, move);

    if (recent)
        return recent;
    for (struct rpcrdma_offer *o = rpcrdma_offers_of(rpcrdma, move->owner, move->stag); o; o = rpcrdma_offers_next(o)) {
        if (serves(o, move))
            return o;
    }
    return NULL;
}

/* An access may cross adjacent segments of one STag: two separate accesses would move the same octets. */
static struct rpcrdma_offer *memory_offer_at(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move,
                                             uint64_t to)
{
    struct rpcrdma_move octet = *move;

    octet.to = to;
    octet.length = 1;
    return find_offer(rpcrdma, &octet);
}

static bool abut(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move)
{
    uint64_t left = move->length, to = move->to;

    for (unsigned pieces = 0; left > 0 && pieces < PIECES_MAX; pieces++) {
        const struct rpcrdma_offer *offer = memory_offer_at(rpcrdma, move, to);
        uint64_t room;

        if (!offer)
            return false;
        room = offer->target.length - (to - offer->target.offset);
        INVARIANT(room > 0);
        if (room >= left)
            return true;
        left -= room;
        to += room;
        INVARIANT(left > 0 && left < move->length);
    }
    return false;
}

/* Keeps content that forms a payload: the Position-Zero Read chunk and the Reply chunk. */
static void memory_keep_content(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move)
{
    struct rpcrdma_transaction *t = move->offer->transaction;
    unsigned which = move->offer->kind == RPCRDMA_REPLY_CHUNK ? CONTENT_REPLY : CONTENT_CALL;
    struct rpcrdma_buffers *buffers = rpcrdma_buffers_of(t);
    struct rpcrdma_content *content = buffers ? &buffers->content[which] : NULL;
    uint64_t end = move->offset + move->length;

    if (!content || move->offer->kind == RPCRDMA_WRITE_CHUNK ||
        (move->offer->kind == RPCRDMA_READ_CHUNK && (int)move->offer->chunk != t->position_zero))
        return;
    if (end > rpcrdma->options.content_max) {
        content->cut |= move->offset < rpcrdma->options.content_max;
        return;
    }
    if (end > content->size) {
        uint64_t larger = content->size == 0 ? CONTENT_FIRST : content->size;
        uint8_t *grown;

        while (larger < end)
            larger *= 2;
        grown = heap_resize(content->octets, larger);
        if (!grown) {
            rpcrdma_damage(t);
            content->cut = true;
            return;
        }
        content->octets = grown;
        content->size = larger;
    }
    INVARIANT(end <= content->size && move->offset <= end);
    INVARIANT(content->size <= CONTENT_FIRST || content->size / 2 < rpcrdma->options.content_max);
    memcpy(content->octets + move->offset, move->p, move->length);
    INVARIANT(move->lacking <= move->length);
    content->cut |= move->lacking > 0;
}

static void memory_note(struct rpcrdma_connection *rpcrdma, struct rpcrdma_move *move)
{
    struct rpcrdma_offer *offer = move->offer;
    uint64_t from = move->to - offer->target.offset;

    INVARIANT(offer->transaction->side == move->owner && offer->target.handle == move->stag);
    INVARIANT(rpcrdma_waits(offer->transaction) && rpcrdma_transaction_is_sound(offer->transaction));
    INVARIANT(within(offer, move));

    rpcrdma->offers.recent[move->owner] = offer;
    move->offset = offer->start + from;
    INVARIANT(move->offset + move->length <= offer->transaction->chunks[offer->chunk].length);
    if (move->kind == RDMA_READ) {
        rpcrdma_ranges_add(&offer->asked, from, from + move->length);
        offer->touched = true;
        INVARIANT(offer->asked.n > 0 || offer->asked.lost || move->length == 0);
        return;
    }
    if (!offer->touched || offer->moved.n == 0)
        offer->first_moved = move->place;
    offer->last_moved = move->place;
    offer->touched = true;
    rpcrdma_ranges_add(&offer->moved, from, from + move->length);
    INVARIANT(offer->moved.n == 0 || offer->moved.range[offer->moved.n - 1].to <= offer->target.length);
    if (move->kind == RDMA_WRITE)
        rpcrdma_buffers_of(offer->transaction)->open.octets_written += move->length;
    else
        rpcrdma_buffers_of(offer->transaction)->open.octets_read += move->length;
    if (move->p && move->length > 0)
        memory_keep_content(rpcrdma, move);
}

static void note_pieces(struct rpcrdma_connection *rpcrdma, struct rpcrdma_move *move)
{
    struct rpcrdma_move piece = *move;

    for (uint64_t left = move->length; left > 0; left -= piece.length) {
        uint64_t room;

        piece.offer = memory_offer_at(rpcrdma, move, piece.to);
        INVARIANT(piece.offer && piece.offer->transaction->side == move->owner);
        room = piece.offer->target.length - (piece.to - piece.offer->target.offset);
        piece.length = left < room ? left : room;
        INVARIANT(piece.length > 0 && piece.length <= left);
        memory_note(rpcrdma, &piece);
        if (!move->offer) {
            move->offer = piece.offer;
            move->offset = piece.offset;
        }
        piece.to += piece.length;
        piece.p = piece.p ? piece.p + piece.length : NULL;
        INVARIANT(move->offer && piece.to > move->to && piece.to - move->to <= move->length);
    }
}

void rpcrdma_move(struct rpcrdma_connection *rpcrdma, struct rpcrdma_move *move)
{
    move->offer = find_offer(rpcrdma, move);
    if (move->offer)
        memory_note(rpcrdma, move);
    else if (abut(rpcrdma, move))
        note_pieces(rpcrdma, move);
    else if (move->unsure || rpcrdma->gaps_show_late)
        rpcrdma_calls_lag(rpcrdma, move->owner,
                          !move->unsure       ? 0
                          : move->acked_known ? move->acked
                                              : UINT64_MAX,
                          move->place.frame);
    INVARIANT(!move->offer || (move->offer->touched && rpcrdma->offers.recent[move->owner]));
}

/* ---- chunks ---- */

bool rpcrdma_chunk_disordered(const struct rpcrdma_transaction *t, const struct rpcrdma_chunk_state *chunk,
                              uint64_t count)
{
    uint64_t handles = 0, upper = 0, lower = 0;

    for (uint32_t i = 0; i < chunk->n; i++) {
        const struct rpcrdma_segment *segment = &t->offers[chunk->first + i].target;

        handles += segment->handle;
        upper += segment->offset >> 32;
        lower += (uint32_t)segment->offset;
    }
    return count > 0 && chunk->length != count && (handles == count || upper == count || lower == count);
}

uint64_t rpcrdma_chunk_prefix(const struct rpcrdma_transaction *t, const struct rpcrdma_chunk_state *chunk)
{
    uint64_t sum = 0;

    INVARIANT(chunk->first + chunk->n <= t->n_offers);
    for (uint32_t i = 0; i < chunk->n; i++) {
        const struct rpcrdma_offer *offer = &t->offers[chunk->first + i];
        uint64_t prefix = rpcrdma_ranges_prefix(&offer->moved);

        sum += prefix;
        if (prefix < offer->target.length)
            break;
    }
    INVARIANT(sum <= chunk->length);
    return sum;
}

uint64_t rpcrdma_chunk_moved(const struct rpcrdma_transaction *t, const struct rpcrdma_chunk_state *chunk, bool *lost)
{
    uint64_t sum = 0;

    *lost = false;
    INVARIANT(chunk->first + chunk->n <= t->n_offers);
    for (uint32_t i = 0; i < chunk->n; i++) {
        const struct rpcrdma_offer *offer = &t->offers[chunk->first + i];

        sum += rpcrdma_ranges_octets(&offer->moved);
        *lost |= offer->moved.lost;
    }
    return sum;
    INVARIANT(sum <= chunk->length);
}

static uint64_t memory_octets_of(const struct rpcrdma_chunk *chunk, const struct rpcrdma_message *message)
{
    uint64_t octets = 0;

    for (uint32_t i = 0; i < chunk->n; i++)
        octets += rpcrdma_segment_at(chunk, message->p, i).length;
    return octets;
}

void rpcrdma_take_returned(struct rpcrdma_transaction *t, const struct rpcrdma_message *reply)
{
    struct rpcrdma_chunk from = rpcrdma_write_begin(&reply->header);
    unsigned number = 0;

    for (; number < t->n_writes && rpcrdma_write_next(&reply->header, reply->p, &from); number++) {
        struct rpcrdma_chunk_state *chunk = &t->chunks[t->first_write + number];

        chunk->has_returned = true;
        chunk->returned_n = from.n;
        chunk->returned = memory_octets_of(&from, reply);
        INVARIANT(chunk->kind == RPCRDMA_WRITE_CHUNK && chunk->number == number);
        INVARIANT(chunk->returned <= (uint64_t)from.n * UINT32_MAX);
    }
    if (t->reply_chunk >= 0 && reply->header.has_reply) {
        struct rpcrdma_chunk_state *chunk = &t->chunks[t->reply_chunk];

        from = rpcrdma_reply_chunk(&reply->header);
        chunk->has_returned = true;
        chunk->returned_n = from.n;
        chunk->returned = memory_octets_of(&from, reply);
        INVARIANT(chunk->kind == RPCRDMA_REPLY_CHUNK);
        INVARIANT(chunk->returned <= (uint64_t)from.n * UINT32_MAX);
    }
    INVARIANT(rpcrdma_transaction_is_sound(t));
}
