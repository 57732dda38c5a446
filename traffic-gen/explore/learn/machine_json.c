// SPDX-License-Identifier: GPL-2.0-or-later
/* docs/iwarp-learn.schema.json describes it. */
#include "support/json_guard.h"
#include "support/json_writer.h"
#include "traffic-gen/explore/learn/machine.h"

#include <json-glib/json-glib.h>
#include <string.h>

#define FORMAT "iwarp-gen learn 1"

enum { INDENTATION = 2 };

/* ---- writing ---- */

static void json_add_state(struct json_writer *out, const struct machine *machine, unsigned state)
{
    const struct word *access = &machine->access[state];

    json_begin_object(out, NULL);
    json_begin_array(out, "after");
    for (unsigned i = 0; i < access->n; i++)
        json_string(out, NULL, machine->inputs[access->input[i]]);
    json_end_array(out);
    json_begin_array(out, "edges");
    for (unsigned i = 0; i < machine->n_inputs; i++) {
        json_begin_object(out, NULL);
        json_string(out, "output", machine->edges[state][i].output);
        json_number(out, "next", machine->edges[state][i].next);
        json_end_object(out);
    }
    json_end_array(out);
    json_end_object(out);
}

void machine_json(const struct machine *machine, FILE *file)
{
    struct json_writer writer, *out = &writer;

    json_writer_begin(out, file, INDENTATION);
    json_begin_object(out, NULL);
    json_string(out, "format", FORMAT);
    json_string(out, "device", machine->device);
    json_strings(out, "inputs", machine->inputs, machine->n_inputs);
    json_begin_array(out, "states");
    for (unsigned state = 0; state < machine->n_states; state++)
        json_add_state(out, machine, state);
    json_end_array(out);
    json_end_object(out);
    json_writer_end(out);
}

/* ---- reading ---- */

/* NULL: not a string that can be printed on a line. */
static const char *string_in(JsonNode *node)
{
    const char *text = node && JSON_NODE_HOLDS_VALUE(node) ? json_node_get_string(node) : NULL;

    for (const char *at = text; at && *at; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7F)
            return NULL;
    return text && g_utf8_validate(text, -1, NULL) ? text : NULL;
}

static JsonArray *json_array_of(JsonObject *object, const char *name, unsigned least, unsigned most)
{
    JsonNode *node = json_object_get_member(object, name);
    JsonArray *array = node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;

    return array && json_array_get_length(array) >= least && json_array_get_length(array) <= most ? array : NULL;
}

static JsonObject *json_object_at(JsonArray *array, unsigned i)
{
    JsonNode *node = json_array_get_element(array, i);

    return JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
}

static bool read_edge(struct machine *machine, struct machine_edge *edge, JsonObject *from)
{
    const char *output = from ? string_in(json_object_get_member(from, "output")) : NULL;
    JsonNode *next = from ? json_object_get_member(from, "next") : NULL;
    gint64 state;

    if (!output || !next || !JSON_NODE_HOLDS_VALUE(next))
        return false;
    state = json_node_get_int(next);
    *edge = (struct machine_edge){.output = g_intern_string(output), .next = (unsigned)state};
    return state >= 0 && state < machine->n_states;
}

static bool read_input(const struct machine *machine, struct word *word, const char *name)
{
    for (unsigned i = 0; name && i < machine->n_inputs; i++)
        if (strcmp(machine->inputs[i], name) == 0)
            return word_add(word, i);
    return false;
}

/* False: the name is taken, or missing. */
static bool name_input(struct machine *machine, unsigned i, const char *name)
{
    machine->inputs[i] = g_intern_string(name);
    for (unsigned k = 0; k < i && name; k++)
        if (machine->inputs[k] == machine->inputs[i])
            return false;
    return name != NULL;
}

static bool read_state(struct machine *machine, unsigned state, JsonObject *from)
{
    JsonArray *after = from ? json_array_of(from, "after", 0, WORD_MAX) : NULL;
    JsonArray *edges = from ? json_array_of(from, "edges", machine->n_inputs, machine->n_inputs) : NULL;
    bool good = after && edges;

    for (unsigned i = 0; good && i < json_array_get_length(after); i++)
        good = read_input(machine, &machine->access[state], string_in(json_array_get_element(after, i)));
    for (unsigned i = 0; good && i < machine->n_inputs; i++)
        good = read_edge(machine, &machine->edges[state][i], json_object_at(edges, i));
    return good;
}

static bool read_machine(struct machine *machine, JsonObject *from)
{
    JsonArray *inputs = json_array_of(from, "inputs", 1, MACHINE_INPUTS_MAX);
    JsonArray *states = json_array_of(from, "states", 1, MACHINE_STATES_MAX);
    const char *device = string_in(json_object_get_member(from, "device"));
    bool good = inputs && states && device && g_strcmp0(string_in(json_object_get_member(from, "format")), FORMAT) == 0;

    if (!good)
        return false;
    machine->device = g_intern_string(device);
    machine->n_inputs = json_array_get_length(inputs);
    machine->n_states = json_array_get_length(states);
    for (unsigned i = 0; i < machine->n_inputs && good; i++)
        good = name_input(machine, i, string_in(json_array_get_element(inputs, i)));
    for (unsigned i = 0; i < machine->n_states && good; i++)
        good = read_state(machine, i, json_object_at(states, i));
    return good;
}

struct machine *machine_load(const char *path, GError **error)
{
    g_autoptr(JsonParser) parser = json_parser_new();
    g_autofree struct machine *machine = g_new0(struct machine, 1);
    g_autofree char *text = NULL;
    JsonNode *root;
    gsize n;

    if (!g_file_get_contents(path, &text, &n, error))
        return NULL;
    root = json_guard_passes(text, n) && json_parser_load_from_data(parser, text, (gssize)n, NULL)
               ? json_parser_get_root(parser)
               : NULL;
    if (root && JSON_NODE_HOLDS_OBJECT(root) && read_machine(machine, json_node_get_object(root)))
        return g_steal_pointer(&machine);
    g_set_error(error, g_quark_from_static_string("iwarp-learn"), 0,
                "%s: not a machine of 'iwarp-gen learn --format=json'", path);
    return NULL;
}
