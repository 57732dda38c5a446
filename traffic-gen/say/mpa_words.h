/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files with words about MPA share. */
#ifndef IWARP_TRAFFIC_SAY_MPA_WORDS_H
#define IWARP_TRAFFIC_SAY_MPA_WORDS_H

#include "traffic-gen/say/deviation.h"
#include "traffic-gen/say/word_value.h"

/* The octets that it has, to be freed by the caller. */
GByteArray *word_octets(const struct word *word);
/* mpa@OFFSET */
bool names_octet(const char *name);

/* Words that change the octets of either kind of frame. */
void frame_change_octet(GByteArray *octets, const struct word *word);
void frame_put_before(GByteArray *octets, const struct word *word);
void frame_put_after(GByteArray *octets, const struct word *word);
void frame_cut(GByteArray *octets, const struct word *word);

/* NO_WORD: there is none of that name. */
enum word_value startup_word_value(const char *name);
enum word_value fpdu_word_value(const char *name);
/* The names of their tables; NULL after the last one. */
const char *startup_word_at(unsigned index);
const char *fpdu_word_at(unsigned index);

/* ---- fpdu_crc.c: wrong CRCs in the octets ---- */

void fpdu_crc_without_length(struct fpdu_write *w);
void fpdu_crc_without_leading_marker(struct fpdu_write *w);
void fpdu_crc_without_marker(struct fpdu_write *w);
void fpdu_crc_without_last_marker(struct fpdu_write *w);
void fpdu_crc_with_next_marker(struct fpdu_write *w);
void fpdu_crc_of_ethernet(struct fpdu_write *w);
void fpdu_crc_swapped(struct fpdu_write *w);
void fpdu_crc_after_length(struct fpdu_write *w);
void fpdu_crc_before_pad(struct fpdu_write *w);
void fpdu_bad_crc(struct fpdu_write *w);

/* ---- fpdu_markers.c ---- */

/* Other contents, before the FPDU is encoded. */
void fpdu_change_markers(struct fpdu_write *w);
/* Other places, in the octets. */
void fpdu_other_period(struct fpdu_write *w);
void fpdu_no_inner_markers(struct fpdu_write *w);
void fpdu_marker_late(struct fpdu_write *w);
void fpdu_grid_of_peer(struct fpdu_write *w);

#endif
