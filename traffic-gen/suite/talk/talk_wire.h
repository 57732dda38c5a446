/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Segments of a case's own choice, on our own TCP (NEED_WIRE): what is written while the stream is held goes into it
 * unsent, and leaves in the segments that are put, and no others. Offsets are those of talk_out_offset().
 */
#ifndef IWARP_TRAFFIC_SUITE_TALK_TALK_WIRE_H
#define IWARP_TRAFFIC_SUITE_TALK_TALK_WIRE_H

#include "traffic-gen/live/wire/wire.h"
#include "traffic-gen/suite/talk/talk.h"

/* Once all that was sent before has been acknowledged. False: it has not been, or the connection is over. */
bool talk_hold(struct talk *talk);
/* Whatever has not been acknowledged is sent as TCP sends it. */
void talk_let_go(struct talk *talk);
/* The ladder says what, in words: "octets 3-9 again". */
void talk_put(struct talk *talk, const struct wire_put *put, const char *what);
/* Waits until the device has acknowledged all before that offset, at most T_react. */
bool talk_await_ack(struct talk *talk, uint64_t offset);
/* Octets of our SYN, of the next connection; the same have to be said first on it. p lives until then. */
void talk_set_early(struct talk *talk, const uint8_t *p, size_t n);
/* The octet of our stream that has sequence number 0 on the next connections; 0: any. */
void talk_wrap_at(struct talk *talk, uint64_t offset);
/* The next connection of an Initiator: we open it, too, before we have seen its SYN. */
void talk_cross(struct talk *talk);
/* The path to us takes packets of no more than mtu octets from now on, says an ICMP message. */
void talk_narrow(struct talk *talk, uint16_t mtu);

#endif
