/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cases whose row says what is sent (struct suite_case, says): functions for their rows, and parts of functions that do
 * more.
 *
 * The row holds statements (talk_say()). What is in parentheses is odd or wrong: the comparison leaves it out, and has
 * what is in brackets instead: "send (op=12)", "write region=(read-only)[all]". Before the others may be
 * "with WORD...", about the start-up and what follows it:
 *
 *   no-crc crc markers   in our frame (struct talk_wish)
 *   need-no-crc          not applicable when the DUT insists on CRC; need-crc: when CRC is not in use
 *   marker               not applicable when the DUT asks for no Markers; the next FPDU has one inside
 *   first                our first FPDU is one of the statements
 *   pieces               our frame in three segments; octets: in segments of one octet
 *   late, halves         our frame after a pause; half of it, a pause, and the rest
 *   receives=0           the DUT is asked to post no Receives
 *   mpa....              changes our frame; then the DUT need not go along
 */
#ifndef IWARP_TRAFFIC_SUITE_CASES_SUITE_ROWS_H
#define IWARP_TRAFFIC_SUITE_CASES_SUITE_ROWS_H

#include "traffic-gen/suite/talk/talk.h"

/* ---- functions of rows ---- */

/* It must be accepted: answered with row->served if there is such an answer, or with that to "ask". */
void row_taken(struct talk *talk, const struct suite_case *row);
/*
 * Refused for a reason that row->expected names ("Terminate 1/1/00, or a close"): with another one the refusal
 * may be about something else, and is inconclusive. It is a refusal only if the device continues when nothing is wrong.
 */
void row_refused(struct talk *talk, const struct suite_case *row);
/* The rule is about the reason: with another one it fails; a close without a Terminate is inconclusive. */
void row_refused_with_code(struct talk *talk, const struct suite_case *row);

/* It must not be served: fails only then. */
void row_not_served(struct talk *talk, const struct suite_case *row);

/* ---- parts ---- */

/* Starts a connection and says it; false: nothing that could be judged came of it. Of type talk_stimulus. */
bool row_say(struct talk *talk, const struct suite_case *row, bool odd);
/* Says it, without its "with", on a connection that has been started. */
bool row_say_rest(struct talk *talk, const struct suite_case *row, bool odd);
/* For talk_expect_taken(): the answer with row->served. */
enum talk_life row_await(struct talk *talk, const struct suite_case *row);

/* The next Terminate, FIN or RST within ns, or the silence; other FPDUs are passed over. */
const struct talk_heard *hear_end(struct talk *talk, int64_t ns);
/* The refusal that row->expected names; fails if the device proves, with row->served, that it served the request. */
void expect_refusal(struct talk *talk, const struct suite_case *row);
/* The same of what was heard last. */
void judge_refusal(struct talk *talk, const struct suite_case *row);
/* The same, and fails with a Terminate for another reason. */
void expect_code(struct talk *talk, const struct suite_case *row);
/* After a refusal that passes: inconclusive if the device does not continue without what is odd in the row, either. */
void row_compare_refusal(struct talk *talk, const struct suite_case *row);
bool needs_crc(struct talk *talk); /* false: verdict is set */
/* The sign that can be asked for on this connection. SIGN_TCP: verdict is set (not applicable). */
enum talk_sign needs_question(struct talk *talk);
/* Sends zero-length Writes until the next one has a Marker inside. False: verdict is set. */
bool reach_marker(struct talk *talk);

#endif
