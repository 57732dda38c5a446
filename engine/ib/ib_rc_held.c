// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/core/heap.h"
#include "engine/ib/ib_rc_internal.h"
#include "wire/invariant.h"

#include <stdlib.h>
#include <string.h>

static bool ib_held_is_sound(const struct ib_held *held)
{
    return held->first + held->n <= held->capacity && held->n <= IB_RC_HELD_MAX && (held->n > 0) == (held->octets > 0);
}

/* Packets i - 1 and i are in order. i is counted from `first`. */
static bool ib_held_in_order(const struct ib_held *held, size_t i)
{
    struct ib_held_packet *const *packet = held->packets + held->first + i;

    return i == 0 || i >= held->n || packet[-1]->offset < packet[0]->offset;
}

void ib_held_free(struct ib_held *held)
{
    for (size_t i = 0; i < held->n; i++)
        free(held->packets[held->first + i]);
    free(held->packets);
    *held = (struct ib_held){0};
}

/* Index, counted from first, of the packet at that offset, or where it belongs. Most packets go last. */
static size_t held_find(const struct ib_held *held, uint64_t offset)
{
    struct ib_held_packet *const *packets;
    size_t low = 0, high = held->n;

    if (held->n == 0) /* there may be no packets[] yet */
        return 0;
    packets = held->packets + held->first;
    if (packets[held->n - 1]->offset < offset)
        return held->n;
    while (low < high) {
        size_t middle = (low + high) / 2;

        if (packets[middle]->offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    INVARIANT(low == held->n || packets[low]->offset >= offset);
    INVARIANT(low == 0 || packets[low - 1]->offset < offset);
    return low;
}

static bool held_has_room(struct ib_held *held)
{
    struct ib_held_packet **more;
    size_t capacity = held->capacity ? 2 * held->capacity : 16;

    if (held->first + held->n < held->capacity)
        return true;
    if (held->first > held->capacity / 2) {
        memmove(held->packets, held->packets + held->first, held->n * sizeof *held->packets);
        held->first = 0;
        INVARIANT(held->n < held->capacity);
        return true;
    }
    more = heap_resize(held->packets, capacity * sizeof *more);
    if (!more)
        return false;
    held->packets = more;
    held->capacity = capacity;
    INVARIANT(held->first + held->n < held->capacity);
    return true;
}

bool ib_held_add(struct ib_held *held, size_t limit, uint64_t offset, const struct ib_packet *packet, uint32_t frame,
                 int64_t time_ns, bool *again)
{
    size_t size = sizeof(struct ib_held_packet) + packet->payload_captured, at = held_find(held, offset);
    struct ib_held_packet *copy, **place;

    *again = at < held->n && held->packets[held->first + at]->offset == offset;
    if (*again)
        return true;
    if (held->n >= IB_RC_HELD_MAX || held->octets + size > limit || !held_has_room(held))
        return false;
    copy = heap_get(size);
    if (!copy)
        return false;
    copy->offset = offset;
    copy->frame = frame;
    copy->time_ns = time_ns;
    copy->packet = *packet;
    copy->packet.payload = copy->octets;
    copy->packet.icrc = NULL;
    if (packet->payload_captured > 0)
        memcpy(copy->octets, packet->payload, packet->payload_captured);
    place = held->packets + held->first + at;
    memmove(place + 1, place, (held->n - at) * sizeof *place);
    *place = copy;
    held->n++;
    held->octets += size;
    INVARIANT(ib_held_is_sound(held) && held->octets <= limit);
    INVARIANT(ib_held_in_order(held, at) && ib_held_in_order(held, at + 1));
    return true;
}

unsigned ib_held_drop(struct ib_held *held, uint64_t from, uint64_t far, uint32_t before)
{
    struct ib_held_packet **packets;
    size_t kept = 0, n = held->n;

    if (n == 0)
        return 0;
    packets = held->packets + held->first;
    for (size_t i = 0; i < n; i++) {
        struct ib_held_packet *packet = packets[i];

        if (packet->offset < from || (packet->offset <= far && packet->frame >= before)) {
            packets[kept++] = packet;
            continue;
        }
        held->octets -= sizeof *packet + packet->packet.payload_captured;
        free(packet);
    }
    held->n = kept;
    INVARIANT(ib_held_is_sound(held));
    return (unsigned)(n - kept);
}

struct ib_held_packet *ib_held_take(struct ib_held *held)
{
    struct ib_held_packet *first = held->packets[held->first++];

    held->n--;
    held->octets -= sizeof *first + first->packet.payload_captured;
    INVARIANT(ib_held_is_sound(held));
    INVARIANT(held->n == 0 || held->packets[held->first]->offset > first->offset);
    return first;
}
