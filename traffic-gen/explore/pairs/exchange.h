/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sends octets to the device and back: shows that a connection works as its start-up says. */
#ifndef IWARP_TRAFFIC_EXPLORE_PAIRS_EXCHANGE_H
#define IWARP_TRAFFIC_EXPLORE_PAIRS_EXCHANGE_H

#include "traffic-gen/explore/pairs/model.h"

enum { EXCHANGE_MAX = 4096 };

/* The device's answers on this connection, as its start-up says. */
struct exchange {
    bool echo;             /* a Send comes back */
    bool reads;            /* Reads are answered */
    bool no_ord;           /* we may send no Reads */
    unsigned at_once;      /* as many Reads at once must be answered */
    enum rule_id ird_rule; /* broken if they are not */
};

/*
 * Sends random octets and compares the octets that come back: an echo, or a Read after a Write into the device's
 * memory; then the Reads at once, and an FPDU with a wrong CRC if CRC is in use, which must not be served (RFC 5044
 * sections 7.1.1 and 8). Sets the verdict: passed, with `accepted` first, or failed, by `rule` if nothing comes back.
 */
void exchange_by_terms(struct talk *talk, const struct exchange *may, enum rule_id rule, const char *accepted);

/*
 * Receives a whole message with that opcode; its octets have to be these (NULL: any). what: "an answer to the Read".
 * sink: where its first segment has to go; NULL: not checked. False: the verdict is set, failed by `rule` if nothing
 * comes, or by DDP's rule if other octets do.
 */
struct exchange_sink {
    uint32_t stag;
    uint64_t to;
};
bool exchange_hear(struct talk *talk, enum rdmap_opcode opcode, const uint8_t *octets, size_t n, const char *what,
                   const struct exchange_sink *sink, enum rule_id rule);

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

#endif
