/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of suites mpa and mpa2 share. */
#ifndef IWARP_TRAFFIC_TEST_SUITE_MPA_H
#define IWARP_TRAFFIC_TEST_SUITE_MPA_H

#include "traffic-gen/test/talk.h"

/* ULPDUs that mean nothing to any device: a Write of no octets; and one with PAD, a Write of one octet (0: verdict
 * set).
 */
size_t mpa_harmless(struct talk *talk, uint8_t *ulpdu);
size_t mpa_padded(struct talk *talk, uint8_t *ulpdu);
/* The device tells error 2 or 3 of MPA by a Terminate, or closes. */
void mpa_expect_error(struct talk *talk);

#endif
