// SPDX-License-Identifier: GPL-2.0-or-later
/* JSON text: deep nesting, numbers at the limits, and characters that a terminal acts on. */
#include "support/json_writer.h"
#include "tests/unit/support/support.h"

#include <stdlib.h>
#include <string.h>

struct written {
    struct json_writer writer;
    FILE *out;
    char *text;
    size_t n;
};

static void written_begin(struct written *written, unsigned indentation)
{
    written->out = open_memstream(&written->text, &written->n);
    assert_non_null(written->out);
    json_writer_begin(&written->writer, written->out, indentation);
}

static void written_end(struct written *written, const char *expected)
{
    json_writer_end(&written->writer);
    assert_int_equal(fclose(written->out), 0);
    assert_non_null(strstr(written->text, expected));
    free(written->text);
}

UNIT_TEST(deep_nesting_is_indented)
{
    struct written written;

    written_begin(&written, 8);
    json_begin_object(&written.writer, NULL);
    for (unsigned i = 0; i < 4; i++)
        json_begin_object(&written.writer, "a");
    json_number(&written.writer, "b", 1);
    for (unsigned i = 0; i < 5; i++)
        json_end_object(&written.writer);
    written_end(&written, "\n                                        \"b\"");
}

UNIT_TEST(numbers_at_the_limits)
{
    struct written written;

    written_begin(&written, 2);
    json_begin_object_line(&written.writer, NULL);
    json_number(&written.writer, "least", INT64_MIN);
    json_number(&written.writer, "most", INT64_MAX);
    json_end_object(&written.writer);
    written_end(&written, "{\"least\" : -9223372036854775808, \"most\" : 9223372036854775807}");
}

UNIT_TEST(hidden_characters_are_escaped)
{
    struct written written;

    written_begin(&written, 2);
    json_begin_object(&written.writer, NULL);
    json_string(&written.writer, "name", "a\u202eb\U000e0041c");
    json_end_object(&written.writer);
    written_end(&written, "\"a\\u202eb\\udb40\\udc41c\"");
}
