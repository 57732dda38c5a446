// SPDX-License-Identifier: GPL-2.0-or-later
/* Words about startup frames. */
#include "traffic-gen/speak/say/mpa_words.h"
#include "wire/crc32c.h"
#include "wire/octets.h"

#include <string.h>

static void set_data(struct frame_write *w)
{
    g_autoptr(GByteArray) data = word_octets(w->word);

    w->frame.ulp_length = (uint16_t)MIN(data->len, MPA_PRIVATE_DATA_MAX);
    memcpy(w->data, data->data, w->frame.ulp_length);
    w->frame.ulp_data = w->data;
    mpa_startup_fix_length(&w->frame);
}

static void set_enhanced(struct frame_write *w)
{
    w->frame.has_enhanced = w->word->number != 0;
    mpa_startup_fix_length(&w->frame);
}

static void set_flags(struct frame_write *w)
{
    w->frame.flags = (uint8_t)word_apply(w->word, w->frame.flags);
    mpa_startup_fix_length(&w->frame);
}

static void set_revision(struct frame_write *w)
{
    w->frame.revision = (uint8_t)w->word->number;
}

static void set_length(struct frame_write *w)
{
    w->frame.pd_length = (uint16_t)word_apply(w->word, w->frame.pd_length);
}

static void set_peer_to_peer(struct frame_write *w)
{
    w->frame.enhanced.peer_to_peer = w->word->number != 0;
}

static void set_ird(struct frame_write *w)
{
    w->frame.enhanced.ird = (uint16_t)w->word->number;
}

static void set_ord(struct frame_write *w)
{
    w->frame.enhanced.ord = (uint16_t)w->word->number;
}

static void set_rtr(struct frame_write *w)
{
    w->frame.enhanced.rtr = (uint8_t)w->word->number;
}

static void append_crc(struct frame_write *w)
{
    uint8_t crc[MPA_CRC_LEN];

    put_le32(crc, crc32c(w->octets->data, w->octets->len));
    g_byte_array_append(w->octets, crc, sizeof crc);
}

static void swap_length(struct frame_write *w)
{
    if (w->octets->len >= MPA_STARTUP_HEADER_LEN)
        put_be16(w->octets->data + 18, GUINT16_SWAP_LE_BE(get_be16(w->octets->data + 18)));
}

/* Puts the enhanced data after the upper layer's data. */
static void move_enhanced(struct frame_write *w)
{
    uint8_t *p = w->octets->data + MPA_STARTUP_HEADER_LEN, enhanced[MPA_ENHANCED_LEN];
    size_t rest = w->octets->len - MPA_STARTUP_HEADER_LEN;

    if (w->octets->len < MPA_STARTUP_HEADER_LEN + sizeof enhanced)
        return;
    memcpy(enhanced, p, sizeof enhanced);
    memmove(p, p + sizeof enhanced, rest - sizeof enhanced);
    memcpy(p + rest - sizeof enhanced, enhanced, sizeof enhanced);
}

/* mpa.fill=N: fills up to N octets with mpa.filler=N. */
static void fill_startup(struct frame_write *w)
{
    uint8_t filler = (uint8_t)words_number(w->words, "mpa.filler", 'x');

    while (w->octets->len < MIN(w->word->number, UINT16_MAX))
        g_byte_array_append(w->octets, &filler, 1);
}

const struct frame_word startup_words[] = {
    {"mpa.flags", CHANGE, set_flags, NULL, NULL},
    {"mpa.rev", NUMBER, set_revision, NULL, NULL},
    {"mpa.len", CHANGE, set_length, NULL, NULL},
    {"mpa.data", OCTETS, set_data, NULL, NULL},
    {"mpa.enhanced", NUMBER, set_enhanced, NULL, NULL},
    {"mpa.a", NUMBER, set_peer_to_peer, NULL, NULL},
    {"mpa.rtr", NUMBER, set_rtr, NULL, NULL},
    {"mpa.ird", NUMBER, set_ird, NULL, NULL},
    {"mpa.ord", NUMBER, set_ord, NULL, NULL},
    {"mpa.before", OCTETS, NULL, NULL, frame_put_before},
    {"mpa.after", OCTETS, NULL, NULL, frame_put_after},
    {"mpa.cut", NUMBER, NULL, NULL, frame_cut},
    {"mpa.fill", NUMBER, NULL, fill_startup, NULL},
    {"mpa.filler", NUMBER, NULL, NULL, NULL},
    {"mpa.crc", ALONE, NULL, append_crc, NULL},
    {"mpa.len-swapped", ALONE, NULL, swap_length, NULL},
    {"mpa.enhanced-last", ALONE, NULL, move_enhanced, NULL},
    {NULL, NO_WORD, NULL, NULL, NULL},
};
