// SPDX-License-Identifier: GPL-2.0-or-later
#include "waivers/waivers.h"

#include "support/printable.h"
#include "support/yaml_guard.h"
#include "waivers/rule_hint.h"
#include "waivers/shipped.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#define WAIVER_ERROR g_quark_from_static_string("iwarp-waiver")

static void waiver_free(gpointer data)
{
    struct waiver *waiver = data;

    g_free(waiver->id);
    g_free(waiver->why);
    g_free(waiver->link);
    g_free(waiver->where);
    g_free(waiver->operation);
    g_free(waiver->kind);
    g_free(waiver->found);
    g_free(waiver->until);
    g_free(waiver->fixed);
    if (waiver->addresses)
        g_array_unref(waiver->addresses);
    g_free(waiver);
}

GPtrArray *waivers_new(void)
{
    return g_ptr_array_new_with_free_func(waiver_free);
}

static bool find_rule(const char *id, enum rule_id *out)
{
    const struct rule *rule = rule_find(id);

    if (!rule)
        return false;
    *out = rule_number(rule);
    return true;
}

bool waivers_add(GPtrArray *waivers, const char *argument, GError **error)
{
    const char *colon = strchr(argument, ':');
    gchar *id = colon ? g_strndup(argument, (gsize)(colon - argument)) : g_strdup(argument);
    struct waiver *waiver;
    enum rule_id rule;

    if (!find_rule(id, &rule)) {
        g_autofree char *hint = rule_hint(id, "; write --waive=ID or --waive=ID:why, where --list-rules lists the ids");

        g_set_error(error, WAIVER_ERROR, 0, "--waive: no rule '%s'%s", id, hint);
        g_free(id);
        return false;
    }
    waiver = g_new0(struct waiver, 1);
    waiver->rule = rule;
    waiver->id = id;
    waiver->why = !colon || colon[1] == '\0' ? NULL : g_strdup(colon + 1);
    waiver->where = g_strdup("--waive");
    g_ptr_array_add(waivers, waiver);
    return true;
}

/* ---- the file ---- */

struct loader {
    const char *path;
    bool of_cases;
    yaml_document_t *document;
    char **about; /* NULL: not wanted */
    GError **error;
};

static bool mistake(const struct loader *loader, const yaml_node_t *node, const char *format, ...) G_GNUC_PRINTF(3, 4);

static bool mistake(const struct loader *loader, const yaml_node_t *node, const char *format, ...)
{
    va_list args;
    gchar *raw, *text;

    va_start(args, format);
    raw = g_strdup_vprintf(format, args);
    va_end(args);
    text = printable_text(raw); /* the message quotes the file */
    g_free(raw);
    g_set_error(loader->error, WAIVER_ERROR, 0, "%s:%zu: %s", loader->path,
                node ? node->start_mark.line + 1 : (size_t)1, text);
    g_free(text);
    return false;
}

static const char *scalar(const yaml_node_t *node)
{
    return node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

static bool waivers_read_text(const struct loader *loader, const char *key, const yaml_node_t *node, char **out)
{
    const char *text = scalar(node);

    if (!text || *text == '\0')
        return mistake(loader, node, "'%s' must be text", key);
    g_free(*out);
    *out = g_strdup(text);
    return true;
}

static bool read_address(const struct loader *loader, const yaml_node_t *node, struct waiver *waiver)
{
    struct waiver_address address;
    const char *text = scalar(node);

    if (!text || !waiver_address_parse(text, &address))
        return mistake(
            loader, node,
            "'%s' is not an address; allowed: 192.0.2.7, 192.0.2.0/24, \"192.0.2.7:20049\", \"[2001:db8::7]:20049\"",
            text ? text : "");
    g_array_append_val(waiver->addresses, address);
    return true;
}

static bool read_addresses(const struct loader *loader, const yaml_node_t *node, struct waiver *waiver)
{
    if (!waiver->addresses)
        waiver->addresses = g_array_new(FALSE, FALSE, sizeof(struct waiver_address));
    if (node->type == YAML_SCALAR_NODE)
        return read_address(loader, node, waiver);
    if (node->type != YAML_SEQUENCE_NODE || node->data.sequence.items.start == node->data.sequence.items.top)
        return mistake(loader, node, "'addresses' must be a list of addresses");
    for (const yaml_node_item_t *item = node->data.sequence.items.start; item < node->data.sequence.items.top; item++)
        if (!read_address(loader, yaml_document_get_node(loader->document, *item), waiver))
            return false;
    return true;
}

static bool read_role(const struct loader *loader, const yaml_node_t *node, struct waiver *waiver)
{
    const char *text = scalar(node);

    if (g_strcmp0(text, "initiator") == 0)
        waiver->role = WAIVER_INITIATOR;
    else if (g_strcmp0(text, "responder") == 0)
        waiver->role = WAIVER_RESPONDER;
    else
        return mistake(loader, node, "'role' must be initiator or responder");
    return true;
}

/* A case has the id of its rule, with a suffix after a slash if the rule has several cases. */
static bool find_rule_of_case(struct waiver *waiver)
{
    const char *slash = strchr(waiver->id, '/');
    g_autofree char *id = slash ? g_strndup(waiver->id, (gsize)(slash - waiver->id)) : NULL;

    waiver->one_case = id != NULL;
    return id && find_rule(id, &waiver->rule);
}

/* "SUBJECT/PARAMETER=VALUE,...", instead of a case; the code that combines values knows whether such values exist. */
static bool waivers_names_values(struct waiver *waiver)
{
    const char *slash = strchr(waiver->id, '/');

    waiver->of_values = slash && slash > waiver->id && strchr(slash, '=');
    return waiver->of_values;
}

static bool read_id(const struct loader *loader, const yaml_node_t *node, struct waiver *waiver)
{
    if (waiver->one_case) /* from `case` */
        return mistake(loader, node, "give either 'id' or 'case'");
    if (!waivers_read_text(loader, "id", node, &waiver->id))
        return false;
    if (find_rule(waiver->id, &waiver->rule) ||
        (loader->of_cases && (find_rule_of_case(waiver) || waivers_names_values(waiver))))
        return true;

    g_autofree char *hint =
        rule_hint(waiver->id, loader->of_cases ? "; iwarp-check --list-rules or iwarp-gen list tests lists the ids"
                                               : "; iwarp-check --list-rules lists the ids");

    return mistake(loader, node, "no rule%s '%s'%s", loader->of_cases ? " or case" : "", waiver->id, hint);
}

/* A single case, with or without a suffix: does not waive findings. */
static bool read_case(const struct loader *loader, const yaml_node_t *node, struct waiver *waiver)
{
    const char *text = scalar(node);
    g_autofree char *rule = NULL;

    if (waiver->id)
        return mistake(loader, node, "give either 'id' or 'case'");
    if (!text)
        return mistake(loader, node, "'case' must be text");
    if (!waivers_read_text(loader, "case", node, &waiver->id))
        return false;
    waiver->one_case = true;
    rule = g_strndup(text, strcspn(text, "/"));
    if (find_rule(rule, &waiver->rule))
        return true;

    g_autofree char *hint = rule_hint(rule, "; iwarp-gen list tests lists the cases");

    return mistake(loader, node, "no case '%s'%s", waiver->id, hint);
}

static bool read_until(const struct loader *loader, const yaml_node_t *node, struct waiver *waiver)
{
    static const char shape[] = "0000-00-00";
    const char *text = scalar(node);
    unsigned n = 0;
    GDateTime *now;
    g_autofree char *today = NULL;

    while (text && shape[n] && (shape[n] == '0' ? g_ascii_isdigit(text[n]) : text[n] == shape[n]))
        n++;
    if (!text || shape[n] || text[n] ||
        !g_date_valid_dmy((GDateDay)strtoul(text + 8, NULL, 10), (GDateMonth)strtoul(text + 5, NULL, 10),
                          (GDateYear)strtoul(text, NULL, 10)))
        return mistake(loader, node, "'until' must be a date such as 2027-03-31, the last day of the waiver");
    waiver->until = g_strdup(text);
    now = g_date_time_new_now_local();
    today = g_date_time_format(now, "%Y-%m-%d");
    g_date_time_unref(now);
    waiver->expired = strcmp(text, today) < 0;
    return true;
}

static bool waivers_read_operation(const struct loader *loader, const yaml_node_t *node, struct waiver *waiver)
{
    return waivers_read_text(loader, "operation", node, &waiver->operation);
}

static bool read_kind(const struct loader *loader, const yaml_node_t *node, struct waiver *waiver)
{
    static const char *const kinds[] = {"Call", "Reply", "Error", "none", NULL};
    const char *text = scalar(node);

    if (!text || !g_strv_contains(kinds, text))
        return mistake(loader, node, "'kind' must be Call, Reply, Error or none");
    return waivers_read_text(loader, "kind", node, &waiver->kind);
}

static bool read_found(const struct loader *loader, const yaml_node_t *node, struct waiver *waiver)
{
    return waivers_read_text(loader, "found", node, &waiver->found);
}

static bool read_why(const struct loader *loader, const yaml_node_t *node, struct waiver *waiver)
{
    return waivers_read_text(loader, "why", node, &waiver->why);
}

static bool read_link(const struct loader *loader, const yaml_node_t *node, struct waiver *waiver)
{
    return waivers_read_text(loader, "link", node, &waiver->link);
}

static bool read_fixed(const struct loader *loader, const yaml_node_t *node, struct waiver *waiver)
{
    return waivers_read_text(loader, "fixed", node, &waiver->fixed);
}

struct key {
    const char *name;
    bool (*read)(const struct loader *loader, const yaml_node_t *node, struct waiver *waiver);
};

static bool waivers_read_mapping(const struct loader *loader, const yaml_node_t *node, const char *what,
                                 const char *allowed, const struct key *keys, size_t n_keys, struct waiver *waiver)
{
    unsigned seen = 0;

    if (node->type != YAML_MAPPING_NODE)
        return mistake(loader, node, "%s must be a mapping with the keys %s", what, allowed);
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
        const yaml_node_t *key = yaml_document_get_node(loader->document, pair->key);
        const char *name = scalar(key);
        size_t i = 0;

        while (i < n_keys && g_strcmp0(keys[i].name, name) != 0)
            i++;
        if (i == n_keys)
            return mistake(loader, key, "unknown key '%s' in %s; allowed: %s", name ? name : "", what, allowed);
        if (seen & 1u << i)
            return mistake(loader, key, "'%s' is given twice", name);
        seen |= 1u << i;
        if (!keys[i].read(loader, yaml_document_get_node(loader->document, pair->value), waiver))
            return false;
    }
    return true;
}

static bool read_scope(const struct loader *loader, const yaml_node_t *node, struct waiver *waiver)
{
    static const struct key keys[] = {{"addresses", read_addresses},
                                      {"role", read_role},
                                      {"operation", waivers_read_operation},
                                      {"kind", read_kind},
                                      {"found", read_found}};

    return waivers_read_mapping(loader, node, "scope", "addresses, role, operation, kind, found", keys,
                                G_N_ELEMENTS(keys), waiver);
}

static bool read_waiver(const struct loader *loader, const yaml_node_t *node, struct waiver *waiver)
{
    static const struct key keys[] = {{"id", read_id},       {"case", read_case}, {"why", read_why},
                                      {"scope", read_scope}, {"link", read_link}, {"until", read_until},
                                      {"fixed", read_fixed}};

    if (!waivers_read_mapping(loader, node, "a waiver", "id or case, why, scope, link, until, fixed", keys,
                              G_N_ELEMENTS(keys), waiver))
        return false;
    if (!waiver->id)
        return mistake(loader, node, "'id' is missing: which rule is waived");
    if (waiver->one_case && waiver_of_findings(waiver))
        return mistake(loader, node, "a case has no findings: its scope has addresses and role alone");
    if (!waiver->why)
        return mistake(loader, node, "'why' is missing: say why %s is waived", waiver->id);
    waiver->where = g_strdup_printf("%s:%zu", loader->path, node->start_mark.line + 1);
    return true;
}

static bool waivers_read_list(const struct loader *loader, const yaml_node_t *list, GPtrArray *waivers)
{
    if (list->type != YAML_SEQUENCE_NODE)
        return mistake(loader, list, "a waiver file is a list: each entry starts with '- id: RULE-ID'");
    for (const yaml_node_item_t *item = list->data.sequence.items.start; item < list->data.sequence.items.top; item++) {
        struct waiver *waiver = g_new0(struct waiver, 1);

        g_ptr_array_add(waivers, waiver);
        if (!read_waiver(loader, yaml_document_get_node(loader->document, *item), waiver))
            return false;
    }
    return true;
}

/* Reads the list under `waivers`, and in `about` the devices that deviate. */
static bool read_titled(const struct loader *loader, const yaml_node_t *root, GPtrArray *waivers)
{
    const yaml_node_t *list = NULL;
    char *about = NULL;
    bool ok = true;

    for (const yaml_node_pair_t *pair = root->data.mapping.pairs.start; ok && pair < root->data.mapping.pairs.top;
         pair++) {
        const yaml_node_t *key = yaml_document_get_node(loader->document, pair->key);
        const yaml_node_t *value = yaml_document_get_node(loader->document, pair->value);
        const char *name = scalar(key);

        if (g_strcmp0(name, "about") == 0 && !about)
            ok = waivers_read_text(loader, "about", value, &about);
        else if (g_strcmp0(name, "waivers") == 0 && !list)
            list = value;
        else
            ok =
                mistake(loader, key,
                        "a waiver file is a list: each entry starts with '- id: RULE-ID'; or it has the keys about and "
                        "waivers, once each");
    }
    if (ok)
        ok = list ? waivers_read_list(loader, list, waivers)
                  : mistake(loader, root, "a waiver file is a list: each entry starts with '- id: RULE-ID'");
    if (ok && loader->about)
        *loader->about = g_steal_pointer(&about);
    g_free(about);
    return ok;
}

/* An empty document waives nothing. waivers NULL: the document must be empty. */
static bool waivers_load_document(struct loader *loader, yaml_parser_t *parser, GPtrArray *waivers)
{
    yaml_document_t document;
    const yaml_node_t *root;
    bool ok = true;

    if (!yaml_parser_load(parser, &document)) {
        g_set_error(loader->error, WAIVER_ERROR, 0, "%s:%zu: not YAML: %s", loader->path, parser->problem_mark.line + 1,
                    parser->problem ? parser->problem : "cannot be read");
        return false;
    }
    loader->document = &document;
    root = yaml_document_get_root_node(&document);
    if (root && waivers)
        ok = root->type == YAML_MAPPING_NODE ? read_titled(loader, root, waivers)
                                             : waivers_read_list(loader, root, waivers);
    else if (root)
        ok = mistake(loader, root, "a second document begins here; a file has one list");
    loader->document = NULL;
    yaml_document_delete(&document);
    return ok;
}

static bool load_text(struct loader *loader, const char *text, size_t n, GPtrArray *waivers)
{
    yaml_parser_t parser;
    size_t line;
    const char *problem = yaml_guard(text, n, &line);
    bool ok;

    if (problem) {
        g_set_error(loader->error, WAIVER_ERROR, 0, "%s:%zu: %s", loader->path, line, problem);
        return false;
    }
    if (!yaml_parser_initialize(&parser)) {
        g_set_error_literal(loader->error, WAIVER_ERROR, 0, "--waivers: out of memory");
        return false;
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, n);
    ok = waivers_load_document(loader, &parser, waivers) && waivers_load_document(loader, &parser, NULL);
    yaml_parser_delete(&parser);
    return ok;
}

bool waivers_parse(GPtrArray *waivers, const char *text, const char *path, char **about, GError **error)
{
    struct loader loader = {.path = path, .of_cases = true, .about = about, .error = error};

    return load_text(&loader, text, strlen(text), waivers);
}

static bool load_by_name(GPtrArray *waivers, const char *name, int why_not, GError **error)
{
    g_autofree char *names = NULL;

    if (shipped_add(waivers, name))
        return true;
    names = shipped_names();
    g_set_error(error, WAIVER_ERROR, 0, "--waivers: cannot open %s: %s; shipped by name: %s", name, g_strerror(why_not),
                names);
    return false;
}

bool waivers_load(GPtrArray *waivers, const char *path, bool of_cases, GError **error)
{
    struct loader loader = {.path = path, .of_cases = of_cases, .error = error};
    g_autofree char *text = NULL;
    gsize n;

    if (!strchr(path, '/') && shipped_add(waivers, path)) /* a file of that name is given as ./NAME */
        return true;
    if (g_file_test(path, G_FILE_TEST_IS_DIR)) /* a directory named linux may be a kernel source tree */
        return load_by_name(waivers, path, EISDIR, error);
    if (!g_file_get_contents(path, &text, &n, NULL))
        return load_by_name(waivers, path, errno, error);
    return load_text(&loader, text, n, waivers);
}
