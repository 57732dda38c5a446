// SPDX-License-Identifier: GPL-2.0-or-later
/* Words about FPDUs. */
#include "traffic-gen/speak/say/carrier.h"
#include "traffic-gen/speak/say/mpa_words.h"
#include "wire/octets.h"

#include <string.h>

/* ---- FPDUs before they are encoded ---- */

static void add_to_length(struct frame_write *w)
{
    w->plan.ulpdu_length = (uint16_t)word_apply(w->word, w->plan.ulpdu_length);
}

static void set_ulpdu_length(struct frame_write *w, uint16_t n)
{
    w->plan.ulpdu_length = w->plan.ulpdu_octets = n;
    w->plan.pad_length = (uint8_t)mpa_pad_length(n);
}

/* mpa.ulpdu=N: a ULPDU of N octets, with all fields that follow from its length. */
static void resize_ulpdu(struct frame_write *w)
{
    uint16_t n = (uint16_t)MIN(w->word->number, ULPDU_ROOM);

    if (n > w->plan.ulpdu_length)
        memset(w->ulpdu + w->plan.ulpdu_length, 0x5A, n - w->plan.ulpdu_length);
    set_ulpdu_length(w, n);
}

/* Puts the segment twice into one FPDU; the second MSN is one higher. */
static void double_ulpdu(struct frame_write *w)
{
    uint16_t n = w->plan.ulpdu_length;

    if (n < DDP_UNTAGGED_HEADER_LEN || 2 * n > ULPDU_ROOM)
        return;
    memcpy(w->ulpdu + n, w->ulpdu, n);
    put_be32(w->ulpdu + n + 10, get_be32(w->ulpdu + 10) + 1);
    set_ulpdu_length(w, (uint16_t)(2 * n));
}

/* Words for the first octets of the DDP header, used by faults of versions. */
static void change_ulpdu_octet(struct frame_write *w)
{
    unsigned at = w->word->name[strlen("mpa.ulpdu")] - '0';

    w->ulpdu[at] = (uint8_t)word_apply(w->word, w->ulpdu[at]);
}

static void set_pad_length(struct frame_write *w)
{
    w->plan.pad_length = (uint8_t)MIN(w->word->number, sizeof w->plan.pad);
}

static void set_padding(struct frame_write *w)
{
    g_autoptr(GByteArray) octets = word_octets(w->word);

    memcpy(w->plan.pad, octets->data, MIN(octets->len, w->plan.pad_length));
}

static void omit_crc(struct frame_write *w)
{
    w->plan.crc_present = false;
}

static void fix_crc(struct frame_write *w, uint32_t crc)
{
    w->plan.crc = crc;
    w->plan.crc_fixed = true;
}

static void set_crc(struct frame_write *w)
{
    fix_crc(w, (uint32_t)w->word->number);
}

/* Sends the right CRC although CRC is not in use. */
static void use_right_crc(struct frame_write *w)
{
    w->plan.crc_fixed = false;
}

/* Keeps the CRC from before the words that follow. */
static void keep_crc(struct frame_write *w)
{
    struct mpa_fpdu_plan plan = w->plan;
    g_autofree uint8_t *octets = g_malloc(MPA_FPDU_OCTETS_MAX);
    size_t n;

    plan.crc_present = true;
    n = mpa_fpdu_encode(&plan, octets, MPA_FPDU_OCTETS_MAX);
    fix_crc(w, get_le32(octets + n - MPA_CRC_LEN));
}

/* Markers on or off for all FPDUs from here on. */
static void use_markers(struct frame_write *w)
{
    w->plan.framing.markers = w->conversation->framing[w->role].markers = w->word->number != 0;
}

/* Does not wait for the peer. */
static void send_early(struct frame_write *w)
{
    w->how.received = 0;
}

/* Waits only for the Initiator's Request. */
static void send_after_request(struct frame_write *w)
{
    w->how.received = w->conversation->framing[INITIATOR].seq_start;
}

/* ---- how they are sent ---- */

static void write_first(struct frame_write *w, guint n, const struct sim_how *how)
{
    struct conversation *c = w->conversation;

    c->carrier->write(c, w->role, w->octets->data, n, how);
    g_byte_array_remove_range(w->octets, 0, n);
}

static const uint64_t gap_max_us = UINT64_C(3600) * 1000000;

/* Sends n octets now, the others as soon as possible, or after mpa.gap=MICROSECONDS, or once mpa.acked. */
static void words_split(struct frame_write *w, guint n)
{
    uint64_t received = words_given(w->words, "mpa.gap") ? 0 : w->how.received;

    write_first(w, n, &w->how);
    w->how = (struct sim_how){.received = received,
                              .acked = words_have(w->words, "mpa.acked"),
                              .delay_ns = (int64_t)MIN(words_number(w->words, "mpa.gap", 0), gap_max_us) * 1000};
}

/* mpa.split=N: sends N octets first; a negative N leaves -N octets for the second write. */
static void split_at(struct frame_write *w)
{
    int64_t n = (int64_t)w->word->number;

    n += n < 0 ? w->octets->len : 0;
    if (n > 0 && n < w->octets->len)
        words_split(w, (guint)n);
}

static void split_half(struct frame_write *w)
{
    if (w->octets->len > 1)
        words_split(w, w->octets->len / 2);
}

/* Sends the leading Marker alone when only the Request has arrived. */
static void marker_alone(struct frame_write *w)
{
    struct sim_how how = {.received = w->conversation->framing[INITIATOR].seq_start};

    if (w->octets->len > MPA_MARKER_LEN)
        write_first(w, MPA_MARKER_LEN, &how);
}

static void first_half_only(struct frame_write *w)
{
    g_byte_array_set_size(w->octets, w->octets->len / 2 & ~3u);
}

/* Sends IP fragments four times that reach nobody. */
static void lost_fragments(struct frame_write *w)
{
    struct conversation *c = w->conversation;
    unsigned side = c->side[w->role];

    if (!c->tcp) {
        c->stage->impossible = "it belongs to the simulated network";
        return;
    }
    for (unsigned i = 0; i < 4; i++) {
        struct sim_how how = {.received = w->how.received, .fragment = true, .delay_ns = i * INT64_C(1000000000)};

        sim_raw(c->tcp, side,
                &(struct sim_raw){.flags = SEG_ACK | SEG_PSH,
                                  .offset = sim_written(c->tcp, side),
                                  .p = w->octets->data,
                                  .n = w->octets->len},
                &how);
    }
    g_byte_array_set_size(w->octets, 0);
}

const struct frame_word fpdu_words[] = {
    {"mpa.len", CHANGE, add_to_length, NULL, NULL},
    {"mpa.ulpdu", NUMBER, resize_ulpdu, NULL, NULL},
    {"mpa.ulpdu0", CHANGE, change_ulpdu_octet, NULL, NULL},
    {"mpa.ulpdu1", CHANGE, change_ulpdu_octet, NULL, NULL},
    {"mpa.twice", ALONE, double_ulpdu, NULL, NULL},
    {"mpa.pad", NUMBER, set_pad_length, NULL, NULL},
    {"mpa.padding", OCTETS, set_padding, NULL, NULL},
    {"mpa.no-crc", ALONE, omit_crc, NULL, NULL},
    {"mpa.crc", NUMBER, set_crc, NULL, NULL},
    {"mpa.right-crc", ALONE, use_right_crc, NULL, NULL},
    {"mpa.old-crc", ALONE, keep_crc, NULL, NULL},
    {"mpa.markers", NUMBER, use_markers, NULL, NULL},
    {"mpa.ptr", CHANGE, fpdu_change_markers, NULL, NULL},
    {"mpa.ptr-swapped", ALONE, fpdu_change_markers, NULL, NULL},
    {"mpa.reserved", CHANGE, fpdu_change_markers, NULL, NULL},
    {"mpa.first-marker", ALONE, NULL, NULL, NULL},
    {"mpa.later-markers", ALONE, NULL, NULL, NULL},
    {"mpa.early", ALONE, send_early, NULL, NULL},
    {"mpa.after-request", ALONE, send_after_request, NULL, NULL},
    {"mpa.crc-without-length", ALONE, NULL, fpdu_crc_without_length, NULL},
    {"mpa.crc-without-leading-marker", ALONE, NULL, fpdu_crc_without_leading_marker, NULL},
    {"mpa.crc-without-marker", ALONE, NULL, fpdu_crc_without_marker, NULL},
    {"mpa.crc-without-last-marker", ALONE, NULL, fpdu_crc_without_last_marker, NULL},
    {"mpa.crc-with-next-marker", ALONE, NULL, fpdu_crc_with_next_marker, NULL},
    {"mpa.crc-of-ethernet", ALONE, NULL, fpdu_crc_of_ethernet, NULL},
    {"mpa.crc-swapped", ALONE, NULL, fpdu_crc_swapped, NULL},
    {"mpa.crc-after-length", ALONE, NULL, fpdu_crc_after_length, NULL},
    {"mpa.crc-before-pad", ALONE, NULL, fpdu_crc_before_pad, NULL},
    {"mpa.grid", NUMBER, NULL, fpdu_other_period, NULL},
    {"mpa.grid-from", NUMBER, NULL, NULL, NULL},
    {"mpa.grid-of-peer", ALONE, NULL, fpdu_grid_of_peer, NULL},
    {"mpa.no-inner-markers", ALONE, NULL, fpdu_no_inner_markers, NULL},
    {"mpa.marker-late", NUMBER, NULL, fpdu_marker_late, NULL},
    {"mpa.marker-alone", ALONE, NULL, marker_alone, NULL},
    {"mpa.before", OCTETS, NULL, NULL, frame_put_before},
    {"mpa.cut", NUMBER, NULL, NULL, frame_cut},
    {"mpa.half", ALONE, NULL, first_half_only, NULL},
    {"mpa.split", NUMBER, NULL, split_at, NULL},
    {"mpa.split-half", ALONE, NULL, split_half, NULL},
    {"mpa.gap", NUMBER, NULL, NULL, NULL},
    {"mpa.acked", ALONE, NULL, NULL, NULL},
    {"mpa.lost-fragments", ALONE, NULL, lost_fragments, NULL},
    {"bad-crc", ALONE, NULL, fpdu_bad_crc, NULL},
    {NULL, NO_WORD, NULL, NULL, NULL},
};
