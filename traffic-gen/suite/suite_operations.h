/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of suites ddp, rdmap and rdmapx share: faulty segments, and the reactions that are due. */
#ifndef IWARP_TRAFFIC_SUITE_SUITE_OPERATIONS_H
#define IWARP_TRAFFIC_SUITE_SUITE_OPERATIONS_H

#include "traffic-gen/suite/talk.h"

enum { OPERATION_OCTETS = 64 /* of a message that fits any buffer of the DUT */ };

/* A Send of OPERATION_OCTETS octets, not yet sent. */
struct ddp_segment operation_send(struct talk *talk);
/* A Write of so many octets (at most 1024) to the region, `at` octets from its start. False: verdict is set. */
bool operation_write(struct talk *talk, struct ddp_segment *out, enum advert_region region, int64_t at, size_t n);
/* A Read Request into our sink; payload has room for RDMAP_READ_REQUEST_LEN octets and lives as long as *out. */
void operation_read(struct talk *talk, struct ddp_segment *out, uint8_t *payload, uint32_t stag, uint64_t to,
                    uint32_t size);

/* The next Terminate, FIN or RST within ns, or the silence; other FPDUs are passed over. */
const struct talk_heard *operation_hear_end(struct talk *talk, int64_t ns);
/* The DUT ends the connection without a Terminate: ours has already ended the stream. */
void operation_expect_end(struct talk *talk);

/*
 * Cases that share a function: what is sent on a connection in full operation, and the refusal that is due. say() with
 * wrong false sends the correct form, for comparison; it returns false when the verdict is set.
 */
struct refusal {
    bool (*say)(struct talk *talk, int what, bool wrong);
    int what;
    struct talk_terminate expected; /* that names the error */
    uint8_t served;                 /* opcode of the answer if it were served; 0: none */
    bool no_receives;               /* the DUT is asked to post none */
};
/* Only this Terminate passes; a close without one is inconclusive. */
void operation_refusal(struct talk *talk, const struct refusal *refusal);
/*
 * Any refusal passes. A close without a Terminate is one only if the device continues when nothing is wrong: the ULP
 * may close at any time.
 */
void operation_refused(struct talk *talk, const struct refusal *refusal);
/* Only this Terminate passes; with another one the refusal may have another reason: inconclusive. */
void operation_refused_for(struct talk *talk, const struct refusal *refusal);
/* Starts a connection and makes a Send, to be changed into something that must be accepted. For talk_expect_taken(). */
bool operation_start_send(struct talk *talk, struct ddp_segment *out);

#endif
