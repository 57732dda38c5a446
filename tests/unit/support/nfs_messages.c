// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/support/nfs_messages.h"

void text_put_words(struct nfs_text *t, const uint32_t *words, size_t n)
{
    assert_true(t->n + 4 * n <= sizeof t->p);
    for (size_t i = 0; i < n; i++, t->n += 4)
        put_be32(t->p + t->n, words[i]);
}

void text_words(struct nfs_text *t, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        text_put(t, 0x01010101u * (i + 1));
}

void text_item(struct nfs_text *t, uint32_t n)
{
    text_put(t, n);
    assert_true(t->n + xdr_padded(n) <= sizeof t->p);
    memset(t->p + t->n, 'x', n);
    memset(t->p + t->n + n, 0, xdr_roundup(n));
    t->n += xdr_padded(n);
}

void text_compound(struct nfs_text *t, uint32_t minor, uint32_t operations)
{
    text_put(t, 0, minor, operations);
}

void text_compounded(struct nfs_text *t, uint32_t status, uint32_t operations)
{
    text_put(t, status, 0, operations);
}

void text_sequence(struct nfs_text *t, uint32_t sequence, uint32_t slot)
{
    text_put(t, NFS_OP_SEQUENCE);
    text_words(t, 4);
    text_put(t, sequence, slot, slot, 0);
}

void text_sequenced(struct nfs_text *t)
{
    text_put(t, NFS_OP_SEQUENCE, 0);
    text_words(t, 9);
}

static void seen_operation(void *ctx, const struct nfs_operation *operation)
{
    struct nfs_seen *seen = ctx;

    assert_true(seen->operations < SEEN_MAX);
    seen->operation[seen->operations++] = *operation;
}

static uint64_t seen_item(void *ctx, const struct nfs_item *told)
{
    struct nfs_seen *seen = ctx;

    assert_true(seen->items < SEEN_MAX);
    seen->item[seen->items] = *told;
    if (seen->removed >> seen->items++ & 1)
        return seen->pads_left ? xdr_roundup(told->count) : 0;
    return xdr_padded(told->count);
}

static void seen_value(void *ctx, const struct nfs_value *value)
{
    struct nfs_seen *seen = ctx;

    assert_true(seen->values < SEEN_MAX);
    seen->value[seen->values++] = *value;
}

static void seen_roundup(void *ctx, size_t at, uint64_t position)
{
    struct nfs_seen *seen = ctx;

    seen->roundups++;
    seen->roundup_position = position;
}

enum nfs_walk_status text_walk(const struct nfs_text *t, uint32_t program, uint32_t version, uint32_t number,
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

const struct nfs_value *seen_value_with(const struct nfs_seen *seen, enum nfs_mark mark)
{
    for (unsigned i = 0; i < seen->values; i++) {
        if (seen->value[i].mark == mark)
            return &seen->value[i];
    }
    fail_msg("mark %d was not told", (int)mark);
    return NULL;
}

const struct nfs_item *seen_item_with(const struct nfs_seen *seen, enum nfs_mark mark)
{
    for (unsigned i = 0; i < seen->items; i++) {
        if (seen->item[i].mark == mark)
            return &seen->item[i];
    }
    fail_msg("item with mark %d was not told", (int)mark);
    return NULL;
}
