// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/rdma/ulp_choice.h"

#include "engine/rdma/ulp_sends.h"
#include "wire/invariant.h"

#include <string.h>

struct ulp_choice {
    const struct ulp_kind *const *kinds;
    struct arena *arena;
    unsigned possible; /* set of indices into kinds */
    struct ulp_signs signs;
    struct rdma_private_data data[2]; /* by side; valid with signs.data[].seen */
    struct ulp_sends sends;
    struct ulp_send early[ULP_EARLY_MAX];
    unsigned n_early;
};

struct ulp_choice *ulp_choice_new(const struct ulp_kind *const *kinds, struct arena *arena)
{
    struct ulp_choice *choice = kinds[1] ? arena_zeroed(arena, sizeof *choice) : NULL;

    if (!choice)
        return NULL;
    choice->kinds = kinds;
    choice->arena = arena;
    choice->sends.arena = arena;
    choice->signs.terms.initiator_side = -1;
    for (unsigned i = 1; i < ULP_KINDS_MAX && kinds[i]; i++)
        choice->possible |= 1u << i;
    INVARIANT((choice->possible & 1u) == 0);
    return choice;
}

void ulp_choice_ports(struct ulp_choice *choice, const uint16_t port[2])
{
    memcpy(choice->signs.port, port, sizeof choice->signs.port);
}

void ulp_choice_terms(struct ulp_choice *choice, const struct rdma_terms *terms)
{
    choice->signs.terms = *terms;
}

void ulp_choice_skipped(struct ulp_choice *choice, unsigned side)
{
    ulp_sends_skipped(&choice->sends, side);
}

bool ulp_choice_closed(const struct ulp_choice *choice)
{
    return choice->possible == 0;
}

static const struct ulp_kind *choice_ask(struct ulp_choice *choice)
{
    for (unsigned i = 1; i < ULP_KINDS_MAX && choice->kinds[i]; i++) {
        enum ulp_claim claim;

        if (!(choice->possible & 1u << i))
            continue;
        claim = choice->kinds[i]->claim(&choice->signs);
        if (claim == ULP_CERTAIN)
            return choice->kinds[i];
        if (claim == ULP_NO)
            choice->possible &= ~(1u << i);
    }
    INVARIANT((choice->possible & 1u) == 0);
    return NULL;
}

/* NULL: no octets, or out of memory. */
static const uint8_t *choice_copy(struct ulp_choice *choice, const uint8_t *p, size_t n)
{
    uint8_t *octets = p && n > 0 ? arena_zeroed(choice->arena, n) : NULL;

    if (octets)
        memcpy(octets, p, n);
    return octets;
}

struct ulp_private_data ulp_private_data_of(const struct rdma_private_data *data)
{
    bool any = data->p && data->n > data->of_transport;

    return (struct ulp_private_data){
        .seen = true, .p = any ? data->p + data->of_transport : NULL, .n = any ? data->n - data->of_transport : 0};
}

const struct ulp_kind *ulp_choice_private_data(struct ulp_choice *choice, const struct rdma_private_data *data)
{
    unsigned side = data->place.side & 1u;

    if (choice->signs.data[side].seen) /* sent again */
        return NULL;
    choice->data[side] = *data;
    choice->data[side].p = choice_copy(choice, data->p, data->n);
    choice->data[side].n = choice->data[side].p ? data->n : 0;
    choice->signs.data[side] = ulp_private_data_of(&choice->data[side]);
    INVARIANT(choice->signs.data[side].seen && (choice->data[side].p || choice->data[side].n == 0));
    return choice_ask(choice);
}

const struct ulp_kind *ulp_choice_part(struct ulp_choice *choice, const struct rdma_part *part)
{
    struct ulp_send send;
    const struct ulp_kind *certain;

    if (!ulp_sends_part(&choice->sends, part, choice->signs.terms.from_start, &send))
        return NULL;
    choice->signs.send = &send;
    choice->signs.sends++;
    certain = choice_ask(choice);
    choice->signs.send = NULL;
    INVARIANT(choice->n_early < ULP_EARLY_MAX && send.n <= ULP_HEAD_SIZE);
    if (certain || choice->possible != 0) {
        struct ulp_send *early = &choice->early[choice->n_early];

        *early = send;
        early->p = choice_copy(choice, send.p, send.n);
        early->n = early->p ? send.n : 0;
        choice->n_early++;
    }
    if (choice->n_early == ULP_EARLY_MAX)
        choice->possible = 0;
    INVARIANT(choice->n_early <= ULP_EARLY_MAX && (choice->n_early < ULP_EARLY_MAX || ulp_choice_closed(choice)));
    return certain;
}

void ulp_choice_introduce(const struct ulp_choice *choice, const struct ulp_kind *kind, void *guest)
{
    INVARIANT(choice->n_early <= ULP_EARLY_MAX);
    for (unsigned i = 0; i < 2; i++) {
        /* The private data of the side that opened the connection come first. */
        unsigned side = i ^ (choice->signs.terms.initiator_side == 1);

        if (choice->signs.data[side].seen && kind->private_data)
            kind->private_data(guest, &choice->data[side]);
    }
    for (unsigned i = 0; i < choice->n_early && kind->early; i++)
        kind->early(guest, &choice->early[i]);
}
