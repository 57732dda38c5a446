/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The talker, and functions that only its parts call. No other directory includes this file (scripts/directions). */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_TALK_TALK_INTERNAL_H
#define IWARP_TRAFFIC_TESTER_SUITE_TALK_TALK_INTERNAL_H

#include "traffic-gen/tester/suite/talk/talk_connection.h"
#include "traffic-gen/tester/suite/talk/talk_transcript.h"

struct talk {
    struct talk_job job;
    struct talk_next next;
    /* Of one connection: */
    struct talk_connection connection; /* talk.c, talk_wire.c */
    struct talk_startup startup;       /* talk_startup.c */
    struct talk_saying saying;         /* talk_say.c, talk_sign.c */
    struct talk_transcript transcript; /* talk_hear.c, talk_answer.c */
};

/* Begins and ends the conversation of a connection. */
void talk_begin_saying(struct talk *talk);
void talk_end_saying(struct talk *talk);
enum role talk_role(const struct talk *talk); /* ours */
/* The statement that asks for the sign, without the side; "": none. Sets the payload for it. */
const char *talk_question(struct talk *talk, enum talk_sign sign);
bool talk_is_sending(const struct talk *talk); /* octets that are sent now can arrive, but for an earlier FIN */
/* Waits for octets, FIN or RST of the DUT until `until`. False when nothing came. */
bool talk_receive(struct talk *talk, int64_t until);
/* Notes what was received as an answer, unless it is due (talk_mark()). caption: a description. */
void talk_note_answer(struct talk *talk, const char *caption);
/* Describes octets of one side. */
void talk_caption(const struct talk *talk, bool ours, const uint8_t *p, size_t n, GString *out);

#endif
