/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON of unknown origin and any size, read piece by piece: a value at a time is in memory, as a tape of items in the
 * order of the text, each of which knows where the one after it is. Nothing is allocated for an item, and the tape is
 * used again for the next value.
 *
 * Stricter than json-glib's parser: RFC 8259 in UTF-8, nested to JSON_DEPTH_MAX, no number that no double holds.
 */
#ifndef IWARP_CONFORMANCE_MERGE_JSON_SOURCE_H
#define IWARP_CONFORMANCE_MERGE_JSON_SOURCE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum { JSON_DEPTH_MAX = 32 };

/* JSON_INTEGER: a number without fraction and exponent that an int64_t holds. */
enum json_type { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_INTEGER, JSON_REAL, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json_item {
    uint32_t at,
        length;    /* its text, in octets from the first one of the value; of a string without the quotation marks */
    uint32_t next; /* the number of the item after it and all that is in it */
    uint8_t type;  /* enum json_type */
    bool plain;    /* a string of printable ASCII that needs no escaping: its text is its value */
};

struct json_source {
    int fd;
    char *text;             /* a window of the file, with a NUL after it */
    size_t room, at, end;   /* of it: at is the next octet */
    uint64_t before;        /* octets of the file before it, relative to where reading began */
    size_t value;           /* where the latest value begins */
    bool ended, failed;     /* failed: could not be read, errno says why; else it is no JSON */
    struct json_item *item; /* of the latest value; an object has a name and a value by turns */
    size_t n, items_room;
};

/* Reads from fd, which is the caller's, from where it is. */
void json_source_init(struct json_source *source, int fd);
/* Reads what is in memory: text is taken over, has n octets and a NUL after them. */
void json_source_init_text(struct json_source *source, gchar *text, size_t n);
void json_source_clear(struct json_source *source);
/* Octets from where reading began to the next one. */
uint64_t json_source_position(const struct json_source *source);

/* The next character that is not blank, which stays the next one; 0: there is none. */
char json_peek(struct json_source *source);
/* Takes it if it is `wanted`. */
bool json_take(struct json_source *source, char wanted);
/* Between the brackets of an object or array: whether another member or element comes, or the closing bracket did. */
enum json_step { JSON_MORE, JSON_CLOSED, JSON_WRONG };
enum json_step json_step(struct json_source *source, bool first, char closing);
/* Nothing but blanks is left. */
bool json_source_ends(struct json_source *source);
/* Reads a value, which is good until anything else is asked of the source. False: it is no JSON, or source->failed. */
bool json_read(struct json_source *source);

/* ---- a value that was read ---- */

/* item NULL: there is none, which every function below takes for a value of no type. */
struct json_view {
    const struct json_source *source;
    const struct json_item *item;
};

struct json_view json_whole(const struct json_source *source);
bool json_is(struct json_view view, enum json_type type);
/* Of an object; of several with the name the last one, as with other readers. */
struct json_view json_member(struct json_view object, const char *name);
/* Elements of an array one after the other, or members of an object: names, each with json_named(). */
struct json_view json_first(struct json_view view);
struct json_view json_next(struct json_view whole, struct json_view view);
struct json_view json_named(struct json_view name);
size_t json_length(struct json_view array);
struct json_view json_element(struct json_view array, size_t i);
/* Of a JSON_INTEGER, else 0; of any number, else 0. */
int64_t json_integer(struct json_view view);
double json_real(struct json_view view);
/* The text of an item, as it is in the file; not ended by a NUL. */
const char *json_raw(struct json_view view);
/* Of a string; g_free() it. NULL: it is none. */
gchar *json_string_of(struct json_view view);
bool json_says(struct json_view string, const char *text);

#endif
