// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/markup.h"
#include "support/tested.h"

xmlTextWriter *junit_begin(FILE *out)
{
    xmlTextWriter *writer = xmlNewTextWriter(xmlOutputBufferCreateFile(out, NULL));

    xmlTextWriterSetIndent(writer, 1);
    xmlTextWriterStartDocument(writer, "1.0", "UTF-8", NULL);
    markup_begin(writer, "testsuites", NULL);
    return writer;
}

void junit_end(xmlTextWriter *writer)
{
    markup_end(writer);
    xmlTextWriterEndDocument(writer);
    xmlFreeTextWriter(writer);
}

/* Jenkins' schema allows three decimals. */
static void write_time(xmlTextWriter *writer, double seconds)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];

    markup_attribute(writer, "time", "%s", g_ascii_formatd(text, sizeof text, "%.3f", seconds));
}

/* NULL: for JUnit the case has passed. */
static const char *element_of(const struct tested_case *one)
{
    static const char *const elements[TESTED_OUTCOMES] = {NULL, "failure", "error", "skipped", "skipped"};

    return one->outcome == TESTED_WAIVED && !one->message ? NULL : elements[one->outcome];
}

static void write_case(xmlTextWriter *writer, const struct tested_case *one, const char *class_name, double seconds)
{
    const char *element = element_of(one);

    markup_begin(writer, "testcase", "classname", class_name, "name", one->name, NULL);
    write_time(writer, seconds);
    /* The strict schema has no type for skipped: callers pass NULL. */
    if (element && one->body) {
        markup_begin(writer, element, "type", one->type, "message", one->message, NULL);
        markup_lines(writer, "%s", one->body);
        markup_end(writer);
    } else if (element) {
        markup_void(writer, element, "type", one->type, "message", one->message, NULL);
    }
    markup_end(writer);
}

/* Returns the number of cases. */
static unsigned junit_write_counts(xmlTextWriter *writer, const struct tested_suite *suite)
{
    unsigned tests = 0, counts[TESTED_OUTCOMES] = {0};

    for (guint i = 0; i < suite->cases->len; i++) {
        const struct tested_case *one = &g_array_index(suite->cases, struct tested_case, i);

        tests += one->name != NULL;
        counts[one->outcome] += one->name && element_of(one);
    }
    markup_attribute(writer, "tests", "%u", tests);
    markup_attribute(writer, "failures", "%u", counts[TESTED_FAILED]);
    markup_attribute(writer, "errors", "%u", counts[TESTED_ERROR]);
    markup_attribute(writer, "skipped", "%u", counts[TESTED_WAIVED] + counts[TESTED_SKIPPED]);
    write_time(writer, suite->seconds);
    return tests;
}

static void write_properties(xmlTextWriter *writer, const GArray *properties)
{
    markup_begin(writer, "properties", NULL);
    for (guint i = 0; i < properties->len; i++) {
        const struct tested_pair *property = &g_array_index(properties, struct tested_pair, i);

        markup_void(writer, "property", "name", property->name, "value", property->value, NULL);
    }
    markup_end(writer);
}

static void junit_write_lines(xmlTextWriter *writer, const char *name, const char *lines)
{
    markup_begin(writer, name, NULL);
    markup_lines(writer, "%s", lines);
    markup_end(writer);
}

void junit_suite(xmlTextWriter *writer, const struct tested_suite *suite, unsigned number)
{
    unsigned n;

    markup_begin(writer, "testsuite", NULL);
    for (unsigned i = 0; i < G_N_ELEMENTS(suite->attributes); i++)
        markup_attribute(writer, suite->attributes[i].name, "%s", suite->attributes[i].value);
    markup_attribute(writer, "id", "%u", number);
    n = junit_write_counts(writer, suite);
    write_properties(writer, suite->properties);
    for (guint i = 0; i < suite->cases->len; i++) {
        const struct tested_case *one = &g_array_index(suite->cases, struct tested_case, i);

        if (one->name)
            write_case(writer, one, suite->class_name, suite->shared ? suite->seconds / n : one->seconds);
    }
    junit_write_lines(writer, "system-out", suite->out->str);
    junit_write_lines(writer, "system-err", suite->err ? suite->err : "");
    markup_end(writer);
}
