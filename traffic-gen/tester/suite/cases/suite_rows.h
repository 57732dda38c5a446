/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cases whose row says what is sent (struct suite_case, says): functions for their rows, and parts of functions that do
 * more.
 *
 * The row holds statements (talk_say()). Words in parentheses are odd or wrong: the comparison leaves them out, and has
 * the words in brackets instead: "send (op=12)", "write region=(read-only)[all]". Before the others may be "with
 * WORD...", about the start-up and what follows it:
 *
 *   no-crc crc markers   in our frame (struct talk_wish)
 *   need-no-crc          not applicable when the DUT insists on CRC; need-crc: when CRC is not in use
 *   marker               not applicable when the DUT asks for no Markers; the next FPDU has one inside
 *   first                our first FPDU is one of the statements
 *   only                 the start-up ends with the frames: the case itself handles all FPDUs
 *   frame                only our frame is sent; the start-up may not be over
 *   enhanced, rev=1, revision-0  our Request is of revision 2 with S = 1; of revision 1; of revision 0
 *   rtr-send, rtr-write, rtr-read  peer-to-peer with an RTR of that type, which the statements send
 *   bad-ord, bad-rtr, bad-model  of `frame`: our Reply contradicts the device's enhanced Request
 *   reject, reject-data  the DUT's ULP is asked to reject; with private data of its own
 *   empty-reads          not applicable when the DUT is not known to answer zero-length Reads
 *   reads                not applicable when the DUT is not known to answer Reads
 *   try                  the operation whose answer has the opcode row->served is tried first
 *   at-once, pause       no pause after the Reply; a pause before the statements
 *   may-reject           the device's ULP may reject our frame
 *   invalidate           the device has accepted a Send with Invalidate of its memory
 *   settled              what is due after the start-up has been received
 *   pieces               our frame in three segments; octets: in segments of one octet
 *   late, halves         our frame after a pause; half of it, a pause, and the rest
 *   receives=0           the DUT is asked to post no Receives
 *   mpa....              changes our frame; then the DUT need not go along
 */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_CASES_SUITE_ROWS_H
#define IWARP_TRAFFIC_TESTER_SUITE_CASES_SUITE_ROWS_H

#include "traffic-gen/tester/suite/cases/suite_words.h"
#include "traffic-gen/tester/suite/expect/expect.h"
#include "traffic-gen/tester/suite/talk/talk.h"

/* Facts about the device's reaction, for the row's lines. */
struct reaction {
    unsigned facts;               /* set of the word's conditions */
    bool is_terminate;            /* the device has sent a Terminate, */
    struct rdmap_terminate meant; /* this one */
    const char *found;            /* in words */
};

/* The first line that holds gives the verdict. NULL: there is none. */
const struct suite_verdict *verdict_by_lines(struct talk *talk, const struct suite_case *row,
                                             const struct reaction *reaction);

/* Starts a connection and says the row's statements; false: the outcome cannot be judged. Of type expect_stimulus. */
bool row_say(struct talk *talk, const struct suite_case *row, bool odd);
/* Says the row's statements, without "with", on a connection that has been started. */
bool row_say_rest(struct talk *talk, const struct suite_case *row, bool odd);
/* For expect_taken(): the answer with row->served. */
enum life row_await(struct talk *talk, const struct suite_case *row);

/* The next Terminate, FIN or RST within ns, or the silence; other FPDUs are passed over. */
const struct talk_heard *hear_end(struct talk *talk, int64_t ns);
/* Reads "1/2/03", with a star for any code, or for any type and code. Returns the rest of the text; NULL: not a reason.
 */
const char *read_reason(const char *text, struct expected_reason *reason);
/* The refusal that row->expected names; fails if the device proves, with row->served, that it served the request. */
void expect_refusal(struct talk *talk, const struct suite_case *row);
/* The same for the last message heard. */
void judge_refusal(struct talk *talk, const struct suite_case *row);
/* After a refusal that passes: inconclusive if the device does not continue without the odd part of the row, either. */
void row_compare_refusal(struct talk *talk, const struct suite_case *row);
bool needs_crc(struct talk *talk); /* false: verdict is set */
/* The sign that can be asked for on this connection. SIGN_TCP: verdict is set (not applicable). */
enum talk_sign needs_question(struct talk *talk);
/* Tries the operation whose answer has the opcode row->served. False: verdict is set. */
bool row_try(struct talk *talk, const struct suite_case *row);
/* Sends zero-length Writes until the next one has a Marker inside. False: verdict is set. */
bool reach_marker(struct talk *talk);

#endif
