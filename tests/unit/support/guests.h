/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A connection's signs for the claims of guests (engine/rdma/ulp.h); side 0 opened it, and its start was captured. */
#ifndef IWARP_TESTS_UNIT_SUPPORT_GUESTS_H
#define IWARP_TESTS_UNIT_SUPPORT_GUESTS_H

#include "engine/rdma/ulp.h"
#include "tests/unit/support/support.h"

struct guest_signs {
    struct ulp_signs signs;
    struct ulp_send send;
    uint8_t octets[3][512];
};

static inline void guest_signs_init(struct guest_signs *g)
{
    memset(g, 0, sizeof *g);
    g->signs.terms = (struct rdma_terms){.initiator_side = 0, .from_start = true};
}

static inline void guest_private_data(struct guest_signs *g, unsigned side, const char *hex)
{
    size_t n = octets_of(hex, g->octets[side], sizeof g->octets[side]);

    g->signs.data[side] = (struct ulp_private_data){true, n > 0 ? g->octets[side] : NULL, n};
}

/* The next Send; more: octets after those given. */
static inline void guest_send(struct guest_signs *g, unsigned side, const char *hex, size_t more)
{
    size_t n = octets_of(hex, g->octets[2], sizeof g->octets[2]);

    g->send = (struct ulp_send){.side = side,
                                .first = g->signs.sends == 0 && g->signs.terms.from_start,
                                .p = g->octets[2],
                                .n = n,
                                .length = n + more};
    g->signs.send = &g->send;
    g->signs.sends++;
}

/* In mid-connection, with nothing else known. */
static inline void guest_signs_midway(struct guest_signs *g)
{
    guest_signs_init(g);
    g->signs.terms = (struct rdma_terms){.initiator_side = -1};
}

/* What a stateless kind says about the Send; NULL: not its message. */
static inline const char *guest_words(const struct ulp_kind *kind, void *state, struct guest_signs *g)
{
    static struct ulp_words words;

    words = (struct ulp_words){.text = ""};
    return kind->describe(state, &g->send, &words) ? words.text : NULL;
}

#endif
