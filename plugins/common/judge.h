/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Common to the three plugins: on the first pass each hosts its layers of the engine's stack for a connection, and
 * records their findings for all passes. A finding belongs to the frame at which iwarp-check reports it: to the record
 * that it is about, or else to any record of that frame, or else (a FIN without payload) to the frame itself.
 *
 * Memory is of file scope.
 */
#ifndef IWARP_PLUGINS_COMMON_JUDGE_H
#define IWARP_PLUGINS_COMMON_JUDGE_H

#include "plugins/common/compat.h"

#include "plugins/common/record.h"
#include "plugins/common/runs.h"

#include "engine/stack/stack.h"

/* Pointers to records, sorted. */
struct records {
    struct record **at;
    unsigned n, room;
};

struct judge {
    struct stack *stack; /* first pass only; NULL when its connection is over, or Wireshark has closed the file */
    struct stack_entrance next; /* of the next plugin's stack; empty: there is none */
    struct verdict verdict;
    struct remark *latest;         /* of all remarks */
    struct terminate_host host[2]; /* of the sides (engine/stack/stack.h); set before judge_begin(), or zero */
    struct records by_place[2];    /* by side; by stream offset and frame */
    struct records by_frame;
    struct runs runs;     /* pattern and size may be set before judge_begin() */
    struct record *spare; /* to be used next, or NULL */
    struct records bare;  /* by frame: of frames without a record of the plugin's own, with findings */
    /* Creates a record for a finding at a frame without one. NULL: it goes to `bare`. */
    struct record *(*make_record)(struct judge *judge, const struct place *place);
};

/* Before the first connection of a file: forgets what was kept of the previous one, and that memory was refused in it
 * (engine/core/heap.h). */
void judge_file_opened(void);

/* Options of a plugin's layers: they judge by the RFCs. payload_only: see engine/mpa/mpa.h. */
void judge_options(struct stack_options *options, enum stack_layer first, enum stack_layer last, bool payload_only);
/*
 * Creates the stack of a connection; options, taps (with ctx) and judge must outlive it. port: of the sides. False when
 * out of memory.
 */
bool judge_begin(struct judge *judge, const struct stack_options *options, const struct stack_taps *taps, void *ctx,
                 const uint16_t port[2]);

/* Memory of its stack, in octets. */
size_t judge_octets(const struct judge *judge);

/* The connection is over, and its stack is finished: what only the first pass needs goes. What was found stays. */
void judge_over(struct judge *judge);

/* A record and what follows it in the plugin's own, zeroed; size is the same for all of a connection. */
void *judge_new(struct judge *judge, size_t size);
/* Attaches findings about this place, or this frame, to the record from now on, unless there is an earlier one. */
void judge_keep(struct judge *judge, struct record *record, const struct place *place);
/* Attaches findings about the frame to the record from now on. */
void judge_keep_frame(struct judge *judge, struct record *record, uint32_t frame);
/*
 * The record, the latest one, does not change any more, except by judge_change_at() and judge_change_in_frame(). True:
 * it is in a run now, and was freed.
 */
bool judge_settle(struct judge *judge, struct record *record, unsigned side);
/* NULL: there is none. What they return need not last longer than until the next call. */
const struct record *judge_at(const struct judge *judge, const struct place *place);
const struct record *judge_in_frame(const struct judge *judge, uint32_t frame);
/* Findings at a frame of which the plugin has no record; NULL: there are none. */
const struct remark *judge_bare(const struct judge *judge, uint32_t frame);
/* Like the first two; the record lasts, and may be changed. */
struct record *judge_change_at(struct judge *judge, const struct place *place);
struct record *judge_change_in_frame(struct judge *judge, uint32_t frame);

/*
 * Withdraws what was found since then (NULL: ever) and a hole after the request in frame `after` may explain
 * (engine/ib/ib_rc.h).
 */
void judge_withdraw(struct judge *judge, const struct remark *since, uint32_t after);
/* Withdraws the finding of this rule at this place. */
void judge_forget(struct judge *judge, enum rule_id rule, const struct place *place);

#endif
