/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Structures in JSON: a table has the name, the place and the kind of each member. The same table writes the structure
 * and reads the structure back; values that the structure cannot hold are refused.
 */
#ifndef IWARP_SUPPORT_JSON_MEMBERS_H
#define IWARP_SUPPORT_JSON_MEMBERS_H

#include "support/json_writer.h"

#include <json-glib/json-glib.h>

#include <stddef.h>

/* The largest count: far above what a report counts, and far below where sums overflow. */
#define JSON_COUNT_MAX (UINT64_C(1) << 48)

/* An object that is read. */
struct json_reading {
    gchar *wrong; /* the first thing that is wrong, "'frame' of a finding should be a count"; g_free() it */
    void *ctx;    /* for members with functions of their own, and for the caller */
    bool partial; /* members that are missing or null stay 0, of any kind but JSON_COUNTS and JSON_OWN */
    bool copies;  /* texts are copied, for g_free() */
};

/* Texts that are read live as long as the JSON object, unless they are copied. */
enum json_kind {
    JSON_TRUTH,    /* bool */
    JSON_TRISTATE, /* int: 1, 0, or -1 for null */
    JSON_COUNT,    /* an unsigned number */
    JSON_COUNTS,   /* n uint64_t, each a member of its own, named by `names` or `word`; NULL: no member */
    JSON_PAIR, /* an array of two elements, n elements apart, each of `size` octets; n = 0: side by side, in `size` */
    JSON_REAL, /* double */
    JSON_SECONDS,  /* double, written to the microsecond */
    JSON_TEXT,     /* const char * */
    JSON_TEXTS,    /* GPtrArray * of const char * */
    JSON_NUMBERS,  /* GArray * of uint32_t; in one line, unless n = 1 */
    JSON_WORD,     /* an enumeration: the words (`names` or `word`) of 0 to n - 1; null may stand for n */
    JSON_INNER,    /* an object, of the structure at the offset, which may be 0: `inner` */
    JSON_ROWS,     /* GArray * of structures, an array of objects: `inner` */
    JSON_POINTERS, /* the same of a GPtrArray * of structures */
    JSON_OWN,      /* with functions of its own */
};

/* How a member that is 0 or NULL is written; an inner object counts as 0 if its first member is 0. */
enum json_zero { JSON_SHOWN, JSON_SHOWN_AS_NULL, JSON_LEFT_OUT };

struct json_table {
    const char *what; /* "a finding", in messages */
    const struct json_member *members;
};

/* The structures of JSON_POINTERS, for reading. */
struct json_structure {
    size_t size;
    void (*init)(void *zeroed);             /* NULL: zeros are good */
    bool (*is_full)(const void *structure); /* whether enough was read; NULL: anything is enough */
};

struct json_member {
    const char *name; /* NULL ends a table; of JSON_COUNTS: not used */
    enum json_kind kind;
    size_t offset;
    unsigned size; /* octets */
    enum json_zero zero;
    bool derived; /* follows from other members, and is not read */
    bool newer;   /* always written, but older reports lack it: then it stays 0 */
    size_t known; /* offset of a bool: false makes the member null, or both elements of a pair; 0: none */
    unsigned n;
    uint64_t most; /* of a count; 0: JSON_COUNT_MAX */
    const char *const *names;
    const char *(*word)(unsigned value);
    const struct json_table *inner;
    const struct json_structure *structure;
    void (*write)(struct json_writer *writer, const struct json_member *member, const void *base, const void *ctx);
    bool (*read)(struct json_reading *reading, const struct json_member *member, JsonObject *object, void *base);
};

#define JSON_AT(structure, field) .offset = offsetof(structure, field), .size = sizeof(((structure *)NULL)->field)

/* The members of the structure at `base`; ctx: for members with functions of their own. */
void json_write_members(struct json_writer *writer, const struct json_table *table, const void *base, const void *ctx);
/* The same inside an object of that name (NULL: as in json_writer.h). */
void json_write_object(struct json_writer *writer, const char *name, const struct json_table *table, const void *base,
                       const void *ctx);
/* Members that the table does not know are skipped. False: reading->wrong says why. */
bool json_read_members(struct json_reading *reading, const struct json_table *table, JsonObject *object, void *base);

/* ---- for what no table describes ---- */

/* Sets reading->wrong unless there is one, and returns false. */
bool json_wrong(struct json_reading *reading, const char *what, const char *name, const char *wanted);
/* Whether the object has such a member. */
bool json_has(JsonObject *object, const char *name);
/* NULL or false, and reading->wrong: the member is missing or of another type. `what` names the object. */
JsonObject *json_want_object(struct json_reading *reading, JsonObject *object, const char *what, const char *name);
JsonArray *json_want_array(struct json_reading *reading, JsonObject *object, const char *what, const char *name);
const char *json_want_text(struct json_reading *reading, JsonObject *object, const char *what, const char *name);
bool json_want_count(struct json_reading *reading, JsonObject *object, const char *what, const char *name,
                     uint64_t most, uint64_t *value);
/* The element of an array called `name`. */
JsonObject *json_want_element(struct json_reading *reading, JsonArray *array, guint i, const char *name);
/* Whether the node is an integer in that range. */
bool json_integer_node(JsonNode *node, int64_t least, int64_t most);
/* Whether the node exists and is null. */
bool json_null_node(JsonNode *node);

#endif
