/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of suites mpa and mpa2 share. */
#ifndef IWARP_TRAFFIC_SUITE_SUITE_MPA_H
#define IWARP_TRAFFIC_SUITE_SUITE_MPA_H

#include "traffic-gen/suite/talk.h"

enum { MPA_HARMLESS_STAG = 1 }; /* of a zero-length Write to a device that advertises no memory */

/* ULPDUs that mean nothing to any device: a zero-length Write; and one with PAD, a Write of one octet (0: verdict is
 * set).
 */
size_t mpa_harmless(struct talk *talk, uint8_t *ulpdu);
size_t mpa_padded(struct talk *talk, uint8_t *ulpdu);
/* So many of the former, as octets for our stream from here on. */
GByteArray *mpa_harmless_octets(struct talk *talk, unsigned n);
uint32_t mpa_crc_of(const struct mpa_fpdu_plan *plan); /* the correct one */
/* Sends harmless FPDUs until the next one has a Marker inside. False: verdict is set. */
bool mpa_reach_marker(struct talk *talk, uint8_t *ulpdu);
/* For a plan: Markers whose RESERVED is not zero. */
void mpa_set_reserved(void *ctx, uint8_t marker[4], uint64_t offset, unsigned index);
bool mpa_uses_crc(struct talk *talk); /* false: verdict is set */
/* The device sends a Terminate of any kind, or closes. */
void mpa_expect_error(struct talk *talk);
/* The sign that can be asked for on this connection. SIGN_TCP: verdict is set (not applicable). */
enum talk_sign mpa_question_sign(struct talk *talk);
/* The device ends the connection within that time, whatever it sends before. */
void mpa_expect_end(struct talk *talk, int64_t ns);

#endif
