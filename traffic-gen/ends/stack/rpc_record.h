/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RPC messages on a byte stream: record marking, RFC 5531 section 11. A record is a series of fragments. Each follows a
 * word with its length, whose highest bit marks the last fragment.
 */
#ifndef IWARP_TRAFFIC_ENDS_STACK_RPC_RECORD_H
#define IWARP_TRAFFIC_ENDS_STACK_RPC_RECORD_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RPC_RECORD_MARK = 4 };

struct rpc_record {
    size_t max;       /* most octets of a record */
    GByteArray *body; /* of the current record */
    uint8_t mark[RPC_RECORD_MARK];
    unsigned n_mark; /* octets of the mark so far */
    uint32_t left;   /* octets still missing in the fragment */
    bool is_last;
};

void rpc_record_init(struct rpc_record *record, size_t max);
void rpc_record_clear(struct rpc_record *record);
/*
 * Takes octets from the front of *p, *n, until a record is complete: then returns true, and record->body holds it until
 * the next call. False: all octets were taken, or the record is too long (*too_long) and the stream cannot continue.
 */
bool rpc_record_take(struct rpc_record *record, const uint8_t **p, size_t *n, bool *too_long);
/* Writes the mark of a message of n octets, below 2 GiB, in one fragment. */
void rpc_record_mark(uint8_t mark[RPC_RECORD_MARK], size_t n);

#endif
