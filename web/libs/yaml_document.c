// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libyaml's reading of documents made of lists, mappings and texts, the contents of waiver files: the block and flow
 * styles of YAML 1.1. Anchors, aliases, tags, directives and keys of several lines are refused.
 */
#include "web/libs/yaml_reader.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 16 };

/* ---- places ---- */

char yaml_peek(const struct yaml_reader *reader, size_t ahead)
{
    return ahead < reader->n - reader->at ? reader->text[reader->at + ahead] : '\0';
}

void yaml_advance(struct yaml_reader *reader, size_t n)
{
    for (; n > 0 && reader->at < reader->n; n--)
        if (reader->text[reader->at++] == '\n') {
            reader->line++;
            reader->line_start = reader->at;
        }
}

size_t yaml_column(const struct yaml_reader *reader)
{
    return reader->at - reader->line_start;
}

bool yaml_is_space(const struct yaml_reader *reader, size_t ahead)
{
    char c = yaml_peek(reader, ahead);

    return c == '\0' || c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

void yaml_skip(struct yaml_reader *reader)
{
    while (reader->at < reader->n && (yaml_is_space(reader, 0) || yaml_peek(reader, 0) == '#')) {
        size_t n = yaml_peek(reader, 0) == '#' ? strcspn(reader->text + reader->at, "\n") : 1;

        yaml_advance(reader, n);
    }
}

int yaml_problem(struct yaml_reader *reader, const char *problem)
{
    if (!reader->problem)
        reader->problem = problem;
    return 0;
}

/* ---- nodes: numbers from 1 on, as in libyaml; 0: a problem ---- */

static int add_node(struct yaml_reader *reader, yaml_node_type_t type)
{
    yaml_document_t *document = reader->document;
    size_t n = (size_t)(document->nodes.top - document->nodes.start);
    yaml_node_t *larger = realloc(document->nodes.start, (n + 1) * sizeof *larger);

    if (!larger)
        return yaml_problem(reader, "out of memory");
    document->nodes.start = larger;
    document->nodes.top = document->nodes.end = larger + n + 1;
    larger[n] = (yaml_node_t){.type = type};
    larger[n].start_mark.line = reader->line;
    return (int)n + 1;
}

static int add_scalar(struct yaml_reader *reader, char *text)
{
    int number = text ? add_node(reader, YAML_SCALAR_NODE) : 0;

    if (number == 0) {
        free(text);
        return 0;
    }
    yaml_document_get_node(reader->document, number)->data.scalar.value = (yaml_char_t *)text;
    yaml_document_get_node(reader->document, number)->data.scalar.length = strlen(text);
    return number;
}

static bool add_item(struct yaml_reader *reader, int list, int item)
{
    yaml_node_t *node = yaml_document_get_node(reader->document, list);
    size_t n = (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
    yaml_node_item_t *larger = item > 0 ? realloc(node->data.sequence.items.start, (n + 1) * sizeof *larger) : NULL;

    if (!larger)
        return yaml_problem(reader, "out of memory");
    larger[n] = item;
    node->data.sequence.items.start = larger;
    node->data.sequence.items.top = node->data.sequence.items.end = larger + n + 1;
    return true;
}

static bool add_pair(struct yaml_reader *reader, int mapping, int key, int value)
{
    yaml_node_t *node = yaml_document_get_node(reader->document, mapping);
    size_t n = (size_t)(node->data.mapping.pairs.top - node->data.mapping.pairs.start);
    yaml_node_pair_t *larger =
        key > 0 && value > 0 ? realloc(node->data.mapping.pairs.start, (n + 1) * sizeof *larger) : NULL;

    if (!larger)
        return yaml_problem(reader, "out of memory");
    larger[n] = (yaml_node_pair_t){key, value};
    node->data.mapping.pairs.start = larger;
    node->data.mapping.pairs.top = node->data.mapping.pairs.end = larger + n + 1;
    return true;
}

static int read_node(struct yaml_reader *reader, size_t least, bool list_at_least, bool in_flow);

/* ---- flow style ---- */

static int read_scalar(struct yaml_reader *reader, size_t least, bool in_flow)
{
    char c = yaml_peek(reader, 0);

    if (c == '"' || c == '\'')
        return add_scalar(reader, yaml_quoted(reader));
    return add_scalar(reader, yaml_plain(reader, least, in_flow));
}

static bool read_flow_pair(struct yaml_reader *reader, int mapping)
{
    int key = read_scalar(reader, 0, true);

    yaml_skip(reader);
    if (yaml_peek(reader, 0) != ':')
        return yaml_problem(reader, "did not find expected ':'");
    yaml_advance(reader, 1);
    return add_pair(reader, mapping, key, read_node(reader, 0, false, true));
}

static int read_flow(struct yaml_reader *reader)
{
    bool is_mapping = yaml_peek(reader, 0) == '{';
    char end = is_mapping ? '}' : ']';
    int number = add_node(reader, is_mapping ? YAML_MAPPING_NODE : YAML_SEQUENCE_NODE);

    yaml_advance(reader, 1);
    for (yaml_skip(reader); number > 0 && yaml_peek(reader, 0) != end; yaml_skip(reader)) {
        if (!(is_mapping ? read_flow_pair(reader, number)
                         : add_item(reader, number, read_node(reader, 0, false, true))))
            return 0;
        yaml_skip(reader);
        if (yaml_peek(reader, 0) == ',')
            yaml_advance(reader, 1);
        else if (yaml_peek(reader, 0) != end)
            return yaml_problem(reader, "did not find expected ',' or the end of the list");
    }
    yaml_advance(reader, 1);
    return number;
}

/* ---- block style ---- */

static bool at_dash(const struct yaml_reader *reader)
{
    return yaml_peek(reader, 0) == '-' && yaml_is_space(reader, 1);
}

static int read_list(struct yaml_reader *reader, size_t column)
{
    int list = add_node(reader, YAML_SEQUENCE_NODE);

    while (list > 0 && reader->at < reader->n && yaml_column(reader) == column && at_dash(reader)) {
        yaml_advance(reader, 1);
        if (!add_item(reader, list, read_node(reader, column + 1, false, false)))
            return 0;
        yaml_skip(reader);
    }
    return list;
}

/* At the colon after its first key. */
static int read_mapping(struct yaml_reader *reader, int key, size_t column)
{
    int mapping = add_node(reader, YAML_MAPPING_NODE);

    while (mapping > 0 && key > 0) {
        if (yaml_peek(reader, 0) != ':' || !yaml_is_space(reader, 1))
            return yaml_problem(reader, "could not find expected ':'");
        yaml_advance(reader, 1);
        if (!add_pair(reader, mapping, key, read_node(reader, column + 1, true, false)))
            return 0;
        yaml_skip(reader);
        if (reader->at >= reader->n || yaml_column(reader) < column)
            return mapping;
        if (yaml_column(reader) > column)
            return yaml_problem(reader, "did not find expected key");
        key = read_scalar(reader, column + 1, false);
    }
    return key > 0 ? mapping : 0;
}

static int read_text_or_mapping(struct yaml_reader *reader, size_t least, bool in_flow, bool key_allowed)
{
    size_t column = yaml_column(reader), line = reader->line;
    int scalar = read_scalar(reader, least, in_flow);

    while (yaml_peek(reader, 0) == ' ')
        yaml_advance(reader, 1);
    if (scalar == 0 || in_flow || yaml_peek(reader, 0) != ':' || reader->line != line)
        return scalar;
    if (!key_allowed)
        return yaml_problem(reader, "mapping values are not allowed in this context");
    return read_mapping(reader, scalar, column);
}

/* least: the node begins at this column or later; a list as the value of a key may begin one column earlier. */
static int read_inner(struct yaml_reader *reader, size_t least, bool is_value, bool in_flow)
{
    size_t line = reader->line, column;

    yaml_skip(reader);
    column = yaml_column(reader);
    if (!in_flow && at_dash(reader) && column + is_value >= least && (reader->line > line || !is_value))
        return read_list(reader, column);
    if (reader->at >= reader->n || (!in_flow && column < least))
        return add_scalar(reader, strdup(""));
    switch (yaml_peek(reader, 0)) {
    case '[':
    case '{':
        return read_flow(reader);
    case '|':
    case '>':
        return add_scalar(reader, yaml_block_text(reader, least));
    case '&':
    case '*':
    case '!':
    case '%':
    case '?':
        return yaml_problem(reader, "anchors, aliases, tags and directives are not read here");
    case '@':
    case '`':
        return yaml_problem(reader, "found character that cannot start any token");
    default:
        return read_text_or_mapping(reader, least, in_flow, !is_value || reader->line > line);
    }
}

static int read_node(struct yaml_reader *reader, size_t least, bool list_at_least, bool in_flow)
{
    int number;

    if (reader->depth == DEPTH_MAX)
        return yaml_problem(reader, "nested too deeply");
    reader->depth++;
    number = read_inner(reader, least, list_at_least, in_flow);
    reader->depth--;
    return number;
}

/* ---- libyaml's functions ---- */

int yaml_parser_initialize(yaml_parser_t *parser)
{
    memset(parser, 0, sizeof *parser);
    return 1;
}

void yaml_parser_set_input_string(yaml_parser_t *parser, const unsigned char *text, size_t n)
{
    parser->input.string.start = parser->input.string.current = text;
    parser->input.string.end = text + n;
}

void yaml_parser_delete(yaml_parser_t *parser)
{
    (void)parser;
}

/* The reader of nodes limits their depth and refuses anchors: support/yaml_guard.c has nothing to count. */
int yaml_parser_parse(yaml_parser_t *parser, yaml_event_t *event)
{
    (void)parser;
    *event = (yaml_event_t){.type = YAML_STREAM_END_EVENT};
    return 1;
}

void yaml_event_delete(yaml_event_t *event)
{
    (void)event;
}

/* The whole text is one document; the next is empty. */
int yaml_parser_load(yaml_parser_t *parser, yaml_document_t *document)
{
    const unsigned char *text = parser->input.string.current;
    struct yaml_reader reader = {.text = (const char *)text, .document = document};

    memset(document, 0, sizeof *document);
    reader.n = (size_t)(parser->input.string.end - text);
    parser->input.string.current = parser->input.string.end;
    yaml_skip(&reader);
    if (strncmp(reader.text + reader.at, "---", 3) == 0 && yaml_is_space(&reader, 3))
        yaml_advance(&reader, 3);
    yaml_skip(&reader);
    if (reader.at == reader.n)
        return 1;
    document->start_implicit = read_node(&reader, 0, false, false); /* the number of the root */
    yaml_skip(&reader);
    if (!reader.problem && reader.at < reader.n)
        yaml_problem(&reader, "did not find expected <document start>");
    if (!reader.problem)
        return 1;
    parser->problem = reader.problem;
    parser->problem_mark.line = reader.line;
    yaml_document_delete(document);
    return 0;
}

yaml_node_t *yaml_document_get_node(yaml_document_t *document, int number)
{
    return number > 0 && number <= document->nodes.top - document->nodes.start ? document->nodes.start + number - 1
                                                                               : NULL;
}

yaml_node_t *yaml_document_get_root_node(yaml_document_t *document)
{
    /* A node is added before its contents, but a mapping after its first key. */
    return yaml_document_get_node(document, document->start_implicit);
}

void yaml_document_delete(yaml_document_t *document)
{
    for (yaml_node_t *node = document->nodes.start; node < document->nodes.top; node++) {
        if (node->type == YAML_SCALAR_NODE)
            free(node->data.scalar.value);
        else if (node->type == YAML_SEQUENCE_NODE)
            free(node->data.sequence.items.start);
        else
            free(node->data.mapping.pairs.start);
    }
    free(document->nodes.start);
    memset(document, 0, sizeof *document);
}
