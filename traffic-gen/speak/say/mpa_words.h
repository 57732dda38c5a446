/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files with words about MPA. */
#ifndef IWARP_TRAFFIC_SPEAK_SAY_MPA_WORDS_H
#define IWARP_TRAFFIC_SPEAK_SAY_MPA_WORDS_H

#include "traffic-gen/speak/say/deviation.h"

/* The octets of the word, freed by the caller. */
GByteArray *word_octets(const struct word *word);

/* Words that change the octets of start-up frames and FPDUs. */
void frame_put_before(GByteArray *octets, const struct word *word);
void frame_put_after(GByteArray *octets, const struct word *word);
void frame_cut(GByteArray *octets, const struct word *word);

/* The value that a word takes: nothing, a number that is set, a number that is set or changed, or octets. */
enum word_value { NO_WORD, ALONE, NUMBER, CHANGE, OCTETS };

/* The action of a word on a frame before it is encoded, and on the octets of an FPDU or of any frame. */
struct frame_word {
    const char *name;
    enum word_value value;
    void (*change)(struct frame_write *w);
    void (*octets)(struct frame_write *w);
    void (*either)(GByteArray *octets, const struct word *word);
};

/* Tables; each ends with a word without a name. */
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

/* Changes Markers before the FPDU is encoded. */
void fpdu_change_markers(struct frame_write *w);
/* Moves Markers in the octets. */
void fpdu_other_period(struct frame_write *w);
void fpdu_no_inner_markers(struct frame_write *w);
void fpdu_marker_late(struct frame_write *w);
void fpdu_grid_of_peer(struct frame_write *w);

#endif
