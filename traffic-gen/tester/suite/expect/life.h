/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signs of life. Devices show in different ways that they work: most answer a zero-length Read, some serve no Reads and
 * only echo, or only speak RPC, and some services show nothing but TCP. So the sign is learned before the first case,
 * on connections without errors, and no case waits for a sign that the device never gave.
 */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_EXPECT_LIFE_H
#define IWARP_TRAFFIC_TESTER_SUITE_EXPECT_LIFE_H

#include "traffic-gen/tester/suite/talk/talk.h"

enum { LIFE_AT_ONCE_TRIES = 8 }; /* some devices occasionally lose octets that arrive right after the Reply */

enum life {
    LIFE_ANSWERS, /* with its learned sign */
    LIFE_STAYS, /* has only TCP's sign: all is acknowledged, and for T_react it neither closes nor sends a Terminate */
    LIFE_MUTE,  /* no sign, or its TCP does not acknowledge */
    LIFE_TERMINATE,   /* talk_last() */
    LIFE_CLOSED,      /* FIN or RST */
    LIFE_GARBAGE,     /* octets that are not an FPDU, or an FPDU with a wrong CRC */
    LIFE_NOT_STARTED, /* no full operation */
};
/*
 * Waits for the answer: LIFE_ANSWERS, or what came instead; skips other FPDUs. SIGN_TCP: any FPDU except a Terminate.
 */
enum life life_await(struct talk *talk, enum talk_sign sign, int64_t ns);
/* Asks for this DUT's sign, without a verdict. */
enum life life_probe(struct talk *talk);
/*
 * Whether the device refuses M = 1 on a fresh connection without other errors, by a rejecting Reply, a Terminate or a
 * close: then M = 1 may be the reason for any refusal.
 */
bool life_refuses_markers(const struct talk *beside);
static inline bool life_good(enum life life)
{
    return life == LIFE_ANSWERS || life == LIFE_STAYS;
}
/* A description that includes talk_last(). Valid as talk_describe(). */
const char *life_words(struct talk *talk, enum life life);

/*
 * Finds run->sign and run->signs, on a connection in full operation and on others that it opens. If the DUT needs a
 * pause after its Reply, it gets one from then on (run->t_settle), unless the user has set it.
 */
enum talk_sign life_learn_sign(struct talk *talk);

#endif
