// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The walker over NFS messages: an interpreter of tables compiled from wire/nfs_types.txt. A block is a sequence of
 * steps up to END. Arrays, lists, optional parts, union arms and the operations of a COMPOUND enter other blocks; the
 * stack of return frames is as deep as the tables nest (DEPTH), which is known at build time. Every step consumes at
 * least four octets, and so did entering the block of every END, so the time is linear in the number of octets.
 */
#include "wire/nfs.h"

#include <string.h>

enum kind {
    END,
    WORDS,      /* n words, skipped */
    WORD,       /* a marked word */
    BOOLEAN,    /* a word that is 0 or 1 */
    ITEM,       /* a variable-length opaque of at most n octets */
    FIXED,      /* an opaque of n octets */
    WORD_ARRAY, /* a count of at most n, then as many elements of `width` words */
    ARRAY,      /* a count of at most n, then as many blocks */
    OPTIONAL,   /* a boolean, then a block if it is 1 */
    LIST,       /* a boolean, and while it is 1 a block and another boolean */
    SWITCH,     /* a boolean, and while it is 1, a block and another boolean */
    OPERATIONS, /* a count, then operations: their numbers with their arguments or results */
    KINDS
};

struct step {
    uint8_t kind;    /* enum kind */
    uint8_t mark;    /* enum nfs_mark */
    uint8_t width;   /* ITEM: whether it is DDP-eligible */
    uint16_t target; /* index of a step or an arm */
    uint32_t n;
};

struct arm {
    uint32_t value;
    uint16_t block; /* NO_BLOCK: the arm's contents are unknown */
    bool any;       /* for any discriminant */
};

enum { NO_BLOCK = 0xffff };

struct op {
    uint32_t number;
    const char *name;
    uint16_t call, reply;
};

struct program {
    uint32_t number;
    const char *name;
};

#include "nfs_tables.h"
#include "wire/invariant.h"

#define N(table) (sizeof(table) / sizeof(table)[0])

enum frame_kind { FRAME_ONCE, FRAME_COUNTED, FRAME_LIST, FRAME_OPERATIONS };

struct frame {
    uint8_t kind;   /* enum frame_kind */
    uint16_t back;  /* the step to return to */
    uint16_t block; /* the block that is repeated */
    uint32_t left;  /* remaining repetitions */
};

struct walker {
    const uint8_t *p;
    size_t n, at;
    uint64_t position;
    const struct nfs_walk_events *events;
    struct nfs_walk_result *result;
    bool reply, callback;
    unsigned step; /* the next one */
    unsigned depth;
    struct frame frames[DEPTH];
    unsigned seen[NFS_MARK_MAX]; /* count of each mark's values in this operation */
    unsigned op_index;
    uint32_t op;
};

/* ---- lookups ---- */

static bool is_callback_program(uint32_t program)
{
    return program >= NFS_PROGRAM_CALLBACK_FIRST && program <= NFS_PROGRAM_CALLBACK_LAST;
}

const struct nfs_procedure *nfs_procedure_find(uint32_t program, uint32_t version, uint32_t number)
{
    bool callback = is_callback_program(program);

    /* Its version is 1 by RFC 7863, and 4 in some implementations. */
    if (callback && (version == 0 || version > 4))
        return NULL;
    for (size_t i = 0; i < N(procedures); i++) {
        const struct nfs_procedure *known = &procedures[i];

        if (known->number != number || known->callback != callback)
            continue;
        if (callback || (known->program == program && known->version == version))
            return known;
    }
    return NULL;
}

const char *nfs_program_name(uint32_t program)
{
    if (is_callback_program(program))
        program = NFS_PROGRAM_CALLBACK_FIRST;
    for (size_t i = 0; i < N(programs); i++) {
        if (programs[i].number == program)
            return programs[i].name;
    }
    return NULL;
}

static const struct op *find_op(uint32_t number, bool callback)
{
    const struct op *table = callback ? callback_ops : ops;
    size_t from = 0, to = callback ? N(callback_ops) : N(ops), in_row = number - table[0].number;

    if (in_row < to && table[in_row].number == number) /* fast path: numbers are rarely skipped */
        return &table[in_row];
    while (from < to) {
        size_t middle = (from + to) / 2;

        if (table[middle].number == number)
            return &table[middle];
        if (table[middle].number < number)
            from = middle + 1;
        else
            to = middle;
    }
    return NULL;
}

const char *nfs_op_name(uint32_t op, bool callback)
{
    const struct op *known = find_op(op, callback);

    return known ? known->name : NULL;
}

/* ---- words ---- */

/* Ends the walk. Returns false, so that steps can return the result. */
static bool wire_nfs_stop(struct walker *w, enum nfs_walk_status status, uint64_t fault)
{
    w->result->status = status;
    w->result->fault = fault > UINT32_MAX ? UINT32_MAX : (uint32_t)fault;
    return false;
}

static bool wire_nfs_have(struct walker *w, uint64_t octets)
{
    return octets <= w->n - w->at || wire_nfs_stop(w, NFS_WALK_SHORT, octets);
}

static void wire_nfs_move(struct walker *w, size_t octets)
{
    w->at += octets;
    w->position += octets;
    INVARIANT(w->at <= w->n && w->position >= octets);
}

/* Stays before the word, so that the word can still be reported as wrong. */
static bool wire_nfs_look(struct walker *w, uint32_t *out)
{
    if (!wire_nfs_have(w, 4))
        return false;
    *out = get_be32(w->p + w->at);
    return true;
}

static bool look_boolean(struct walker *w, uint32_t *out)
{
    return wire_nfs_look(w, out) && (*out <= 1 || wire_nfs_stop(w, NFS_WALK_BAD, *out));
}

static void report_value(struct walker *w, uint8_t mark, uint32_t value)
{
    if (mark == NFS_MARK_NONE)
        return;
    if (w->events->value) {
        struct nfs_value found = {.mark = mark,
                                  .value = value,
                                  .index = w->seen[mark],
                                  .op_index = w->op_index,
                                  .op = w->op,
                                  .at = w->at,
                                  .position = w->position};

        w->events->value(w->events->ctx, &found);
    }
    w->seen[mark]++;
    INVARIANT(mark < NFS_MARK_MAX && w->seen[mark] > 0);
}

/* ---- frames ---- */

/* DEPTH was computed from the tables, so there is always room. */
static bool wire_nfs_enter(struct walker *w, enum frame_kind kind, uint16_t block, uint32_t left)
{
    struct frame *frame;

    if (w->depth == DEPTH)
        return wire_nfs_stop(w, NFS_WALK_UNKNOWN, 0);
    frame = &w->frames[w->depth++];
    *frame = (struct frame){.kind = kind, .back = (uint16_t)(w->step + 1), .block = block, .left = left};
    w->step = block;
    INVARIANT(w->depth > 0 && w->depth <= DEPTH && w->step < N(steps));
    return true;
}

static bool wire_nfs_leave(struct walker *w)
{
    w->step = w->frames[--w->depth].back;
    INVARIANT(w->depth < DEPTH && w->step < N(steps));
    return true;
}

static bool next_operation(struct walker *w)
{
    const struct op *known;
    struct nfs_operation found = {.index = w->op_index, .at = w->at, .position = w->position};
    uint32_t number;

    if (!wire_nfs_look(w, &number))
        return false;
    w->op = found.op = number;
    memset(w->seen, 0, sizeof w->seen);
    /* Every result begins with its status. */
    found.has_status = w->reply && w->n - w->at >= 8;
    if (found.has_status)
        found.status = get_be32(w->p + w->at + 4);
    w->result->operations++;
    if (w->events->operation)
        w->events->operation(w->events->ctx, &found);
    known = find_op(number, w->callback);
    if (!known)
        return wire_nfs_stop(w, NFS_WALK_UNKNOWN, number);
    wire_nfs_move(w, 4);
    w->step = w->reply ? known->reply : known->call;
    INVARIANT(w->at <= w->n && w->step < N(steps) && w->op == known->number);
    return true;
}

static bool next_entry(struct walker *w, const struct frame *frame)
{
    uint32_t follows;

    if (!look_boolean(w, &follows))
        return false;
    wire_nfs_move(w, 4);
    if (!follows)
        return wire_nfs_leave(w);
    w->step = frame->block;
    INVARIANT(w->depth > 0 && w->at <= w->n);
    return true;
}

/* A block ended within another. */
static bool end_block(struct walker *w)
{
    struct frame *frame = &w->frames[w->depth - 1];

    switch ((enum frame_kind)frame->kind) {
    case FRAME_ONCE:
        return wire_nfs_leave(w);
    case FRAME_COUNTED:
        if (--frame->left == 0)
            return wire_nfs_leave(w);
        w->step = frame->block;
        return true;
    case FRAME_LIST:
        return next_entry(w, frame);
    case FRAME_OPERATIONS:
        if (--frame->left == 0)
            return wire_nfs_leave(w);
        w->op_index++;
        return next_operation(w);
    }
    return false;
}

/* ---- steps: each leaves w->step at the next one ---- */

static bool do_words(struct walker *w, const struct step *step)
{
    if (!wire_nfs_have(w, 4 * (uint64_t)step->n))
        return false;
    wire_nfs_move(w, 4 * (size_t)step->n);
    w->step++;
    return true;
}

/* A word or a boolean. */
static bool do_word(struct walker *w, const struct step *step)
{
    uint32_t value;

    if (!(step->kind == BOOLEAN ? look_boolean(w, &value) : wire_nfs_look(w, &value)))
        return false;
    report_value(w, step->mark, value);
    wire_nfs_move(w, 4);
    w->step++;
    return true;
}

/* Skips the contents of an opaque, as far as present. */
static bool contents(struct walker *w, const struct step *step, uint32_t count)
{
    uint64_t padded = xdr_padded(count), present = padded;
    struct nfs_item item = {.mark = step->mark,
                            .eligible = step->width,
                            .op_index = w->op_index,
                            .op = w->op,
                            .count = count,
                            .at = w->at,
                            .position = w->position};

    if (w->events->item)
        present = w->events->item(w->events->ctx, &item);
    if (present > padded)
        present = padded;
    if (!wire_nfs_have(w, present))
        return false;
    if (w->events->roundup && present == padded) {
        for (uint64_t i = count; i < padded; i++) {
            if (w->p[w->at + i] == 0)
                continue;
            w->events->roundup(w->events->ctx, w->at + count, w->position + count);
            break;
        }
    }
    w->at += (size_t)present;
    w->position += padded;
    w->step++;
    INVARIANT(w->at <= w->n && present <= padded);
    return true;
}

/* Reads the count of an item or array, and moves past it. */
static bool take_count(struct walker *w, const struct step *step, uint32_t *count)
{
    if (!wire_nfs_look(w, count))
        return false;
    if (*count > step->n)
        return wire_nfs_stop(w, NFS_WALK_BAD, *count);
    wire_nfs_move(w, 4);
    INVARIANT(*count <= step->n);
    return true;
}

static bool do_item(struct walker *w, const struct step *step)
{
    uint32_t count;

    return take_count(w, step, &count) && contents(w, step, count);
}

static bool do_fixed(struct walker *w, const struct step *step)
{
    return contents(w, step, step->n);
}

static bool do_word_array(struct walker *w, const struct step *step)
{
    uint32_t count;

    if (!take_count(w, step, &count) || !wire_nfs_have(w, 4 * (uint64_t)step->width * count))
        return false;
    wire_nfs_move(w, 4 * (size_t)step->width * count);
    w->step++;
    return true;
}

static bool do_array(struct walker *w, const struct step *step)
{
    uint32_t count;

    if (!take_count(w, step, &count))
        return false;
    if (count > 0)
        return wire_nfs_enter(w, FRAME_COUNTED, step->target, count);
    w->step++;
    return true;
}

/* A list is an optional part that may repeat. */
static bool do_optional(struct walker *w, const struct step *step)
{
    uint32_t follows;

    if (!look_boolean(w, &follows))
        return false;
    wire_nfs_move(w, 4);
    if (follows)
        return wire_nfs_enter(w, step->kind == LIST ? FRAME_LIST : FRAME_ONCE, step->target, 0);
    w->step++;
    return true;
}

static bool do_switch(struct walker *w, const struct step *step)
{
    uint32_t value;

    if (!wire_nfs_look(w, &value))
        return false;
    for (uint32_t i = 0; i < step->n; i++) {
        const struct arm *arm = &arms[step->target + i];

        if (!arm->any && arm->value != value)
            continue;
        report_value(w, step->mark, value);
        if (arm->block == NO_BLOCK)
            return wire_nfs_stop(w, NFS_WALK_UNKNOWN, value);
        wire_nfs_move(w, 4);
        return wire_nfs_enter(w, FRAME_ONCE, arm->block, 0);
    }
    return wire_nfs_stop(w, NFS_WALK_BAD, value);
}

static bool do_operations(struct walker *w, const struct step *step)
{
    uint32_t count;

    (void)step;
    if (!wire_nfs_look(w, &count))
        return false;
    wire_nfs_move(w, 4);
    w->result->operations_announced = count;
    if (count == 0) {
        w->step++;
        return true;
    }
    /* The frame has no block of its own: each operation brings its block. */
    return wire_nfs_enter(w, FRAME_OPERATIONS, 0, count) && next_operation(w);
}

static bool (*const run[KINDS])(struct walker *w, const struct step *step) = {
    [WORDS] = do_words,   [WORD] = do_word,     [BOOLEAN] = do_word,          [ITEM] = do_item,
    [FIXED] = do_fixed,   [ARRAY] = do_array,   [WORD_ARRAY] = do_word_array, [OPTIONAL] = do_optional,
    [LIST] = do_optional, [SWITCH] = do_switch, [OPERATIONS] = do_operations,
};

static enum nfs_walk_status walk_steps(struct walker *w)
{
    static const struct nfs_walk_events deaf;
    struct nfs_walk_result *result = w->result;

    if (!w->events)
        w->events = &deaf;
    *result = (struct nfs_walk_result){.status = NFS_WALK_OK};
    for (;;) {
        const struct step *step = &steps[w->step];

        INVARIANT(w->step < N(steps) && w->depth <= DEPTH && w->at <= w->n);

        if (step->kind != END) {
            if (!run[step->kind](w, step))
                break;
        } else if (w->depth == 0 || !end_block(w)) {
            break;
        }
    }
    result->at = w->at;
    result->position = w->position;
    result->left = w->n - w->at;
    result->op_index = w->op_index;
    result->op = w->op;
    INVARIANT(result->at + result->left == w->n && (result->status != NFS_WALK_OK || w->depth == 0));
    return result->status;
}

enum nfs_walk_status nfs_walk(const struct nfs_procedure *procedure, bool reply, const uint8_t *p, size_t n,
                              uint64_t position, const struct nfs_walk_events *events, struct nfs_walk_result *result)
{
    struct walker w = {.p = p,
                       .n = n,
                       .position = position,
                       .events = events,
                       .reply = reply,
                       .callback = procedure->callback,
                       .step = reply ? procedure->reply : procedure->call,
                       .result = result};

    return walk_steps(&w);
}

enum nfs_walk_status nfs_walk_operation(uint32_t op, const uint8_t *p, size_t n, struct nfs_walk_result *result)
{
    const struct op *known = find_op(op, false);
    struct walker w = {.p = p, .n = n, .op = op, .step = known ? known->call : 0, .result = result};

    if (known)
        return walk_steps(&w);
    *result = (struct nfs_walk_result){.status = NFS_WALK_UNKNOWN, .fault = op, .left = n, .op = op};
    return NFS_WALK_UNKNOWN;
}
