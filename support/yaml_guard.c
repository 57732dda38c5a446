// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/yaml_guard.h"

#include <stdbool.h>
#include <yaml.h>

struct nesting {
    unsigned depth, anchors;
};

/* Counts an event. NULL: within the limits. */
static const char *guard_take_event(struct nesting *nesting, const yaml_event_t *event)
{
    const yaml_char_t *anchor = NULL;

    switch (event->type) {
    case YAML_SEQUENCE_START_EVENT:
        anchor = event->data.sequence_start.anchor;
        nesting->depth++;
        break;
    case YAML_MAPPING_START_EVENT:
        anchor = event->data.mapping_start.anchor;
        nesting->depth++;
        break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        nesting->depth--;
        break;
    case YAML_SCALAR_EVENT:
        anchor = event->data.scalar.anchor;
        break;
    default:
        break;
    }
    nesting->anchors += anchor != NULL;
    if (nesting->depth > YAML_GUARD_DEPTH)
        return "nested too deeply";
    return nesting->anchors > YAML_GUARD_ANCHORS ? "too many anchors" : NULL;
}

const char *yaml_guard(const char *text, size_t n, size_t *line)
{
    struct nesting nesting = {0};
    const char *problem = NULL;
    yaml_parser_t parser;
    yaml_event_t event;

    *line = 1;
    if (n > YAML_GUARD_TEXT)
        return "larger than 4 MiB";
    if (!yaml_parser_initialize(&parser))
        return "not enough memory";
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, n);
    for (bool more = true; more && !problem && yaml_parser_parse(&parser, &event);) {
        more = event.type != YAML_STREAM_END_EVENT;
        problem = guard_take_event(&nesting, &event);
        *line = event.start_mark.line + 1;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return problem;
}
