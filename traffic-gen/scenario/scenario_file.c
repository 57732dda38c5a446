// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/scenario/scenario_file.h"

#include "support/yaml_guard.h"
#include "traffic-gen/say/script.h"
#include "traffic-gen/scenario/scenario_connection.h"
#include "traffic-gen/scenario/scenario_step.h"
#include "traffic-gen/scenario/scenario_work.h"

#include <string.h>

enum { DEPTH_MAX = 16, REGIONS_MAX = 64 };

static const char top_allowed[] = "name, summary, about, mtu, connection, memory, steps, work";
static const char step_allowed[] = "initiator (client), responder (server), wait, repeat with steps, next connection, "
                                   "parallel connection, mixed traffic";

struct scenario_file {
    struct reading reading;
    bool named;
    uint64_t mtu;
    const yaml_node_t *connection, *memory, *steps, *rounds;
    struct work *work; /* NULL: steps */
};

/* ---- memory ---- */

static bool read_region_value(struct reading *r, void *context, const yaml_node_t *key, const char *name,
                              const yaml_node_t *value)
{
    static const struct member members[] = {MEMBER("stag", struct scenario_region, stag, 0, UINT32_MAX),
                                            MEMBER("to", struct scenario_region, to, 0, UINT64_MAX),
                                            MEMBER("length", struct scenario_region, length, 0, UINT64_MAX)};
    const struct member *member = find_member(members, G_N_ELEMENTS(members), name);

    if (!member)
        return complain(r, key, "stag, to, length", "'%s' is nothing that a region has", name);
    return read_member(r, member, value, context);
}

static bool read_region(struct reading *r, void *context, const yaml_node_t *key, const char *name,
                        const yaml_node_t *value)
{
    struct scenario_region region = {.name = name};

    (void)context;
    if (!read_region_name(r, key) || !read_mapping(r, value, "stag, to, length", read_region_value, &region))
        return false;
    g_array_append_val(r->regions, region);
    return true;
}

/* ---- steps ---- */

static bool read_steps(struct reading *r, const yaml_node_t *node, unsigned depth);

static bool read_repeated_steps(struct reading *r, const yaml_node_t *node, unsigned depth)
{
    struct repetition repetition = {.what = "steps"};
    unsigned first = r->statements->len, n;
    uint64_t octets = r->octets;

    if (!read_repetition(r, node, &repetition) || !read_steps(r, repetition.list, depth + 1) ||
        !repeat_octets(r, node, octets, repetition.times))
        return false;
    n = r->statements->len - first;
    for (uint64_t i = 1; i < repetition.times && n > 0; i++) {
        if (r->statements->len + n > SCENARIO_STATEMENTS_MAX)
            return complain(r, node, NULL, "more than %d steps, repetitions included", SCENARIO_STATEMENTS_MAX);
        for (unsigned k = 0; k < n; k++)
            g_ptr_array_add(r->statements, statement_ref(r->statements->pdata[first + k]));
    }
    return true;
}

static struct statement *statement_of_both(const char *verb)
{
    return statement_new(INITIATOR, verb_find(verb));
}

/* With settings on top of those of the whole file. */
static bool begin_connection(struct reading *r, const yaml_node_t *node, const yaml_node_t *settings, bool parallel)
{
    struct statement *next = statement_of_both("next");
    const yaml_node_t *base = r->connection;

    if (!settings) {
        settings = base;
        base = NULL;
    }
    statement_add(next, "with");
    if (parallel)
        statement_add(next, "parallel");
    if (!settings)
        return add_statement(r, node, next, step_allowed);
    return read_connection(r, settings, base, next);
}

static bool read_both(struct reading *r, const yaml_node_t *node)
{
    if (node_is(node, "next connection"))
        return add_statement(r, node, statement_of_both("next"), step_allowed);
    if (node_is(node, "parallel connection"))
        return begin_connection(r, node, NULL, true);
    if (node_is(node, "mixed traffic"))
        return add_statement(r, node, statement_of_both("traffic"), step_allowed);
    return complain(r, node, step_allowed, "this is no step");
}

static bool read_step(struct reading *r, const yaml_node_t *node, unsigned depth)
{
    const yaml_node_pair_t *pair;
    const yaml_node_t *key;
    enum role role;
    bool parallel;

    if (!node || node->type != YAML_MAPPING_NODE || node->data.mapping.pairs.top == node->data.mapping.pairs.start)
        return read_both(r, node);
    pair = node->data.mapping.pairs.start;
    key = node_at(r, pair->key);
    if (node_is_repetition(r, node))
        return read_repeated_steps(r, node, depth);
    if (node->data.mapping.pairs.top - pair != 1)
        return complain(r, node_at(r, pair[1].key), step_allowed, "a step is of one side only");
    if (node_is_connection(key, &parallel))
        return begin_connection(r, key, node_at(r, pair->value), parallel);
    if (node_is(key, "wait"))
        return read_time(r, node_at(r, pair->value), &r->wait);
    if (node_is_side(key, &role))
        return read_actions(r, role, node_at(r, pair->value));
    return complain(r, key, step_allowed, "this is no step");
}

static bool read_steps(struct reading *r, const yaml_node_t *node, unsigned depth)
{
    if (!is_list(node))
        return complain(r, node, "lines that begin with '- '", "a list of steps was expected");
    if (depth > DEPTH_MAX)
        return complain(r, node, NULL, "repetitions lie more than %d deep in one another", DEPTH_MAX);
    for (unsigned i = 0; i < list_length(node); i++) {
        if (!count_steps(r, node, 1) || !read_step(r, list_entry(r, node, i), depth))
            return false;
    }
    return true;
}

/* ---- the whole ---- */

static bool read_top(struct reading *r, void *context, const yaml_node_t *key, const char *name,
                     const yaml_node_t *value)
{
    struct scenario_file *file = context;

    if (strcmp(name, "name") == 0) {
        file->named = read_word(r, value, NULL) != NULL;
        return file->named;
    }
    if (strcmp(name, "summary") == 0)
        return read_text(r, value, "a line of text") != NULL;
    if (strcmp(name, "about") == 0)
        return value->type == YAML_SCALAR_NODE || complain(r, value, "text", "a text was expected");
    if (strcmp(name, "mtu") == 0)
        return read_number(r, value, SCENARIO_MTU_MIN, SCENARIO_MTU_MAX, &file->mtu);
    if (strcmp(name, "connection") == 0)
        file->connection = value;
    else if (strcmp(name, "memory") == 0)
        file->memory = value;
    else if (strcmp(name, "steps") == 0)
        file->steps = value;
    else if (strcmp(name, "work") == 0)
        file->rounds = value;
    else
        return complain(r, key, top_allowed, "'%s' is not known", name);
    return true;
}

static bool read_document(struct scenario_file *file)
{
    struct reading *r = &file->reading;
    const yaml_node_t *root = yaml_document_get_root_node(&r->document);

    if (!root)
        return complain(r, NULL, top_allowed, "nothing is there");
    if (!read_mapping(r, root, top_allowed, read_top, file))
        return false;
    if (!file->named)
        return complain(r, root, top_allowed, "the name is missing");
    if (!file->steps && !file->rounds)
        return complain(r, root, top_allowed, "the steps, or the work, are missing");
    if (file->steps && file->rounds)
        return complain(r, file->rounds, NULL, "there are steps or work, not both");
    if (file->rounds) {
        file->work = work_new(r->name);
        return read_work(r, file->work, file->connection, file->memory, file->rounds);
    }
    if (file->memory && file->memory->type == YAML_MAPPING_NODE &&
        file->memory->data.mapping.pairs.top - file->memory->data.mapping.pairs.start > REGIONS_MAX)
        return complain(r, file->memory, NULL, "more than %d regions", REGIONS_MAX);
    if (file->memory && !read_mapping(r, file->memory, "names of regions", read_region, NULL))
        return false;
    r->connection = file->connection;
    return (!file->connection || read_connection(r, file->connection, NULL, statement_of_both("with"))) &&
           read_steps(r, file->steps, 0);
}

static bool is_last_document(struct reading *r, yaml_parser_t *parser)
{
    yaml_document_t more;
    const yaml_node_t *root = NULL;
    bool last = true;

    if (!yaml_parser_load(parser, &more)) {
        r->error = g_strdup_printf("%s:%zu: this is not YAML: %s", r->name, parser->problem_mark.line + 1,
                                   parser->problem ? parser->problem : "?");
        return false;
    }
    root = yaml_document_get_root_node(&more);
    if (root)
        last = complain(r, root, NULL, "a second document begins here; a file has one scenario");
    yaml_document_delete(&more);
    return last;
}

static bool load_document(struct reading *r, const char *text, size_t n)
{
    yaml_parser_t parser;
    size_t line;
    const char *problem = yaml_guard(text, n, &line);
    bool good;

    memset(&r->document, 0, sizeof r->document);
    if (problem) {
        r->error = g_strdup_printf("%s:%zu: %s", r->name, line, problem);
        return false;
    }
    if (!yaml_parser_initialize(&parser))
        return complain(r, NULL, NULL, "no memory");
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, n);
    good = yaml_parser_load(&parser, &r->document);
    if (!good) {
        memset(&r->document, 0, sizeof r->document);
        r->error = g_strdup_printf("%s:%zu: this is not YAML: %s%s%s", r->name, parser.problem_mark.line + 1,
                                   parser.problem ? parser.problem : "?", parser.context ? ", " : "",
                                   parser.context ? parser.context : "");
    }
    if (good)
        good = is_last_document(r, &parser);
    yaml_parser_delete(&parser);
    return good;
}

struct scenario_file *scenario_file_parse(const char *name, const char *text, size_t n, unsigned count, char **error)
{
    struct scenario_file *file = g_new0(struct scenario_file, 1);
    struct reading *r = &file->reading;
    bool good;

    r->name = g_strdup(name);
    r->count = count;
    r->regions = g_array_new(FALSE, FALSE, sizeof(struct scenario_region));
    r->statements = g_ptr_array_new_with_free_func(statement_unref);
    if (n > SCENARIO_FILE_MAX)
        good = complain(r, NULL, NULL, "more than %d octets", SCENARIO_FILE_MAX);
    else
        good = load_document(r, text, n) && read_document(file);
    if (good)
        return file;
    *error = g_steal_pointer(&r->error);
    scenario_file_free(file);
    return NULL;
}

struct scenario_file *scenario_file_load(const char *path, unsigned count, char **error)
{
    g_autoptr(GError) why = NULL;
    g_autofree char *text = NULL;
    gsize n;

    if (!g_file_get_contents(path, &text, &n, &why)) {
        *error = g_strdup(why->message);
        return NULL;
    }
    return scenario_file_parse(path, text, n, count, error);
}

void scenario_file_free(struct scenario_file *file)
{
    if (!file)
        return;
    yaml_document_delete(&file->reading.document);
    g_array_unref(file->reading.regions);
    g_ptr_array_unref(file->reading.statements);
    work_free(file->work);
    g_free(file->reading.error);
    g_free((char *)file->reading.name);
    g_free(file);
}

unsigned scenario_file_mtu(const struct scenario_file *file)
{
    return (unsigned)file->mtu;
}

bool scenario_file_is_counted(const struct scenario_file *file)
{
    return file->reading.counted;
}

const struct work *scenario_file_work(const struct scenario_file *file)
{
    return file->work;
}

const GPtrArray *scenario_file_statements(const struct scenario_file *file)
{
    return file->reading.statements;
}

bool scenario_file_play(const struct scenario_file *file, struct stage *stage, char **error)
{
    const GPtrArray *statements = file->reading.statements;
    struct script_player *player = script_begin(stage, file->reading.name);

    for (unsigned i = 0; i < statements->len && script_say(player, statements->pdata[i]); i++)
        ;
    return script_end(player, error);
}
