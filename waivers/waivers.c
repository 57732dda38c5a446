// SPDX-License-Identifier: GPL-2.0-or-later
#include "waivers/waivers.h"

#include "support/printable.h"
#include "support/yaml_guard.h"
#include "waivers/rule_hint.h"
#include "waivers/shipped.h"

#include <arpa/inet.h>
#include <errno.h>
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
    text = printable_text(raw); /* it repeats what the file says */
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

static bool read_text(const struct loader *loader, const char *key, const yaml_node_t *node, char **out)
{
    const char *text = scalar(node);

    if (!text || *text == '\0')
        return mistake(loader, node, "'%s' must be text", key);
    g_free(*out);
    *out = g_strdup(text);
    return true;
}

/* The end of the IP address that begins at *text, past its bracket. *rest: what follows. NULL: no closing bracket. */
static const char *end_of_ip(const char **text, const char **rest)
{
    const char *slash = strchr(*text, '/'), *colon = strchr(*text, ':');

    if (**text == '[') {
        const char *end = strchr(++*text, ']');

        *rest = end ? end + 1 : NULL;
        return end;
    }
    if (slash)
        *rest = slash;
    else if (colon && !strchr(colon + 1, ':'))
        *rest = colon;
    else
        *rest = *text + strlen(*text);
    return *rest;
}

static bool parse_ip(const char *text, const char *end, struct waiver_address *out)
{
    char address[INET6_ADDRSTRLEN + 1];

    if ((size_t)(end - text) >= sizeof address)
        return false;
    memcpy(address, text, (size_t)(end - text));
    address[end - text] = '\0';
    if (inet_pton(AF_INET, address, out->endpoint.address) == 1)
        out->endpoint.ip = 4;
    else if (inet_pton(AF_INET6, address, out->endpoint.address) == 1)
        out->endpoint.ip = 6;
    out->prefix_length = out->endpoint.ip == 4 ? 32 : 128;
    return out->endpoint.ip != 0;
}

/* ADDRESS, ADDRESS/LENGTH, ADDRESS:PORT, [ADDRESS]:PORT */
static bool parse_address(const char *text, struct waiver_address *out)
{
    const char *rest, *end = end_of_ip(&text, &rest);
    guint64 number;

    memset(out, 0, sizeof *out);
    out->any_port = true;
    if (!end || !parse_ip(text, end, out))
        return false;
    if (*rest == '\0')
        return true;
    if (*rest == '/') {
        if (!g_ascii_string_to_unsigned(rest + 1, 10, 0, out->prefix_length, &number, NULL))
            return false;
        out->prefix_length = (unsigned)number;
        return true;
    }
    if (*rest != ':' || !g_ascii_string_to_unsigned(rest + 1, 10, 1, 65535, &number, NULL))
        return false;
    out->endpoint.port = (uint16_t)number;
    out->any_port = false;
    return true;
}

static bool read_address(const struct loader *loader, const yaml_node_t *node, struct waiver *waiver)
{
    struct waiver_address address;
    const char *text = scalar(node);

    if (!text || !parse_address(text, &address))
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

/* A case has the id of its rule, with a suffix after a slash where the rule has several. */
static bool find_rule_of_case(struct waiver *waiver)
{
    const char *slash = strchr(waiver->id, '/');
    g_autofree char *id = slash ? g_strndup(waiver->id, (gsize)(slash - waiver->id)) : NULL;

    waiver->one_case = id != NULL;
    return id && find_rule(id, &waiver->rule);
}

/* "SUBJECT/PARAMETER=VALUE,...", instead of a case: whether there are such values is known where they are combined. */
static bool names_values(struct waiver *waiver)
{
    const char *slash = strchr(waiver->id, '/');

    waiver->of_values = slash && slash > waiver->id && strchr(slash, '=');
    return waiver->of_values;
}

static bool read_id(const struct loader *loader, const yaml_node_t *node, struct waiver *waiver)
{
    if (!read_text(loader, "id", node, &waiver->id))
        return false;
    if (find_rule(waiver->id, &waiver->rule) ||
        (loader->of_cases && (find_rule_of_case(waiver) || names_values(waiver))))
        return true;

    g_autofree char *hint =
        rule_hint(waiver->id, loader->of_cases ? "; iwarp-check --list-rules or iwarp-gen list tests lists the ids"
                                               : "; iwarp-check --list-rules lists the ids");

    return mistake(loader, node, "no rule%s '%s'%s", loader->of_cases ? " or case" : "", waiver->id, hint);
}

static bool read_why(const struct loader *loader, const yaml_node_t *node, struct waiver *waiver)
{
    return read_text(loader, "why", node, &waiver->why);
}

static bool read_link(const struct loader *loader, const yaml_node_t *node, struct waiver *waiver)
{
    return read_text(loader, "link", node, &waiver->link);
}

struct key {
    const char *name;
    bool (*read)(const struct loader *loader, const yaml_node_t *node, struct waiver *waiver);
};

static bool read_mapping(const struct loader *loader, const yaml_node_t *node, const char *what, const char *allowed,
                         const struct key *keys, size_t n_keys, struct waiver *waiver)
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
    static const struct key keys[] = {{"addresses", read_addresses}, {"role", read_role}};

    return read_mapping(loader, node, "scope", "addresses, role", keys, G_N_ELEMENTS(keys), waiver);
}

static bool read_waiver(const struct loader *loader, const yaml_node_t *node, struct waiver *waiver)
{
    static const struct key keys[] = {{"id", read_id}, {"why", read_why}, {"scope", read_scope}, {"link", read_link}};

    if (!read_mapping(loader, node, "a waiver", "id, why, scope, link", keys, G_N_ELEMENTS(keys), waiver))
        return false;
    if (!waiver->id)
        return mistake(loader, node, "'id' is missing: which rule is waived");
    if (!waiver->why)
        return mistake(loader, node, "'why' is missing: say why %s is waived", waiver->id);
    waiver->where = g_strdup_printf("%s:%zu", loader->path, node->start_mark.line + 1);
    return true;
}

static bool read_list(const struct loader *loader, const yaml_node_t *list, GPtrArray *waivers)
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

/* The list under `waivers`, and in `about` whose deviations they are. */
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
            ok = read_text(loader, "about", value, &about);
        else if (g_strcmp0(name, "waivers") == 0 && !list)
            list = value;
        else
            ok =
                mistake(loader, key,
                        "a waiver file is a list: each entry starts with '- id: RULE-ID'; or it has the keys about and "
                        "waivers, once each");
    }
    if (ok)
        ok = list ? read_list(loader, list, waivers)
                  : mistake(loader, root, "a waiver file is a list: each entry starts with '- id: RULE-ID'");
    if (ok && loader->about)
        *loader->about = g_steal_pointer(&about);
    g_free(about);
    return ok;
}

static bool read_document(const struct loader *loader, GPtrArray *waivers)
{
    const yaml_node_t *root = yaml_document_get_root_node(loader->document);

    if (!root)
        return true; /* an empty file waives nothing */
    return root->type == YAML_MAPPING_NODE ? read_titled(loader, root, waivers) : read_list(loader, root, waivers);
}

static bool load_document(struct loader *loader, yaml_parser_t *parser, GPtrArray *waivers)
{
    yaml_document_t document;
    bool ok;

    if (!yaml_parser_load(parser, &document)) {
        g_set_error(loader->error, WAIVER_ERROR, 0, "%s:%zu: not YAML: %s", loader->path, parser->problem_mark.line + 1,
                    parser->problem ? parser->problem : "cannot be read");
        return false;
    }
    loader->document = &document;
    ok = read_document(loader, waivers);
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
    ok = load_document(loader, &parser, waivers);
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

    if (!g_file_get_contents(path, &text, &n, NULL)) /* linux/ may be a kernel's tree */
        return load_by_name(waivers, path, errno, error);
    return load_text(&loader, text, n, waivers);
}

/* ---- matching ---- */

static bool same_prefix(const uint8_t *a, const uint8_t *b, unsigned bits)
{
    unsigned octets = bits / 8, rest = bits % 8;

    return memcmp(a, b, octets) == 0 && (rest == 0 || (a[octets] ^ b[octets]) >> (8 - rest) == 0);
}

static bool address_matches(const struct waiver_address *address, const struct endpoint *sender)
{
    return address->endpoint.ip == sender->ip &&
           same_prefix(address->endpoint.address, sender->address, address->prefix_length) &&
           (address->any_port || address->endpoint.port == sender->port);
}

bool waiver_in_scope(const struct waiver *waiver, const struct endpoint *sender, enum waiver_role role)
{
    if (waiver->role != WAIVER_ANY_ROLE && waiver->role != role)
        return false;
    if (!waiver->addresses)
        return true;
    for (guint i = 0; i < waiver->addresses->len; i++)
        if (address_matches(&g_array_index(waiver->addresses, struct waiver_address, i), sender))
            return true;
    return false;
}

const struct waiver *waivers_match(GPtrArray *waivers, enum rule_id rule, const struct endpoint *sender,
                                   enum waiver_role role)
{
    for (guint i = 0; i < waivers->len; i++) {
        struct waiver *waiver = g_ptr_array_index(waivers, i);

        if (waiver->one_case || !rule_carried_by(&rule_catalogue[waiver->rule], rule) ||
            !waiver_in_scope(waiver, sender, role))
            continue;
        g_atomic_int_set(&waiver->used, 1);
        return waiver;
    }
    return NULL;
}
