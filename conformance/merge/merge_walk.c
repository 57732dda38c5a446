// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/merge/merge_walk.h"

#include <string.h>

/* The octets up to here. */
#define HEARD(walk, what, ...) (!(walk)->what || (walk)->what((walk)->ctx, __VA_ARGS__))

enum { NAME_MAX_LENGTH = 63 };

/* Longer names are not ours; report them truncated. */
static bool walk_read_name(struct json_source *source, char name[NAME_MAX_LENGTH + 1])
{
    g_autofree gchar *text = NULL;

    if (json_peek(source) != '"' || !json_read(source))
        return false;
    if (json_whole(source).item->plain && json_whole(source).item->length <= NAME_MAX_LENGTH) {
        size_t n = json_whole(source).item->length;

        memcpy(name, json_raw(json_whole(source)), n);
        name[n] = '\0';
    } else {
        text = json_string_of(json_whole(source));
        g_strlcpy(name, text, NAME_MAX_LENGTH + 1);
    }
    return json_take(source, ':');
}

static bool no_json(struct merge_input *input, const struct json_source *source)
{
    return merge_input_unread(input, source->failed ? MERGE_UNREADABLE : MERGE_NO_JSON);
}

/* A value of an object that begins with this bracket, or of something else. */
static bool walk_opens(struct merge_input *input, struct json_source *source, char bracket, const char *what,
                       const char *name)
{
    if (json_peek(source) == bracket)
        return json_take(source, bracket);
    if (!json_read(source))
        return no_json(input, source);
    return merge_input_wrong(input, what, name, bracket == '{' ? "an object" : "an array");
}

bool merge_walk_connections(struct merge_input *input, struct json_source *source, const struct merge_walk *walk)
{
    enum json_step step;

    json_peek(source);
    if (!HEARD(walk, begin_connections, json_source_position(source)) ||
        !walk_opens(input, source, '[', "a capture", "connections"))
        return false;
    for (bool first = true; (step = json_step(source, first, ']')) == JSON_MORE; first = false) {
        if (!json_read(source))
            return no_json(input, source);
        if (!json_is(json_whole(source), JSON_OBJECT))
            return merge_input_wrong(input, "an array", "connections", "an object");
        if (!HEARD(walk, connection, json_whole(source)))
            return false;
    }
    if (step == JSON_WRONG)
        return no_json(input, source);
    return HEARD(walk, end_connections, json_source_position(source));
}

static bool walk_member(struct merge_input *input, struct json_source *source, const struct merge_walk *walk,
                        bool *connections)
{
    char name[NAME_MAX_LENGTH + 1];

    if (!walk_read_name(source, name))
        return no_json(input, source);
    if (strcmp(name, "connections") != 0) {
        if (!json_read(source))
            return no_json(input, source);
        return HEARD(walk, of_capture, name, json_whole(source));
    }
    if (*connections)
        return merge_input_wrong(input, "a capture", name, "there once");
    *connections = true;
    return merge_walk_connections(input, source, walk);
}

static bool walk_capture(struct merge_input *input, struct json_source *source, const struct merge_walk *walk)
{
    bool connections = false;
    enum json_step step;

    json_peek(source);
    if (!HEARD(walk, begin_capture, json_source_position(source)) ||
        !walk_opens(input, source, '{', "an array", "captures"))
        return false;
    for (bool first = true; (step = json_step(source, first, '}')) == JSON_MORE; first = false)
        if (!walk_member(input, source, walk, &connections))
            return false;
    if (step == JSON_WRONG)
        return no_json(input, source);
    return (connections || merge_input_wrong(input, "a capture", "connections", "an array")) &&
           HEARD(walk, end_capture, json_source_position(source));
}

static bool walk_captures(struct merge_input *input, struct json_source *source, const struct merge_walk *walk)
{
    enum json_step step;

    if (!walk_opens(input, source, '[', "the report", "captures"))
        return false;
    for (bool first = true; (step = json_step(source, first, ']')) == JSON_MORE; first = false)
        if (!walk_capture(input, source, walk))
            return false;
    return step == JSON_CLOSED || no_json(input, source);
}

static bool walk_root_member(struct merge_input *input, struct json_source *source, const struct merge_walk *walk,
                             bool *captures)
{
    char name[NAME_MAX_LENGTH + 1];

    if (!walk_read_name(source, name))
        return no_json(input, source);
    if (strcmp(name, "captures") != 0)
        return json_read(source) ? HEARD(walk, member, name, json_whole(source)) : no_json(input, source);
    if (*captures)
        return merge_input_wrong(input, "the report", name, "there once");
    *captures = true;
    return walk_captures(input, source, walk);
}

bool merge_walk_report(struct merge_input *input, struct json_source *source, const struct merge_walk *walk)
{
    bool captures = false;
    enum json_step step;

    if (json_peek(source) != '{')
        return json_read(source) && json_source_ends(source) ? merge_input_unread(input, MERGE_NO_OBJECT)
                                                             : no_json(input, source);
    json_take(source, '{');
    for (bool first = true; (step = json_step(source, first, '}')) == JSON_MORE; first = false)
        if (!walk_root_member(input, source, walk, &captures))
            return false;
    if (step == JSON_WRONG || !json_source_ends(source))
        return no_json(input, source);
    return captures || merge_input_wrong(input, "the report", "captures", "an array");
}
