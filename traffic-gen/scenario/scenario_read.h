/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of a file of work in YAML, checked, and messages that say where and what is allowed. */
#ifndef IWARP_TRAFFIC_SCENARIO_SCENARIO_READ_H
#define IWARP_TRAFFIC_SCENARIO_SCENARIO_READ_H

#include "traffic-gen/scenario/work_file.h"

#include <inttypes.h>
#include <yaml.h>

struct reading {
    const char *name; /* of the file */
    yaml_document_t document;
    char *error;     /* the first one */
    unsigned steps;  /* that were looked at, those that say nothing included */
    uint64_t octets; /* of all messages so far */
    unsigned count;  /* what `repeat: count` means */
    bool counted;    /* that was said */
};

/* Notes the mistake, if it is the first one; always false. `allowed` NULL: nothing to list. */
G_GNUC_PRINTF(4, 5)
bool complain(struct reading *r, const yaml_node_t *node, const char *allowed, const char *format, ...);

/* The text of a scalar; NULL, after complaining, when it is none or longer than names and numbers are. */
const char *read_text(struct reading *r, const yaml_node_t *node, const char *allowed);
/* The text of a scalar that is a name. */
const char *read_word(struct reading *r, const yaml_node_t *node, const char *allowed);
bool read_number(struct reading *r, const yaml_node_t *node, uint64_t min, uint64_t max, uint64_t *value);
bool read_flag(struct reading *r, const yaml_node_t *node, bool *value);
/* "40 s", "500 ms", in milliseconds. */
bool read_time(struct reading *r, const yaml_node_t *node, uint64_t *value);
/* initiator, responder: which of them opens the TCP connection. */
bool read_opener(struct reading *r, const yaml_node_t *node, bool *responder);
/* initiator, client, responder, server */
bool node_is_side(const yaml_node_t *node, enum role *role);
/* `next connection`, `parallel connection` */
bool node_is_connection(const yaml_node_t *node, bool *parallel);
/* The name of a region of memory. */
bool read_region_name(struct reading *r, const yaml_node_t *node);

/* Values by name; a row without a name is the last one. */
struct named {
    const char *name;
    unsigned value;
};
/* `what`: the complaint about another name. */
bool read_named_value(struct reading *r, const yaml_node_t *node, const struct named *names, const char *what,
                      unsigned *value);
/* A list of them, each once, as the sum of their values. */
bool read_named_set(struct reading *r, const yaml_node_t *node, const struct named *names, const char *what,
                    unsigned *set);
/* A list of send, write, read, as a set of enum mpa_rtr. */
bool read_rtr_types(struct reading *r, const yaml_node_t *node, uint8_t *set);

/* {repeat: N, work: [...]}: N is a number, or `count`. */
struct repetition {
    const yaml_node_t *list;
    uint64_t times;
};
bool node_is_repetition(struct reading *r, const yaml_node_t *node);
bool read_repetition(struct reading *r, const yaml_node_t *node, struct repetition *repetition);
/* What was read since `octets` is said as often as that. */
bool repeat_octets(struct reading *r, const yaml_node_t *node, uint64_t octets, uint64_t times);
/* So many more steps; all together are limited. */
bool count_steps(struct reading *r, const yaml_node_t *node, uint64_t n);

/* A member of a structure: a number, or true or false where `max` is 0. */
struct member {
    const char *name;
    size_t offset, size;
    uint64_t min, max;
};
#define MEMBER(NAME, STRUCT, MEMBER, MIN, MAX)                                                                         \
    {                                                                                                                  \
        NAME, offsetof(STRUCT, MEMBER), sizeof(((STRUCT *)0)->MEMBER), MIN, MAX                                        \
    }
/* The one of this name, of n; NULL: there is none. */
const struct member *find_member(const struct member *members, size_t n, const char *name);
bool read_member(struct reading *r, const struct member *member, const yaml_node_t *node, void *structure);
/* An inline threshold as RFC 8797 can encode it: a multiple of 1024 octets. */
bool read_threshold(struct reading *r, const yaml_node_t *node, uint64_t min, uint32_t *value);
/* `times` of a mapping, 1 when there is none: amounts are multiplied with it, so it is read before them. */
bool read_times(struct reading *r, const yaml_node_t *node, unsigned *times);
/* Octets of payload, `times` times; all together are limited. */
bool read_octets(struct reading *r, const yaml_node_t *node, unsigned times, uint64_t *value);
/* "0/1/02": layer, type and code of a Terminate, of 4, 4 and 8 bits. */
bool read_error_code(struct reading *r, const yaml_node_t *node, unsigned *error);
static inline const yaml_node_t *node_at(struct reading *r, int index)
{
    return yaml_document_get_node(&r->document, index);
}

/* The entries of a list; 0: it is none, or has none. */
static inline unsigned list_length(const yaml_node_t *node)
{
    return node && node->type == YAML_SEQUENCE_NODE
               ? (unsigned)(node->data.sequence.items.top - node->data.sequence.items.start)
               : 0;
}

static inline const yaml_node_t *list_entry(struct reading *r, const yaml_node_t *node, unsigned index)
{
    return node_at(r, node->data.sequence.items.start[index]);
}

static inline bool is_list(const yaml_node_t *node)
{
    return node && node->type == YAML_SEQUENCE_NODE;
}

/* Calls `each` for the node, or for every entry of it when it is a list. */
bool read_each(struct reading *r, const yaml_node_t *node,
               bool (*each)(struct reading *r, void *context, const yaml_node_t *node), void *context);

/*
 * `reply`, or {send: 100, solicited: true}: what is done is the first name, with its value (NULL: none). True when it
 * is a mapping.
 */
bool split_action(struct reading *r, const yaml_node_t *node, const yaml_node_t **what, const yaml_node_t **value);

/* Nothing, or a scalar without text. */
bool node_is_empty(const yaml_node_t *node);
/* The names of n rows, or of those before a row without a name, each of `size` octets beginning with its const char *.
 */
void append_names(GString *names, const void *rows, size_t size, size_t n);
/* Whether a scalar says exactly this. */
bool node_is(const yaml_node_t *node, const char *text);

/* Calls `each` for every pair of a mapping, whose keys are scalars and all different. */
typedef bool (*read_pair_t)(struct reading *r, void *context, const yaml_node_t *key, const char *name,
                            const yaml_node_t *value);
bool read_mapping(struct reading *r, const yaml_node_t *node, const char *allowed, read_pair_t each, void *context);

#endif
