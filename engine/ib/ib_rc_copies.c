// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Packets kept for comparison with retransmissions: the latest packets of a sequence of PSNs, each in the slot given by
 * its PSN, and their octets in a ring. Both have room for little more than what is in flight, and grow, up to a limit,
 * if packets in flight would be overwritten.
 */
#include "engine/core/heap.h"
#include "engine/ib/ib_rc_internal.h"
#include "wire/invariant.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { /* powers of two */
       SLOTS_FIRST = 16,
       SLOTS_MAX = 1024,
       OCTETS_FIRST = 4096,
       OCTETS_MAX = 256 << 10,
};

/*
 * Headers that are the same in every copy. The AETH is not among them: it says what its sender has received meanwhile.
 */
enum { COMPARED = IB_HAS_RETH | IB_HAS_ATOMIC | IB_HAS_IMMEDIATE | IB_HAS_INVALIDATE | IB_HAS_ATOMIC_ACK };

struct headers {
    struct ib_reth reth;
    struct ib_atomic atomic;
    uint64_t original;
    uint32_t immediate, invalidate;
};

struct ib_copy {
    uint64_t number; /* request offset of its PSN, plus 1; 0: empty slot */
    uint64_t at;     /* where its octets (with headers, payload) begin, counting all octets ever kept */
    uint32_t frame;
    uint32_t length;   /* octets of payload */
    uint16_t captured; /* how many of them were captured */
    uint8_t opcode, headers;
    bool icrc_wrong, reported;
};

void ib_copies_free(struct ib_copies *copies)
{
    free(copies->slots);
    free(copies->octets);
    *copies = (struct ib_copies){0};
}

/* ---- room ---- */

static bool copies_is_sound(const struct ib_copies *copies)
{
    return (copies->n_slots & (copies->n_slots - 1)) == 0 && copies->n_slots <= SLOTS_MAX &&
           (copies->n_octets & (copies->n_octets - 1)) == 0 && copies->n_octets <= OCTETS_MAX &&
           (copies->slots != NULL) == (copies->n_slots > 0) && (copies->octets != NULL) == (copies->n_octets > 0);
}

static struct ib_copy *copies_slot_of(const struct ib_copies *copies, uint64_t offset)
{
    return &copies->slots[offset & (copies->n_slots - 1)];
}

static uint8_t *copies_octets_of(const struct ib_copies *copies, const struct ib_copy *copy)
{
    return copies->octets + (copy->at & (copies->n_octets - 1));
}

static size_t header_room(unsigned headers)
{
    return headers & COMPARED ? sizeof(struct headers) : 0;
}

/* The octets of the copy have not been overwritten. */
static bool copies_is_there(const struct ib_copies *copies, const struct ib_copy *copy, uint64_t offset)
{
    return copy->number == offset + 1 && copies->end - copy->at <= copies->n_octets;
}

static void grow_slots(struct ib_copies *copies)
{
    unsigned n = copies->n_slots ? 2 * copies->n_slots : SLOTS_FIRST;
    struct ib_copy *old = copies->slots, *slots = heap_zeroed(n, sizeof *slots);

    if (!slots)
        return;
    for (unsigned i = 0; i < copies->n_slots; i++)
        if (old[i].number > 0)
            slots[(old[i].number - 1) & (n - 1)] = old[i];
    free(old);
    copies->slots = slots;
    copies->n_slots = n;
    INVARIANT(copies_is_sound(copies) && copies->n_slots > 0);
}

static void copies_grow_octets(struct ib_copies *copies)
{
    size_t n = copies->n_octets ? 2 * copies->n_octets : OCTETS_FIRST;
    uint8_t *octets = heap_get(n);

    if (!octets)
        return;
    /* A packet is within a block of the old size, and so within a block of the new size. */
    for (unsigned i = 0; i < copies->n_slots; i++) {
        struct ib_copy *copy = &copies->slots[i];

        if (copy->number == 0)
            continue;
        if (copies_is_there(copies, copy, copy->number - 1))
            memcpy(octets + (copy->at & (n - 1)), copies_octets_of(copies, copy),
                   header_room(copy->headers) + copy->captured);
        else
            copy->number = 0;
    }
    free(copies->octets);
    copies->octets = octets;
    copies->n_octets = n;
    INVARIANT(copies_is_sound(copies) && copies->n_octets > 0);
}

/* Where n octets fit without wrapping around. */
static uint64_t copies_place_for(const struct ib_copies *copies, size_t n)
{
    size_t rest = copies->n_octets - (copies->end & (copies->n_octets - 1));

    return n <= rest ? copies->end : copies->end + rest;
}

/* Where new octets would begin to overwrite the packet at `needed`, or packets after it. */
static uint64_t bound_of(const struct ib_copies *copies, uint64_t needed)
{
    const struct ib_copy *oldest = copies_slot_of(copies, needed);

    return copies_is_there(copies, oldest, needed) ? oldest->at + copies->n_octets : UINT64_MAX;
}

/* Packets in flight are in consecutive slots, unless a Read uses PSNs without a packet. */
static bool copies_is_taken(const struct ib_copies *copies, uint64_t offset, uint64_t needed)
{
    return copies_slot_of(copies, offset)->number > needed;
}

static void make_slots(struct ib_copies *copies, uint64_t offset, uint64_t needed)
{
    unsigned before;

    do {
        before = copies->n_slots;
        if (before == 0 || (before < SLOTS_MAX && copies_is_taken(copies, offset, needed)))
            grow_slots(copies);
    } while (copies->n_slots > before);
    INVARIANT(copies_is_sound(copies));
}

static void make_octets(struct ib_copies *copies, uint64_t needed, size_t n)
{
    size_t before;

    do {
        before = copies->n_octets;
        if (before == 0 ||
            (before < OCTETS_MAX && (n > before || copies_place_for(copies, n) + n > bound_of(copies, needed))))
            copies_grow_octets(copies);
    } while (copies->n_octets > before);
    INVARIANT(copies_is_sound(copies));
}

/* Makes room for n octets at copies->end, and grows where packets still needed would be lost. False: no room. */
static bool copies_make_room(struct ib_copies *copies, uint64_t offset, uint64_t needed, size_t n)
{
    uint64_t bound;

    make_slots(copies, offset, needed);
    if (copies->n_slots == 0)
        return false;
    make_octets(copies, needed, n);
    if (copies->n_octets == 0 || n > copies->n_octets)
        return false;
    copies->end = copies_place_for(copies, n);
    copies->free_to = copies->end + copies->n_octets - (copies->end & (copies->n_octets - 1));
    bound = bound_of(copies, needed);
    if (bound < copies->free_to)
        copies->free_to = bound;
    INVARIANT((copies->end & (copies->n_octets - 1)) + n <= copies->n_octets); /* the octets are in one piece */
    INVARIANT(copies->free_to <= copies->end + copies->n_octets);
    return true;
}

/* ---- keeping ---- */

/* Fast path: most packets are placed right after the previous one. */
static inline bool copies_has_room(const struct ib_copies *copies, uint64_t offset, uint64_t needed, size_t n)
{
    return copies->end + n < copies->free_to && !copies_is_taken(copies, offset, needed);
}

void ib_copies_keep(struct ib_copies *copies, uint64_t offset, uint64_t needed, const struct ib_packet *packet,
                    uint32_t frame)
{
    size_t head = header_room(packet->headers), n = head + packet->payload_captured;
    struct ib_copy *copy;
    uint8_t *octets;

    if (packet->payload_captured > IB_MTU_MAX ||
        (!copies_has_room(copies, offset, needed, n) && !copies_make_room(copies, offset, needed, n)))
        return;
    copy = copies_slot_of(copies, offset);
    copy->number = offset + 1;
    copy->at = copies->end;
    copy->frame = frame;
    copy->captured = (uint16_t)packet->payload_captured;
    copy->length = (uint32_t)packet->payload_len;
    copy->opcode = packet->bth.opcode;
    copy->headers = (uint8_t)packet->headers;
    copy->icrc_wrong = packet->icrc_wrong;
    copy->reported = false;
    octets = copies_octets_of(copies, copy);
    copies->end += n;
    INVARIANT(copies_is_there(copies, copy, offset));
    INVARIANT((copy->at & (copies->n_octets - 1)) + n <= copies->n_octets);
    INVARIANT(copy->captured <= copy->length);
    if (head > 0) {
        const struct headers headers = {
            packet->reth, packet->atomic, packet->original, packet->immediate, packet->invalidate,
        };

        memcpy(octets, &headers, sizeof headers);
    }
    if (packet->payload_captured > 0)
        memcpy(octets + head, packet->payload, packet->payload_captured);
}

/* ---- comparing ---- */

#define SAY(words, ...) snprintf((words)->text, sizeof(words)->text, __VA_ARGS__)

/* Each of these returns true, with a text, when there is a difference. */

static bool operation_differs(const struct ib_copy *first, const struct ib_packet *again, struct ib_difference *words)
{
    const struct ib_opcode_info *info = ib_opcode_info(first->opcode), *other = again->info;
    unsigned headers = (first->headers ^ again->headers) & COMPARED;

    /* A retransmission may begin within its message, and a response with the part that was asked for again. */
    if (info->message == other->message &&
        (info->response || (info->last == other->last && (headers & ~(unsigned)IB_HAS_RETH) == 0)))
        return false;
    SAY(words, "expected %s again, as in frame %u with this PSN; found %s with the same PSN", info->name, first->frame,
        other->name);
    return true;
}

bool ib_reth_differs(const struct ib_reth *first, const struct ib_reth *again, uint32_t frame,
                     struct ib_difference *words)
{
    if (first->address == again->address && first->rkey == again->rkey && first->length == again->length)
        return false;
    SAY(words,
        "expected address 0x%" PRIx64 ", R_Key 0x%08x and DMA Length %u, as first sent in frame %u; found address "
        "0x%" PRIx64 ", R_Key 0x%08x and DMA Length %u",
        first->address, first->rkey, first->length, frame, again->address, again->rkey, again->length);
    return true;
}

static bool atomic_differs(const struct ib_atomic *first, const struct ib_atomic *again, uint32_t frame,
                           struct ib_difference *words)
{
    if (first->address == again->address && first->rkey == again->rkey && first->swap == again->swap &&
        first->compare == again->compare)
        return false;
    SAY(words,
        "expected address 0x%" PRIx64 ", R_Key 0x%08x, Swap or Add Data 0x%" PRIx64 " and Compare Data 0x%" PRIx64
        ", as first sent in frame %u; found address 0x%" PRIx64 ", R_Key 0x%08x, Swap or Add Data 0x%" PRIx64
        " and Compare Data 0x%" PRIx64,
        first->address, first->rkey, first->swap, first->compare, frame, again->address, again->rkey, again->swap,
        again->compare);
    return true;
}

static bool word_differs(const char *what, uint64_t first, uint64_t again, uint32_t frame, struct ib_difference *words)
{
    if (first == again)
        return false;
    SAY(words, "expected %s 0x%" PRIx64 ", as first sent in frame %u; found %s 0x%" PRIx64, what, first, frame, what,
        again);
    return true;
}

static bool headers_differ(const struct ib_copy *first, const uint8_t *kept, const struct ib_packet *again,
                           struct ib_difference *words)
{
    unsigned both = first->headers & again->headers;
    struct headers headers;

    if ((both & COMPARED) == 0)
        return false;
    memcpy(&headers, kept, sizeof headers);
    /* A Read Request is compared with the Read: ib_reads_compare(). */
    return ((both & IB_HAS_RETH) && again->info->message != IB_MESSAGE_READ &&
            ib_reth_differs(&headers.reth, &again->reth, first->frame, words)) ||
           ((both & IB_HAS_ATOMIC) && atomic_differs(&headers.atomic, &again->atomic, first->frame, words)) ||
           ((both & IB_HAS_ATOMIC_ACK) &&
            word_differs("original data", headers.original, again->original, first->frame, words)) ||
           ((both & IB_HAS_IMMEDIATE) &&
            word_differs("Immediate Data", headers.immediate, again->immediate, first->frame, words)) ||
           ((both & IB_HAS_INVALIDATE) &&
            word_differs("R_Key to invalidate", headers.invalidate, again->invalidate, first->frame, words));
}

static void copies_hex(char *out, const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out += sprintf(out, i == 0 ? "%02x" : " %02x", p[i]);
}

/* Compares the octets that both captured packets have. */
static bool octets_differ(const struct ib_copy *first, const uint8_t *kept, const struct ib_packet *again,
                          struct ib_difference *words)
{
    enum { SHOWN = 8 };
    size_t n = first->captured < again->payload_captured ? first->captured : again->payload_captured;
    size_t from = 0, to = n, differ = 0, shown;
    char expected[3 * SHOWN], found[3 * SHOWN];

    if (n == 0 || memcmp(kept, again->payload, n) == 0)
        return false;
    while (kept[from] == again->payload[from])
        from++;
    INVARIANT(from < n && kept[from] != again->payload[from]);
    while (kept[to - 1] == again->payload[to - 1])
        to--;
    INVARIANT(from < to && kept[to - 1] != again->payload[to - 1]);
    for (size_t i = from; i < to; i++)
        differ += kept[i] != again->payload[i];
    INVARIANT(differ > 0 && differ <= to - from);
    shown = to - from < SHOWN ? to - from : SHOWN;
    copies_hex(expected, kept + from, shown);
    copies_hex(found, again->payload + from, shown);
    SAY(words,
        "expected %s at octet %zu of the payload, as first sent in frame %u; found other octets, %s (%zu octets "
        "differ, the last at "
        "%zu)",
        expected, from, first->frame, found, differ, to - 1);
    return true;
}

static bool payload_differs(const struct ib_copy *first, const uint8_t *kept, const struct ib_packet *again,
                            struct ib_difference *words)
{
    if (octets_differ(first, kept, again, words))
        return true;
    if (first->length == again->payload_len)
        return false;
    SAY(words, "expected %u octets of payload, as first sent in frame %u; found %zu octets of payload", first->length,
        first->frame, again->payload_len);
    return true;
}

bool ib_copies_has(const struct ib_copies *copies, uint64_t offset)
{
    return copies->n_slots > 0 && copies_is_there(copies, copies_slot_of(copies, offset), offset);
}

enum ib_comparison ib_copies_compare(struct ib_copies *copies, uint64_t offset, const struct ib_packet *again,
                                     struct ib_difference *words)
{
    struct ib_copy *first;
    const uint8_t *kept;

    if (!ib_copies_has(copies, offset))
        return IB_NOT_COMPARED;
    first = copies_slot_of(copies, offset);
    /* The receiver has dropped the packet with the wrong ICRC, if the other packet's is right. */
    if (first->icrc_wrong != again->icrc_wrong || first->reported)
        return IB_NOT_COMPARED;
    kept = copies_octets_of(copies, first);
    words->first_frame = first->frame;
    first->reported = operation_differs(first, again, words) || headers_differ(first, kept, again, words) ||
                      payload_differs(first, kept + header_room(first->headers), again, words);
    return first->reported ? IB_DIFFERS : IB_SAME;
}
