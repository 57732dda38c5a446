/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by our Requests and Replies: their private data, and their segments. */
#ifndef IWARP_TRAFFIC_EXPLORE_PAIRS_FRAMES_H
#define IWARP_TRAFFIC_EXPLORE_PAIRS_FRAMES_H

#include "traffic-gen/tester/suite/talk/talk_run.h"

/* The values of parameters `pd` and `cut`, in their order. */
extern const char *const frames_lengths[], *const frames_cuts[];
enum frames_cut { CUT_WHOLE, CUT_KEY, CUT_FLAGS, CUT_LENGTH, CUT_DATA, CUT_OCTETS };
enum { FRAMES_LENGTHS = 9, FRAMES_CUTS = 6, FRAMES_CUTS_MAX = 2 * MPA_PRIVATE_DATA_MAX };

/* The offsets where a frame with this much private data in total is cut. Returns their number. */
size_t frames_cut(enum frames_cut cut, size_t data, size_t cuts[FRAMES_CUTS_MAX]);
/* n octets of upper-layer private data: the words for the device if they fit, then filler. */
void frames_fill(const struct talk_run *run, uint8_t *octets, size_t n);

#endif
