/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mutants as rows of text (blocks `mutant` of the case files in rules/; pairs.mutants), in the words of the script
 * language (traffic-gen/say/script.h):
 *
 *   CASE both|responder|initiator WHAT IT DOES WRONG
 *       with WORD...                            how the device is set up
 *       when EVENT CONDITION... do STATEMENT [and STATEMENT]...
 *
 * Clauses are tried in order, each time that their event comes about; all that hold are carried out.
 *
 * SET-UP. no-crc, markers, mulpdu=N, a=N, rtr=N, data=HEX (Private Data); keep-open (stays when the peer closes),
 *   patient (waits for the rest of an FPDU without end), no-invalidation, accept-all (whatever the suite wishes),
 *   long-calls (a server calls back by Long Calls)
 *
 * EVENTS. Of the peer: `frame` (its Request or Reply has been judged), `fpdu` (so has an FPDU), `ulpdu` (so has a
 *   segment: first before anything else, without an error, and again with each error found); a verb such as `send` or
 *   `read` is a segment of that message without an error; `message` (an RPC-over-RDMA message has come; of a Call with
 *   Read chunks once more, without `sent`, when they are there), `call` and `reply` (a sound one),
 *   `private-data`; `received` (octets of its stream), `tick` (time has passed).
 *   Of the mutant: `own-frame`, `own-fpdu`, `own-octets`, `own-term`, `own-result` (of an Atomic), `own-header` (a
 * Transport header), `own-send` (an RPC-over-RDMA Send), `work` (posted), `close`
 *
 * CONDITIONS. NAME (it is not 0), NAME OP VALUE with one of = != < > <= >= & (any of these bits); ! before it: it does
 *   not hold. VALUE is a number, another NAME, a Terminate such as 1/2/01, or one of `statuses` (mutant_field.c).
 *   NAME is a field (mutant_field.c lists them), @N an octet and @hN a word of the message, key=PATTERN the frame's
 *   first 16 octets, nth how often the conditions before it have held on this connection, this time included.
 *
 * STATEMENTS (mutant_say.c). NAME=N, NAME+N ... change fields of what is about to be sent, or of what was received.
 */
#ifndef IWARP_TRAFFIC_MUTANTS_MUTANT_H
#define IWARP_TRAFFIC_MUTANTS_MUTANT_H

#include "traffic-gen/mutants/misbehave.h"
#include "traffic-gen/say/words.h"

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

enum { SCENE_READS = 4 };

/* What the mutant makes of it instead of what is due. */
enum scene_verdict { AS_DUE, TAKEN, DROPPED, CLOSED, TERMINATED, ANSWERED };

/* What an event is about: each fills in what it has, the rest is 0. Fields are members of this. */
struct scene {
    enum mutant_event event;
    struct mutant *mutant;
    struct mpa_end *mpa;    /* NULL: of an RDMA device */
    const uint8_t *p;       /* what @N and key are of */
    size_t n;               /* octets of it */
    const uint8_t *ulpdu;   /* of a segment */
    size_t ulpdu_n;         /* octets of it */
    struct ddp_segment ddp; /* of a segment; stag and to also of work, and of the first chunk of a Call */
    struct rdmap_read_request read;
    struct rdmap_atomic_request atomic;
    uint64_t original, left; /* own-result: the value returned, and the one that the word has now */
    struct rdmap_terminate terminate;
    struct mpa_startup frame, peer; /* the one that the event is about; the one that the peer has sent */
    struct rpcrdma_header header;
    struct rpcrdma_private_data pd;
    unsigned error;  /* what is wrong, as a Terminate says it; 1 in frames */
    uint64_t low_to; /* its lowest 12 bits */
    uint64_t end;    /* the Tagged Offset after a segment, or the Message Offset */
    /* The state of MPA. */
    bool waits, operates, ended, responder, initiator, peer_to_peer, may_send, more, mute;
    size_t startup, frame_end, after; /* octets of the peer's frame so far, in all, and after it */
    size_t rest, pad_at, crc_at;      /* of an FPDU that is not complete: its octets, and where in it these begin */
    uint64_t into_marker, operation_octets;
    uint32_t age; /* milliseconds since the last `note` */
    /* An FPDU. */
    bool markers;
    uint32_t pad, crc, crc_difference, crc_bits;
    uint8_t pad_length;
    uint16_t marker_reserved, marker_low_bits;
    size_t startup_data; /* octets of a frame of its own after the enhanced data */
    /* RPC-over-RDMA. */
    bool sent, sound, call, is_read, is_send, is_write, invalidate;
    struct rpcrdma_read_segment reads[SCENE_READS];
    uint32_t write0_n, write0_length, reply0_length;
    uint64_t reads_length, reply_length; /* octets in all segments */
    uint32_t rpc_proc, rpc_xid, last, padded, low_xid;
    size_t rpc_length;
    /* What comes of it. */
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

/* ---- mutant_field.c ---- */

/* Where a field is; p NULL: there is none of that name. */
struct words_place scene_place(struct scene *scene, const char *name);
bool scene_has(const char *name);
/* An octet or a word of the message; 0 past its end. False: the name is neither. */
bool scene_octets_at(const struct scene *scene, const char *name, uint64_t *value);
bool scene_constant(const char *name, uint64_t *value);

/* ---- mutant_row.c ---- */

struct mutant_say;

struct mutant_test {
    char *name;
    bool negated;
    char op[3];      /* "": it is not 0 */
    char *text;      /* a pattern, or another field */
    uint64_t number; /* unless text is set */
};

struct mutant_statement {
    const struct mutant_say *say; /* NULL: changes alone */
    struct statement *words;
};

struct mutant_clause {
    enum mutant_event event;
    GArray *tests;      /* of struct mutant_test */
    GArray *statements; /* of struct mutant_statement */
};

/*
 * Appends the rows of a text, each a struct misbehaviour *. False with *error (for g_free()), which begins with
 * `source`, when it cannot be read; the rows before it are there, and the one that is wrong.
 */
bool mutants_parse(GPtrArray *rows, const char *source, const char *text, char **error);
void mutant_row_free(void *row);

/* ---- mutant_say.c ---- */

/* What a statement does, and the words that it may have, separated by blanks. */
struct mutant_say {
    const char *name, *words;
    void (*say)(struct scene *scene, const struct statement *words);
};

/* NULL: there is none of that name. */
const struct mutant_say *mutant_say_find(const char *name);
void mutant_carry_out(struct scene *scene, const struct mutant_statement *statement);

/* ---- mutant_hooks.c ---- */

/* All connections of the device are mute (`mute`) for so long. */
void mutant_mute(int64_t ms);

/* The hooks that a row needs. */
struct mpa_end_spoil mutant_mpa_hooks(const struct misbehaviour *how);
struct qp_spoil mutant_qp_hooks(const struct misbehaviour *how);
struct rpc_end_spoil mutant_rpc_hooks(const struct misbehaviour *how);

#endif
