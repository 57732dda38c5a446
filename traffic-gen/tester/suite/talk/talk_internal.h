/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that only the parts of the talker call: connection and octets (talk.c), start-up, sending, receiving. */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_TALK_TALK_INTERNAL_H
#define IWARP_TRAFFIC_TESTER_SUITE_TALK_TALK_INTERNAL_H

#include "traffic-gen/tester/suite/talk/talk_state.h"

/* Begins and ends the conversation of a connection. */
void talk_begin_saying(struct talk *talk);
void talk_end_saying(struct talk *talk);
enum role talk_role(const struct talk *talk); /* ours */
/* The statement that asks for the sign, without the side; "": none. Sets the payload for it. */
const char *talk_question(struct talk *talk, enum talk_sign sign);
/* Waits for octets, FIN or RST of the DUT until `until`. False when nothing came. */
bool talk_receive(struct talk *talk, int64_t until);
/* Notes what was received as an answer, unless it is due (talk_mark()). caption: a description. */
void talk_note_answer(struct talk *talk, const char *caption);
/*
 * A usual start-up failed. closed: the device ended the connection. If our side has said nothing odd, this counts as a
 * close where the device has to go on.
 */
void talk_note_refusal(struct talk *talk, bool closed);
/* Describes octets of one side. */
void talk_caption(const struct talk *talk, bool ours, const uint8_t *p, size_t n, GString *out);

#endif
