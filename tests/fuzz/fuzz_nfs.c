// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Arguments or results of NFS: two octets choose the procedure and the direction, the rest is the message. For any
 * message the walk stays inside it; when its DDP-eligible items are removed, everything else keeps its place.
 */
#include "tests/fuzz/fuzz_words.h"
#include "wire/nfs.h"

enum { SIZE_MAX_KEPT = 1 << 16, HEAD = 2, REACHED = 1 << 13 };

/*
 * Tables drive the walk, so edges of the code do not show how much of the tables an input reaches. libFuzzer also
 * counts operations by direction, marked values, and how the walk over each procedure ended.
 */
__attribute__((section("__libfuzzer_extra_counters"))) static uint8_t reached[REACHED];

static void reach(uint32_t kind, uint32_t one, uint32_t two)
{
    uint8_t *counter = &reached[(kind * 2654435761u ^ one * 40503u ^ two * 97u) % REACHED];

    if (*counter < UINT8_MAX)
        ++*counter;
}

#ifdef IWARP_LIBFUZZER
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    return fuzz_mutate_words(data, size, max, seed, HEAD);
}
#endif

struct look {
    const uint8_t *p;
    size_t n, at;
    uint64_t position, told, sum;
    bool reply;
    uint32_t op;   /* the latest operation */
    bool reduced;  /* eligible items are removed */
    uint8_t *kept; /* else: gets the octets without them */
    size_t kept_n, copied;
};

static void note(struct look *l, size_t at, uint64_t position, uint64_t what)
{
    HOLDS(at <= l->n && at >= l->at && position >= l->position && position >= at);
    l->at = at;
    l->position = position;
    l->told++;
    l->sum = l->sum * 31 + position * 7 + what;
}

static void operation(void *ctx, const struct nfs_operation *o)
{
    struct look *l = ctx;

    l->op = o->op;
    reach(1, o->op, l->reply);
    note(ctx, o->at, o->position, o->op);
}

static void value(void *ctx, const struct nfs_value *v)
{
    const struct look *l = ctx;

    HOLDS(v->mark != NFS_MARK_NONE && v->mark < NFS_MARK_MAX);
    reach(2, v->mark, l->op << 1 | l->reply);
    note(ctx, v->at, v->position, v->value);
}

static void keep(struct look *l, size_t to)
{
    memcpy(l->kept + l->kept_n, l->p + l->copied, to - l->copied);
    l->kept_n += to - l->copied;
    l->copied = to;
}

static uint64_t item(void *ctx, const struct nfs_item *i)
{
    struct look *l = ctx;
    uint64_t padded = xdr_padded(i->count);

    note(l, i->at, i->position, i->count);
    if (!i->eligible)
        return padded;
    if (l->reduced)
        return 0;
    if (padded <= l->n - i->at) {
        keep(l, i->at);
        l->copied += padded;
    }
    return padded;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint32_t programs[][2] = {{NFS_PROGRAM, 2},     {NFS_PROGRAM, 3},       {NFS_PROGRAM, 4},
                                           {0x40000000, 1},      {NFS_PROGRAM_MOUNT, 1}, {NFS_PROGRAM_MOUNT, 3},
                                           {NFS_PROGRAM_NLM, 3}, {NFS_PROGRAM_NLM, 4},   {NFS_PROGRAM_NSM, 1},
                                           {NFS_PROGRAM_ACL, 2}, {NFS_PROGRAM_ACL, 3}};
    static uint8_t kept[SIZE_MAX_KEPT];
    const struct nfs_procedure *procedure;
    struct look whole = {0}, reduced = {0};
    struct nfs_walk_events events = {&whole, operation, item, value, NULL};
    struct nfs_walk_result result, again;
    const uint32_t *program;
    bool reply;

    if (size < HEAD || size > SIZE_MAX_KEPT)
        return 0;
    program = programs[data[0] % (sizeof programs / sizeof programs[0])];
    reply = data[1] & 0x80;
    procedure = nfs_procedure_find(program[0], program[1], data[1] & 0x7f);
    if (!procedure)
        return 0;
    whole.p = data + HEAD;
    whole.n = size - HEAD;
    whole.reply = reply;
    whole.kept = kept;
    nfs_walk(procedure, reply, whole.p, whole.n, 0, &events, &result);
    reach(3, procedure->program << 12 | procedure->version << 8 | procedure->number,
          (uint32_t)result.status << 1 | reply);
    HOLDS(result.at <= whole.n && result.left == whole.n - result.at && result.position == result.at);
    HOLDS(whole.told <= whole.n / 4 + 1);
    HOLDS(result.operations <= result.operations_announced);
    if (result.status != NFS_WALK_OK)
        return 0;
    keep(&whole, result.at);
    reduced.p = kept;
    reduced.n = whole.kept_n;
    reduced.reply = reply;
    reduced.reduced = true;
    events.ctx = &reduced;
    nfs_walk(procedure, reply, reduced.p, reduced.n, 0, &events, &again);
    HOLDS(again.status == NFS_WALK_OK && again.left == 0 && again.position == result.position);
    HOLDS(whole.told == reduced.told && whole.sum == reduced.sum);
    return 0;
}
