/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is expected of a device, as verdicts. This room also finds out what a device is like before the first case
 * (learn_device.h), how it shows life (life.h), and whether it is alive (alive.h).
 */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_EXPECT_EXPECT_H
#define IWARP_TRAFFIC_TESTER_SUITE_EXPECT_EXPECT_H

#include "traffic-gen/tester/suite/expect/life.h"

/* etype, code: EXPECTED_ANY: any. The layer is always named: another layer could not have found the error. */
struct expected_reason {
    unsigned layer, etype, code;
};

enum { EXPECTED_REASONS = 4, EXPECTED_ANY = 256 };

struct expected_terminate {
    struct expected_reason reason[EXPECTED_REASONS]; /* allowed reasons */
    unsigned reasons;                                /* at least 1 */
    bool or_close;                                   /* a FIN or RST without a Terminate is allowed too */
    bool close_open;                                 /* such a FIN or RST is inconclusive (any ULP may close) */
    bool other_open;                                 /* another Terminate is inconclusive: it may have another reason */
    bool silence_open;                               /* silence is inconclusive */
    uint8_t served;       /* an FPDU with this opcode proves that the faulty request was served; 0: none */
    size_t served_octets; /* with at least this many octets of payload */
};

/*
 * Waits up to T_react for a Terminate and skips other FPDUs. Passes with an allowed Terminate; fails with another one,
 * with proof that the faulty request was served, or when the connection is alive at the end.
 */
void expect_terminate(struct talk *talk, const struct expected_terminate *expected);
/* The same for the last event: a Terminate, a FIN or RST, or silence. */
void expect_end(struct talk *talk, const struct expected_terminate *expected);
/* Expects the DUT to end the connection within that time, whatever it sends before. */
void expect_device_close(struct talk *talk, int64_t ns);
/* Whether the Terminate has one of these reasons. */
bool expect_has_reason(const struct rdmap_terminate *terminate, const struct expected_reason *reasons, unsigned n);

/*
 * Checks that the DUT accepts an oddity and continues. say() opens a connection, starts it and sends the stimulus: with
 * the oddity, or without it for comparison. False: nothing can be judged. alive() asks whether the DUT continues; NULL:
 * life_probe(). Passes when it continues. If it does not, the comparison decides: failed when the DUT continues there,
 * else inconclusive.
 */
typedef bool expect_stimulus(struct talk *talk, const struct suite_case *row, bool odd);
typedef enum life expect_alive(struct talk *talk, const struct suite_case *row);
void expect_taken(struct talk *talk, const struct suite_case *row, expect_stimulus *say, expect_alive *alive);
/* talk_start() with an odd frame: true when it was sent, whatever happened then. */
bool expect_start_oddly(struct talk *talk, const struct talk_wish *wish);

#endif
