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

/* The kind's claim after this private data, and after this Send. */
static inline void guest_data_claims(struct guest_signs *g, const struct ulp_kind *kind, unsigned side, const char *hex,
                                     enum ulp_claim claim)
{
    guest_private_data(g, side, hex);
    assert_int_equal(kind->claim(&g->signs), claim);
}

static inline void guest_send_claims(struct guest_signs *g, const struct ulp_kind *kind, unsigned side, const char *hex,
                                     size_t more, enum ulp_claim claim)
{
    guest_send(g, side, hex, more);
    assert_int_equal(kind->claim(&g->signs), claim);
}

/* What the kind says about this Send; NULL: not its message. */
static inline void guest_says(struct guest_signs *g, const struct ulp_kind *kind, void *state, unsigned side,
                              const char *hex, size_t more, const char *expected)
{
    struct ulp_words words = {.text = ""};
    bool described;

    guest_send(g, side, hex, more);
    described = kind->describe(state, &g->send, &words);
    assert_int_equal(described, expected != NULL);
    if (expected)
        assert_string_equal(words.text, expected);
}

#endif
