// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/common/judge.h"

#include "plugins/common/keep.h"

#include "engine/core/heap.h"
#include "engine/ib/ib_rc.h"

#include <epan/wmem_scopes.h>

#include <string.h>

static struct heap heap; /* of the open file */

void judge_file_opened(void)
{
    keep_forget();
    heap.refused = false;
    heap_use(&heap);
}

/* ---- records ---- */

enum { RECORDS_MIN = 4 };

/*
 * Records come in order, with few exceptions. So they are kept in sorted arrays of pointers: as map entries they would
 * take six times the memory.
 */
typedef int (*compare)(const struct record *, const struct record *);

static int common_judge_by_frame(const struct record *a, const struct record *b)
{
    return (a->frame > b->frame) - (a->frame < b->frame);
}

static int common_judge_by_place(const struct record *a, const struct record *b)
{
    return a->offset != b->offset ? (a->offset > b->offset) - (a->offset < b->offset) : common_judge_by_frame(a, b);
}

/* Index of the first record that is not before the key. */
static unsigned common_judge_place_for(const struct records *records, const struct record *key, compare order)
{
    unsigned from = 0, to = records->n;

    /* Most often the record is the latest, or comes after the latest. */
    if (to > 0 && order(records->at[to - 1], key) < 0)
        return to;
    if (to > 1 && order(records->at[to - 2], key) < 0)
        return to - 1;
    while (from < to) {
        unsigned middle = from + (to - from) / 2;

        if (order(records->at[middle], key) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static struct record *common_judge_find(const struct records *records, const struct record *key, compare order)
{
    unsigned at = common_judge_place_for(records, key, order);
    struct record *found = at < records->n ? records->at[at] : NULL;

    return found && order(found, key) == 0 ? found : NULL;
}

/* Replaces a record with the same key. */
static void common_judge_insert(struct records *records, struct record *record, compare order)
{
    unsigned at;

    if (records->n < records->room && (records->n == 0 || order(records->at[records->n - 1], record) < 0)) {
        records->at[records->n++] = record;
        return;
    }
    at = common_judge_place_for(records, record, order);
    if (at < records->n && order(records->at[at], record) == 0) {
        records->at[at] = record;
        return;
    }
    if (records->n == records->room) {
        records->room = records->room == 0 ? RECORDS_MIN : 2 * records->room;
        records->at = wmem_realloc(wmem_file_scope(), records->at, records->room * sizeof(struct record *));
    }
    memmove(&records->at[at + 1], &records->at[at], (records->n - at) * sizeof(struct record *));
    records->at[at] = record;
    records->n++;
}

static struct record *last(const struct records *records)
{
    return records->n > 0 ? records->at[records->n - 1] : NULL;
}

void *judge_new(struct judge *judge, size_t size)
{
    void *record = judge->spare;

    if (record) {
        judge->spare = NULL;
        return memset(record, 0, size);
    }
    return keep_new(size);
}

void judge_keep_frame(struct judge *judge, struct record *record, uint32_t frame)
{
    record->frame = frame;
    common_judge_insert(&judge->by_frame, record, common_judge_by_frame);
}

void judge_keep(struct judge *judge, struct record *record, const struct place *place)
{
    record->offset = place->offset;
    record->frame = place->frame;
    common_judge_insert(&judge->by_place[place->side & 1u], record, common_judge_by_place);
    if (!judge_in_frame(judge, place->frame))
        common_judge_insert(&judge->by_frame, record, common_judge_by_frame);
}

static struct record *common_judge_kept_at(const struct judge *judge, const struct place *place)
{
    const struct record key = {.offset = place->offset, .frame = place->frame};

    return common_judge_find(&judge->by_place[place->side & 1u], &key, common_judge_by_place);
}

static struct record *kept_in_frame(const struct judge *judge, uint32_t frame)
{
    const struct record key = {.frame = frame};

    return common_judge_find(&judge->by_frame, &key, common_judge_by_frame);
}

bool judge_settle(struct judge *judge, struct record *record, unsigned side)
{
    struct records *places = &judge->by_place[side & 1u], *frames = &judge->by_frame;
    bool latest = (places->n == 0 || last(places) == record) &&
                  (last(frames) == record || kept_in_frame(judge, record->frame) != record);

    if (!judge->runs.pattern)
        return false;
    if (!latest)
        runs_break(&judge->runs, side);
    if (!latest || !runs_take(&judge->runs, side, record))
        return false;
    places->n -= places->n > 0;
    frames->n -= last(frames) == record;
    judge->spare = record;
    return true;
}

static struct record *judge_made(const struct judge *judge)
{
    return &judge->runs.pattern->room->record;
}

const struct record *judge_at(const struct judge *judge, const struct place *place)
{
    const struct record *kept = common_judge_kept_at(judge, place);

    return !kept && runs_reach(&judge->runs, place->frame) && runs_at(&judge->runs, place, judge_made(judge))
               ? judge_made(judge)
               : kept;
}

const struct record *judge_in_frame(const struct judge *judge, uint32_t frame)
{
    const struct record *kept = kept_in_frame(judge, frame);
    unsigned side;

    return !kept && runs_reach(&judge->runs, frame) && runs_in_frame(&judge->runs, frame, judge_made(judge), &side)
               ? judge_made(judge)
               : kept;
}

/* Keeps a record that was made from its run. Layers that do not keep records by place find it by frame. */
static struct record *keep_made(struct judge *judge, unsigned side)
{
    struct record *record = judge_new(judge, judge->runs.size);

    memcpy(record, judge_made(judge), judge->runs.size);
    if (judge->runs.pattern->keep)
        judge->runs.pattern->keep(record);
    if (judge->by_place[side].n > 0)
        common_judge_insert(&judge->by_place[side], record, common_judge_by_place);
    if (!kept_in_frame(judge, record->frame))
        common_judge_insert(&judge->by_frame, record, common_judge_by_frame);
    return record;
}

struct record *judge_change_in_frame(struct judge *judge, uint32_t frame)
{
    struct record *kept = kept_in_frame(judge, frame);
    unsigned side;

    if (kept || !runs_reach(&judge->runs, frame) || !runs_in_frame(&judge->runs, frame, judge_made(judge), &side))
        return kept;
    return keep_made(judge, side);
}

struct record *judge_change_at(struct judge *judge, const struct place *place)
{
    struct record *kept = common_judge_kept_at(judge, place), *first;

    if (kept || !runs_reach(&judge->runs, place->frame) || !runs_at(&judge->runs, place, judge_made(judge)))
        return kept;
    /* The first record of the frame is kept first: findings about the frame stay with it. */
    first = judge_change_in_frame(judge, place->frame);
    if (judge->by_place[place->side & 1u].n == 0)
        return first;
    kept = common_judge_kept_at(judge, place);
    return kept || !runs_at(&judge->runs, place, judge_made(judge)) ? kept : keep_made(judge, place->side & 1u);
}

struct record *judge_change_at_offset(struct judge *judge, const struct place *place)
{
    const struct records *records = &judge->by_place[place->side & 1u];
    const struct record key = {.offset = place->offset};
    unsigned at = common_judge_place_for(records, &key, common_judge_by_place);

    return at < records->n && records->at[at]->offset == key.offset ? records->at[at] : NULL;
}

/* ---- findings ---- */

/* Wireshark puts "[truncated]" before a longer item; this includes its "Expert Info (Warning/Protocol): ". */
enum { TEXT_MAX = ITEM_LABEL_LENGTH - 34 };

/* The message, cut at a blank if it is too long for an item that starts with the rule's id. */
static const char *shortened(enum rule_id rule, const char *message)
{
    size_t most = TEXT_MAX - strlen(rule_catalogue[rule].id) - strlen(": "), n = most - strlen(" ...");

    if (strlen(message) <= most)
        return wmem_strdup(wmem_file_scope(), message);
    while (n > 0 && message[n] != ' ')
        n--;
    return wmem_strdup_printf(wmem_file_scope(), "%.*s ...", (int)n, message);
}

static struct record *bare_record(struct judge *judge, uint32_t frame)
{
    const struct record key = {.frame = frame};
    struct record *record = common_judge_find(&judge->bare, &key, common_judge_by_frame);

    if (!record) {
        record = wmem_new0(wmem_file_scope(), struct record);
        record->frame = frame;
        common_judge_insert(&judge->bare, record, common_judge_by_frame);
    }
    return record;
}

const struct remark *judge_bare(const struct judge *judge, uint32_t frame)
{
    const struct record key = {.frame = frame}, *record = common_judge_find(&judge->bare, &key, common_judge_by_frame);

    return record ? record->remarks : NULL;
}

/*
 * The finding may belong to an earlier frame if only a later frame proves it. It is then shown from the second pass on.
 */
void judge_take(struct judge *judge, const struct finding *finding)
{
    struct record *record = judge_change_at(judge, &finding->place);
    struct remark *remark, **end;

    if (!record)
        record = judge_change_in_frame(judge, finding->place.frame);
    if (!record)
        record =
            judge->make_record ? judge->make_record(judge, &finding->place) : bare_record(judge, finding->place.frame);
    if (!record)
        return;
    remark = wmem_new0(wmem_file_scope(), struct remark);
    remark->rule = finding->rule;
    remark->severity = finding->severity;
    remark->direction = finding->direction;
    remark->basis = finding->basis;
    remark->place = finding->place;
    remark->related_frame = finding->related_frame;
    remark->message = shortened(finding->rule, finding->message);
    remark->record = record;
    remark->earlier = judge->latest;
    judge->latest = remark;
    end = remark->earlier && remark->earlier->record == record ? &remark->earlier->next : &record->remarks;
    while (*end)
        end = &(*end)->next;
    *end = remark;
}

static void common_judge_withdraw(struct remark *remark)
{
    struct remark **at = remark->record ? &remark->record->remarks : NULL;

    if (!at) /* the finding was withdrawn earlier */
        return;
    while (*at != remark)
        at = &(*at)->next;
    *at = remark->next;
    remark->record = NULL;
}

void judge_withdraw(struct judge *judge, const struct remark *since, const struct verdict *verdict,
                    const struct ib_rc_hole *hole)
{
    for (struct remark *remark = judge->latest; remark && remark != since; remark = remark->earlier) {
        if (ib_rc_hole_explains(remark->rule, remark->place.frame, hole->after) &&
            !verdict_stands(verdict, remark->basis, remark->place.side, hole->side, hole->to - hole->from))
            common_judge_withdraw(remark);
    }
}

void judge_forget(struct judge *judge, enum rule_id rule, const struct place *place)
{
    const struct record *record = judge_at(judge, place);
    struct remark *first = record ? record->remarks : (struct remark *)judge_bare(judge, place->frame);

    for (struct remark *remark = first; remark; remark = remark->next) {
        if (remark->rule == rule && remark->place.frame == place->frame) {
            common_judge_withdraw(remark);
            return;
        }
    }
}
