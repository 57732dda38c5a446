/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files with words about MPA share. */
#ifndef IWARP_TRAFFIC_SAY_MPA_WORDS_H
#define IWARP_TRAFFIC_SAY_MPA_WORDS_H

#include "traffic-gen/say/deviation.h"

/* The octets that it has, to be freed by the caller. */
GByteArray *word_octets(const struct word *word);

/* Words that change the octets of either kind of frame. */
void frame_put_before(GByteArray *octets, const struct word *word);
void frame_put_after(GByteArray *octets, const struct word *word);
void frame_cut(GByteArray *octets, const struct word *word);

/* Nothing; what a word has besides its name: nothing, a number that it sets, one that it sets or changes, octets. */
enum word_value { NO_WORD, ALONE, NUMBER, CHANGE, OCTETS };

/* What a word does to a frame before it is encoded, and to its octets, those of an FPDU or of any frame. */
struct frame_word {
    const char *name;
    enum word_value value;
    void (*change)(struct frame_write *w);
    void (*octets)(struct frame_write *w);
    void (*either)(GByteArray *octets, const struct word *word);
};

/* Tables; a word without a name ends each. */
extern const struct frame_word startup_words[], fpdu_words[];

/* ---- fpdu_crc.c: wrong CRCs in the octets ---- */

void fpdu_crc_without_length(struct frame_write *w);
void fpdu_crc_without_leading_marker(struct frame_write *w);
void fpdu_crc_without_marker(struct frame_write *w);
void fpdu_crc_without_last_marker(struct frame_write *w);
void fpdu_crc_with_next_marker(struct frame_write *w);
void fpdu_crc_of_ethernet(struct frame_write *w);
void fpdu_crc_swapped(struct frame_write *w);
void fpdu_crc_after_length(struct frame_write *w);
void fpdu_crc_before_pad(struct frame_write *w);
void fpdu_bad_crc(struct frame_write *w);

/* ---- fpdu_markers.c ---- */

/* Other contents, before the FPDU is encoded. */
void fpdu_change_markers(struct frame_write *w);
/* Other places, in the octets. */
void fpdu_other_period(struct frame_write *w);
void fpdu_no_inner_markers(struct frame_write *w);
void fpdu_marker_late(struct frame_write *w);
void fpdu_grid_of_peer(struct frame_write *w);

#endif
