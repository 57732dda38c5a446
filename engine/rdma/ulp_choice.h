/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which kind of guest a connection has, as long as that is open: see engine/rdma/ulp.h. It keeps copies of what a guest
 * must be given that is found later.
 */
#ifndef IWARP_ENGINE_RDMA_ULP_CHOICE_H
#define IWARP_ENGINE_RDMA_ULP_CHOICE_H

#include "engine/rdma/ulp.h"

struct ulp_choice;

/* kinds: at most ULP_KINDS_MAX, ended by NULL, the first one presumed. NULL: it is the only one, or memory is lacking.
 */
struct ulp_choice *ulp_choice_new(const struct ulp_kind *const *kinds, struct arena *arena);

void ulp_choice_ports(struct ulp_choice *choice, const uint16_t port[2]);
void ulp_choice_terms(struct ulp_choice *choice, const struct rdma_terms *terms);
void ulp_choice_skipped(struct ulp_choice *choice, unsigned side);

/* The kind that is certain by now; NULL: none is. Before the presumed guest is given the event. */
const struct ulp_kind *ulp_choice_private_data(struct ulp_choice *choice, const struct rdma_private_data *data);
const struct ulp_kind *ulp_choice_part(struct ulp_choice *choice, const struct rdma_part *part);
/* Then the private data and Sends so far go to its guest, this event included. */
void ulp_choice_introduce(const struct ulp_choice *choice, const struct ulp_kind *kind, void *guest);

/* None other than the presumed kind is possible any more. */
bool ulp_choice_closed(const struct ulp_choice *choice);

struct ulp_private_data ulp_private_data_of(const struct rdma_private_data *data);

#endif
