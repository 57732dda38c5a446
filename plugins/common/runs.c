// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/common/runs.h"

#include <epan/wmem_scopes.h>

#include <string.h>

enum {
    ROOM_MIN = 8,
    RUN_MAX = 256,
    RUNS_MIN = 4,
};

struct run {
    struct record *first, *second;
    uint64_t stride; /* octets from one record to the next */
    unsigned n, room;
    uint16_t *since; /* frame of each record, relative to the frame of the first */
};

static uint64_t runs_offset_of(const struct run *run, unsigned n)
{
    return run->first->offset + n * run->stride;
}

static uint32_t runs_frame_of(const struct run *run, unsigned n)
{
    return run->first->frame + run->since[n];
}

static void runs_make(const struct runs *runs, const struct run *run, unsigned n, struct record *out)
{
    memcpy(out, run->first, runs->size);
    out->offset = runs_offset_of(run, n);
    out->frame = runs_frame_of(run, n);
    runs->pattern->nth(run->first, run->second, n, out);
}

/* ---- taking records ---- */

/* Room for a record that is valid until the next call. */
static union record_room room;

static bool runs_follows(const struct runs *runs, const struct record *first, const struct record *second, unsigned n,
                         const struct record *record)
{
    if (record->remarks || record->frame - first->frame > UINT16_MAX ||
        record->offset != first->offset + n * (second->offset - first->offset))
        return false;
    memcpy(&room.record, first, runs->size);
    runs->pattern->nth(first, second, n, &room.record);
    if (runs->pattern->same)
        return runs->pattern->same(&room.record, record);
    return memcmp(&room.record + 1, record + 1, runs->size - sizeof *record) == 0;
}

static void runs_append(struct run *run, uint32_t frame)
{
    if (run->n == run->room) {
        run->room = run->room == 0 ? ROOM_MIN : 2 * run->room;
        run->since = wmem_realloc(wmem_file_scope(), run->since, run->room * sizeof *run->since);
    }
    run->since[run->n++] = (uint16_t)(frame - run->first->frame);
}

static struct run *run_new(const struct runs *runs, struct runs_side *side)
{
    struct run *run = wmem_new0(wmem_file_scope(), struct run);

    run->first = wmem_memdup(wmem_file_scope(), side->before[1], runs->size);
    run->second = wmem_memdup(wmem_file_scope(), side->before[0], runs->size);
    run->first->remarks = run->second->remarks = NULL;
    run->stride = run->second->offset - run->first->offset;
    runs_append(run, run->first->frame);
    runs_append(run, run->second->frame);
    if (side->n == side->room) {
        side->room = side->room == 0 ? RUNS_MIN : 2 * side->room;
        side->run = wmem_realloc(wmem_file_scope(), side->run, side->room * sizeof(struct run *));
    }
    side->run[side->n++] = run;
    return run;
}

static bool runs_is_after(const struct runs_side *side, const struct record *record)
{
    const struct run *last = side->n > 0 ? side->run[side->n - 1] : NULL;

    return !last ||
           (record->offset > runs_offset_of(last, last->n - 1) && record->frame >= runs_frame_of(last, last->n - 1));
}

/* The two records before this one are consecutive, and may begin a run. */
static bool may_begin(const struct runs_side *side)
{
    const struct record *first = side->before[1], *second = side->before[0];

    return first && second && second->offset > first->offset && second->frame >= first->frame &&
           second->frame - first->frame <= UINT16_MAX && !first->remarks && !second->remarks &&
           runs_is_after(side, first);
}

bool runs_take(struct runs *runs, unsigned number, const struct record *record)
{
    struct runs_side *side = &runs->side[number & 1u];
    struct run *run = side->open ? side->run[side->n - 1] : NULL;

    if (run && run->n < RUN_MAX && record->frame >= runs_frame_of(run, run->n - 1) &&
        runs_follows(runs, run->first, run->second, run->n, record)) {
        runs_append(run, record->frame);
        side->last_frame = record->frame;
        return true;
    }
    side->open = false;
    if (may_begin(side) && record->frame >= side->before[0]->frame &&
        runs_follows(runs, side->before[1], side->before[0], 2, record)) {
        runs_append(run_new(runs, side), record->frame);
        side->open = true;
        side->last_frame = record->frame;
        side->before[0] = side->before[1] = NULL;
        return true;
    }
    side->before[1] = side->before[0];
    side->before[0] = record;
    return false;
}

void runs_break(struct runs *runs, unsigned number)
{
    struct runs_side *side = &runs->side[number & 1u];

    side->open = false;
    side->before[0] = side->before[1] = NULL;
}

/* ---- finding records ---- */

/* The last run that begins at or before this place, or frame; NULL: none. */
static const struct run *last_run(const struct runs_side *side, uint64_t offset, uint32_t frame)
{
    unsigned from = 0, to = side->n;

    while (from < to) {
        unsigned middle = from + (to - from) / 2;

        if (side->run[middle]->first->offset <= offset && side->run[middle]->first->frame <= frame)
            from = middle + 1;
        else
            to = middle;
    }
    return from == 0 ? NULL : side->run[from - 1];
}

bool runs_at(const struct runs *runs, const struct place *place, struct record *out)
{
    const struct run *run = last_run(&runs->side[place->side & 1u], place->offset, place->frame);
    uint64_t n;

    if (!run || (place->offset - run->first->offset) % run->stride != 0)
        return false;
    n = (place->offset - run->first->offset) / run->stride;
    if (n < 2 || n >= run->n || runs_frame_of(run, (unsigned)n) != place->frame)
        return false;
    runs_make(runs, run, (unsigned)n, out);
    return true;
}

bool runs_in_frame(const struct runs *runs, uint32_t frame, struct record *out, unsigned *number)
{
    for (*number = 0; *number < 2; (*number)++) {
        const struct run *run = last_run(&runs->side[*number], UINT64_MAX, frame);
        unsigned from = 2, to = run ? run->n : 0;

        while (from < to) {
            unsigned middle = from + (to - from) / 2;

            if (runs_frame_of(run, middle) < frame)
                from = middle + 1;
            else
                to = middle;
        }
        if (run && from < run->n && runs_frame_of(run, from) == frame) {
            runs_make(runs, run, from, out);
            return true;
        }
    }
    return false;
}
