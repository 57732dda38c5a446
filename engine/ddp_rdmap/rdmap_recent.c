// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The latest segments of each direction: a Terminate names the segment at fault by its DDP header (RFC 5040 section
 * 4.8). Every segment is kept and hardly any is ever looked up, so they are packed.
 */
#include "engine/ddp_rdmap/rdmap_internal.h"
#include "wire/invariant.h"

#include <assert.h>
#include <string.h>

enum {
    RECENT_MIN = 2, /* a power of two, like RDMAP_RECENT_MAX */
    TAGGED = 0x80,  /* the T flag, in the first octet of a DDP header */
};

struct rdmap_kept {
    uint64_t offset : 61;
    bool has_read : 1; /* only for opcode 1 with all its octets */
    bool faulty : 1;
    bool disordered : 1;
    uint32_t frame;
    uint16_t ulpdu_length;
    uint8_t header[DDP_UNTAGGED_HEADER_LEN]; /* DDP header as sent */
};
static_assert(sizeof(struct rdmap_kept) == 32, "two in a line of the cache");

void rdmap_recent_free(struct rdmap_side *s)
{
    arena_drop(s->recent, s->recent_capacity * sizeof *s->recent);
    arena_drop(s->recent_requests, s->requests_capacity * RDMAP_READ_REQUEST_LEN);
}

/* ---- keeping ---- */

/* Many senders send no Read Requests, so room for them is allocated with the first one. */
static bool has_room_for_requests(struct arena *arena, struct rdmap_side *s)
{
    void *requests = s->recent_requests;

    if (s->requests_capacity < s->recent_capacity)
        requests = arena_resize(arena, requests, s->requests_capacity * RDMAP_READ_REQUEST_LEN,
                                s->recent_capacity * RDMAP_READ_REQUEST_LEN);
    if (!requests)
        return false;
    s->recent_requests = requests;
    s->requests_capacity = s->recent_capacity;
    INVARIANT(s->requests_capacity <= RDMAP_RECENT_MAX);
    return true;
}

void rdmap_recent_keep(struct rdmap_connection *rdmap, const struct rdmap_step *step)
{
    struct rdmap_side *s = &rdmap->side[step->side];
    const struct ddp_segment *ddp = step->ddp;
    const struct place *place = &step->fpdu->place;
    struct rdmap_kept *kept;
    bool has_read;

    if (s->segments == s->recent_capacity && s->recent_capacity < RDMAP_RECENT_MAX)
        s->recent = arena_double(rdmap->arena, s->recent, &s->recent_capacity, RECENT_MIN, sizeof *s->recent);
    INVARIANT((s->recent_capacity & (s->recent_capacity - 1)) == 0 && s->recent_capacity <= RDMAP_RECENT_MAX);
    s->segments++;
    if (s->recent_capacity == 0)
        return;
    kept = &s->recent[(s->segments - 1) & (s->recent_capacity - 1)];
    kept->frame = place->frame;
    kept->ulpdu_length = step->fpdu->fpdu.ulpdu_length;
    if (ddp->tagged) /* with lengths known to the compiler */
        memcpy(kept->header, step->fpdu->fpdu.ulpdu, DDP_TAGGED_HEADER_LEN);
    else
        memcpy(kept->header, step->fpdu->fpdu.ulpdu, DDP_UNTAGGED_HEADER_LEN);
    has_read = ddp->opcode == RDMAP_READ_REQUEST && !ddp->tagged && ddp->payload_len >= RDMAP_READ_REQUEST_LEN &&
               ddp->lacking == 0 && has_room_for_requests(rdmap->arena, s);
    kept->offset = place->offset;
    kept->has_read = has_read;
    kept->faulty = step->faulty;
    kept->disordered = step->message && step->message->disordered;
    INVARIANT(kept->offset == place->offset); /* it fits */
    INVARIANT(!has_read || (size_t)(kept - s->recent) < s->requests_capacity);
    if (has_read)
        memcpy(s->recent_requests[kept - s->recent], ddp->payload, RDMAP_READ_REQUEST_LEN);
}

bool rdmap_recent_all(const struct rdmap_connection *rdmap, unsigned side)
{
    const struct rdmap_side *s = &rdmap->side[side];

    /* Silence in one direction proves nothing when the capture begins mid-connection. */
    if (!s->started)
        return !s->hole && rdmap->parameters.startup_seen && !rdmap->parameters.midstream;
    return s->segments <= s->recent_capacity && !s->hole && !s->patchy && s->from_start;
}

/* ---- finding ---- */

static uint8_t header_len(const struct rdmap_kept *kept)
{
    return kept->header[0] & TAGGED ? DDP_TAGGED_HEADER_LEN : DDP_UNTAGGED_HEADER_LEN;
}

/* The i-th latest of the kept segments, counted from 1. */
static const struct rdmap_kept *latest(const struct rdmap_side *s, uint64_t i)
{
    return &s->recent[(s->segments - i) & (s->recent_capacity - 1)];
}

static uint64_t number_kept(const struct rdmap_side *s)
{
    return s->segments < s->recent_capacity ? s->segments : s->recent_capacity;
}

static const uint8_t *recent_request_of(const struct rdmap_side *s, const struct rdmap_kept *kept)
{
    return kept->has_read ? s->recent_requests[kept - s->recent] : NULL;
}

static struct rdmap_recent unpacked(const struct rdmap_connection *rdmap, unsigned side, const struct rdmap_kept *kept)
{
    return (struct rdmap_recent){.header_len = header_len(kept),
                                 .ulpdu_length = kept->ulpdu_length,
                                 .faulty = kept->faulty,
                                 .disordered = kept->disordered,
                                 .request = recent_request_of(&rdmap->side[side], kept),
                                 .place = {.frame = kept->frame, .offset = kept->offset, .side = (uint8_t)side}};
}

bool rdmap_recent_find(const struct rdmap_connection *rdmap, unsigned side, const uint8_t *header, size_t len,
                       int length, struct rdmap_recent *found)
{
    const struct rdmap_side *s = &rdmap->side[side];
    const struct rdmap_kept *same = NULL;
    uint64_t n = number_kept(s);

    for (uint64_t i = 1; i <= n; i++) {
        const struct rdmap_kept *kept = latest(s, i);
        bool same_length = length < 0 || kept->ulpdu_length == length;

        if ((same && !same_length) || header_len(kept) != len || memcmp(kept->header, header, len) != 0)
            continue;
        same = kept;
        if (same_length)
            break;
    }
    INVARIANT(!same || header_len(same) == len);
    if (same)
        *found = unpacked(rdmap, side, same);
    return same != NULL;
}

/*
 * Whether the echoed header is from this Read Request: as sent, or advanced by the part that was answered (RFC 5040
 * section 4.8).
 */
static bool is_of_read(const struct rdmap_read_request *echo, const struct rdmap_read_request *sent)
{
    uint64_t ahead = echo->sink_to - sent->sink_to;

    return echo->sink_stag == sent->sink_stag && echo->source_stag == sent->source_stag && ahead <= sent->size &&
           echo->source_to - sent->source_to == ahead && echo->size == sent->size - ahead;
}

bool rdmap_recent_read(const struct rdmap_connection *rdmap, unsigned side, const struct rdmap_read_request *echo,
                       struct rdmap_recent *found)
{
    const struct rdmap_side *s = &rdmap->side[side];
    uint64_t n = number_kept(s);
    struct rdmap_read_request sent;

    for (uint64_t i = 1; i <= n; i++) {
        const uint8_t *request = recent_request_of(s, latest(s, i));

        if (request && rdmap_read_request_decode(&sent, request, RDMAP_READ_REQUEST_LEN) && is_of_read(echo, &sent)) {
            *found = unpacked(rdmap, side, latest(s, i));
            return true;
        }
    }
    return false;
}
