/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Work of real ends from the statements of a scenario that begins with `with work` (iwarp-scenario(5), WORK). */
#ifndef IWARP_TRAFFIC_SCENARIO_WORK_READ_H
#define IWARP_TRAFFIC_SCENARIO_WORK_READ_H

#include "traffic-gen/scenario/work.h"
#include "traffic-gen/speak/say/words.h"

enum {
    WORK_MESSAGE_MAX = 1 << 24,  /* octets of payload */
    WORK_OCTETS_MAX = 256 << 20, /* of all messages together */
    WORK_CONNECTIONS_MAX = 1000,
};

/*
 * `name` is the text's name in messages (script_parse()). NULL: *error is the mistake and its place; free it with
 * g_free(), and the work with work_free().
 */
struct work *work_read(const char *name, const GPtrArray *statements, char **error);

/* ---- its parts; the words refuse unreadable text ---- */

/* A number that NAME=NUMBER sets; NAME alone sets 1 where max is 1. */
struct work_field {
    const char *name;
    size_t offset, size; /* of the structure's member */
    uint64_t min, max;
};
#define WORK_FIELD(NAME, STRUCT, MEMBER, MIN, MAX)                                                                     \
    {                                                                                                                  \
        NAME, offsetof(STRUCT, MEMBER), sizeof(((STRUCT *)0)->MEMBER), MIN, MAX                                        \
    }
/* Reads those of n fields that the words set; suffix: comes after their names, "I", "R" or "". */
void work_read_fields(struct words *words, const struct work_field *fields, size_t n, const char *suffix,
                      void *structure);

/* Reads a connection from the words after `with work`. */
void work_read_connection(struct words *words, struct work *work, struct work_connection *connection);
/* Reads a region of memory of this side. */
void work_read_memory(struct words *words, struct work *work, enum role role);
/* Reads work for this side's queue pair. */
struct work_item work_read_post(struct words *words, const struct work *work);
/* Reads a job of an NFS client, or a change on the server's host. */
struct work_item work_read_job(struct words *words, const struct work *work);
/* Refuses the verb; names: those that are allowed. */
void work_refuse_verb(struct words *words, const char *names);

#endif
