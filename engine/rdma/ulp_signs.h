/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the claims of guests: see struct ulp_signs. */
#ifndef IWARP_ENGINE_RDMA_ULP_SIGNS_H
#define IWARP_ENGINE_RDMA_ULP_SIGNS_H

#include "engine/rdma/ulp.h"

/* One side uses a well-known port of the kind, and the other does not. */
bool ulp_signs_port(const struct ulp_signs *signs, const struct ulp_kind *kind);
/* The private data of the side that opened the connection, and of the other side; NULL: not captured, or none. */
const struct ulp_private_data *ulp_signs_request(const struct ulp_signs *signs);
const struct ulp_private_data *ulp_signs_reply(const struct ulp_signs *signs);
/* The latest Send is the first of the side that opened the connection. */
bool ulp_signs_opening(const struct ulp_signs *signs);
/* Enough Sends had the kind's form to exclude chance. */
bool ulp_signs_enough(const struct ulp_signs *signs, const struct ulp_kind *kind);

bool ulp_all_zero(const uint8_t *p, size_t n);

/*
 * The side that presumably opened the connection: the one whose peer uses a well-known port of any kind; 0 when neither
 * side or both have such a peer.
 */
unsigned ulp_presumed_opener(const struct ulp_kind *const *kinds, const uint16_t port[2]);

/* A "code" of a protocol and its name; lists end with {0, NULL}. */
struct ulp_name {
    uint8_t code;
    const char *name;
};
/* NULL: the code has no name. */
const char *ulp_name(const struct ulp_name *names, uint8_t code);

#endif
