/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hand-made DDP Segments, for the harnesses and tests of MPA, DDP and RDMAP. */
#ifndef IWARP_TESTS_UNIT_SUPPORT_SEGMENTS_H
#define IWARP_TESTS_UNIT_SUPPORT_SEGMENTS_H

#include "tests/unit/support/support.h"
#include "wire/ddp.h"

/* Of the versions 1, with Last. */
struct ddp_segment untagged_segment(uint8_t opcode, uint32_t qn, uint32_t msn);
struct ddp_segment tagged_segment(uint8_t opcode, uint32_t stag, uint64_t to);
/* Header and n octets of payload (NULL: zeros) to out[0..size). Returns the length of the ULPDU. */
uint16_t segment_octets(uint8_t *out, size_t size, const struct ddp_segment *segment, const void *payload, size_t n);

#endif
