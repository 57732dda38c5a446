// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads and their responses. A response names no memory: its PSN says which part of which Read it is. A requester that
 * misses response packets may ask for the rest with a Read of the missing PSN (section 9.7.5.1.6); here this counts as
 * the same Read, and its packets are the missing ones.
 */
#include "engine/core/heap.h"
#include "engine/ib/ib_rc_internal.h"
#include "wire/invariant.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { READS_FIRST = 8 };                    /* a power of two, like IB_RC_READS_MAX */
enum { REPLY_MARGIN = 16, READ_MARGIN = 2 }; /* divisors of the shortest time to an answer */
enum { ATOMIC_OCTETS = 8, MTU_MIN = 256, MTU_MAX = 4096 };

static struct ib_read *read_at(const struct ib_reads *reads, unsigned i)
{
    return &reads->ring[(reads->first + i) & (reads->room - 1)];
}

/* Packets of a response of this length. */
static uint32_t packets_of(uint32_t size, unsigned mtu)
{
    return size == 0 ? 1 : (uint32_t)(((uint64_t)size + mtu - 1) / mtu);
}

static uint32_t packets_known(const struct ib_rc *rc, const struct ib_read *read)
{
    if (read->packets > 0)
        return read->packets;
    if (read->atomic || read->size <= MTU_MIN)
        return 1;
    if (rc->mtu)
        return packets_of(read->size, rc->mtu);
    return read->size <= rc->mtu_least ? 1 : 0;
}

static bool reads_is_sound(const struct ib_reads *reads)
{
    return reads->done <= reads->n && reads->n <= reads->room && reads->room <= IB_RC_READS_MAX &&
           (reads->room & (reads->room - 1)) == 0 && (reads->room == 0 || reads->first < reads->room);
}

static bool gaps_are_sound(const struct ib_read *read)
{
    for (unsigned i = 0; i < read->gaps; i++)
        if (read->gap[i].from >= read->gap[i].to || read->gap[i].to > read->taken)
            return false;
    return read->gaps <= IB_RC_GAPS_MAX;
}

static bool mtu_is_sound(unsigned mtu)
{
    return mtu >= MTU_MIN && mtu <= MTU_MAX && (mtu & (mtu - 1)) == 0;
}

static void reads_forget_oldest(struct ib_reads *reads)
{
    reads->first = (reads->first + 1) & (reads->room - 1);
    reads->n--;
    reads->done -= reads->done > 0;
    INVARIANT(reads_is_sound(reads) && reads->n < reads->room);
}

/* Doubles the room; keeps the old room when out of memory. */
static void reads_grow(struct ib_reads *reads)
{
    unsigned room = reads->room == 0 ? READS_FIRST : 2 * reads->room;
    struct ib_read *ring = heap_get(room * sizeof *ring);

    if (!ring)
        return;
    for (unsigned i = 0; i < reads->n; i++)
        ring[i] = *read_at(reads, i);
    free(reads->ring);
    reads->ring = ring;
    reads->room = room;
    reads->first = 0;
    INVARIANT(reads_is_sound(reads) && reads->n < reads->room);
}

static bool reads_is_done(const struct ib_read *read)
{
    return read->packets > 0 && read->taken >= read->packets && read->gaps == 0 && !read->lost;
}

uint32_t ib_reads_add(struct ib_rc *rc, unsigned side, const struct ib_packet *packet, uint64_t offset,
                      uint64_t message, bool *least)
{
    struct ib_reads *reads = &rc->side[side].reads;
    bool atomic = packet->info->message == IB_MESSAGE_ATOMIC;
    struct ib_read *read,
        here = {.from = offset,
                .message = message,
                .operation = rc->side[side].operation,
                .address = atomic ? packet->atomic.address : packet->reth.address,
                .rkey = atomic ? packet->atomic.rkey : packet->reth.rkey,
                .size = atomic ? ATOMIC_OCTETS : packet->reth.length,
                .frame = ib_requests_frame(&rc->side[side]),
                .time_ns = rc->side[side].recent[rc->side[side].messages % IB_RC_RECENT].latest.time_ns,
                .atomic = atomic,
                .icrc_wrong = packet->icrc_wrong};

    here.packets = packets_known(rc, &here);
    *least = here.packets == 0;
    if (reads->n == reads->room && reads->room < IB_RC_READS_MAX)
        reads_grow(reads);
    if (reads->room == 0)
        return here.packets ? here.packets : 1;
    while (reads->done < reads->n && reads_is_done(read_at(reads, reads->done)))
        reads->done++;
    INVARIANT(reads_is_sound(reads));
    if (reads->n == reads->room)
        reads_forget_oldest(reads);
    read = read_at(reads, reads->n++);
    *read = here;
    INVARIANT(reads_is_sound(reads));
    INVARIANT(reads->n < 2 || read_at(reads, reads->n - 2)->from < offset);
    return here.packets ? here.packets : 1;
}

/* Now the packets of a Read can be counted: the request that had seemed to follow the Read may not have followed it. */
static void count_packets(struct ib_rc *rc, unsigned side, struct ib_read *read, const struct place *place)
{
    struct ib_requests *requests = &rc->side[side];

    read->packets = packets_known(rc, read);
    if (read->packets == 0 || read->from + read->packets >= read->followed)
        return;
    if (requests->lost == 0)
        requests->lost_message = IB_MESSAGE_ACK;
    requests->lost += read->followed - read->from - read->packets;
    ib_rc_hole(rc, &(struct ib_rc_hole){side, read->from + read->packets, read->followed, read->frame, *place, false});
    INVARIANT(requests->lost > 0 && read->from + read->packets < requests->next);
}

static void count_all_packets(struct ib_rc *rc, const struct place *place)
{
    for (unsigned side = 0; side < 2; side++) {
        struct ib_requests *requests = &rc->side[side];
        struct ib_read *last = NULL;

        for (unsigned i = 0; i < requests->reads.n; i++) {
            last = read_at(&requests->reads, i);
            if (last->packets == 0)
                count_packets(rc, side, last, place);
        }
        if (requests->next_least && last && last->packets > 0) {
            INVARIANT(requests->next == last->from + 1);
            requests->next = last->from + last->packets;
            requests->next_least = false;
        }
    }
}

void ib_rc_learn_mtu(struct ib_rc *rc, unsigned mtu)
{
    if (!rc->mtu && mtu >= MTU_MIN && mtu <= MTU_MAX && (mtu & (mtu - 1)) == 0)
        rc->mtu = mtu;
    INVARIANT(rc->mtu == 0 || mtu_is_sound(rc->mtu));
}

void ib_rc_observe_mtu(struct ib_rc *rc, const struct ib_packet *packet, const struct place *place)
{
    unsigned least = rc->mtu_least > 0 ? rc->mtu_least : MTU_MIN;

    if (packet->info->payload && !packet->info->last)
        ib_rc_learn_mtu(rc, (unsigned)packet->payload_len);
    while (packet->info->payload && least < packet->payload_len && least < MTU_MAX)
        least *= 2;
    if (!rc->mtu && least == rc->mtu_least)
        return;
    rc->mtu_least = least;
    rc->mtu_settled = rc->mtu > 0;
    INVARIANT(mtu_is_sound(rc->mtu_least));
    count_all_packets(rc, place);
}

bool ib_reads_followed(const struct ib_rc *rc, unsigned side, uint64_t offset)
{
    const struct ib_reads *reads = &rc->side[side].reads;
    struct ib_read *last;

    if (reads->n == 0)
        return false;
    last = read_at(reads, reads->n - 1);
    for (unsigned mtu = MTU_MAX; mtu >= MTU_MIN && mtu >= rc->mtu_least; mtu /= 2) {
        if (packets_of(last->size, mtu) == offset - last->from) {
            last->followed = offset;
            return true;
        }
    }
    return false;
}

/*
 * Whether the Read was requested so recently, compared with the shortest time to an answer, that no answer can have
 * come. Answers seem slow in a direction that is captured late.
 */
static bool is_too_soon(const struct ib_rc *rc, unsigned side, const struct ib_read *read, int64_t time_ns, int margin)
{
    return !rc->side[0].lags && !rc->side[1].lags && time_ns - read->time_ns < rc->side[side].answered_ns / margin;
}

bool ib_reads_incomplete(const struct ib_rc *rc, unsigned side, const struct place *place)
{
    const struct ib_reads *reads = &rc->side[side].reads;
    bool held = place->first_frame < place->frame; /* Reads before it were captured late: times mean nothing */

    for (unsigned i = reads->n; i-- > reads->done;)
        if (!reads_is_done(read_at(reads, i)) &&
            (held || !is_too_soon(rc, side, read_at(reads, i), place->time_ns, REPLY_MARGIN)))
            return true;
    return false;
}

unsigned ib_reads_open(const struct ib_rc *rc, unsigned side, int64_t time_ns)
{
    const struct ib_reads *reads = &rc->side[side].reads;
    unsigned open = 0;

    while (open < reads->n - reads->done && !reads_is_done(read_at(reads, reads->n - 1 - open)) &&
           is_too_soon(rc, side, read_at(reads, reads->n - 1 - open), time_ns, READ_MARGIN))
        open++;
    return open;
}

/* The Read whose response has a packet at that offset. */
static struct ib_read *reads_find(const struct ib_reads *reads, uint64_t offset)
{
    unsigned low = 0, high = reads->n;
    struct ib_read *read;

    while (low < high) { /* find the last Read that begins at or before the offset */
        unsigned middle = (low + high) / 2;

        if (read_at(reads, middle)->from <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return NULL;
    read = read_at(reads, low - 1);
    INVARIANT(read->from <= offset);
    return read->packets == 0 || offset - read->from < read->packets ? read : NULL;
}

void ib_reads_again(struct ib_requests *requests, uint64_t offset)
{
    struct ib_read *read = reads_find(&requests->reads, offset);

    if (read)
        read->again = true;
}

/*
 * The request asks for a part of the Read that ends where response packets end; later packets of the response have been
 * sent.
 */
static bool asks_for_part(const struct ib_rc *rc, const struct ib_read *read, uint32_t index,
                          const struct ib_reth *expected, const struct ib_reth *found)
{
    return found->address == expected->address && found->rkey == expected->rkey && found->length > 0 &&
           found->length < expected->length && rc->mtu > 0 && found->length % rc->mtu == 0 &&
           read->taken > index + found->length / rc->mtu;
}

/* The responder has reported that it lacks the Read, so the part that the repeated request skips cannot have come. */
static bool leaves_out(const struct ib_requests *requests, const struct ib_read *read, uint64_t offset,
                       struct ib_difference *words)
{
    bool missed = requests->missed == read->from + 1 && !(requests->acked_known && requests->acked > read->from);

    if (offset == read->from || !missed || read->restarted || read->taken > 0)
        return false;
    snprintf(words->text, sizeof words->text,
             "expected the RDMA Read Request of frame %u again, as a NAK says that it was not received; found a Read "
             "Request from packet %" PRIu64 " of the Response on, though packet 1 has not come",
             read->frame, offset - read->from + 1);
    return true;
}

enum ib_comparison ib_reads_compare(struct ib_rc *rc, unsigned side, const struct ib_packet *packet, uint64_t offset,
                                    struct ib_difference *words)
{
    const struct ib_requests *requests = &rc->side[side];
    struct ib_read *read = reads_find(&requests->reads, offset);
    const struct ib_reth *found = &packet->reth;
    struct ib_reth expected;
    uint64_t begin;

    if (!read || read->atomic || read->reported || read->icrc_wrong != packet->icrc_wrong ||
        (offset > read->from && rc->mtu == 0))
        return IB_NOT_COMPARED;
    begin = (offset - read->from) * rc->mtu;
    expected = (struct ib_reth){read->address + begin, read->rkey, read->size - (uint32_t)begin};
    INVARIANT(begin == 0 || begin < read->size);
    words->first_frame = read->frame;
    read->restarted |= offset == read->from;
    if (asks_for_part(rc, read, (uint32_t)(offset - read->from), &expected, found))
        return IB_SAME;
    read->reported = ib_reth_differs(&expected, found, read->frame, words) || leaves_out(requests, read, offset, words);
    return read->reported ? IB_DIFFERS : IB_SAME;
}

static void add_gap(struct ib_read *read, uint32_t from, uint32_t to)
{
    if (from >= to)
        return;
    if (read->gaps == IB_RC_GAPS_MAX) {
        read->lost = true;
        return;
    }
    read->gap[read->gaps].from = from;
    read->gap[read->gaps++].to = to;
    INVARIANT(read->gaps <= IB_RC_GAPS_MAX);
}

/* Takes a packet of the response. False: the packet had been taken before. */
static bool reads_take(struct ib_read *read, uint32_t index)
{
    if (index >= read->taken) {
        add_gap(read, read->taken, index);
        read->taken = index + 1;
        INVARIANT(gaps_are_sound(read));
        return true;
    }
    for (unsigned i = 0; i < read->gaps; i++) {
        uint32_t from = read->gap[i].from, to = read->gap[i].to;

        if (index < from || index >= to)
            continue;
        read->gap[i] = read->gap[--read->gaps];
        add_gap(read, from, index);
        add_gap(read, index + 1, to);
        INVARIANT(gaps_are_sound(read));
        return true;
    }
    return false;
}

static void compare_response(struct ib_rc *rc, unsigned responder, const struct ib_read *read,
                             const struct ib_packet *packet, uint64_t offset, const struct ib_rc_part *part)
{
    struct ib_difference difference;
    struct ib_rc_copy copy = {.kind = part->kind, .place = part->place, .rkey = read->rkey};

    if (!rc->disconnected)
        ib_rc_tell_copy(rc, &copy,
                        ib_copies_compare(&rc->side[other_side(responder)].responses, offset, packet, &difference),
                        &difference);
}

void ib_reads_answer(struct ib_rc *rc, unsigned responder, const struct ib_packet *packet, uint64_t offset,
                     const struct place *place)
{
    struct ib_rc_part part = ib_rc_part_of(rc, responder, packet, place);
    struct ib_read *read;
    struct ib_reads *reads = &rc->side[other_side(responder)].reads;
    bool overtaken = offset < reads->answered; /* by later packets: a responder sends them in order */

    read = reads_find(reads, offset);
    if (!read || read->atomic != (packet->info->message == IB_MESSAGE_ATOMIC_ACK))
        return;
    part.index = (uint32_t)(offset - read->from);
    if (part.index > 0 && rc->mtu == 0) /* the part's place in memory is unknown */
        return;
    if (!overtaken)
        reads->answered = offset + 1;
    if (!reads_take(read, part.index)) {
        read->again = true; /* even if the capture lacks the request */
        rc->counts.repeated_responses[responder]++;
        compare_response(rc, responder, read, packet, offset, &part);
        return;
    }
    ib_copies_keep(&rc->side[other_side(responder)].responses, offset, read->from, packet, place->frame);
    INVARIANT(part.index < read->taken && (read->packets == 0 || part.index < read->packets));
    part.message = read->message;
    part.operation = read->operation;
    part.offset = (uint64_t)part.index * rc->mtu;
    part.address = read->address + part.offset;
    part.rkey = read->rkey;
    part.size = read->size;
    part.memory_known = part.first_known = true;
    part.asked_again = read->again || overtaken;
    if (read->atomic) {
        part.last = part.complete = true;
    } else if (part.offset + part.length > read->size) { /* more than was requested */
        part.length = part.offset < read->size ? (size_t)(read->size - part.offset) : 0;
        part.n = part.n < part.length ? part.n : part.length;
    }
    part.last = part.last || part.offset + part.length == read->size;
    part.complete = part.complete || reads_is_done(read);
    ib_rc_give(rc, &part);
}
