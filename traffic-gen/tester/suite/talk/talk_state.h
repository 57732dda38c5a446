/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The talker's state, for files that make talkers, carry their connections, or look at their results. */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_TALK_TALK_STATE_H
#define IWARP_TRAFFIC_TESTER_SUITE_TALK_TALK_STATE_H

#include "traffic-gen/tester/suite/result/result.h"
#include "traffic-gen/tester/suite/talk/talk_connection.h"
#include "traffic-gen/tester/suite/talk/talk_run.h"
#include "traffic-gen/tester/suite/talk/talk_transcript.h"

enum { TALK_FRAME_ROOM = 2048 };

struct talk {
    struct talk_run *run;
    const struct suite_case *row; /* NULL: a connection for learning the DUT */
    struct case_result *result;
    int64_t began, deadline; /* monotonic, nanoseconds */
    unsigned longer;         /* factor for its waits for reactions */
    bool sure;               /* silences must be certain (traffic-gen/tester/suite/transport/patience.h) */
    uint64_t received_all;   /* of all connections */
    struct talk_next next;
    struct talk_wait wait;
    struct talk_connection connection;
    /* Start-up. */
    struct {
        bool known;
        struct mpa_startup frame;
        uint8_t octets[TALK_FRAME_ROOM];
        size_t n;
    } startup[2]; /* by enum watch_side */
    bool operating, at_once;
    struct mpa_fpdu_scratch *scratch;
    struct advert advert;
    struct talk_saying saying;
    struct talk_transcript transcript;
};

/* longer: 1, or more when a case is repeated. */
void talk_init(struct talk *talk, struct talk_run *run, const struct suite_case *row, unsigned longer,
               struct case_result *result);
/* Ends the connection, if any, in order, and collects the engine's findings. */
void talk_hang_up(struct talk *talk);
void talk_clear(struct talk *talk);
/* Collects the engine's findings so far, for a case that leaves its connection to another case. */
void talk_take_findings(struct talk *talk);
/* Copies the members of the case: those that no connection has. */
void talk_take_case(struct talk *to, const struct talk *from);
/* Ends the connection, and prepares the talker for a new one. */
void talk_renew(struct talk *talk);
/* How long to wait for a connection: to a Responder, from an Initiator. */
int64_t talk_connect_time(const struct talk *talk);
int64_t talk_accept_time(const struct talk *talk);
/* The pause of an Initiator between the Reply and its first FPDU. */
int64_t talk_settle_time(const struct talk *talk);
/* Whether the sign can be requested on this connection, and whether this is the answer. */
bool talk_can_ask(const struct talk *talk, enum talk_sign sign);
bool talk_is_sign(const struct talk *talk, enum talk_sign sign, const struct talk_heard *heard);
/* Adds a line to the ladder. octets may be NULL. */
void talk_note(struct talk *talk, bool ours, const uint8_t *octets, size_t n, const char *caption);
/* The DUT's start-up frame: for talk_frame() and talk->advert. */
void talk_keep_frame(struct talk *talk, const struct talk_heard *heard);
/* Opcodes for full operation that our side, or the DUT, uses. */
const struct mpa_framing *talk_framing(const struct talk *talk, bool ours);
/* As Initiator: sends an RTR of one of these types (enum mpa_rtr). */
void talk_send_rtr(struct talk *talk, unsigned types);

#endif
