/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a talker works for: for files that make talkers, and for cases that depend on the run. */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_TALK_TALK_JOB_H
#define IWARP_TRAFFIC_TESTER_SUITE_TALK_TALK_JOB_H

#include "traffic-gen/tester/suite/talk/talk_run.h"

/* The same on all connections of a talker. */
struct talk_job {
    struct talk_run *run;
    const struct suite_case *row; /* NULL: no case, but a connection beside the cases, such as for learning the DUT */
    struct case_result *result;   /* where the talker writes its verdict, and its ladder */
    int64_t began, deadline;      /* monotonic, nanoseconds */
    unsigned longer;              /* factor for its waits for reactions */
    bool flooded;                 /* more than received_max: the job is over, whatever the device answers to our RST */
    /* The last attempt to open a connection: errno if it failed, 0 if not; the Initiator came before we waited. */
    int open_error;
    bool queued;
    /* For the talker itself. */
    bool sure;         /* silences must be certain (traffic-gen/tester/suite/transport/patience.h) */
    bool waits;        /* talk_wait_to_listen() */
    bool owns_result;  /* it goes with the talker */
    int64_t patience;  /* how long to wait for an Initiator; 0: as long as in the past, plus a margin */
    uint64_t received; /* octets of all connections */
};

/*
 * A talker without a connection. longer: 1, or more when a case is repeated. result: NULL for a talker that has one of
 * its own, which goes with it.
 */
struct talk *talk_begin_job(struct talk_run *run, const struct suite_case *row, unsigned longer,
                            struct case_result *result);
/* Ends the connection, if any, as talk_hang_up() does, and frees the talker. NULL is allowed. */
void talk_end_job(struct talk *talk);
const struct talk_job *talk_job(const struct talk *talk);

/* The deadline is so much later: for waits that do not count as the case's time. */
void talk_extend(struct talk *talk, int64_t ns);
/* For a talker that lasts: no deadline, and octets count from here on. */
void talk_last_on(struct talk *talk);
/* How long to wait for an Initiator (struct talk_job). */
void talk_set_patience(struct talk *talk, int64_t ns);

#endif
