/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chooses a connection's kind of guest: see engine/rdma/ulp.h. Keeps copies of the events that a guest chosen later
 * must still receive.
 */
#ifndef IWARP_ENGINE_RDMA_ULP_CHOICE_H
#define IWARP_ENGINE_RDMA_ULP_CHOICE_H

#include "engine/rdma/ulp.h"

struct ulp_choice;

/*
 * kinds: at most ULP_KINDS_MAX, ended by NULL, the presumed one first. NULL: there is only one kind, or memory is
 * lacking.
 */
struct ulp_choice *ulp_choice_new(const struct ulp_kind *const *kinds, struct arena *arena);

void ulp_choice_ports(struct ulp_choice *choice, const uint16_t port[2]);
void ulp_choice_terms(struct ulp_choice *choice, const struct rdma_terms *terms);
void ulp_choice_skipped(struct ulp_choice *choice, unsigned side);

/* Returns the kind that is now certain, or NULL. Call it before the presumed guest receives the event. */
const struct ulp_kind *ulp_choice_private_data(struct ulp_choice *choice, const struct rdma_private_data *data);
const struct ulp_kind *ulp_choice_part(struct ulp_choice *choice, const struct rdma_part *part);
/* Passes the private data and Sends so far, including this event, to the new kind's guest. */
void ulp_choice_introduce(const struct ulp_choice *choice, const struct ulp_kind *kind, void *guest);

/* Only the presumed kind is still possible. */
bool ulp_choice_closed(const struct ulp_choice *choice);

struct ulp_private_data ulp_private_data_of(const struct rdma_private_data *data);

#endif
