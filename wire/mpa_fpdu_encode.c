// SPDX-License-Identifier: GPL-2.0-or-later
#include "wire/crc32c.h"
#include "wire/invariant.h"
#include "wire/mpa_fpdu.h"
#include "wire/octets.h"

#include <string.h>

struct writer {
    const struct mpa_fpdu_plan *plan;
    uint8_t *out;
    size_t size, n;
    uint64_t header; /* stream offset of ULPDU_Length */
    unsigned n_markers;
    bool full;
};

void mpa_fpdu_plan_init(struct mpa_fpdu_plan *plan, const struct mpa_framing *framing, uint64_t offset,
                        const uint8_t *ulpdu, uint16_t ulpdu_length, bool crc)
{
    *plan = (struct mpa_fpdu_plan){
        .framing = *framing,
        .offset = offset,
        .ulpdu = ulpdu,
        .ulpdu_octets = ulpdu_length,
        .ulpdu_length = ulpdu_length,
        .pad_length = (uint8_t)mpa_pad_length(ulpdu_length),
        .crc_present = true, /* the field exists even when no CRC is used (4.4) */
        .crc_fixed = !crc,
    };
}

static bool reserve(struct writer *w, size_t count)
{
    if (w->size - w->n < count)
        w->full = true;
    return !w->full;
}

/* Puts a Marker if one is due at this position. */
static void put_due_marker(struct writer *w)
{
    const struct mpa_fpdu_plan *plan = w->plan;
    uint64_t at = plan->offset + w->n;
    uint8_t *marker = w->out + w->n;

    if (!plan->framing.markers || mpa_next_marker(&plan->framing, at) != at || !reserve(w, MPA_MARKER_LEN))
        return;
    put_be16(marker, 0);
    put_be16(marker + 2, at < w->header ? 0 : (uint16_t)(at - w->header));
    if (plan->marker_hook)
        plan->marker_hook(plan->hook_ctx, marker, at, w->n_markers);
    w->n_markers++;
    w->n += MPA_MARKER_LEN;
    INVARIANT(w->n <= w->size);
}

static void put_octets(struct writer *w, const uint8_t *p, size_t n)
{
    const struct mpa_fpdu_plan *plan = w->plan;

    while (n > 0 && !w->full) {
        size_t step = n;

        put_due_marker(w);
        if (plan->framing.markers) {
            uint64_t at = plan->offset + w->n;
            uint64_t until = mpa_next_marker(&plan->framing, at) - at;

            step = n < until ? n : (size_t)until;
        }
        if (!reserve(w, step))
            return;
        memcpy(w->out + w->n, p, step);
        w->n += step;
        p += step;
        n -= step;
        INVARIANT(step > 0 && w->n <= w->size);
    }
}

size_t mpa_fpdu_encode(const struct mpa_fpdu_plan *plan, uint8_t *out, size_t size)
{
    struct writer w = {.plan = plan, .out = out, .size = size, .header = plan->offset};
    uint8_t field[MPA_CRC_LEN];

    if (plan->pad_length > sizeof plan->pad)
        return 0;
    if (plan->framing.markers && mpa_next_marker(&plan->framing, plan->offset) == plan->offset)
        w.header += MPA_MARKER_LEN;
    put_be16(field, plan->ulpdu_length);
    put_octets(&w, field, MPA_LENGTH_LEN);
    put_octets(&w, plan->ulpdu, plan->ulpdu_octets);
    put_octets(&w, plan->rest, plan->rest_octets);
    put_octets(&w, plan->pad, plan->pad_length);
    if (plan->crc_present) {
        put_due_marker(&w); /* the CRC covers a Marker between PAD and CRC (4.4) */
        put_le32(field, plan->crc_fixed || w.full ? plan->crc : crc32c(out, w.n));
        put_octets(&w, field, MPA_CRC_LEN);
    }
    return w.full ? 0 : w.n;
}
