/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The messages sent and received on the talker's connection. */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_TALK_TALK_TRANSCRIPT_H
#define IWARP_TRAFFIC_TESTER_SUITE_TALK_TALK_TRANSCRIPT_H

#include "traffic-gen/ends/stack/rpc_header.h"
#include "traffic-gen/speak/say/conversation.h"
#include "traffic-gen/tester/suite/talk/talk.h"
#include "traffic-gen/tester/suite/watch/watch.h"

enum { TALK_DESCRIPTION = 512 };

/* Both start-up frames, and what follows from them (talk_startup.c). */
struct talk_startup {
    struct talk_frame_kept {
        bool known;
        struct mpa_startup frame;
        uint8_t octets[TALK_FRAME_ROOM];
        size_t n;
    } frame[2]; /* by enum watch_side */
    struct advert advert;
    bool operating, at_once;
};

/* Our side of a conversation (talk_say.c): framing, CRC, MSNs. */
struct talk_saying {
    struct stage *stage;
    struct conversation *said;
    const uint8_t *given; /* payload for the statement; NULL: the usual one */
    size_t given_n;
    bool left_out;                    /* the statement names memory that the device does not advertise */
    uint8_t null_call[RPC_NULL_SEND]; /* for probes */
    uint32_t null_xid;
};

/* Messages of the DUT: talk_hear.c, and talk_answer.c for the members after `due`. */
struct talk_transcript {
    unsigned fpdus, markers;
    struct talk_heard heard;
    struct mpa_fpdu_scratch *scratch;
    char description[TALK_DESCRIPTION];
    struct rdmap_terminate ended_by; /* the DUT's Terminate, by its layout */
    bool has_ended_by;
    /* Since talk_mark(): due messages (a set of enum talk_due); the DUT's Send is incomplete; the answer. */
    unsigned due;
    bool in_pieces;
    char answer[TALK_DESCRIPTION];
};

#endif
