// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/check/check_batch.h"

#include "engine/core/heap.h"
#include "engine/packet/tcp_checksum.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { CACHE_LINE = 64, AHEAD = 4 };

struct batch *batch_new(void)
{
    struct batch *batch = heap_get(sizeof *batch); /* the items are not cleared: most batches stay small */

    if (!batch)
        return NULL;
    memset(batch, 0, offsetof(struct batch, item));
    batch->payload = heap_get(BATCH_OCTETS);
    batch->size = BATCH_OCTETS;
    if (batch->payload)
        return batch;
    free(batch);
    return NULL;
}

void batch_free(struct batch *batch)
{
    if (!batch)
        return;
    free(batch->payload);
    free(batch);
}

bool batch_has_room(struct batch *batch, size_t octets)
{
    uint8_t *larger;

    if (batch->n == BATCH_ITEMS)
        return false;
    if (batch->size - batch->used >= octets)
        return true;
    if (batch->used > 0)
        return false;
    larger = heap_resize(batch->payload, octets);
    if (!larger)
        return false;
    batch->payload = larger;
    batch->size = octets;
    return true;
}

static const uint8_t *batch_keep(struct batch *batch, const uint8_t *p, size_t octets)
{
    uint8_t *copy = batch->payload + batch->used;

    if (octets > 0)
        memcpy(copy, p, octets);
    batch->used += octets;
    return copy;
}

static struct batch_item *batch_next_item(struct batch *batch, unsigned share, bool is_datagram)
{
    struct batch_item *item = &batch->item[batch->n++];

    item->share = (uint16_t)share;
    item->is_datagram = is_datagram;
    item->begun = false;
    return item;
}

void batch_segment(struct batch *batch, unsigned share, const struct addressed_segment *segment)
{
    struct batch_item *item = batch_next_item(batch, share, false);

    item->segment = *segment;
    tcp_checksum_keep(&item->segment.segment);
    item->segment.segment.payload = batch_keep(batch, segment->segment.payload, segment->segment.captured);
}

void batch_datagram(struct batch *batch, unsigned share, const struct ib_datagram *datagram)
{
    struct batch_item *item = batch_next_item(batch, share, true);

    item->datagram = *datagram;
    if (datagram->below)
        item->datagram.below = batch_keep(batch, datagram->below, datagram->below_len);
    item->datagram.p = batch_keep(batch, datagram->p, datagram->captured);
}

/* ---- work ---- */

static uint32_t batch_frame_of(const struct batch_item *item)
{
    return item->is_datagram ? item->datagram.frame : item->segment.segment.frame;
}

uint32_t batch_first_frame(const struct batch *batch)
{
    return batch_frame_of(&batch->item[0]);
}

static void batch_work_on(struct batch_item *item, struct share *const *shares, const struct batch_events *events)
{
    item->begun = true;
    events->frame(events->ctx, batch_frame_of(item));
    if (item->is_datagram)
        share_datagram(shares[item->share], &item->datagram);
    else
        share_segment(shares[item->share], &item->segment);
}

/* Sorts by share; items of the same share keep their order. */
static void batch_sort(struct batch *batch)
{
    unsigned begin[CHECK_SHARES + 1] = {0};

    for (unsigned i = 0; i < batch->n; i++)
        begin[batch->item[i].share + 1]++;
    for (unsigned share = 0; share < CHECK_SHARES; share++)
        begin[share + 1] += begin[share];
    for (unsigned i = 0; i < batch->n; i++)
        batch->order[begin[batch->item[i].share]++] = (uint16_t)i;
}

/* Prefetches a later item: a batch exceeds the processor's cache, and the processor cannot predict this order. */
static void fetch(const struct batch *batch, unsigned i)
{
    const char *item = (const char *)&batch->item[batch->order[i]];

    for (size_t at = 0; at < sizeof(struct batch_item); at += CACHE_LINE)
        __builtin_prefetch(item + at);
}

void batch_work(struct batch *batch, struct share *const *shares, const struct batch_events *events)
{
    batch_sort(batch);
    for (unsigned i = 0; i < batch->n; i++) {
        if (i + AHEAD < batch->n)
            fetch(batch, i + AHEAD);
        if (!batch->item[batch->order[i]].begun)
            batch_work_on(&batch->item[batch->order[i]], shares, events);
    }
    batch->n = batch->caught_up = 0;
    batch->used = 0;
}

void batch_catch_up(struct batch *batch, struct share *const *shares, uint32_t frame, const struct batch_events *events)
{
    /* Processing started here may itself catch up, but only meets older items that have already begun. */
    while (batch->caught_up < batch->n && batch_frame_of(&batch->item[batch->caught_up]) < frame) {
        struct batch_item *item = &batch->item[batch->caught_up++];

        if (!item->begun)
            batch_work_on(item, shares, events);
    }
}
