/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the claims of guests have in common: see struct ulp_signs. */
#ifndef IWARP_ENGINE_RDMA_ULP_SIGNS_H
#define IWARP_ENGINE_RDMA_ULP_SIGNS_H

#include "engine/rdma/ulp.h"

/* One side uses a well-known port of the kind, and the other does not. */
bool ulp_signs_port(const struct ulp_signs *signs, const struct ulp_kind *kind);
/* The private data of whoever opened the connection, and of the other side; NULL: not captured, or none. */
const struct ulp_private_data *ulp_signs_request(const struct ulp_signs *signs);
const struct ulp_private_data *ulp_signs_reply(const struct ulp_signs *signs);
/* The latest Send is the very first one of the side that opened the connection. */
bool ulp_signs_opening(const struct ulp_signs *signs);
/* So many Sends were of the kind's form that this is no chance any more. */
bool ulp_signs_enough(const struct ulp_signs *signs, const struct ulp_kind *kind);

bool ulp_all_zero(const uint8_t *p, size_t n);

/* The side that speaks to a well-known port of any kind; 0 when neither or both do. */
unsigned ulp_presumed_opener(const struct ulp_kind *const *kinds, const uint16_t port[2]);

/* What is called "code" in a protocol; ended by {0, NULL}. */
struct ulp_name {
    uint8_t code;
    const char *name;
};
/* NULL: it has no name. */
const char *ulp_name(const struct ulp_name *names, uint8_t code);

#endif
