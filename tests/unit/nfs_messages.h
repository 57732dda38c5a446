/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arguments and results of NFS, written word by word, for the tests of the walker. */
#ifndef IWARP_TESTS_UNIT_NFS_MESSAGES_H
#define IWARP_TESTS_UNIT_NFS_MESSAGES_H

#include "support.h"
#include "wire/nfs.h"

enum { MESSAGE_MAX = 4096, SEEN_MAX = 128 };

struct nfs_text {
    uint8_t p[MESSAGE_MAX];
    size_t n;
};

static inline void word(struct nfs_text *t, uint32_t v)
{
    assert_true(t->n + 4 <= sizeof t->p);
    put_be32(t->p + t->n, v);
    t->n += 4;
}

static inline void words(struct nfs_text *t, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        word(t, 0x01010101u * (i + 1));
}

/* count, and n octets with their roundup. */
static inline void item(struct nfs_text *t, uint32_t n)
{
    word(t, n);
    assert_true(t->n + xdr_padded(n) <= sizeof t->p);
    memset(t->p + t->n, 'x', n);
    memset(t->p + t->n + n, 0, xdr_roundup(n));
    t->n += xdr_padded(n);
}

/* The head of a COMPOUND's arguments: an empty tag, the minor version, how many operations. */
static inline void compound(struct nfs_text *t, uint32_t minor, uint32_t operations)
{
    word(t, 0);
    word(t, minor);
    word(t, operations);
}

/* And of its results. */
static inline void compounded(struct nfs_text *t, uint32_t status, uint32_t operations)
{
    word(t, status);
    word(t, 0);
    word(t, operations);
}

/* SEQUENCE arguments and results, number and status included. */
static inline void sequence(struct nfs_text *t, uint32_t sequence, uint32_t slot)
{
    word(t, NFS_OP_SEQUENCE);
    words(t, 4);
    word(t, sequence);
    word(t, slot);
    word(t, slot);
    word(t, 0);
}

static inline void sequenced(struct nfs_text *t)
{
    word(t, NFS_OP_SEQUENCE);
    word(t, 0);
    words(t, 9);
}

/* What a walk told. */
struct nfs_seen {
    struct nfs_operation operation[SEEN_MAX];
    struct nfs_item item[SEEN_MAX];
    struct nfs_value value[SEEN_MAX];
    unsigned operations, items, values, roundups;
    uint64_t roundup_position;
    uint64_t removed; /* bit i: item i was taken out */
    bool pads_left;   /* but not its roundup */
    struct nfs_walk_result result;
};

static inline void seen_operation(void *ctx, const struct nfs_operation *operation)
{
    struct nfs_seen *seen = ctx;

    assert_true(seen->operations < SEEN_MAX);
    seen->operation[seen->operations++] = *operation;
}

static inline uint64_t seen_item(void *ctx, const struct nfs_item *told)
{
    struct nfs_seen *seen = ctx;

    assert_true(seen->items < SEEN_MAX);
    seen->item[seen->items] = *told;
    if (seen->removed >> seen->items++ & 1)
        return seen->pads_left ? xdr_roundup(told->count) : 0;
    return xdr_padded(told->count);
}

static inline void seen_value(void *ctx, const struct nfs_value *value)
{
    struct nfs_seen *seen = ctx;

    assert_true(seen->values < SEEN_MAX);
    seen->value[seen->values++] = *value;
}

static inline void seen_roundup(void *ctx, size_t at, uint64_t position)
{
    struct nfs_seen *seen = ctx;

    (void)at;
    seen->roundups++;
    seen->roundup_position = position;
}

/* Walks from position 100 on. What was set in *seen before (removed, pads_left) counts. */
static inline enum nfs_walk_status walk(const struct nfs_text *t, uint32_t program, uint32_t version, uint32_t number,
                                        bool reply, struct nfs_seen *seen)
{
    struct nfs_walk_events events = {seen, seen_operation, seen_item, seen_value, seen_roundup};
    const struct nfs_procedure *procedure = nfs_procedure_find(program, version, number);
    enum nfs_walk_status status;

    assert_non_null(procedure);
    status = nfs_walk(procedure, reply, t->p, t->n, 100, &events, &seen->result);
    assert_int_equal(status, seen->result.status);
    assert_int_equal(seen->result.at + seen->result.left, t->n);
    return status;
}

/* The first value with this mark; fails the test when there is none. */
static inline const struct nfs_value *valued(const struct nfs_seen *seen, enum nfs_mark mark)
{
    for (unsigned i = 0; i < seen->values; i++) {
        if (seen->value[i].mark == mark)
            return &seen->value[i];
    }
    fail_msg("mark %d was not told", (int)mark);
    return NULL;
}

static inline const struct nfs_item *itemed(const struct nfs_seen *seen, enum nfs_mark mark)
{
    for (unsigned i = 0; i < seen->items; i++) {
        if (seen->item[i].mark == mark)
            return &seen->item[i];
    }
    fail_msg("item with mark %d was not told", (int)mark);
    return NULL;
}

#endif
