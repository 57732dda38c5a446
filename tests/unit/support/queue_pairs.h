/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two queue pairs and a network between them; or one, with a peer played by hand. */
#ifndef IWARP_TESTS_UNIT_SUPPORT_QUEUE_PAIRS_H
#define IWARP_TESTS_UNIT_SUPPORT_QUEUE_PAIRS_H

#include "tests/unit/support/support.h"
#include "traffic-gen/ends/stack/pair.h"
#include "traffic-gen/ends/stack/queue_pair.h"
#include "wire/octets.h"

#include <glib.h>

enum {
    I,
    R,
    STEPS = 100000,
    REGION = 8192,
    BASE = 0x1000,
    STAG_ALL = 0x10,
    STAG_READ = 0x20,
    STAG_INV = 0x30,
    STAG_NONE = 0x40,
    STAG_FOREIGN = 0x50,
    NO_TERMINATE = -1,
};

struct qp_side {
    struct qp *qp;
    struct memory *memory;
    uint8_t region[REGION];
    bool established, ended, orderly;
    int failed;
    unsigned received, completed, flushed, terminated;
    bool ours;
    struct rdmap_terminate terminate;
    GByteArray *got; /* payloads of messages */
    GString *log;
    uint64_t last_cookie, original;
};

struct qp_ends {
    struct pair *pair;
    struct qp_side side[2];
};

/* For struct qp_events and struct pair_end. */
void qps_terminated(void *ctx, bool ours, const struct rdmap_terminate *terminate);
void qps_receive(void *end, const uint8_t *p, size_t n);
void qps_receive_fin(void *end);

void qps_open_side(struct qp_ends *ends, unsigned number, struct qp_options options);

extern size_t qps_room; /* room reported by the streams */
extern const struct qp_options qps_usual;

void qps_open(struct qp_ends *ends, const struct qp_options *initiator, const struct qp_options *responder);
void qps_run(struct qp_ends *ends);
void qps_close(struct qp_ends *ends);

extern uint64_t qps_cookies[2];

/* Posted with the next cookie. */
bool qps_post(struct qp_ends *ends, unsigned side, struct qp_work work);
void qps_begin(void);

/* FPDUs that side has written, from the index-th on: the ULPDU in out, its length returned; 0: none. */
size_t qps_fpdu(const struct qp_ends *ends, unsigned side, unsigned index, const uint8_t **out);
unsigned qps_fpdu_count(const struct qp_ends *ends, unsigned side);

/* ---- octets by hand ---- */

/* A Responder in full operation, with a peer played by hand. */
void qps_open_responder(struct qp_ends *ends, const struct qp_options *options);
void qps_say(struct qp_ends *ends, const uint8_t *ulpdu, size_t n);
size_t qps_say_hex(struct qp_ends *ends, const char *text, uint8_t *ulpdu, size_t size);

#define SEND_1       "4143 00000000 00000000 00000001 00000000"
#define READ_1       "4141 00000000 00000001 00000001 00000000"
#define ATOMIC_1     "414a 00000000 00000001 00000001 00000000"
#define SINK         "00000099 0000000000000000"
#define FETCH_ADD(w) "00000000 00000007 " w " 0000000000000001 [8] [8] ffffffffffffffff"

/* The Terminate in the last FPDU of side R, about the ULPDU p[0..n). */
void qps_check_terminate(const struct qp_ends *ends, unsigned cause, const char *mdr, const uint8_t *p, size_t n);

#endif
