/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The talker's connections for ports (traffic-gen/tester/suite/rpc/rpc_port.h): other carriers than TCP, and reuse. */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_TALK_TALK_PORT_H
#define IWARP_TRAFFIC_TESTER_SUITE_TALK_TALK_PORT_H

#include "traffic-gen/tester/suite/talk/talk_job.h"

/* Carries an open connection that does not use TCP. */
struct talk_carrier {
    /* Waits until everything sent has reached the device, or the connection is over. */
    bool (*has_arrived)(void *ctx, int64_t until);
    void (*hang_up)(void *ctx); /* also frees the carrier */
    void *ctx;
};

/* The carrier of the connection until talk_hang_up(). */
void talk_carry(struct talk *talk, const struct talk_carrier *carrier);
/* Its ctx; NULL: TCP, or no connection. */
void *talk_carried(const struct talk *talk);
/* The device has ended the carrier's connection: by a FIN, or by a reset. */
void talk_carrier_ended(struct talk *talk, bool in_order);

/* There is no connection, for this value of errno: the verdict is set. */
void talk_cannot_open(struct talk *talk, int error, const char *why);
/* How long to wait for a connection: to a Responder, from an Initiator. */
int64_t talk_connect_time(const struct talk *talk);
int64_t talk_accept_time(const struct talk *talk);

/* Octets of an end of the stack, which makes our start-up frame, too. A start-up as usual is no stimulus. */
void talk_write_of_end(struct talk *talk, const void *p, size_t n, bool is_stimulus);

/* Nothing of this talker's job is left on its connection: another job may go on with it. */
bool talk_may_hand_over(const struct talk *talk);
/* Moves the connection to another talker, whose job stays. */
void talk_hand_over(struct talk *to, struct talk *from);

#endif
