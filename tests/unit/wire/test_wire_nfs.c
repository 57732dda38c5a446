// SPDX-License-Identifier: GPL-2.0-or-later
/* The walker of NFS on messages written octet by octet, from the RFCs and not from wire/nfs_types.txt. */
#include "tests/unit/support/support.h"
#include "wire/nfs.h"

#include <stdlib.h>

enum { MESSAGE_MAX = 4096, HEARD_MAX = 32, FIRST = 100 /* position of a message */ };

/* Reports of the walker: an operation, an item (value: its octets) or a value. */
struct heard {
    enum { END, OPERATION, ITEM, ELIGIBLE, VALUE } kind;
    unsigned mark; /* of an operation: 0 */
    uint64_t value;
    size_t at;
    unsigned index; /* among equal marks */
};

struct message {
    const char *what;
    uint32_t program, version, number;
    bool reply;
    const char *octets;
    struct heard heard[HEARD_MAX];
};

#define HEARD(k, m, v, a, i)                                                                                           \
    {                                                                                                                  \
        .kind = k, .mark = m, .value = v, .at = a, .index = i                                                          \
    }
#define NOTHING                                                                                                        \
    {                                                                                                                  \
        HEARD(END, 0, 0, 0, 0)                                                                                         \
    }
#define OP(number, at)          HEARD(OPERATION, 0, number, at, 0)
#define SAYS(mark, value, at)   HEARD(VALUE, NFS_MARK_##mark, value, at, 0)
#define AGAIN(mark, value, at)  HEARD(VALUE, NFS_MARK_##mark, value, at, 1)
#define HAS(mark, octets, at)   HEARD(ITEM, NFS_MARK_##mark, octets, at, 0)
#define MOVES(mark, octets, at) HEARD(ELIGIBLE, NFS_MARK_##mark, octets, at, 0)
#define CALL3(number)           NFS_PROGRAM, 3, number, false
#define REPLY3(number)          NFS_PROGRAM, 3, number, true
#define COMPOUND(reply)         NFS_PROGRAM, 4, 1, reply

static const struct message messages[] = {
    {"WRITE of version 3",
     CALL3(7),
     "00000020 [32] [8] 000003fd 00000002 000003fd [1024]",
     {HAS(HANDLE, 32, 4), SAYS(COUNT, 1021, 44), MOVES(DATA, 1021, 56)}},
    {"SYMLINK of version 2",
     NFS_PROGRAM,
     2,
     13,
     false,
     "[32] 00000005 [8] 00000259 [604] [32]",
     {HAS(HANDLE, 32, 0), HAS(NAME, 5, 36), MOVES(LINK, 601, 48)}},
    {"results of READ",
     REPLY3(6),
     "00000000 00000001 [84] 00001000 00000001 000007d0 [2000]",
     {SAYS(STATUS, 0, 0), SAYS(RESULT_COUNT, 4096, 92), MOVES(DATA, 2000, 104)}},
    {"a READ that failed: attributes only", REPLY3(6), "00000046 00000000", {SAYS(STATUS, 70, 0)}},
    {"READDIRPLUS: a list with optional parts",
     REPLY3(17),
     "00000000 00000000 [8] 00000001 [8] 00000001 [4] [8] [4] [4]"
     "00000001 [8] 00000002 [4] [8] 00000001 [84] [4]"
     "00000001 [8] 00000003 [4] [8] [4] 00000001 0000001c [28] 00000000 00000001",
     {SAYS(STATUS, 0, 0), HAS(NONE, 1, 32), HAS(NONE, 2, 68), HAS(NONE, 3, 188), HAS(HANDLE, 28, 212)}},
    {"EXPORT: lists within a list",
     NFS_PROGRAM_MOUNT,
     3,
     5,
     true,
     "00000001 00000006 [8] 00000001 00000004 [4] 00000001 00000003 [4] 00000000 00000001 00000002 [4] [8]",
     {HAS(NAME, 6, 8), HAS(NAME, 4, 24), HAS(NAME, 3, 36), HAS(NAME, 2, 52)}},
    {"SEQUENCE, PUTFH, WRITE, GETATTR",
     COMPOUND(false),
     "[4] 00000001 00000004 00000035 [16] 00000007 00000003 00000003 [4] 00000016 0000001c [28]"
     "00000026 [24] 00000002 00000201 [516] 00000009 00000002 00001000 0000003a",
     {HAS(NONE, 0, 4), SAYS(MINOR_VERSION, 1, 4), OP(53, 12), HAS(SESSION, 16, 16), SAYS(SEQUENCE, 7, 32),
      SAYS(SLOT, 3, 36), SAYS(HIGHEST_SLOT, 3, 40), SAYS(CACHE_THIS, 0, 44), OP(22, 48), HAS(HANDLE, 28, 56),
      OP(38, 84), MOVES(DATA, 513, 120), OP(9, 636), SAYS(ATTR_MASK, 0x1000, 644), AGAIN(ATTR_MASK, 0x3a, 648)}},
    {"results of SEQUENCE, PUTFH, and of a READ that failed",
     COMPOUND(true),
     "00002729 [4] 00000003 00000035 [4] [36] 00000016 [4] 00000019 00002729",
     {SAYS(STATUS, 10025, 0), HAS(NONE, 0, 8), OP(53, 12), SAYS(STATUS, 0, 16), HAS(SESSION, 16, 20),
      SAYS(TARGET_SLOT, 0, 48), SAYS(STATUS_FLAGS, 0, 52), OP(22, 56), SAYS(STATUS, 0, 60), OP(25, 64),
      SAYS(STATUS, 10025, 68)}},
    {"results of SEQUENCE, PUTFH, READ and READDIR",
     COMPOUND(true),
     "[4] [4] 00000004 00000035 [4] [36] 00000016 [4] 00000019 [4] 00000001 00000063 [100] 0000001a [4] [8]"
     "00000001 [8] [4] [8] 00000001 [8] 00000001 [4] [8] 00000001 [8] 00000002 [4] [8] 00000000 00000001",
     {SAYS(STATUS, 0, 0),
      HAS(NONE, 0, 8),
      OP(53, 12),
      SAYS(STATUS, 0, 16),
      HAS(SESSION, 16, 20),
      SAYS(TARGET_SLOT, 0, 48),
      SAYS(STATUS_FLAGS, 0, 52),
      OP(22, 56),
      SAYS(STATUS, 0, 60),
      OP(25, 64),
      SAYS(STATUS, 0, 68),
      MOVES(DATA, 99, 80),
      OP(26, 180),
      SAYS(STATUS, 0, 184),
      HAS(NONE, 0, 212),
      HAS(NONE, 0, 220),
      HAS(NONE, 1, 236),
      HAS(NONE, 0, 248),
      HAS(NONE, 2, 264),
      HAS(NONE, 0, 276)}},
    {"CREATE_SESSION, with AUTH_NONE, AUTH_SYS and a third channel attribute",
     COMPOUND(false),
     "[4] 00000001 00000001 0000002b [8] [4] 00000003 [4] 00100414 00100388 [4] 00000008 00000040 [4]"
     "[4] 00001000 00000800 [4] 00000008 00000010 00000001 00000004 40000000 00000002 00000000"
     "00000001 00000001 00000009 [12] [8] 00000003 [12]",
     {HAS(NONE, 0, 4), SAYS(MINOR_VERSION, 1, 4), OP(43, 12), HAS(CLIENT, 8, 16), SAYS(SESSION_FLAGS, 3, 28),
      SAYS(FORE_HEADERPAD, 0, 32), SAYS(FORE_MAXREQUEST, 1049620, 36), SAYS(FORE_MAXRESPONSE, 1049480, 40),
      SAYS(FORE_MAXREQUESTS, 64, 52), SAYS(BACK_HEADERPAD, 0, 60), SAYS(BACK_MAXREQUEST, 4096, 64),
      SAYS(BACK_MAXRESPONSE, 2048, 68), SAYS(BACK_IRD, 4, 88), SAYS(CB_PROGRAM, 0x40000000, 92), HAS(NONE, 9, 116)}},
    {"CB_SEQUENCE with two referring calls, CB_RECALL",
     0x41234567,
     4,
     1,
     false,
     "[4] 00000001 00000011 00000002 0000000b [16] 00000001 [12] 00000001 [16] 00000002 [16]"
     "00000004 [16] [4] 0000001c [28]",
     {HAS(NONE, 0, 4), SAYS(MINOR_VERSION, 1, 4), OP(11, 16), HAS(SESSION, 16, 20), SAYS(SEQUENCE, 1, 36),
      SAYS(SLOT, 0, 40), SAYS(CACHE_THIS, 0, 48), OP(4, 92), HAS(HANDLE, 28, 120)}},
};

/* ---- walks ---- */

struct walk {
    struct heard heard[HEARD_MAX];
    unsigned n, roundups;
    uint64_t ahead; /* difference of positions and places */
    bool reduced;   /* movable items were taken out ... */
    bool pads;      /* except their roundup */
    struct nfs_walk_result result;
};

static void hear(struct walk *walk, const struct heard *heard, uint64_t position)
{
    assert_true(walk->n + 1 < HEARD_MAX);
    assert_int_equal(position, FIRST + heard->at + walk->ahead);
    walk->heard[walk->n++] = *heard;
}

static void hear_operation(void *ctx, const struct nfs_operation *operation)
{
    hear(ctx, &(struct heard){OPERATION, 0, operation->op, operation->at, 0}, operation->position);
}

static uint64_t hear_item(void *ctx, const struct nfs_item *item)
{
    const uint64_t all = xdr_padded(item->count);
    struct walk *walk = ctx;
    uint64_t there = all;

    hear(walk, &(struct heard){item->eligible ? ELIGIBLE : ITEM, item->mark, item->count, item->at, 0}, item->position);
    if (walk->reduced && item->eligible)
        there = walk->pads ? xdr_roundup(item->count) : 0;
    walk->ahead += all - there;
    return there;
}

static void hear_value(void *ctx, const struct nfs_value *value)
{
    hear(ctx, &(struct heard){VALUE, value->mark, value->value, value->at, value->index}, value->position);
}

static void hear_roundup(void *ctx, size_t at, uint64_t position)
{
    ((struct walk *)ctx)->roundups++;
}

static enum nfs_walk_status walk_octets(const struct message *message, const uint8_t *p, size_t n, struct walk *walk)
{
    const struct nfs_walk_events events = {walk, hear_operation, hear_item, hear_value, hear_roundup};
    const struct nfs_procedure *procedure = nfs_procedure_find(message->program, message->version, message->number);
    enum nfs_walk_status status;

    assert_non_null(procedure);
    status = nfs_walk(procedure, message->reply, p, n, FIRST, &events, &walk->result);
    assert_int_equal(status, walk->result.status);
    assert_int_equal(walk->result.at + walk->result.left, n);
    return status;
}

static bool same(const struct heard *a, const struct heard *b)
{
    return a->kind == b->kind && a->mark == b->mark && a->value == b->value && a->at == b->at && a->index == b->index;
}

/* All that is expected, `shift` octets earlier after the eligible item. */
static void compare(const struct message *message, const struct walk *walk)
{
    size_t shift = 0;
    unsigned operations = 0;

    for (unsigned i = 0; i <= walk->n; i++) {
        struct heard due = message->heard[i];

        due.at -= i < walk->n ? shift : 0;
        if (!same(&due, &walk->heard[i]))
            fail_msg("%s: %u: expected kind %u, mark %u, value %u at %zu; found %u, %u, %u at %zu", message->what, i,
                     due.kind, due.mark, (unsigned)due.value, due.at, walk->heard[i].kind, walk->heard[i].mark,
                     (unsigned)walk->heard[i].value, walk->heard[i].at);
        operations += due.kind == OPERATION;
        if (due.kind == ELIGIBLE && walk->reduced)
            shift += xdr_padded(due.value) - (walk->pads ? xdr_roundup(due.value) : 0);
    }
    assert_int_equal(walk->result.left, 0);
    assert_int_equal(walk->result.operations, operations);
    assert_int_equal(walk->result.operations_announced, operations);
    assert_int_equal(walk->roundups, 0);
}

UNIT_TEST(test_messages)
{
    for (size_t i = 0; i < ARRAY_LENGTH(messages); i++) {
        struct walk walk = {0};
        uint8_t p[MESSAGE_MAX];
        size_t n = octets_of(messages[i].octets, p, sizeof p);

        assert_int_equal(walk_octets(&messages[i], p, n, &walk), NFS_WALK_OK);
        compare(&messages[i], &walk);
        assert_int_equal(walk.result.position, FIRST + n);
    }
}

/* Octets after a reduced item keep their place in the unreduced stream; the roundup may still be there. */
UNIT_TEST(test_reduced)
{
    for (size_t i = 0; i < 2 * ARRAY_LENGTH(messages); i++) {
        const struct message *message = &messages[i / 2];
        struct walk walk = {.reduced = true, .pads = i % 2};
        uint8_t p[MESSAGE_MAX];
        size_t n = octets_of(message->octets, p, sizeof p), whole = n;

        for (const struct heard *heard = message->heard; heard->kind; heard++) {
            const size_t out = walk.pads ? heard->value : xdr_padded(heard->value);

            if (heard->kind != ELIGIBLE)
                continue;
            memmove(p + heard->at, p + heard->at + out, n - heard->at - out);
            n -= out;
        }
        assert_int_equal(walk_octets(message, p, n, &walk), NFS_WALK_OK);
        compare(message, &walk);
        assert_int_equal(walk.result.position, FIRST + whole);
    }
}

/* Any proper prefix of a complete message is reported as short. */
UNIT_TEST(test_short)
{
    for (size_t i = 0; i < ARRAY_LENGTH(messages); i++) {
        uint8_t p[MESSAGE_MAX];
        size_t whole = octets_of(messages[i].octets, p, sizeof p);

        for (size_t n = 0; n < whole; n++) {
            struct walk walk = {0};

            assert_int_equal(walk_octets(&messages[i], p, n, &walk), NFS_WALK_SHORT);
            assert_true(walk.result.at <= n);
            assert_true(walk.result.at + walk.result.fault > n);
            assert_true(walk.result.at + walk.result.fault <= whole);
        }
    }
}

/* ---- errors ---- */

UNIT_TEST(test_wrong)
{
    static const struct {
        struct message message;
        enum nfs_walk_status status;
        uint32_t fault;
        size_t at;
    } cases[] = {
        {{"a file handle above 64 octets", CALL3(7), "00000041", NOTHING}, NFS_WALK_BAD, 65, 0},
        {{"likewise", CALL3(1), "ffffffff", NOTHING}, NFS_WALK_BAD, UINT32_MAX, 0},
        {{"a boolean", REPLY3(4), "00000000 00000002", NOTHING}, NFS_WALK_BAD, 2, 4},
        {{"createmode3 without an arm", CALL3(8), "[4] [4] 00000003", NOTHING}, NFS_WALK_BAD, 3, 8},
        {{"data above 8192", NFS_PROGRAM, 2, 8, false, "[44] 00002001", NOTHING}, NFS_WALK_BAD, 8193, 44},
        {{"an entry follows?", REPLY3(16), "[4] [4] [8] 00000007", NOTHING}, NFS_WALK_BAD, 7, 16},
        {{"createdir of OPENATTR", COMPOUND(false), "[8] 00000001 00000013 00000005", NOTHING}, NFS_WALK_BAD, 5, 16},
        {{"locker of LOCK", COMPOUND(false), "[8] 00000001 0000000c 00000001 [4] [16] 00000002", NOTHING},
         NFS_WALK_BAD,
         2,
         40},
        {{"a path", NFS_PROGRAM_MOUNT, 1, 1, false, "00000401", NOTHING}, NFS_WALK_BAD, 1025, 0},
        {{"no such operation", COMPOUND(false), "[4] 00000002 00000002 00000018 000003e7", NOTHING},
         NFS_WALK_UNKNOWN,
         999,
         16},
        {{"a claim that an extension may bring", COMPOUND(false),
          "[4] 00000002 00000001 00000012 [20] 00000004 [4] [4] 00000007", NOTHING},
         NFS_WALK_UNKNOWN,
         7,
         48},
        {{"operations", COMPOUND(false), "[8] ffffffff", NOTHING}, NFS_WALK_SHORT, 0, 0},
        {{"words of a bitmap", COMPOUND(false), "[8] 00000001 00000009 ffffffff", NOTHING}, NFS_WALK_SHORT, 0, 0},
        {{"stateids", COMPOUND(false), "[8] 00000001 00000037 ffffffff", NOTHING}, NFS_WALK_SHORT, 0, 0},
        {{"data of WRITE", COMPOUND(false), "[8] 00000001 00000026 [28] ffffffff", NOTHING}, NFS_WALK_SHORT, 0, 0},
        {{"a file handle", COMPOUND(false), "[8] 00000001 00000016 0000007f ff", NOTHING}, NFS_WALK_SHORT, 0, 0},
        {{"a tag", COMPOUND(false), "ffffffff", NOTHING}, NFS_WALK_SHORT, 0, 0},
    };

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct walk walk = {0};
        uint8_t p[MESSAGE_MAX];
        size_t n = octets_of(cases[i].message.octets, p, sizeof p);

        if (walk_octets(&cases[i].message, p, n, &walk) != cases[i].status)
            fail_msg("%s: found status %u", cases[i].message.what, walk.result.status);
        if (cases[i].status == NFS_WALK_SHORT)
            continue;
        assert_int_equal(walk.result.fault, cases[i].fault);
        assert_int_equal(walk.result.at, cases[i].at);
        assert_int_equal(walk.result.position, FIRST + cases[i].at);
    }
}

UNIT_TEST(test_unknown_operation)
{
    static const struct message message = {"", COMPOUND(false), "[4] 00000002 00000002 00000018 000003e7", NOTHING};
    struct walk walk = {0};
    uint8_t p[MESSAGE_MAX];
    size_t n = octets_of(message.octets, p, sizeof p);

    assert_int_equal(walk_octets(&message, p, n, &walk), NFS_WALK_UNKNOWN);
    assert_int_equal(walk.result.op, 999);
    assert_int_equal(walk.result.op_index, 1);
    assert_int_equal(walk.result.operations, 2);
}

UNIT_TEST(test_roundup)
{
    static const struct message message = {"LOOKUP", CALL3(3), "[4] 00000006 [7] 01", NOTHING};
    struct walk walk = {0};
    uint8_t p[MESSAGE_MAX];
    size_t n = octets_of(message.octets, p, sizeof p);

    assert_int_equal(walk_octets(&message, p, n, &walk), NFS_WALK_OK);
    assert_int_equal(walk.roundups, 1);
}

UNIT_TEST(test_known)
{
    const struct nfs_procedure *p;

    p = nfs_procedure_find(NFS_PROGRAM, 4, 1);
    assert_true(p->compound && !p->callback && p->reduces_call && p->reduces_reply);
    assert_string_equal(p->name, "COMPOUND");
    p = nfs_procedure_find(0x40000000, 1, 1);
    assert_true(p->compound && p->callback && !p->reduces_call && !p->reduces_reply);
    assert_null(nfs_procedure_find(0x40000000, 5, 1));
    assert_ptr_equal(nfs_procedure_find(0x5fffffff, 4, 1), p);
    assert_null(nfs_procedure_find(0x60000000, 1, 1));
    p = nfs_procedure_find(NFS_PROGRAM, 3, 6);
    assert_true(!p->compound && !p->reduces_call && p->reduces_reply);
    p = nfs_procedure_find(NFS_PROGRAM, 2, 13);
    assert_true(p->reduces_call && !p->reduces_reply);
    for (uint32_t i = 0; i < 32; i++) {
        static const uint32_t auxiliary[] = {NFS_PROGRAM_MOUNT, NFS_PROGRAM_NLM, NFS_PROGRAM_NSM, NFS_PROGRAM_ACL};

        for (size_t j = 0; j < 4 * ARRAY_LENGTH(auxiliary); j++) {
            p = nfs_procedure_find(auxiliary[j / 4], (uint32_t)j % 4 + 1, i);
            assert_true(!p || !(p->reduces_call || p->reduces_reply));
        }
    }
    assert_null(nfs_procedure_find(NFS_PROGRAM, 3, 22));
    assert_null(nfs_procedure_find(NFS_PROGRAM, 5, 1));
    assert_string_equal(nfs_program_name(NFS_PROGRAM_ACL), "NFSACL");
    assert_string_equal(nfs_program_name(0x5fffffff), "NFS_CB");
    assert_null(nfs_program_name(1));
    assert_string_equal(nfs_op_name(NFS_OP_READ_PLUS, false), "READ_PLUS");
    assert_string_equal(nfs_op_name(10044, true), "CB_ILLEGAL");
    assert_null(nfs_op_name(2, false));
    /* The same number is another operation in the other direction. */
    assert_string_equal(nfs_op_name(4, true), "CB_RECALL");
    assert_string_equal(nfs_op_name(4, false), "CLOSE");
}

/* ---- a million mutated messages ---- */

struct bounds {
    size_t n, at;
    uint64_t position;
    size_t told;
    uint64_t random;
};

static void moved_on(struct bounds *b, size_t at, uint64_t position)
{
    assert_true(at >= b->at && at <= b->n && position >= b->position);
    b->at = at;
    b->position = position;
    b->told++;
}

static void bounded_operation(void *ctx, const struct nfs_operation *o)
{
    moved_on(ctx, o->at, o->position);
}

static uint64_t bounded_item(void *ctx, const struct nfs_item *i)
{
    struct bounds *b = ctx;

    moved_on(b, i->at, i->position);
    return i->eligible && (b->random & 1) ? 0 : xdr_padded(i->count);
}

static void bounded_value(void *ctx, const struct nfs_value *v)
{
    moved_on(ctx, v->at, v->position);
}

static void mutate(uint64_t *random, uint8_t *p, size_t n)
{
    uint64_t r = next_random(random);

    for (unsigned i = (unsigned)(r & 3); n >= 4 && i > 0; i--) {
        size_t at = (size_t)(next_random(random) % (n / 4)) * 4;

        r = next_random(random);
        /* Small numbers reach further than large ones. */
        put_be32(p + at, r & 1 ? (uint32_t)(r >> 8) % 80 : r & 2 ? (uint32_t)(r >> 32) : UINT32_MAX);
    }
}

UNIT_TEST(test_mutated)
{
    uint8_t texts[ARRAY_LENGTH(messages)][MESSAGE_MAX];
    size_t lengths[ARRAY_LENGTH(messages)];
    uint8_t *heap = malloc(MESSAGE_MAX);
    uint64_t random = 4;
    struct bounds b;
    struct nfs_walk_events events = {&b, bounded_operation, bounded_item, bounded_value, NULL};
    struct nfs_walk_result result;
    unsigned statuses[NFS_WALK_BAD + 1] = {0};

    assert_non_null(heap);
    for (size_t i = 0; i < ARRAY_LENGTH(messages); i++)
        lengths[i] = octets_of(messages[i].octets, texts[i], sizeof texts[i]);
    for (unsigned i = 0; i < 1000000; i++) {
        const unsigned which = i % ARRAY_LENGTH(messages);
        const struct message *message = &messages[which];
        size_t n = lengths[which] - (i % 5 == 0 ? (size_t)next_random(&random) % lengths[which] : 0);
        /* At the end of the memory, so that a sanitizer sees any octet too many. */
        uint8_t *p = heap + MESSAGE_MAX - n;
        const bool is_version_3 = message->program == NFS_PROGRAM && message->version == 3;
        const struct nfs_procedure *procedure =
            nfs_procedure_find(message->program, message->version, is_version_3 ? i % 21 + 1 : message->number);

        memcpy(p, texts[which], n);
        mutate(&random, p, n);
        b = (struct bounds){.n = n, .random = next_random(&random)};
        statuses[nfs_walk(procedure, message->reply, p, n, 0, &events, &result)]++;
        assert_true(result.at <= n && result.left == n - result.at && result.position >= result.at);
        /* Each report has its own word, except for fixed opaques. */
        assert_true(b.told <= n / 4 + 1);
    }
    for (unsigned i = 0; i < ARRAY_LENGTH(statuses); i++)
        assert_true(statuses[i] > 1000);
    free(heap);
}

/* The arguments of one operation, without what is around them. */
UNIT_TEST(test_operation)
{
    enum { COMMIT = 5, RECLAIM_COMPLETE = 58, COMMIT_OCTETS = 12 };
    const uint8_t octets[16] = {[3] = 2, [11] = 7, [15] = 1};
    struct nfs_walk_result result;

    assert_int_equal(nfs_walk_operation(COMMIT, octets, sizeof octets, &result), NFS_WALK_OK);
    assert_int_equal(result.at, COMMIT_OCTETS);
    assert_int_equal(result.left, sizeof octets - COMMIT_OCTETS);
    assert_int_equal(result.op, COMMIT);
    assert_int_equal(nfs_walk_operation(COMMIT, octets, COMMIT_OCTETS - 1, &result), NFS_WALK_SHORT);
    assert_int_equal(nfs_walk_operation(RECLAIM_COMPLETE, octets, sizeof octets, &result), NFS_WALK_BAD);
    assert_int_equal(result.fault, 2);
    assert_int_equal(nfs_walk_operation(2, octets, sizeof octets, &result), NFS_WALK_UNKNOWN);
    assert_int_equal(result.at, 0);
}
