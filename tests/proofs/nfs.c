// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wire/nfs.c: one step of the walk, from any state that the walk can have. A step leaves a state that the walk can have
 * again, so no walk of any length leaves its tables, its stack or its octets. The step may be any that is like those of
 * the tables; another proof shows that all steps of the tables are, which takes less time than a step of the table
 * does.
 */
#include "wire/nfs.c"

#include "tests/proofs/proof.h"

enum { MOST = 16, OPERATION_MOST = 12, ARMS_MOST = 8, UNKNOWN_OP = 0 };

static uint64_t any_item(void *ctx, const struct nfs_item *item)
{
    (void)ctx;
    (void)item;
    return any_u64();
}

static void hear_roundup(void *ctx, size_t at, uint64_t position)
{
    (void)ctx;
    (void)at;
    (void)position;
}

static void hear_operation(void *ctx, const struct nfs_operation *operation)
{
    (void)ctx;
    CLAIM(operation->at + 4 <= OPERATION_MOST);
}

static struct walker *walked;

/* A step sets nothing but the counts of the marks. One by one, they stay apart from the rest of the walker. */
void *memset(void *p, int value, size_t n)
{
    CLAIM(p == walked->seen && value == 0 && n == sizeof walked->seen);
    for (unsigned i = 0; i < NFS_MARK_MAX; i++)
        walked->seen[i] = 0;
    return p;
}

static bool is_block(uint32_t step)
{
    return step < N(steps);
}

static bool is_like_the_tables(const struct step *step)
{
    if (step->kind >= KINDS || step->mark >= NFS_MARK_MAX)
        return false;
    if (step->kind == ARRAY || step->kind == OPTIONAL || step->kind == LIST)
        return is_block(step->target);
    return step->kind != SWITCH || (step->n <= ARMS_MOST && step->target + step->n <= N(arms));
}

static bool leads_to_a_block(const struct arm *arm)
{
    return arm->block == NO_BLOCK || is_block(arm->block);
}

void proof_nfs_tables(void)
{
    size_t i = any_size();

    if (i < N(steps)) {
        CLAIM(is_like_the_tables(&steps[i]) && (steps[i].kind == END || is_block((uint32_t)i + 1)));
        FALSE_CLAIM(steps[i].kind != SWITCH || steps[i].n < ARMS_MOST);
    }
    if (i < N(arms)) {
        CLAIM(leads_to_a_block(&arms[i]));
        FALSE_CLAIM(arms[i].block != NO_BLOCK);
    }
}

/* What holds between steps. */
static bool holds(const struct walker *w)
{
    if (w->at > w->n || w->depth > DEPTH || !is_block(w->step))
        return false;
    for (unsigned i = 0; i < DEPTH; i++) {
        const struct frame *frame = &w->frames[i];

        if (i < w->depth && (!is_block(frame->back) || !is_block(frame->block) || frame->kind > FRAME_OPERATIONS ||
                             ((frame->kind == FRAME_COUNTED || frame->kind == FRAME_OPERATIONS) && frame->left == 0)))
            return false;
    }
    return true;
}

static void set_any_state(struct walker *w)
{
    w->reply = any_bool();
    w->callback = any_bool();
    w->step = any_u32();
    w->depth = any_u32();
    for (unsigned i = 0; i < DEPTH; i++)
        w->frames[i] = (struct frame){any_u8(), any_u16(), any_u16(), any_u32()};
}

static void claim_step(const struct walker *w, size_t before, bool on)
{
    CLAIM(w->at >= before && IMPLIES(on, holds(w)));
    CLAIM(IMPLIES(!on, w->at <= w->n));
    FALSE_CLAIM(!on);
    FALSE_CLAIM(on);
    FALSE_CLAIM(w->at == before);
}

/* A step of a kind from first to last. The kind is a constant, so that its function is known. */
static void walk_step(enum kind first, enum kind last)
{
    static const struct nfs_walk_events events = {.item = any_item, .roundup = hear_roundup};
    struct nfs_walk_result result = {0};
    struct step step = {any_u8(), any_u8(), any_u8(), any_u16(), any_u32()};
    struct walker w = {.n = any_size_to(MOST), .events = &events, .result = &result};
    size_t before;
    unsigned depth, most = first >= ARRAY ? DEPTH : 0; /* with the stack, the depth is a constant, too */
    bool on = false;

    if (first == SWITCH)
        step.target = N(arms) - ARMS_MOST; /* a constant, so that the arms are known */
    w.p = any_octets_to(w.n, MOST);
    w.at = any_size_to(w.n);
    set_any_state(&w);
    ASSUME(holds(&w) && is_like_the_tables(&step) && is_block(w.step + 1));
    ASSUME(step.kind >= first && step.kind <= last);
    before = w.at;
    depth = w.depth;
    for (uint8_t kind = first; kind <= last; kind++) {
        for (unsigned known = 0; known <= most; known++) {
            if (step.kind != kind || (most > 0 && depth != known))
                continue;
            if (most > 0)
                w.depth = known;
            on = run[kind](&w, &step);
        }
    }
    claim_step(&w, before, on);
    FALSE_CLAIM(step.kind != last);
}

void proof_nfs_step_words(void)
{
    walk_step(WORDS, BOOLEAN);
}

void proof_nfs_step_items(void)
{
    walk_step(ITEM, WORD_ARRAY);
}

void proof_nfs_step_blocks(void)
{
    walk_step(ARRAY, LIST);
}

/* The last arms of the table are replaced by any that are like those of the table; CBMC lets a proof write there. */
void proof_nfs_step_switch(void)
{
    struct arm *last = (struct arm *)arms + N(arms) - ARMS_MOST;

    for (unsigned i = 0; i < ARMS_MOST; i++) {
        last[i] = (struct arm){any_u32(), any_u16(), any_bool()};
        ASSUME(leads_to_a_block(&last[i]));
    }
    walk_step(SWITCH, SWITCH);
}

/* The end of a block in a frame of this kind, except for operations. */
static void walk_end(unsigned depth, enum frame_kind kind)
{
    static const struct nfs_walk_events events;
    struct nfs_walk_result result = {0};
    struct walker w = {.n = any_size_to(MOST), .events = &events, .result = &result};
    size_t before;

    w.p = any_octets_to(w.n, MOST);
    w.at = before = any_size_to(w.n);
    set_any_state(&w);
    w.depth = depth;
    w.frames[depth - 1].kind = (uint8_t)kind;
    ASSUME(holds(&w));
    claim_step(&w, before, end_block(&w));
}

void proof_nfs_step_end(void)
{
    for (unsigned depth = 1; depth <= DEPTH; depth++) {
        for (enum frame_kind kind = FRAME_ONCE; kind <= FRAME_LIST; kind++)
            walk_end(depth, kind);
    }
}

/*
 * The first operation of a COMPOUND, or the end of one and the next one. `number` is a constant, as are all places;
 * proof_nfs_operations() shows that all numbers are found as these are, or are not.
 */
static void walk_operation(bool first, unsigned depth, size_t n, bool callback, uint32_t number)
{
    static const struct nfs_walk_events events = {.operation = hear_operation};
    static const struct step step = {.kind = OPERATIONS};
    struct nfs_walk_result result = {0};
    uint8_t octets[OPERATION_MOST];
    size_t at = OPERATION_MOST - n + (first ? 4 : 0);
    struct walker w = {.p = octets + OPERATION_MOST - n, .n = n, .events = &events, .result = &result};

    for (size_t i = 0; i < OPERATION_MOST; i++)
        octets[i] = i < at || i >= at + 4 ? any_u8() : (uint8_t)(number >> 8 * (at + 3 - i));
    set_any_state(&w);
    w.depth = depth;
    w.callback = callback;
    if (!first)
        w.frames[depth - 1].kind = FRAME_OPERATIONS;
    ASSUME(holds(&w) && is_block(w.step + 1));
    walked = &w;
    claim_step(&w, 0, first ? do_operations(&w, &step) : end_block(&w));
}

/* The blocks of the known operations are any. */
void proof_nfs_step_operations(void)
{
    struct op *known[] = {(struct op *)ops, (struct op *)callback_ops};

    for (unsigned callback = 0; callback < 2; callback++) {
        known[callback]->call = any_u16();
        known[callback]->reply = any_u16();
        ASSUME(is_block(known[callback]->call) && is_block(known[callback]->reply));
        for (unsigned depth = 0; depth <= DEPTH; depth++) {
            for (size_t n = 0; n <= OPERATION_MOST; n++) {
                walk_operation(true, depth, n, callback, UNKNOWN_OP);
                walk_operation(true, depth, n, callback, known[callback]->number);
                if (depth == 0)
                    continue;
                walk_operation(false, depth, n, callback, UNKNOWN_OP);
                walk_operation(false, depth, n, callback, known[callback]->number);
            }
        }
    }
}

static bool fits(const struct nfs_procedure *procedure, uint32_t program, uint32_t version, uint32_t number)
{
    if (procedure->number != number)
        return false;
    if (procedure->callback)
        return is_callback_program(program) && version >= 1 && version <= 4;
    return procedure->program == program && procedure->version == version;
}

/* Looks at each procedure apart: so the procedure is known, while what was found is one of many. */
void proof_nfs_lookups(void)
{
    uint32_t program = any_u32(), version = any_u32(), number = any_u32();
    const struct nfs_procedure *found = nfs_procedure_find(program, version, number);
    bool is_one = false;

    for (size_t i = 0; i < N(procedures); i++) {
        const struct nfs_procedure *procedure = &procedures[i];

        CLAIM(is_block(procedure->call) && is_block(procedure->reply));
        CLAIM((found == procedure) == fits(procedure, program, version, number)); /* so no other fits */
        is_one |= found == procedure;
        FALSE_CLAIM(found != procedure || procedure->callback);
        FALSE_CLAIM(found != procedure || !procedure->callback);
    }
    CLAIM(is_one == (found != NULL));
    CLAIM(IMPLIES(found, nfs_program_name(program)));
    FALSE_CLAIM(IMPLIES(nfs_program_name(program), found));
}

void proof_nfs_operations(void)
{
    uint32_t number = any_u32();
    bool callback = any_bool();
    const struct op *known = find_op(number, callback);

    if (known) {
        CLAIM(known->number == number && is_block(known->call) && is_block(known->reply) && known->name);
        FALSE_CLAIM(callback);
    }
}
