// SPDX-License-Identifier: GPL-2.0-or-later
/* Markers with wrong contents, or in wrong places. */
#include "traffic-gen/speak/say/mpa_words.h"
#include "wire/crc32c.h"
#include "wire/octets.h"

#include <string.h>

/* ---- contents ---- */

static void change_marker(void *ctx, uint8_t marker[4], uint64_t offset, unsigned index)
{
    struct words *words = ((struct frame_write *)ctx)->marker_words;

    (void)offset;
    if ((words_have(words, "mpa.first-marker") && index > 0) || (words_have(words, "mpa.later-markers") && index == 0))
        return;
    for (unsigned i = 0; i < words->n; i++) {
        const struct word *word = &words->list[i];

        if (strcmp(word->name, "mpa.ptr") == 0)
            put_be16(marker + 2, (uint16_t)word_apply(word, get_be16(marker + 2)));
        else if (strcmp(word->name, "mpa.reserved") == 0)
            put_be16(marker, (uint16_t)word_apply(word, get_be16(marker)));
        else if (strcmp(word->name, "mpa.ptr-swapped") == 0)
            put_be16(marker + 2, GUINT16_SWAP_LE_BE(get_be16(marker + 2)));
    }
}

void fpdu_change_markers(struct frame_write *w)
{
    w->plan.marker_hook = change_marker;
    w->plan.hook_ctx = w;
    w->marker_words = w->words;
}

/* ---- places ---- */

/* Encodes the FPDU again with Markers at the stream offsets at[0..n); pointers and CRC are right for these places. */
static void place_markers(struct frame_write *w, const uint64_t *at, unsigned n)
{
    struct mpa_fpdu_plan plan = w->plan;
    g_autofree uint8_t *plain = g_malloc(MPA_FPDU_OCTETS_MAX);
    uint64_t position = w->plan.offset, header = position;
    unsigned next = 0;
    uint8_t crc[MPA_CRC_LEN];
    size_t length;

    plan.framing.markers = false;
    plan.crc_present = true;
    length = mpa_fpdu_encode(&plan, plain, MPA_FPDU_OCTETS_MAX) - MPA_CRC_LEN;
    g_byte_array_set_size(w->octets, 0);
    for (size_t i = 0; i < length; i++, position++) {
        if (next < n && at[next] == position) {
            uint8_t marker[MPA_MARKER_LEN] = {0};

            if (i == 0)
                header += MPA_MARKER_LEN;
            else
                put_be16(marker + 2,
                         (uint16_t)(position - header) & 0xFFFC); /* as section 4.2 requires for any place */
            g_byte_array_append(w->octets, marker, sizeof marker);
            position += MPA_MARKER_LEN;
            next++;
        }
        g_byte_array_append(w->octets, plain + i, 1);
    }
    put_le32(crc, crc32c(w->octets->data, w->octets->len));
    g_byte_array_append(w->octets, crc, sizeof crc);
}

/* Puts Markers at all stream offsets first + period * k in this FPDU, and before its first octet if `lead` is set. */
static void place_grid(struct frame_write *w, bool lead, uint64_t first, unsigned period)
{
    uint64_t at[MPA_FPDU_MARKERS_MAX + 1];
    struct mpa_framing none = {.markers = false};
    uint64_t end = w->plan.offset + mpa_fpdu_octets(&none, w->plan.offset, w->plan.ulpdu_length) - MPA_CRC_LEN;
    unsigned n = 0;

    if (lead)
        at[n++] = w->plan.offset;
    if (first < w->plan.offset)
        first += (w->plan.offset - first) / period * period;
    for (uint64_t position = first; position < end + n * (uint64_t)MPA_MARKER_LEN && n < MPA_FPDU_MARKERS_MAX;
         position += period) {
        if (position >= w->plan.offset + lead)
            at[n++] = position;
    }
    place_markers(w, at, n);
}

static bool leads(const struct frame_write *w)
{
    return mpa_next_marker(&w->plan.framing, w->plan.offset) == w->plan.offset;
}

/* mpa.grid=PERIOD, mpa.grid-from=OFFSET of the first Marker. */
void fpdu_other_period(struct frame_write *w)
{
    uint64_t from = words_number(w->words, "mpa.grid-from", 0);

    place_grid(w, false, w->plan.framing.seq_start + from, (unsigned)CLAMP(w->word->number, 64, UINT16_MAX));
}

void fpdu_no_inner_markers(struct frame_write *w)
{
    place_markers(w, &w->plan.offset, leads(w) ? 1 : 0);
}

/* mpa.marker-late=N: the next Marker after the leading one comes N octets late. */
void fpdu_marker_late(struct frame_write *w)
{
    uint64_t first = mpa_next_marker(&w->plan.framing, w->plan.offset);

    place_grid(w, leads(w), first + (leads(w) ? MPA_MARKER_PERIOD : 0) + w->word->number, MPA_MARKER_PERIOD);
}

void fpdu_grid_of_peer(struct frame_write *w)
{
    const struct mpa_framing *peer = &w->conversation->framing[w->role == INITIATOR ? RESPONDER : INITIATOR];

    place_grid(w, leads(w), mpa_next_marker(peer, w->plan.offset + 8), MPA_MARKER_PERIOD);
}
