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
 * Hears a message with that opcode, whole: the octets have to be these (NULL: any). what: "an answer to the Read".
 * sink: where its first segment has to go; NULL: not judged. False: the verdict is set, as above.
 */
struct exchange_sink {
    uint32_t stag;
    uint64_t to;
};
bool exchange_hear(struct talk *talk, enum rdmap_opcode opcode, const uint8_t *octets, size_t n, const char *what,
                   const struct exchange_sink *sink, enum rule_id rule);

/* So many Reads of no octets at once, at most 16, are all answered. False: the verdict is set, failed by `rule`. */
bool exchange_reads(struct talk *talk, unsigned n, enum rule_id rule);
/* The device gives its sign of life. False: the verdict is set, failed by `rule`. */
bool exchange_goes_on(struct talk *talk, enum rule_id rule);

/* What ends the connection; such an answer, if that comes first; or the silence, T_react at most. */
const struct talk_heard *exchange_hear_end(struct talk *talk, enum rdmap_opcode answer);
bool exchange_is_refusal(const struct talk_heard *heard);

/*
 * What was heard last refuses the start-up, as this vector has to be or may be refused; flags: of our frame. Passed,
 * unless the device refuses M = 1 alone: then it may do so here for that, and the vector is inconclusive.
 */
void exchange_pass_refusal(struct talk *talk, unsigned flags, const char *what);

/* Draws n octets by `drawn`. */
void exchange_draw(uint32_t drawn, uint8_t *octets, size_t n);

/*
 * With CRC in use, an FPDU with a wrong CRC as the last of the connection is not served (RFC 5044 sections 7.1.1 and
 * 8). False: the verdict is set.
 */
bool exchange_bad_crc(struct talk *talk, const struct exchange *may);

#endif
