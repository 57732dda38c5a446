/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Segments chosen by a case, on our own TCP (NEED_WIRE): octets written while the stream is held stay unsent, and leave
 * only in the segments that are put. Offsets are those of talk_out_offset().
 */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_TALK_TALK_WIRE_H
#define IWARP_TRAFFIC_TESTER_SUITE_TALK_TALK_WIRE_H

#include "traffic-gen/live/wire/wire.h"
#include "traffic-gen/tester/suite/talk/talk.h"

/* Holds the stream once all earlier octets are acknowledged. False: they are not, or the connection is over. */
bool talk_hold(struct talk *talk);
/* Releases the stream: TCP sends all unacknowledged octets. */
void talk_let_go(struct talk *talk);
/* The ladder shows `what`: "octets 3-9 again". */
void talk_put(struct talk *talk, const struct wire_put *put, const char *what);
/* Waits at most T_react until the device has acknowledged all octets before that offset. */
bool talk_await_ack(struct talk *talk, uint64_t offset);
/* Sends an ICMP message: the path to us takes packets of at most mtu octets from now on. */
void talk_narrow(struct talk *talk, uint16_t mtu);

#endif
