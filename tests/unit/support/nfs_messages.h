/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arguments and results of NFS, written word by word, for the tests of the walker. */
#ifndef IWARP_TESTS_UNIT_SUPPORT_NFS_MESSAGES_H
#define IWARP_TESTS_UNIT_SUPPORT_NFS_MESSAGES_H

#include "tests/unit/support/support.h"
#include "wire/nfs.h"

enum { MESSAGE_MAX = 4096, SEEN_MAX = 128 };

struct nfs_text {
    uint8_t p[MESSAGE_MAX];
    size_t n;
};

/* Words; n words that do not matter. */
#define text_put(t, ...) text_put_words(t, (const uint32_t[]){__VA_ARGS__}, ARRAY_LENGTH(((uint32_t[]){__VA_ARGS__})))
void text_put_words(struct nfs_text *t, const uint32_t *words, size_t n);
void text_words(struct nfs_text *t, unsigned n);

/* count, and n octets with their roundup. */
void text_item(struct nfs_text *t, uint32_t n);

/* The head of a COMPOUND's arguments: an empty tag, the minor version, how many operations. */
void text_compound(struct nfs_text *t, uint32_t minor, uint32_t operations);

/* And of its results. */
void text_compounded(struct nfs_text *t, uint32_t status, uint32_t operations);

/* SEQUENCE arguments and results, number and status included. */
void text_sequence(struct nfs_text *t, uint32_t sequence, uint32_t slot);
void text_sequenced(struct nfs_text *t);

/* What a walk reported. */
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

/* Walks from position 100 on. What was set in *seen before (removed, pads_left) counts. */
enum nfs_walk_status text_walk(const struct nfs_text *t, uint32_t program, uint32_t version, uint32_t number,
                               bool reply, struct nfs_seen *seen);

/* The first value with this mark; fails the test when there is none. */
const struct nfs_value *seen_value_with(const struct nfs_seen *seen, enum nfs_mark mark);
const struct nfs_item *seen_item_with(const struct nfs_seen *seen, enum nfs_mark mark);

#endif
