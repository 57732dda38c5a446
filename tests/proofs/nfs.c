// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wire/nfs.c: one step of the walk, from any state that the walk can have. A step leaves a state that the walk can have
 * again, so no walk of any length leaves its tables, its stack or its octets. The step may be any that is like those of
 * the tables; another proof shows that all steps of the tables are, which takes less time than a step of the table
 * does.
 */
#include "wire/nfs.c"

#include "tests/proofs/proof.h"

enum { MOST = 16, ARMS_MOST = 8 };

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

void proof_nfs_tables(void)
{
    size_t i = any_size();

    if (i < N(steps)) {
        CLAIM(is_like_the_tables(&steps[i]) && (steps[i].kind == END || is_block((uint32_t)i + 1)));
        FALSE_CLAIM(steps[i].kind != SWITCH || steps[i].n < ARMS_MOST);
    }
    if (i < N(arms)) {
        CLAIM(arms[i].block == NO_BLOCK || is_block(arms[i].block));
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

/* A step of a kind from first to last. The kind is a constant, so that its function is known. */
static void walk_step(enum kind first, enum kind last)
{
    static const struct nfs_walk_events events = {.item = any_item, .roundup = hear_roundup};
    struct nfs_walk_result result = {0};
    struct step step = {any_u8(), any_u8(), any_u8(), any_u16(), any_u32()};
    struct walker w = {.n = any_size_to(MOST), .events = &events, .result = &result};
    size_t before;
    unsigned depth,
        most = first >= ARRAY || first == END ? DEPTH : 0; /* with the stack, the depth is a constant, too */
    bool on = false;

    w.p = any_octets_to(w.n, MOST);
    w.at = any_size_to(w.n);
    w.reply = any_bool();
    w.callback = any_bool();
    w.step = any_u32();
    w.depth = any_u32();
    for (unsigned i = 0; i < DEPTH; i++)
        w.frames[i] = (struct frame){any_u8(), any_u16(), any_u16(), any_u32()};
    ASSUME(holds(&w) && is_like_the_tables(&step) && (step.kind == END || is_block(w.step + 1)));
    ASSUME(step.kind >= first && step.kind <= last);
    before = w.at;
    depth = w.depth;
    for (uint8_t kind = first; kind <= last; kind++) {
        for (unsigned known = 0; known <= most; known++) {
            if (step.kind != kind || (most > 0 && depth != known))
                continue;
            if (most > 0)
                w.depth = known;
            if (kind == END)
                on = w.depth > 0 && end_block(&w);
            else
                on = run[kind](&w, &step);
        }
    }
    CLAIM(w.at >= before && IMPLIES(on, holds(&w)));
    CLAIM(IMPLIES(!on, w.at <= w.n));
    FALSE_CLAIM(!on);
    FALSE_CLAIM(on);
    FALSE_CLAIM(w.at == before);
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

void proof_nfs_step_switch(void)
{
    walk_step(SWITCH, SWITCH);
}

void proof_nfs_step_operations(void)
{
    walk_step(OPERATIONS, OPERATIONS);
}

void proof_nfs_step_end(void)
{
    walk_step(END, END);
}

void proof_nfs_lookups(void)
{
    uint32_t program = any_u32(), version = any_u32(), number = any_u32();
    const struct nfs_procedure *procedure = nfs_procedure_find(program, version, number);

    if (procedure) {
        CLAIM(procedure->number == number && is_block(procedure->call) && is_block(procedure->reply));
        FALSE_CLAIM(procedure->callback);
    }
    CLAIM(IMPLIES(procedure && !procedure->callback, nfs_program_name(program) != NULL));
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
