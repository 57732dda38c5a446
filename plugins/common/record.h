/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records to which the layers attach findings. */
#ifndef IWARP_PLUGINS_COMMON_RECORD_H
#define IWARP_PLUGINS_COMMON_RECORD_H

#include "engine/core/verdict.h"

struct record;

/* A finding. */
struct remark {
    struct remark *next;
    enum rule_id rule;
    enum rule_severity severity;
    enum finding_basis basis;
    enum direction direction;
    struct place place;
    uint32_t related_frame;
    const char *message;
    struct record *record;  /* NULL: the finding was withdrawn */
    struct remark *earlier; /* of the connection, in order of creation */
};

/* The first member of a layer's own record. Initially zero. */
struct record {
    uint64_t offset; /* in the stream of its side; with the frame, the key */
    uint32_t frame;
    struct remark *remarks;
};

#endif
