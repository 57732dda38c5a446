// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/scenario/scenario_read.h"

#include "traffic-gen/say/words.h"
#include "wire/mpa_startup.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

enum { TEXT_MAX = 256, OCTETS_MAX = 1 << 24, KEYS_MAX = 64, TIMES_MAX = 100000, REPEAT_MAX = 100000 };
enum { THRESHOLD_UNIT = 1024, THRESHOLD_MAX = 256 * THRESHOLD_UNIT };
static const uint64_t wait_max = 3600 * 1000;

static const char words_allowed[] = "letters, digits, '.', '_' and '-'";
static const char *const flags_allowed = "true, false";

bool complain(struct reading *r, const yaml_node_t *node, const char *allowed, const char *format, ...)
{
    g_autofree char *what = NULL;
    va_list ap;

    if (r->error)
        return false;
    va_start(ap, format);
    what = g_strdup_vprintf(format, ap);
    va_end(ap);
    for (char *p = what; *p; p++) {
        if (g_ascii_iscntrl(*p))
            *p = '?';
    }
    r->error = g_strdup_printf("%s:%zu: %s%s%s", r->name, node ? node->start_mark.line + 1 : 1, what,
                               allowed ? "; allowed here: " : "", allowed ? allowed : "");
    return false;
}

const char *read_text(struct reading *r, const yaml_node_t *node, const char *allowed)
{
    if (!node || node->type != YAML_SCALAR_NODE) {
        complain(r, node, allowed, "a single value was expected");
        return NULL;
    }
    if (node->data.scalar.length > TEXT_MAX || memchr(node->data.scalar.value, 0, node->data.scalar.length)) {
        complain(r, node, allowed, "this value is longer than %d characters, or has a null octet", TEXT_MAX);
        return NULL;
    }
    return (const char *)node->data.scalar.value;
}

const char *read_word(struct reading *r, const yaml_node_t *node, const char *allowed)
{
    const char *text = read_text(r, node, allowed ? allowed : words_allowed);

    for (const char *p = text; p && *p; p++) {
        if (!g_ascii_isalnum(*p) && !strchr("._-", *p)) {
            complain(r, node, allowed ? allowed : words_allowed, "'%s' cannot stand here", text);
            return NULL;
        }
    }
    if (text && !*text) {
        complain(r, node, allowed ? allowed : words_allowed, "a value is missing");
        return NULL;
    }
    return text;
}

bool read_number(struct reading *r, const yaml_node_t *node, uint64_t min, uint64_t max, uint64_t *value)
{
    g_autofree char *range = g_strdup_printf("a number from %" PRIu64 " to %" PRIu64, min, max);
    const char *text = read_text(r, node, range);
    char *end;

    if (!text)
        return false;
    errno = 0;
    *value = g_ascii_strtoull(text, &end, 0);
    if (!g_ascii_isdigit(*text) || *end || errno || *value < min || *value > max)
        return complain(r, node, range, "'%s' is no such number", text);
    return true;
}

bool read_flag(struct reading *r, const yaml_node_t *node, bool *value)
{
    const char *text = read_text(r, node, flags_allowed);

    if (!text)
        return false;
    *value = strcmp(text, "true") == 0;
    if (!*value && strcmp(text, "false") != 0)
        return complain(r, node, flags_allowed, "'%s' is neither true nor false", text);
    return true;
}

bool read_time(struct reading *r, const yaml_node_t *node, uint64_t *value)
{
    static const char allowed[] = "N ms, N s, up to an hour";
    const char *text = read_text(r, node, allowed);
    char *end;

    if (!text)
        return false;
    errno = 0;
    *value = g_ascii_strtoull(text, &end, 10);
    if (!g_ascii_isdigit(*text) || errno || *value > wait_max)
        return complain(r, node, allowed, "'%s' is no time", text);
    if (strcmp(end, " s") == 0)
        *value *= 1000;
    else if (strcmp(end, " ms") != 0)
        return complain(r, node, allowed, "'%s' is no time", text);
    if (*value > wait_max)
        return complain(r, node, allowed, "'%s' is too long", text);
    return true;
}

bool read_octets(struct reading *r, const yaml_node_t *node, unsigned times, uint64_t *value)
{
    if (!read_number(r, node, 0, OCTETS_MAX, value))
        return false;
    r->octets += *value * times;
    if (r->octets > WORK_OCTETS_MAX)
        return complain(r, node, NULL, "all messages together have more than %d octets", WORK_OCTETS_MAX);
    return true;
}

bool node_is(const yaml_node_t *node, const char *text)
{
    return node && node->type == YAML_SCALAR_NODE && strcmp((const char *)node->data.scalar.value, text) == 0;
}

bool read_mapping(struct reading *r, const yaml_node_t *node, const char *allowed, read_pair_t each, void *context)
{
    if (!node || node->type != YAML_MAPPING_NODE)
        return complain(r, node, allowed, "names with values were expected");
    if (node->data.mapping.pairs.top - node->data.mapping.pairs.start > KEYS_MAX)
        return complain(r, node, NULL, "more than %d names", KEYS_MAX);
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
        const yaml_node_t *key = node_at(r, pair->key);
        const char *name = read_text(r, key, allowed);

        if (!name)
            return false;
        for (const yaml_node_pair_t *before = node->data.mapping.pairs.start; before < pair; before++) {
            if (node_is(node_at(r, before->key), name))
                return complain(r, key, NULL, "'%s' is here twice", name);
        }
        if (!each(r, context, key, name, node_at(r, pair->value)))
            return false;
    }
    return true;
}

bool read_each(struct reading *r, const yaml_node_t *node,
               bool (*each)(struct reading *r, void *context, const yaml_node_t *node), void *context)
{
    if (!is_list(node))
        return each(r, context, node);
    for (unsigned i = 0; i < list_length(node); i++) {
        if (!each(r, context, list_entry(r, node, i)))
            return false;
    }
    return true;
}

bool split_action(struct reading *r, const yaml_node_t *node, const yaml_node_t **what, const yaml_node_t **value)
{
    *what = node;
    *value = NULL;
    if (!node || node->type != YAML_MAPPING_NODE || node->data.mapping.pairs.top == node->data.mapping.pairs.start)
        return false;
    *what = node_at(r, node->data.mapping.pairs.start->key);
    *value = node_at(r, node->data.mapping.pairs.start->value);
    return true;
}

bool read_error_code(struct reading *r, const yaml_node_t *node, unsigned *error)
{
    static const char allowed[] = "LAYER/TYPE/CODE in hexadecimal, such as 0/1/02";
    const char *text = read_text(r, node, allowed);
    size_t digits;

    if (!text)
        return false;
    digits = strlen(text) > 4 ? strspn(text + 4, "0123456789abcdefABCDEF") : 0;
    if (!g_ascii_isxdigit(text[0]) || text[1] != '/' || !g_ascii_isxdigit(text[2]) || text[3] != '/' || digits < 1 ||
        digits > 2 || text[4 + digits])
        return complain(r, node, allowed, "'%s' names no error", text);
    *error = (unsigned)g_ascii_xdigit_value(text[0]) << 12 | (unsigned)g_ascii_xdigit_value(text[2]) << 8 |
             (unsigned)g_ascii_strtoull(text + 4, NULL, 16);
    return true;
}

bool node_is_empty(const yaml_node_t *node)
{
    return !node || (node->type == YAML_SCALAR_NODE && node->data.scalar.length == 0);
}

void append_names(GString *names, const void *rows, size_t size, size_t n)
{
    for (const uint8_t *row = rows; n > 0; row += size, n--) {
        const char *name = *(const char *const *)(const void *)row;

        if (!name)
            return;
        g_string_append_printf(names, "%s%s", names->len ? ", " : "", name);
    }
}

bool read_opener(struct reading *r, const yaml_node_t *node, bool *responder)
{
    *responder = node_is(node, "responder");
    return *responder || node_is(node, "initiator") ||
           complain(r, node, "initiator, responder", "one of the sides was expected");
}

bool node_is_side(const yaml_node_t *node, enum role *role)
{
    *role = node_is(node, "responder") || node_is(node, "server") ? RESPONDER : INITIATOR;
    return *role == RESPONDER || node_is(node, "initiator") || node_is(node, "client");
}

bool node_is_connection(const yaml_node_t *node, bool *parallel)
{
    *parallel = node_is(node, "parallel connection");
    return *parallel || node_is(node, "next connection");
}

bool read_region_name(struct reading *r, const yaml_node_t *node)
{
    const char *name = read_word(r, node, NULL);

    return name &&
           (!g_ascii_isdigit(*name) || complain(r, node, NULL, "the name of a region does not begin with a digit"));
}

static const struct named *read_find_named(const struct named *names, const yaml_node_t *node)
{
    while (names->name && !node_is(node, names->name))
        names++;
    return names->name ? names : NULL;
}

bool read_named_value(struct reading *r, const yaml_node_t *node, const struct named *names, const char *what,
                      unsigned *value)
{
    const struct named *named = read_find_named(names, node);
    g_autoptr(GString) allowed = g_string_new(NULL);

    if (named) {
        *value = named->value;
        return true;
    }
    append_names(allowed, names, sizeof *names, SIZE_MAX);
    return complain(r, node, allowed->str, "%s", what);
}

bool read_named_set(struct reading *r, const yaml_node_t *node, const struct named *names, const char *what,
                    unsigned *set)
{
    g_autoptr(GString) allowed = g_string_new(NULL);

    append_names(allowed, names, sizeof *names, SIZE_MAX);
    if (!is_list(node)) {
        g_string_prepend(allowed, "a list of ");
        return complain(r, node, allowed->str, "a list was expected");
    }
    g_string_append(allowed, ", each once");
    *set = 0;
    for (unsigned i = 0; i < list_length(node); i++) {
        const struct named *named = read_find_named(names, list_entry(r, node, i));

        if (!named || *set & named->value)
            return complain(r, list_entry(r, node, i), allowed->str, "%s", what);
        *set |= named->value;
    }
    return true;
}

bool read_rtr_types(struct reading *r, const yaml_node_t *node, uint8_t *set)
{
    static const struct named types[] = {
        {"send", MPA_RTR_SEND}, {"write", MPA_RTR_WRITE}, {"read", MPA_RTR_READ}, {NULL, 0}};
    unsigned value = 0;
    bool good = read_named_set(r, node, types, "this is no RTR type", &value);

    *set = (uint8_t)value;
    return good;
}

bool read_threshold(struct reading *r, const yaml_node_t *node, uint64_t min, uint32_t *value)
{
    uint64_t octets;

    if (!read_number(r, node, min, THRESHOLD_MAX, &octets))
        return false;
    if (octets % THRESHOLD_UNIT)
        return complain(r, node, "multiples of 1024", "%" PRIu64 " cannot be encoded", octets);
    *value = (uint32_t)octets;
    return true;
}

/* A number, or `count`. */
static bool read_repeat(struct reading *r, const yaml_node_t *node, uint64_t *times)
{
    if (!node_is(node, "count"))
        return read_number(r, node, 1, REPEAT_MAX, times);
    r->counted = true;
    *times = MAX(r->count, 1);
    return *times <= REPEAT_MAX || complain(r, node, NULL, "a count of more than %d", REPEAT_MAX);
}

static const char repetition_allowed[] = "repeat, work";

static bool read_repetition_value(struct reading *r, void *context, const yaml_node_t *key, const char *name,
                                  const yaml_node_t *value)
{
    struct repetition *repetition = context;

    if (strcmp(name, "repeat") == 0)
        return read_repeat(r, value, &repetition->times);
    if (strcmp(name, "work") != 0)
        return complain(r, key, repetition_allowed, "'%s' does not go with repeat", name);
    repetition->list = value;
    return true;
}

bool node_is_repetition(struct reading *r, const yaml_node_t *node)
{
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
        if (node_is(node_at(r, pair->key), "repeat"))
            return true;
    }
    return false;
}

bool read_repetition(struct reading *r, const yaml_node_t *node, struct repetition *repetition)
{
    return read_mapping(r, node, repetition_allowed, read_repetition_value, repetition) &&
           (repetition->list || complain(r, node, repetition_allowed, "repeat needs work"));
}

bool repeat_octets(struct reading *r, const yaml_node_t *node, uint64_t octets, uint64_t times)
{
    r->octets += (r->octets - octets) * (times - 1);
    return r->octets <= WORK_OCTETS_MAX ||
           complain(r, node, NULL, "all messages together have more than %d octets", WORK_OCTETS_MAX);
}

bool count_steps(struct reading *r, const yaml_node_t *node, uint64_t n)
{
    r->steps += (unsigned)MIN(n, WORK_STEPS_MAX + 1);
    return r->steps <= WORK_STEPS_MAX ||
           complain(r, node, NULL, "more than %d steps, repetitions included", WORK_STEPS_MAX);
}

const struct member *find_member(const struct member *members, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(members[i].name, name) == 0)
            return &members[i];
    }
    return NULL;
}

bool read_member(struct reading *r, const struct member *member, const yaml_node_t *node, void *structure)
{
    const struct words_place place = {(uint8_t *)structure + member->offset, (unsigned)member->size};
    uint64_t value;

    if (member->max == 0)
        return read_flag(r, node, place.p);
    if (!read_number(r, node, member->min, member->max, &value))
        return false;
    words_set(&place, value);
    return true;
}

bool read_times(struct reading *r, const yaml_node_t *node, unsigned *times)
{
    uint64_t value;

    if (!node || node->type != YAML_MAPPING_NODE)
        return true;
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
        if (!node_is(node_at(r, pair->key), "times"))
            continue;
        if (!read_number(r, node_at(r, pair->value), 1, TIMES_MAX, &value))
            return false;
        *times = (unsigned)value;
    }
    return true;
}
