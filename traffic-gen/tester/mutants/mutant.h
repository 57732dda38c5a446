/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mutants: each event becomes a scene, which is passed to the mutant's function. The functions are generated from the
 * `mutant` blocks of the case files in rules/ and from pairs.mutants (rules/mutant_rows.py); mutant_words.def defines
 * the words.
 */
#ifndef IWARP_TRAFFIC_TESTER_MUTANTS_MUTANT_H
#define IWARP_TRAFFIC_TESTER_MUTANTS_MUTANT_H

#include "traffic-gen/ends/stack/mpa_end_internal.h"
#include "traffic-gen/tester/mutants/misbehave.h"
#include "wire/octets.h"

enum mutant_event {
    ON_FRAME,
    ON_FPDU,
    ON_ULPDU,
    ON_MESSAGE,
    ON_PRIVATE_DATA,
    ON_RECEIVED,
    ON_TICK,
    ON_OWN_FRAME,
    ON_OWN_FPDU,
    ON_OWN_OCTETS,
    ON_OWN_TERM,
    ON_OWN_RESULT,
    ON_OWN_HEADER,
    ON_OWN_SEND,
    ON_WORK,
    ON_CLOSE,
};

enum { SCENE_READS = 4, MUTANT_XID = 0x7D000000 };

/* What the mutant does instead of the conforming action. */
enum scene_verdict { AS_DUE, TAKEN, DROPPED, CLOSED, TERMINATED, ANSWERED };

/* The subject of an event: each event fills in what it has, the rest is 0. */
struct scene {
    enum mutant_event event;
    struct mutant *mutant;
    struct mpa_end *mpa;    /* NULL: of an RDMA device */
    const uint8_t *p;       /* the octets for @N and key */
    size_t n;               /* octets of it */
    const uint8_t *ulpdu;   /* of a segment */
    size_t ulpdu_n;         /* octets of it */
    struct ddp_segment ddp; /* of a segment; stag and to also of work, and of the first chunk of a Call */
    struct rdmap_read_request read;
    struct rdmap_atomic_request atomic;
    uint64_t original, left; /* own-result: the returned value, and the current value of the word */
    struct rdmap_terminate terminate;
    struct mpa_startup frame, peer; /* the message of the event; the message that the peer has sent */
    struct rpcrdma_header header;
    struct rpcrdma_private_data pd;
    unsigned error; /* the error, as a Terminate names it; 1 in frames */
    bool more, mute;
    size_t startup, frame_end;   /* octets of the peer's frame so far, and in total */
    size_t rest, pad_at, crc_at; /* of an incomplete FPDU: its octets, and their offset in it */
    uint64_t into_marker, operation_octets;
    /* An FPDU. */
    bool markers;
    uint32_t pad, crc, crc_difference;
    uint8_t pad_length;
    uint16_t marker_reserved, marker_low_bits;
    size_t startup_data; /* octets of a frame of its own after the enhanced data */
    /* RPC-over-RDMA. */
    bool sent, sound, call, invalidate;
    struct rpcrdma_read_segment reads[SCENE_READS];
    uint32_t write0_n, write0_length, reply0_length;
    uint64_t reads_length, reply_length; /* octets in all segments */
    uint32_t rpc_proc, rpc_xid, last;
    size_t rpc_length;
    /* The outcome. */
    enum scene_verdict verdict;
    bool changed;
    unsigned cause;
    enum rpc_end_answer answer;
    GByteArray *send;           /* own-send */
    uint8_t *octets;            /* own-octets */
    size_t octets_size;         /* room in them */
    struct mpa_fpdu_plan *plan; /* own-fpdu */
    struct qp_work *work;       /* work */
};

/* ---- generated from rules/ ---- */

extern const struct misbehaviour mutants[];
extern const unsigned mutant_count;

/* ---- mutant_hooks.c ---- */

/* Whether the first octets match a pattern. An octet or a word of the message; 0 past its end. */
bool scene_key_is(const struct scene *scene, const char *pattern);
uint8_t scene_octet(const struct scene *scene, size_t at);
uint32_t scene_word(const struct scene *scene, size_t at);
/* n octets that are about to be sent, and may be changed; at < 0: counted from the end. Out of range: a dummy. */
uint8_t *scene_sent(struct scene *scene, ptrdiff_t at, size_t n);
/* All connections of the device stay silent (`mute`) for this long. */
void mutant_mute(uint64_t ms);

/* The hooks that a row needs. */
struct mpa_end_spoil mutant_mpa_hooks(const struct misbehaviour *how);
struct qp_spoil mutant_qp_hooks(const struct misbehaviour *how);
struct rpc_end_spoil mutant_rpc_hooks(const struct misbehaviour *how);

/* ---- mutant_say.c: statements ---- */

void mutant_decide(struct scene *scene, enum scene_verdict verdict, enum rpc_end_answer answer);
void mutant_terminate(struct scene *scene, unsigned cause);
void mutant_close(struct scene *scene);
void mutant_reset(struct scene *scene);
void mutant_note(struct scene *scene);
void mutant_keep(struct scene *scene, uint64_t stag, uint64_t len);
void mutant_place(struct scene *scene);
void mutant_operate(struct scene *scene);
void mutant_send(struct scene *scene, struct mutant_octets octets);
void mutant_echo(struct scene *scene, uint64_t from);
void mutant_write(struct scene *scene, uint64_t stag, uint64_t to, uint64_t len);
void mutant_answer_read(struct scene *scene, uint64_t sink, uint64_t sink_to, uint64_t len);
void mutant_call(struct scene *scene, uint64_t xid);
void mutant_reject(struct scene *scene);
void mutant_stream(struct scene *scene, struct mutant_octets octets);
void mutant_replace_ulpdu(struct scene *scene, struct mutant_octets octets);
void mutant_point(struct scene *scene, uint64_t at, uint64_t to);

#endif
