// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The choice between upper layers, and guests that are only named: private data and Sends of any octets, on both sides
 * of a connection. Octets after the given ones are never read, texts end, and counts are those of the messages.
 */
#include "engine/stack/ulps.h"
#include "tests/fuzz/fuzz.h"
#include "wire/octets.h"

enum { SENDS_MAX = 16 };

/* In separate memory, so that out-of-bounds reads are found. */
struct octets {
    uint8_t *p;
    size_t n;
};

static const uint8_t *at, *end;

static uint8_t take(void)
{
    return at < end ? *at++ : 0;
}

static struct octets take_octets(void)
{
    size_t n = take();
    struct octets octets;

    if (n > (size_t)(end - at))
        n = (size_t)(end - at);
    octets = (struct octets){malloc(n > 0 ? n : 1), n};
    HOLDS(octets.p);
    memcpy(octets.p, at, n);
    at += n;
    return octets;
}

static void describe(const struct ulp_kind *kind, void *state, const struct ulp_send *send)
{
    struct ulp_words words = {.text = ""};

    if (!kind->describe(state, send, &words))
        return;
    HOLDS(words.counts_as <= ULP_COUNTS_MAX);
    HOLDS(memchr(words.text, '\0', sizeof words.text) && words.text[0] != '\0');
}

static void try(const struct ulp_kind *kind, const uint8_t *data, size_t size)
{
    static uint64_t state[64];
    struct ulp_signs signs = {0};
    struct octets private_data[2];

    HOLDS(kind->state_size <= sizeof state);
    memset(state, 0, sizeof state);
    at = data;
    end = data + size;
    signs.terms = (struct rdma_terms){.initiator_side = take() % 3 - 1, .from_start = take() & 1};
    signs.port[take() & 1] = kind->port[0];
    for (unsigned side = 0; side < 2; side++) {
        private_data[side] = take_octets();
        if (private_data[side].n > 0)
            signs.data[side] = (struct ulp_private_data){true, private_data[side].p, private_data[side].n};
        if (kind->learn)
            kind->learn(state, side, &signs.data[side]);
    }
    kind->claim(&signs);
    while (at < end && signs.sends < SENDS_MAX) {
        uint8_t flags = take(), more = take();
        struct octets octets = take_octets();
        struct ulp_send send = {.side = flags & 1,
                                .first = flags & 2,
                                .faulty = flags & 4,
                                .p = octets.p,
                                .n = octets.n,
                                .length = octets.n + (flags & 8 ? (uint64_t)more << 24 : more)};

        signs.send = &send;
        signs.sends++;
        kind->claim(&signs);
        describe(kind, state, &send);
        free(octets.p);
    }
    free(private_data[0].p);
    free(private_data[1].p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (unsigned i = 1; ulps[i]; i++)
        try(ulps[i], data, size);
    return 0;
}
