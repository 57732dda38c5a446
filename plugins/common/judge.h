/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The records of a layer for one connection, with the findings of the layer's rules. A finding belongs to the frame at
 * which iwarp-check reports it: to the record that it is about, or else to any record of that frame, or else (a FIN
 * without payload) to the frame itself.
 *
 * Memory is of file scope.
 */
#ifndef IWARP_PLUGINS_COMMON_JUDGE_H
#define IWARP_PLUGINS_COMMON_JUDGE_H

#include "plugins/common/compat.h"

#include "engine/ib/ib_rc.h"
#include "plugins/common/record.h"
#include "plugins/common/runs.h"

/* Pointers to records, sorted. */
struct records {
    struct record **at;
    unsigned n, room;
};

struct judge {
    struct remark *latest;      /* of all remarks */
    struct records by_place[2]; /* by side; by stream offset and frame */
    struct records by_frame;
    struct runs runs;     /* pattern and size may be set before the first record */
    struct record *spare; /* for the next record, or NULL */
    struct records bare;  /* by frame: frames that have findings, but no record of the layer */
    /* Creates a record for a finding at a frame without one. NULL: the finding goes to `bare`. */
    struct record *(*make_record)(struct judge *judge, const struct place *place);
};

/*
 * Called before the first connection of a file: forgets the state of the previous file, including that memory was
 * refused (engine/core/heap.h).
 */
void judge_file_opened(void);

/* Attaches a finding of the layer. */
void judge_take(struct judge *judge, const struct finding *finding);

/* Creates a zeroed record, including the layer's own members; size is the same for all records of a connection. */
void *judge_new(struct judge *judge, size_t size);
/* From now on attaches findings about this place, or this frame, to the record, unless there is an earlier record. */
void judge_keep(struct judge *judge, struct record *record, const struct place *place);
/* From now on attaches findings about the frame to the record. */
void judge_keep_frame(struct judge *judge, struct record *record, uint32_t frame);
/*
 * The record, which is the latest, no longer changes except by judge_change_at() and judge_change_in_frame(). True: it
 * is now part of a run, and was freed.
 */
bool judge_settle(struct judge *judge, struct record *record, unsigned side);
/* NULL: none. The record is valid until the next call. */
const struct record *judge_at(const struct judge *judge, const struct place *place);
const struct record *judge_in_frame(const struct judge *judge, uint32_t frame);
/* Findings at a frame for which the layer has no record; NULL: none. */
const struct remark *judge_bare(const struct judge *judge, uint32_t frame);
/* Like judge_at() and judge_in_frame(); the record stays valid, and may be changed. */
struct record *judge_change_at(struct judge *judge, const struct place *place);
struct record *judge_change_in_frame(struct judge *judge, uint32_t frame);
/* Like judge_change_at(), whatever the frame; for layers without runs. */
struct record *judge_change_at_offset(struct judge *judge, const struct place *place);

/* Withdraws findings since then (NULL: all) that the hole may explain (ib_rc.h, verdict_stands()). */
void judge_withdraw(struct judge *judge, const struct remark *since, const struct verdict *verdict,
                    const struct ib_rc_hole *hole);
/* Withdraws the finding of this rule at this place. */
void judge_forget(struct judge *judge, enum rule_id rule, const struct place *place);

#endif
