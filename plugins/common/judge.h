/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the three plugins have in common: each hosts its layers of the engine's stack for a connection, on the first
 * pass, and keeps what they find for all passes. A finding belongs to the frame where iwarp-check reports it, too: to
 * the record there that it is about, else to one of that frame. Findings at frames of which nothing is kept (a FIN
 * without payload) are not a dissector's to show.
 *
 * Memory is of file scope.
 */
#ifndef IWARP_PLUGINS_COMMON_JUDGE_H
#define IWARP_PLUGINS_COMMON_JUDGE_H

#include "plugins/common/compat.h"

#include "engine/stack.h"

/* A finding of the rules. */
struct remark {
    struct remark *next;
    enum rule_id rule;
    enum rule_severity severity;
    enum direction direction;
    struct place place;
    uint32_t related_frame;
    const char *message;
};

/* What findings can stand at; the first member of what a plugin keeps. Zero to begin with. */
struct record {
    uint64_t offset; /* in the stream of its side; with the frame, the key */
    uint32_t frame;
    struct remark *remarks, **last_remark;
};

struct judge {
    struct stack *stack;        /* first pass only; NULL when Wireshark has closed the file */
    struct stack_entrance next; /* of the next plugin's stack; empty: nobody follows */
    struct verdict verdict;
    struct layouts_host host[2]; /* of the sides (engine/stack.h); set before judge_begin(), or zero */
    wmem_map_t *by_place[2];     /* by side: stream offset and frame -> struct record */
    wmem_map_t *by_frame;        /* frame -> struct record */
    /* Makes and keeps a record for a finding at a frame that has none. NULL: such findings are not shown. */
    struct record *(*make_record)(struct judge *judge, const struct place *place);
};

/* Before the connections of a file: memory that was refused in the one before it is forgotten (engine/heap.h). */
void judge_file_opened(void);

/* How the layers of a plugin judge: from payload alone, by the IETF's documents. */
void judge_options(struct stack_options *options, enum stack_layer first, enum stack_layer last);
/*
 * Makes the stack of a connection: options, taps (with ctx) and judge outlive it. port: of the sides. False when memory
 * is lacking.
 */
bool judge_begin(struct judge *judge, const struct stack_options *options, const struct stack_taps *taps, void *ctx,
                 const uint16_t port[2]);

/* Findings about this place, or this frame, stand at the record from now on, unless an earlier record is there. */
void judge_keep(struct judge *judge, struct record *record, const struct place *place);
/* Findings about the frame stand at the record from now on. */
void judge_keep_frame(struct judge *judge, struct record *record, uint32_t frame);
/* NULL: nothing is kept. */
struct record *judge_at(const struct judge *judge, const struct place *place);
struct record *judge_in_frame(const struct judge *judge, uint32_t frame);

/* A finding of this rule at this place was none. */
void judge_forget(struct judge *judge, enum rule_id rule, const struct place *place);

#endif
