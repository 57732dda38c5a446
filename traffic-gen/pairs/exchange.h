/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Octets to the device and back: that a connection does what its start-up says. */
#ifndef IWARP_TRAFFIC_PAIRS_EXCHANGE_H
#define IWARP_TRAFFIC_PAIRS_EXCHANGE_H

#include "traffic-gen/pairs/model.h"

enum { EXCHANGE_MAX = 4096 };

/* What may be asked on this connection. */
struct exchange {
    bool echo;  /* a Send comes back */
    bool reads; /* Reads are answered */
};

/*
 * Sends n octets, at most EXCHANGE_MAX, that are drawn by `seed`, and compares what comes back: an echo, or what a
 * Write left in the device's memory. False: the verdict is set, failed by `rule` when nothing comes, or by DDP's when
 * it is something else. words: of the first message. *what: in words, for the verdict; NULL: the device offers neither.
 */
bool exchange_octets(struct talk *talk, const struct exchange *may, size_t n, const char *words, enum rule_id rule,
                     const char **what);

/*
 * With CRC in use, an FPDU with a wrong CRC as the last of the connection is not served (RFC 5044 sections 7.1.1 and
 * 8). False: the verdict is set.
 */
bool exchange_bad_crc(struct talk *talk, const struct exchange *may);

#endif
