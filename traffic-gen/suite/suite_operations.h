/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of suites ddp, rdmap and rdmapx share: segments with something wrong, and what has to follow. */
#ifndef IWARP_TRAFFIC_SUITE_SUITE_OPERATIONS_H
#define IWARP_TRAFFIC_SUITE_SUITE_OPERATIONS_H

#include "traffic-gen/suite/talk.h"

enum { OPERATION_OCTETS = 64 /* of a message that has room in any buffer of the DUT */ };

/* A Send of OPERATION_OCTETS octets, not sent yet. */
struct ddp_segment operation_send(struct talk *talk);
/* A Write of so many octets (at most 1024) to the region, at `at` from its first octet; NULL region: verdict is set. */
bool operation_write(struct talk *talk, struct ddp_segment *out, enum advert_region region, int64_t at, size_t n);
/* A Read Request into our sink; payload has room for RDMAP_READ_REQUEST_LEN octets and lives as long as *out. */
void operation_read(struct talk *talk, struct ddp_segment *out, uint8_t *payload, uint32_t stag, uint64_t to,
                    uint32_t size);

/* The next Terminate, FIN or RST within ns, or the silence; other FPDUs are passed over. */
const struct talk_heard *operation_hear_end(struct talk *talk, int64_t ns);
/* The DUT ends the connection, and says no Terminate: the peer's has ended the stream already. */
void operation_expect_end(struct talk *talk);

/*
 * Rows that share a function: what is said on a connection in full operation, and the refusal that has to follow.
 * say() with wrong false says the same as it should be, for comparison; false: verdict is set.
 */
struct refusal {
    bool (*say)(struct talk *talk, int what, bool wrong);
    int what;
    struct talk_terminate expected; /* that names the error */
    uint8_t served;                 /* opcode of what would come if it was taken; 0: nothing comes then */
    bool no_receives;               /* the DUT is asked to post none */
};
/* The Terminate has to be this one; a close without any is inconclusive. */
void operation_refusal(struct talk *talk, const struct refusal *refusal);
/*
 * Any refusal will do. A close without a Terminate is one only if the device goes on when nothing is wrong: the ULP may
 * close at any time.
 */
void operation_refused(struct talk *talk, const struct refusal *refusal);
/* The Terminate has to be this one, or the refusal has another reason: inconclusive. */
void operation_refused_for(struct talk *talk, const struct refusal *refusal);
/* What has to be taken: a Send, or a Write, with something odd about it. For talk_expect_taken(). */
bool operation_start_send(struct talk *talk, struct ddp_segment *out);

#endif
