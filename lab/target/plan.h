/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The offer of a connection: the wishes of its peer, or the options' values if the peer has none. Without verbs. */
#ifndef IWARP_TARGET_PLAN_H
#define IWARP_TARGET_PLAN_H

#include "lab/target/options.h"
#include "support/advert.h"

#include <stdint.h>

enum { PLAN_RECEIVES_MAX = 4096, PLAN_SIZE_MAX = 1 << 20, PLAN_MEMORY_MAX = 16 << 20 };

enum plan_answer { PLAN_ACCEPT, PLAN_REJECT, PLAN_REJECT_WITH_DATA, PLAN_SILENCE };

struct plan {
    enum plan_answer answer;
    uint32_t receives, size; /* limited: see the numbers above; together at most PLAN_MEMORY_MAX octets */
    bool echo;
};

/* p[0..n): private data of the peer, which may be empty, or contain anything. */
struct plan target_plan_make(const struct target_options *options, const uint8_t *p, size_t n);
/* The smaller number. */
uint32_t plan_least(uint32_t a, uint32_t b);

/*
 * Whether a message asks for the advertisement: IWTQ and nothing else. It is answered with the advertisement, for peers
 * whose private data have no room; *echo: whether it wants later messages echoed.
 */
bool plan_is_question(const uint8_t *p, size_t n, bool *echo);

#endif
