// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/scenario/scenario_values.h"

#include "traffic-gen/say/nfs_messages.h"

#include <string.h>

enum { CHUNK_SEGMENTS_MAX = 32, CHUNKS_MAX = 16, OPERATIONS_MAX = 32, HEX_MAX = 100 };

bool choose(struct reading *r, const yaml_node_t *node, const struct choice *choices, const char **word)
{
    g_autoptr(GString) names = g_string_new(NULL);
    const char *text;

    append_names(names, choices, sizeof *choices, SIZE_MAX);
    text = read_text(r, node, names->str);
    for (const struct choice *c = choices; text && c->name; c++) {
        if (strcmp(c->name, text) == 0 || strcmp(c->word, text) == 0) {
            *word = c->word;
            return true;
        }
    }
    return text && complain(r, node, names->str, "'%s' is not known", text);
}

/* "4096", "15 x 1024" */
static bool read_sizes(const char *text, uint64_t *octets, unsigned *count)
{
    char *end;

    *count = 1;
    *octets = g_ascii_strtoull(text, &end, 10);
    if (g_str_has_prefix(end, " x ") && *octets >= 1 && *octets <= CHUNK_SEGMENTS_MAX && g_ascii_isdigit(end[3])) {
        *count = (unsigned)*octets;
        *octets = g_ascii_strtoull(end + 3, &end, 10);
    }
    return g_ascii_isdigit(*text) && !*end && *octets <= SCENARIO_OCTETS_MAX;
}

/* One of these, or "rest". */
static bool read_segment(struct reading *r, const yaml_node_t *node, GString *out, unsigned *n)
{
    static const char allowed[] = "octets of a segment, rest, N x OCTETS";
    const char *text = read_text(r, node, allowed);
    unsigned count;
    uint64_t octets;

    if (!text)
        return false;
    if (strcmp(text, "rest") == 0) {
        g_string_append(out, out->len ? "+rest" : "rest");
        (*n)++;
    } else {
        if (!read_sizes(text, &octets, &count))
            return complain(r, node, allowed, "'%s' is no segment", text);
        *n += count;
        for (unsigned i = 0; i < count; i++)
            g_string_append_printf(out, "%s%" PRIu64, out->len ? "+" : "", octets);
    }
    if (*n > CHUNK_SEGMENTS_MAX)
        return complain(r, node, NULL, "a chunk has at most %d segments here", CHUNK_SEGMENTS_MAX);
    return true;
}

/* "whole", or a list of segments, of which there may be none. */
bool read_segments(struct reading *r, const yaml_node_t *node, GString *out)
{
    static const char allowed[] = "whole, a list of segments such as [4096, rest]";
    unsigned n = 0;

    if (node_is(node, "whole")) {
        g_string_append(out, "rest");
        return true;
    }
    if (!is_list(node))
        return complain(r, node, allowed, "a chunk was expected");
    for (unsigned i = 0; i < list_length(node); i++) {
        if (!read_segment(r, list_entry(r, node, i), out, &n))
            return false;
    }
    if (n == 0)
        g_string_append_c(out, '-');
    return true;
}

bool read_chunks(struct reading *r, const yaml_node_t *node, GString *out)
{
    if (list_length(node) == 0 || list_length(node) > CHUNKS_MAX)
        return complain(r, node, "a list of chunks such as [[4096], [], [100, rest]]",
                        "a list of 1 to %d chunks was expected", CHUNKS_MAX);
    for (unsigned i = 0; i < list_length(node); i++) {
        g_autoptr(GString) chunk = g_string_new(NULL);

        if (!read_segments(r, list_entry(r, node, i), chunk))
            return false;
        g_string_append_printf(out, "%s%s", out->len ? "/" : "", chunk->str);
    }
    return true;
}

/* None of those before it is of the same program; n: octets of the name that say which. */
static bool begins_program(unsigned index, size_t n)
{
    const char *name = nfs_procedure_template_at(index)->name;

    for (unsigned i = 0; i < index; i++) {
        if (strncmp(nfs_procedure_template_at(i)->name, name, n) == 0)
            return false;
    }
    return true;
}

/* The procedures of the same program; the programs, when it is none of them. */
static bool unknown_procedure(struct reading *r, const yaml_node_t *node, const char *text)
{
    g_autoptr(GString) same = g_string_new(NULL);
    g_autoptr(GString) programs = g_string_new(NULL);
    const struct nfs_template *template;

    for (unsigned i = 0; (template = nfs_procedure_template_at(i)); i++) {
        size_t n = strcspn(template->name, ".") + 1;

        if (strncmp(template->name, text, n) == 0)
            g_string_append_printf(same, "%s%s", same->len ? ", " : "", template->name);
        if (begins_program(i, n))
            g_string_append_printf(programs, "%s%.*s", programs->len ? ", " : "", (int)n - 1, template->name);
    }
    if (same->len)
        return complain(r, node, same->str, "no procedure is called '%s'", text);
    g_string_append(programs, "; followed by a procedure, as in nfs3.read");
    return complain(r, node, programs->str, "no procedure is called '%s'", text);
}

bool read_procedure(struct reading *r, const yaml_node_t *node, const char **name)
{
    const char *text = read_text(r, node, "a procedure such as nfs3.read");

    if (!text)
        return false;
    if (!nfs_procedure_template(text))
        return unknown_procedure(r, node, text);
    *name = text;
    return true;
}

/* ---- fields of arguments and results ---- */

static bool in_any_template(const char *name)
{
    const struct nfs_template *template;

    for (unsigned i = 0; (template = nfs_procedure_template_at(i)); i++) {
        if (nfs_template_has(template, name))
            return true;
    }
    for (unsigned callback = 0; callback < 2; callback++) {
        for (unsigned i = 0; (template = nfs_operation_template_at(i, callback)); i++) {
            if (nfs_template_has(template, name))
                return true;
        }
    }
    return strcmp(name, "status") == 0;
}

/* FIELD, or opN.FIELD of operation N. */
bool is_field(const char *name)
{
    static GHashTable *known; /* a name is looked for in all templates once only */

    if (g_str_has_prefix(name, "op") && g_ascii_isdigit(name[2])) {
        const char *rest = name + 2 + strspn(name + 2, "0123456789");

        name = *rest == '.' ? rest + 1 : name;
    }
    if (!*name || strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != strlen(name))
        return false;
    if (!known)
        known = g_hash_table_new(g_str_hash, g_str_equal);
    if (g_hash_table_contains(known, name))
        return true;
    return in_any_template(name) && (g_hash_table_add(known, g_strdup(name)), true);
}

/* How much there is of something: of such fields messages can be made too long. */
static bool is_amount(const char *name)
{
    static const char *const amounts[] = {"len",  "count",  "maxcount", "dircount", "entries",
                                          "aces", "aclcnt", "link",     "layout"};
    const char *dot = strrchr(name, '.');

    for (unsigned i = 0; i < G_N_ELEMENTS(amounts); i++) {
        if (strcmp(amounts[i], dot ? dot + 1 : name) == 0)
            return true;
    }
    return false;
}

/* A number, or the text of a name. */
bool read_field(struct reading *r, const yaml_node_t *node, const char *name, unsigned times, const char **text)
{
    uint64_t value;

    *text = read_word(r, node, NULL);
    if (!*text)
        return false;
    if (is_amount(name)) {
        if (!read_octets(r, node, times, &value))
            return false;
    } else if (g_ascii_isdigit(**text) && !read_number(r, node, 0, UINT64_MAX, &value)) {
        return false;
    }
    return true;
}

static bool read_operation_field(struct reading *r, void *context, const yaml_node_t *key, const char *name,
                                 const yaml_node_t *value)
{
    GString *out = context;
    const char *text;

    if (!is_field(name))
        return complain(r, key, "fields of the arguments", "'%s' is no field", name);
    if (!read_field(r, value, name, 1, &text))
        return false;
    g_string_append_printf(out, ":%s=%s", name, text);
    return true;
}

static bool unknown_operation(struct reading *r, const yaml_node_t *node, const char *text)
{
    g_autoptr(GString) names = g_string_new(NULL);
    const struct nfs_template *template;

    for (unsigned callback = 0; callback < 2; callback++) {
        for (unsigned i = 0; (template = nfs_operation_template_at(i, callback)); i++)
            g_string_append_printf(names, "%s%s", names->len ? ", " : "", template->name);
    }
    return complain(r, node, names->str, "no operation is called '%s'", text);
}

/* putfh, or `read: 4096`, or `open: {opentype: 1, name: new}` */
static bool read_operation(struct reading *r, const yaml_node_t *node, GString *out)
{
    const yaml_node_t *key = node, *value = NULL;
    const char *text;

    if (node && node->type == YAML_MAPPING_NODE && node->data.mapping.pairs.top - node->data.mapping.pairs.start == 1) {
        key = node_at(r, node->data.mapping.pairs.start->key);
        value = node_at(r, node->data.mapping.pairs.start->value);
    }
    text = read_word(r, key, "an operation, OPERATION: N, OPERATION: {FIELD: N, ...}");
    if (!text)
        return false;
    if (!nfs_operation_template(text, false) && !nfs_operation_template(text, true))
        return unknown_operation(r, key, text);
    g_string_append_printf(out, "%s%s", out->len ? "," : "", text);
    if (!value)
        return true;
    if (value->type == YAML_MAPPING_NODE)
        return read_mapping(r, value, "fields of the arguments", read_operation_field, out);
    text = read_word(r, value, NULL);
    g_string_append_printf(out, ":%s", text ? text : "");
    return text != NULL;
}

bool read_operations(struct reading *r, const yaml_node_t *node, GString *out)
{
    if (!is_list(node) || list_length(node) > OPERATIONS_MAX)
        return complain(r, node, "a list such as [sequence, putfh, {read: 4096}]",
                        "a list of at most %d operations was expected", OPERATIONS_MAX);
    for (unsigned i = 0; i < list_length(node); i++) {
        if (!read_operation(r, list_entry(r, node, i), out))
            return false;
    }
    return true;
}

bool read_hex(struct reading *r, const yaml_node_t *node, GString *out)
{
    const char *text = read_text(r, node, "text");

    if (!text)
        return false;
    if (!*text || strlen(text) > HEX_MAX)
        return complain(r, node, NULL, "a text of 1 to %d octets was expected", HEX_MAX);
    for (; *text; text++)
        g_string_append_printf(out, "%02x", (unsigned)(unsigned char)*text);
    return true;
}
