// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/support/nfs_messages.h"

#include <stdlib.h>

/* ---- NFS versions 2 and 3 ---- */

static void write3(struct nfs_text *t, uint32_t count)
{
    text_item(t, 32);      /* file handle */
    text_words(t, 2);      /* offset */
    text_put(t, count, 2); /* FILE_SYNC */
    text_item(t, count);
}

static void test_version3_write(void **state)
{
    struct nfs_text t = {0};
    struct nfs_seen seen = {0};

    write3(&t, 1021);
    assert_int_equal(text_walk(&t, NFS_PROGRAM, 3, 7, false, &seen), NFS_WALK_OK);
    assert_int_equal(seen.result.left, 0);
    assert_int_equal(seen.items, 2);
    assert_int_equal(seen.item[0].mark, NFS_MARK_HANDLE);
    assert_int_equal(seen.item[0].position, 104);
    assert_false(seen.item[0].eligible);
    assert_int_equal(seen.item[1].mark, NFS_MARK_DATA);
    assert_true(seen.item[1].eligible);
    assert_int_equal(seen.item[1].count, 1021);
    assert_int_equal(seen.item[1].at, 4 + 32 + 8 + 4 + 4 + 4);
    assert_int_equal(seen.item[1].position, 100 + seen.item[1].at);
    assert_int_equal(seen_value_with(&seen, NFS_MARK_COUNT)->value, 1021);
    assert_int_equal(seen.result.position, 100 + t.n);
    assert_int_equal(seen.operations, 0);
}

static void test_reduced_write(void **state)
{
    struct nfs_text t = {0};
    struct nfs_seen seen = {.removed = 2};

    write3(&t, 1021);
    t.n -= 1024;
    assert_int_equal(text_walk(&t, NFS_PROGRAM, 3, 7, false, &seen), NFS_WALK_OK);
    assert_int_equal(seen.result.at, t.n);
    assert_int_equal(seen.result.left, 0);
    assert_int_equal(seen.result.position, 100 + t.n + 1024);
    assert_int_equal(seen.item[1].at, t.n);
    /* The roundup may still be there. */
    t.n += 3;
    seen = (struct nfs_seen){.removed = 2, .pads_left = true};
    assert_int_equal(text_walk(&t, NFS_PROGRAM, 3, 7, false, &seen), NFS_WALK_OK);
    assert_int_equal(seen.result.left, 0);
    assert_int_equal(seen.result.position, 100 + t.n - 3 + 1024);
}

/* What follows a reduced item: the attributes of SYMLINK in version 2. */
static void test_version2_symlink(void **state)
{
    struct nfs_text t = {0};
    struct nfs_seen seen = {.removed = 4};

    text_words(&t, 8);
    text_item(&t, 5);
    text_put(&t, 601); /* taken out */
    text_words(&t, 8);
    assert_int_equal(text_walk(&t, NFS_PROGRAM, 2, 13, false, &seen), NFS_WALK_OK);
    assert_int_equal(seen.items, 3);
    assert_int_equal(seen.item[0].count, 32);
    assert_int_equal(seen.item[0].mark, NFS_MARK_HANDLE);
    assert_int_equal(seen.item[2].mark, NFS_MARK_LINK);
    assert_true(seen.item[2].eligible);
    assert_int_equal(seen.item[2].position, 100 + 32 + 12 + 4);
    assert_int_equal(seen.result.left, 0);
    assert_int_equal(seen.result.position, 100 + t.n + 604);
}

static void test_version3_read_results(void **state)
{
    struct nfs_text t = {0};
    struct nfs_seen seen = {0};

    text_put(&t, 0, 1);
    text_words(&t, 21);
    text_put(&t, 4096, 1);
    text_item(&t, 2000);
    assert_int_equal(text_walk(&t, NFS_PROGRAM, 3, 6, true, &seen), NFS_WALK_OK);
    assert_int_equal(seen_value_with(&seen, NFS_MARK_STATUS)->value, 0);
    assert_int_equal(seen_value_with(&seen, NFS_MARK_RESULT_COUNT)->value, 4096);
    assert_int_equal(seen_item_with(&seen, NFS_MARK_DATA)->position, 100 + 104);
    assert_int_equal(seen.result.left, 0);
    /* A failed one has attributes only. */
    memset(&t, 0, sizeof t);
    memset(&seen, 0, sizeof seen);
    text_put(&t, 70, 0);
    assert_int_equal(text_walk(&t, NFS_PROGRAM, 3, 6, true, &seen), NFS_WALK_OK);
    assert_int_equal(seen_value_with(&seen, NFS_MARK_STATUS)->value, 70);
    assert_int_equal(seen.items, 0);
    assert_int_equal(seen.result.left, 0);
}

static void test_lists(void **state)
{
    struct nfs_text t = {0};
    struct nfs_seen seen = {0};

    text_put(&t, 0); /* READDIRPLUS */
    text_put(&t, 0);
    text_words(&t, 2);
    for (unsigned i = 0; i < 3; i++) {
        text_put(&t, 1);
        text_words(&t, 2);
        text_item(&t, 1 + i);
        text_words(&t, 2);
        text_put(&t, i == 1);
        if (i == 1)
            text_words(&t, 21);
        text_put(&t, i == 2);
        if (i == 2)
            text_item(&t, 28);
    }
    text_put(&t, 0, 1);
    assert_int_equal(text_walk(&t, NFS_PROGRAM, 3, 17, true, &seen), NFS_WALK_OK);
    assert_int_equal(seen.result.left, 0);
    assert_int_equal(seen.items, 4);
    assert_int_equal(seen.item[2].count, 3);
    assert_int_equal(seen_item_with(&seen, NFS_MARK_HANDLE)->count, 28);

    memset(&t, 0, sizeof t);
    memset(&seen, 0, sizeof seen);
    text_put(&t, 1); /* exports of MOUNT: lists within a list */
    text_item(&t, 6);
    text_put(&t, 1);
    text_item(&t, 4);
    text_put(&t, 1);
    text_item(&t, 3);
    text_put(&t, 0, 1);
    text_item(&t, 2);
    text_put(&t, 0, 0);
    assert_int_equal(text_walk(&t, NFS_PROGRAM_MOUNT, 3, 5, true, &seen), NFS_WALK_OK);
    assert_int_equal(seen.items, 4);
    assert_int_equal(seen.result.left, 0);
}

/* ---- NFS version 4 ---- */

static void write4(struct nfs_text *t)
{
    text_compound(t, 1, 4);
    text_sequence(t, 7, 3);
    text_put(t, NFS_OP_PUTFH);
    text_item(t, 28);
    text_put(t, NFS_OP_WRITE);
    text_words(t, 4);
    text_words(t, 2);
    text_put(t, 2);
    text_item(t, 513);
    text_put(t, NFS_OP_GETATTR, 2, 0x1000, 0x3a);
}

static void test_compound(void **state)
{
    static const uint32_t expected[] = {NFS_OP_SEQUENCE, NFS_OP_PUTFH, NFS_OP_WRITE, NFS_OP_GETATTR};
    struct nfs_text t = {0};
    struct nfs_seen seen = {0};
    const struct nfs_item *data;
    const struct nfs_value *mask;

    write4(&t);
    assert_int_equal(text_walk(&t, NFS_PROGRAM, 4, 1, false, &seen), NFS_WALK_OK);
    assert_int_equal(seen.result.left, 0);
    assert_int_equal(seen.operations, 4);
    assert_int_equal(seen.result.operations, 4);
    assert_int_equal(seen.result.operations_announced, 4);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(seen.operation[i].op, expected[i]);
        assert_int_equal(seen.operation[i].index, i);
        assert_false(seen.operation[i].has_status);
        assert_int_equal(get_be32(t.p + seen.operation[i].at), expected[i]);
    }
    data = seen_item_with(&seen, NFS_MARK_DATA);
    assert_int_equal(data->op, NFS_OP_WRITE);
    assert_int_equal(data->op_index, 2);
    assert_int_equal(data->count, 513);
    assert_int_equal(data->position, 100 + data->at);
    assert_int_equal(seen_value_with(&seen, NFS_MARK_MINOR_VERSION)->value, 1);
    assert_int_equal(seen_value_with(&seen, NFS_MARK_SLOT)->value, 3);
    assert_int_equal(seen_value_with(&seen, NFS_MARK_SEQUENCE)->value, 7);
    assert_int_equal(seen_item_with(&seen, NFS_MARK_SESSION)->count, 16);
    mask = seen_value_with(&seen, NFS_MARK_ATTR_MASK);
    assert_int_equal(mask[0].value, 0x1000);
    assert_int_equal(mask[0].index, 0);
    assert_int_equal(mask[1].value, 0x3a);
    assert_int_equal(mask[1].index, 1);
    assert_int_equal(mask[1].op, NFS_OP_GETATTR);
}

/* An operation after a reduced item keeps its place in the unreduced stream. */
static void test_reduced_compound(void **state)
{
    struct nfs_text whole = {0}, t;
    struct nfs_seen seen = {0}, reduced = {.removed = 8};
    size_t at;

    write4(&whole);
    assert_int_equal(text_walk(&whole, NFS_PROGRAM, 4, 1, false, &seen), NFS_WALK_OK);
    at = seen_item_with(&seen, NFS_MARK_DATA)->at;
    t = whole;
    memmove(t.p + at, t.p + at + 516, t.n - at - 516);
    t.n -= 516;
    assert_int_equal(text_walk(&t, NFS_PROGRAM, 4, 1, false, &reduced), NFS_WALK_OK);
    assert_int_equal(reduced.result.left, 0);
    assert_int_equal(reduced.operation[3].position, seen.operation[3].position);
    assert_int_equal(reduced.operation[3].at, seen.operation[3].at - 516);
    assert_int_equal(reduced.result.position, seen.result.position);
}

static void test_failed_compound(void **state)
{
    struct nfs_text t = {0};
    struct nfs_seen seen = {0};

    text_compounded(&t, 10025, 3);
    text_sequenced(&t);
    text_put(&t, NFS_OP_PUTFH, 0, NFS_OP_READ, 10025);
    assert_int_equal(text_walk(&t, NFS_PROGRAM, 4, 1, true, &seen), NFS_WALK_OK);
    assert_int_equal(seen.result.left, 0);
    assert_int_equal(seen.operations, 3);
    assert_true(seen.operation[2].has_status);
    assert_int_equal(seen.operation[2].status, 10025);
    assert_int_equal(seen.values, 5);
    assert_int_equal(seen.value[0].op_index, 0);
    assert_int_equal(seen.value[2].mark, NFS_MARK_TARGET_SLOT);
    assert_int_equal(seen.value[4].value, 10025);
    assert_int_equal(seen.value[4].op, NFS_OP_READ);
}

static void channel(struct nfs_text *t, uint32_t request, uint32_t response, uint32_t requests)
{
    text_put(t, 0, request, response, 0, 8, requests, 0);
}

static void test_create_session(void **state)
{
    struct nfs_text t = {0};
    struct nfs_seen seen = {0};

    text_compound(&t, 1, 1);
    text_put(&t, NFS_OP_CREATE_SESSION);
    text_words(&t, 3);
    text_put(&t, 3);
    channel(&t, 1049620, 1049480, 64);
    channel(&t, 4096, 2048, 16);
    text_put(&t, 0x40000000, 2, 0); /* AUTH_NONE */
    text_put(&t, 1);                /* AUTH_SYS */
    text_put(&t, 1);
    text_item(&t, 9);
    text_words(&t, 2);
    text_put(&t, 3);
    text_words(&t, 3);
    assert_int_equal(text_walk(&t, NFS_PROGRAM, 4, 1, false, &seen), NFS_WALK_OK);
    assert_int_equal(seen.result.left, 0);
    assert_int_equal(seen_value_with(&seen, NFS_MARK_SESSION_FLAGS)->value, 3);
    assert_int_equal(seen_value_with(&seen, NFS_MARK_FORE_MAXREQUEST)->value, 1049620);
    assert_int_equal(seen_value_with(&seen, NFS_MARK_FORE_MAXRESPONSE)->value, 1049480);
    assert_int_equal(seen_value_with(&seen, NFS_MARK_FORE_MAXREQUESTS)->value, 64);
    assert_int_equal(seen_value_with(&seen, NFS_MARK_BACK_MAXREQUEST)->value, 4096);
    assert_int_equal(seen_value_with(&seen, NFS_MARK_BACK_MAXRESPONSE)->value, 2048);
    assert_int_equal(seen_value_with(&seen, NFS_MARK_CB_PROGRAM)->value, 0x40000000);
}

static void test_callback(void **state)
{
    struct nfs_text t = {0};
    struct nfs_seen seen = {0};

    text_put(&t, 0, 1, 0x11, 2, 11); /* CB_SEQUENCE */
    text_words(&t, 4);
    text_put(&t, 1, 0, 0, 0, 1); /* one list of two referring calls */
    text_words(&t, 4);
    text_put(&t, 2);
    text_words(&t, 4);
    text_put(&t, 4); /* CB_RECALL */
    text_words(&t, 4);
    text_put(&t, 0);
    text_item(&t, 28);
    assert_int_equal(text_walk(&t, 0x41234567, 4, 1, false, &seen), NFS_WALK_OK);
    assert_int_equal(seen.result.left, 0);
    assert_int_equal(seen.operations, 2);
    assert_string_equal(nfs_op_name(seen.operation[1].op, true), "CB_RECALL");
    /* The same number means another operation in the other direction. */
    assert_string_equal(nfs_op_name(4, false), "CLOSE");
}

/* ---- what can be wrong ---- */

static void test_unknown(void **state)
{
    struct nfs_text t = {0};
    struct nfs_seen seen = {0};

    text_compound(&t, 2, 2);
    text_put(&t, NFS_OP_PUTROOTFH, 999);
    assert_int_equal(text_walk(&t, NFS_PROGRAM, 4, 1, false, &seen), NFS_WALK_UNKNOWN);
    assert_int_equal(seen.result.at, t.n - 4);
    assert_int_equal(seen.result.fault, 999);
    assert_int_equal(seen.result.op, 999);
    assert_int_equal(seen.result.op_index, 1);
    assert_int_equal(seen.result.operations, 2);
    assert_int_equal(seen.operations, 2);

    memset(&t, 0, sizeof t);
    memset(&seen, 0, sizeof seen);
    text_compound(&t, 2, 1); /* an arm that an extension may bring */
    text_put(&t, NFS_OP_OPEN);
    text_words(&t, 5);
    text_item(&t, 4);
    text_put(&t, 0, 7);
    assert_int_equal(text_walk(&t, NFS_PROGRAM, 4, 1, false, &seen), NFS_WALK_UNKNOWN);
    assert_int_equal(seen.result.fault, 7);
    assert_int_equal(seen.result.left, 4);
    assert_int_equal(seen_value_with(&seen, NFS_MARK_OPEN_CREATE)->value, 0);
}

static void test_bad(void **state)
{
    static const struct {
        uint32_t program, version, number;
        bool reply;
        const char *text;
        uint32_t fault;
        size_t at;
    } cases[] = {
        {NFS_PROGRAM, 3, 7, false, "00000041", 65, 0},                       /* file handle above 64 octets */
        {NFS_PROGRAM, 3, 1, false, "ffffffff", UINT32_MAX, 0},               /* likewise */
        {NFS_PROGRAM, 3, 4, true, "00000000 00000002", 2, 4},                /* boolean */
        {NFS_PROGRAM, 3, 8, false, "00000000 00000000 00000003", 3, 8},      /* createmode3 without an arm */
        {NFS_PROGRAM, 2, 8, false, "[44] 00002001", 8193, 44},               /* NFSv2 data above 8192 */
        {NFS_PROGRAM, 3, 16, true, "00000000 00000000 [8] 00000007", 7, 16}, /* an entry follows? */
        {NFS_PROGRAM, 4, 1, false, "[8] 00000001 00000013 00000005", 5, 16}, /* OPENATTR createdir */
        {NFS_PROGRAM, 4, 1, false, "[8] 00000001 0000000c 00000001 00000000 [16] 00000002", 2, 40}, /* LOCK locker */
        {NFS_PROGRAM_MOUNT, 1, 1, false, "00000401", 1025, 0},
    };

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct nfs_text t = {0};
        struct nfs_seen seen = {0};

        t.n = octets_of(cases[i].text, t.p, sizeof t.p);
        assert_int_equal(text_walk(&t, cases[i].program, cases[i].version, cases[i].number, cases[i].reply, &seen),
                         NFS_WALK_BAD);
        assert_int_equal(seen.result.fault, cases[i].fault);
        assert_int_equal(seen.result.at, cases[i].at);
        assert_int_equal(seen.result.position, 100 + cases[i].at);
    }
}

/* Whatever prefix of a whole message there is, it is short, and by what it says. */
static void test_short(void **state)
{
    struct nfs_text t = {0};

    write4(&t);
    for (size_t n = 0; n < t.n; n++) {
        struct nfs_text prefix = t;
        struct nfs_seen seen = {0};

        prefix.n = n;
        assert_int_equal(text_walk(&prefix, NFS_PROGRAM, 4, 1, false, &seen), NFS_WALK_SHORT);
        assert_true(seen.result.at <= n);
        assert_true(seen.result.at + seen.result.fault > n);
        assert_true(seen.result.at + seen.result.fault <= t.n);
    }
}

static void test_huge_counts(void **state)
{
    static const char *const texts[] = {
        "[8] ffffffff",                        /* operations */
        "[8] 00000001 00000009 ffffffff",      /* words of a bitmap */
        "[8] 00000001 00000037 ffffffff",      /* stateids */
        "[8] 00000001 00000026 [28] ffffffff", /* data of WRITE */
        "[8] 00000001 00000016 0000007f ff",   /* file handle */
        "ffffffff",                            /* tag */
    };

    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++) {
        struct nfs_text t = {0};
        struct nfs_seen seen = {0};

        t.n = octets_of(texts[i], t.p, sizeof t.p);
        assert_int_equal(text_walk(&t, NFS_PROGRAM, 4, 1, false, &seen), NFS_WALK_SHORT);
    }
}

static void test_roundup(void **state)
{
    struct nfs_text t = {0};
    struct nfs_seen seen = {0};

    text_put(&t, 0);
    text_item(&t, 6);
    t.p[t.n - 1] = 1;
    assert_int_equal(text_walk(&t, NFS_PROGRAM, 3, 3, false, &seen), NFS_WALK_OK);
    assert_int_equal(seen.roundups, 1);
    assert_int_equal(seen.roundup_position, 100 + 4 + 4 + 6);
}

static void test_known(void **state)
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

static void mutated_reply(struct nfs_text *t)
{
    text_compounded(t, 0, 4);
    text_sequenced(t);
    text_put(t, NFS_OP_PUTFH, 0, NFS_OP_READ, 0, 1);
    text_item(t, 99);
    text_put(t, NFS_OP_READDIR, 0);
    text_words(t, 2);
    for (unsigned i = 0; i < 4; i++) {
        text_put(t, 1);
        text_words(t, 2);
        text_item(t, i);
        text_put(t, 0, 0);
    }
    text_put(t, 0, 1);
}

static void test_mutated(void **state)
{
    struct nfs_text messages[3] = {0};
    uint8_t *heap = malloc(MESSAGE_MAX);
    uint64_t random = 4;
    struct bounds b;
    struct nfs_walk_events events = {&b, bounded_operation, bounded_item, bounded_value, NULL};
    struct nfs_walk_result result;
    unsigned statuses[NFS_WALK_BAD + 1] = {0};

    assert_non_null(heap);
    write4(&messages[0]);
    mutated_reply(&messages[1]);
    write3(&messages[2], 30);
    for (unsigned i = 0; i < 1000000; i++) {
        const struct nfs_text *t = &messages[i % 3];
        size_t n = t->n - (i % 5 == 0 ? (size_t)next_random(&random) % t->n : 0);
        /* At the end of the memory, so that a sanitizer sees one octet too many. */
        uint8_t *p = heap + MESSAGE_MAX - n;
        const struct nfs_procedure *procedure =
            i % 3 == 2 ? nfs_procedure_find(NFS_PROGRAM, 3, i % 21 + 1) : nfs_procedure_find(NFS_PROGRAM, 4, 1);

        memcpy(p, t->p, n);
        mutate(&random, p, n);
        b = (struct bounds){.n = n, .random = next_random(&random)};
        statuses[nfs_walk(procedure, i % 3 == 1, p, n, 0, &events, &result)]++;
        assert_true(result.at <= n && result.left == n - result.at && result.position >= result.at);
        /* Each thing told has a word of its own, but for fixed opaques. */
        assert_true(b.told <= n / 4 + 1);
    }
    for (unsigned i = 0; i < ARRAY_LENGTH(statuses); i++)
        assert_true(statuses[i] > 1000);
    free(heap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_version3_write),
        cmocka_unit_test(test_reduced_write),
        cmocka_unit_test(test_version2_symlink),
        cmocka_unit_test(test_version3_read_results),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_compound),
        cmocka_unit_test(test_reduced_compound),
        cmocka_unit_test(test_failed_compound),
        cmocka_unit_test(test_create_session),
        cmocka_unit_test(test_callback),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_bad),
        cmocka_unit_test(test_short),
        cmocka_unit_test(test_huge_counts),
        cmocka_unit_test(test_roundup),
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_mutated),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
