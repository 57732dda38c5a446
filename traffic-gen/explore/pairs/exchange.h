/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sends octets to the device and back: shows that a connection works as its start-up says. */
#ifndef IWARP_TRAFFIC_EXPLORE_PAIRS_EXCHANGE_H
#define IWARP_TRAFFIC_EXPLORE_PAIRS_EXCHANGE_H

#include "traffic-gen/explore/pairs/model.h"

enum { EXCHANGE_MAX = 4096 };

/* The device's answers on this connection. */
struct exchange {
    bool echo;  /* a Send comes back */
    bool reads; /* Reads are answered */
};

/*
 * Sends n random octets (from `seed`), at most EXCHANGE_MAX, and compares the octets that come back: an echo, or a Read
 * after a Write into the device's memory. False: the verdict is set, failed by `rule` when nothing comes back, or by
 * DDP's rule when other octets do. words: for the first message. *what: a description for the verdict; NULL: the device
 * offers neither.
 */
bool exchange_octets(struct talk *talk, const struct exchange *may, size_t n, const char *words, enum rule_id rule,
                     const char **what);

/*
 * Receives a whole message with that opcode; its octets have to be these (NULL: any). what: "an answer to the Read".
 * sink: where its first segment has to go; NULL: not checked. False: the verdict is set, as above.
 */
struct exchange_sink {
    uint32_t stag;
    uint64_t to;
};
bool exchange_hear(struct talk *talk, enum rdmap_opcode opcode, const uint8_t *octets, size_t n, const char *what,
                   const struct exchange_sink *sink, enum rule_id rule);

/* Sends n Reads of no octets at once, at most 16; all must be answered. False: the verdict is set, failed by `rule`. */
bool exchange_reads(struct talk *talk, unsigned n, enum rule_id rule);
/* Asks the device for a sign of life. False: the verdict is set, failed by `rule`. */
bool exchange_goes_on(struct talk *talk, enum rule_id rule);

/* Waits for the end of the connection, an answer of this kind, or silence for T_react. */
const struct talk_heard *exchange_hear_end(struct talk *talk, enum rdmap_opcode answer);
bool exchange_is_refusal(const struct talk_heard *heard);

/*
 * The device has refused the start-up, which this vector requires or allows; flags: of our frame. Passed, unless the
 * device refuses M = 1 alone: then M may be the reason here, and the vector is inconclusive.
 */
void exchange_pass_refusal(struct talk *talk, unsigned flags, const char *what);

/* Draws n octets from `drawn`. */
void exchange_draw(uint32_t drawn, uint8_t *octets, size_t n);

/*
 * With CRC in use, sends an FPDU with a wrong CRC as the last of the connection, which must not be served (RFC 5044
 * sections 7.1.1 and 8). False: the verdict is set.
 */
bool exchange_bad_crc(struct talk *talk, const struct exchange *may);

#endif
