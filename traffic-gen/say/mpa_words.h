/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files with words about MPA share. */
#ifndef IWARP_TRAFFIC_SAY_MPA_WORDS_H
#define IWARP_TRAFFIC_SAY_MPA_WORDS_H

#include "traffic-gen/say/deviation.h"

/* What a word is to have: nothing, a number, octets in hexadecimal. */
enum mpa_value { ALONE, NUMBER, OCTETS };

bool word_has(const struct word *word, enum mpa_value value);
/* The octets that it has, to be freed by the caller. */
GByteArray *word_octets(const struct word *word);
/* mpa@OFFSET=N */
bool word_is_octet(const struct word *word);

/* Words that change the octets of either kind of frame. */
void frame_change_octet(GByteArray *octets, const struct word *word);
void frame_put_before(GByteArray *octets, const struct word *word);
void frame_put_after(GByteArray *octets, const struct word *word);
void frame_cut(GByteArray *octets, const struct word *word);

bool startup_word_is_known(const struct word *word);
bool fpdu_word_is_known(const struct word *word);

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
