// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/scenario/work_file.h"

#include "support/yaml_guard.h"
#include "traffic-gen/say/script.h"
#include "traffic-gen/scenario/scenario_work.h"

#include <string.h>

static const char top_allowed[] = "name, summary, about, mtu, connection, memory, work";

struct document {
    struct work *work;
    bool named;
    const yaml_node_t *connection, *memory, *rounds;
};

static bool read_top(struct reading *r, void *context, const yaml_node_t *key, const char *name,
                     const yaml_node_t *value)
{
    struct document *document = context;
    uint64_t mtu;

    if (strcmp(name, "name") == 0) {
        document->named = read_word(r, value, NULL) != NULL;
        return document->named;
    }
    if (strcmp(name, "summary") == 0)
        return read_text(r, value, "a line of text") != NULL;
    if (strcmp(name, "about") == 0)
        return value->type == YAML_SCALAR_NODE || complain(r, value, "text", "a text was expected");
    if (strcmp(name, "mtu") == 0) {
        if (!read_number(r, value, SCRIPT_MTU_MIN, SCRIPT_MTU_MAX, &mtu))
            return false;
        document->work->mtu = (unsigned)mtu;
        return true;
    }
    if (strcmp(name, "connection") == 0)
        document->connection = value;
    else if (strcmp(name, "memory") == 0)
        document->memory = value;
    else if (strcmp(name, "work") == 0)
        document->rounds = value;
    else
        return complain(r, key, top_allowed, "'%s' is not known", name);
    return true;
}

static bool file_read_document(struct reading *r, struct work *work)
{
    struct document document = {.work = work};
    const yaml_node_t *root = yaml_document_get_root_node(&r->document);

    if (!root)
        return complain(r, NULL, top_allowed, "nothing is there");
    if (!read_mapping(r, root, top_allowed, read_top, &document))
        return false;
    if (!document.named)
        return complain(r, root, top_allowed, "the name is missing");
    if (!document.rounds)
        return complain(r, root, top_allowed, "the work is missing");
    return read_work(r, work, document.connection, document.memory, document.rounds);
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

static bool file_load_document(struct reading *r, const char *text, size_t n)
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

struct work *work_file_parse(const char *name, const char *text, size_t n, unsigned count, char **error)
{
    struct reading r = {.name = name, .count = count};
    struct work *work = work_new(name);
    bool good;

    if (n > WORK_FILE_MAX)
        good = complain(&r, NULL, NULL, "more than %d octets", WORK_FILE_MAX);
    else
        good = file_load_document(&r, text, n) && file_read_document(&r, work);
    work->counted = r.counted;
    yaml_document_delete(&r.document);
    if (good)
        return work;
    *error = r.error;
    work_free(work);
    return NULL;
}
