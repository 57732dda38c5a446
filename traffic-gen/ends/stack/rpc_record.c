// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/ends/stack/rpc_record.h"

#include "wire/octets.h"

#define LAST (UINT32_C(1) << 31)

void rpc_record_init(struct rpc_record *record, size_t max)
{
    *record = (struct rpc_record){.max = max, .body = g_byte_array_new()};
}

void rpc_record_clear(struct rpc_record *record)
{
    if (record->body)
        g_byte_array_unref(record->body);
    *record = (struct rpc_record){0};
}

/* Takes the next octet of the mark; true: the mark is complete. */
static bool take_mark(struct rpc_record *record, const uint8_t **p, size_t *n)
{
    record->mark[record->n_mark++] = *(*p)++;
    --*n;
    if (record->n_mark < RPC_RECORD_MARK)
        return false;
    record->left = get_be32(record->mark) & ~LAST;
    record->is_last = get_be32(record->mark) & LAST;
    return true;
}

static void record_take_part(struct rpc_record *record, const uint8_t **p, size_t *n)
{
    size_t part = MIN(*n, record->left);

    if (part > 0)
        g_byte_array_append(record->body, *p, (guint)part);
    *p += part;
    *n -= part;
    record->left -= (uint32_t)part;
}

bool rpc_record_take(struct rpc_record *record, const uint8_t **p, size_t *n, bool *too_long)
{
    *too_long = false;
    if (record->n_mark == RPC_RECORD_MARK && record->left == 0) { /* the last record was returned */
        record->n_mark = 0;
        g_byte_array_set_size(record->body, 0);
    }
    while (*n > 0) {
        if (record->n_mark < RPC_RECORD_MARK) {
            if (!take_mark(record, p, n))
                continue;
            *too_long = record->left > record->max - record->body->len;
            if (*too_long)
                return false;
        }
        record_take_part(record, p, n);
        if (record->left > 0)
            return false;
        if (record->is_last)
            return true;
        record->n_mark = 0;
    }
    return false;
}

void rpc_record_mark(uint8_t mark[RPC_RECORD_MARK], size_t n)
{
    put_be32(mark, (uint32_t)n | LAST);
}
