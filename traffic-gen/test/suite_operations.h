/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of suites ddp, rdmap and rdmapx share: segments with something wrong, and what has to follow. */
#ifndef IWARP_TRAFFIC_TEST_SUITE_OPERATIONS_H
#define IWARP_TRAFFIC_TEST_SUITE_OPERATIONS_H

#include "traffic-gen/test/talk.h"

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
/* The DUT does not take what was sent last: a Terminate of any kind, FIN or RST within T_react. */
void operation_expect_refusal(struct talk *talk);
/* The DUT ends the connection, and says no Terminate: the peer's has ended the stream already. */
void operation_expect_end(struct talk *talk);

/*
 * Rows that share a function: what is said, and the Terminate that answers it. refused: any refusal will do, else the
 * Terminate has to be this one; a close without any is then inconclusive.
 */
struct refusal {
    void (*say)(struct talk *talk, int what);
    int what;
    bool refused;
    struct talk_terminate expected;
    bool no_receives; /* the DUT is asked to post none */
};
void operation_refusal(struct talk *talk, const struct refusal *refusal);
/* The same, and any refusal will do. */
void operation_refused(struct talk *talk, const struct refusal *refusal);

#endif
