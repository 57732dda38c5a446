// SPDX-License-Identifier: GPL-2.0-or-later
/* Structures in JSON by a table of members: written, read back to the same, and invalid ones refused. */
#include "support/json_members.h"
#include "tests/unit/support/support.h"

#include <stdlib.h>
#include <string.h>

struct row {
    uint32_t number;
};

struct thing {
    bool truth, known, pair_known;
    int tristate;
    uint8_t small;
    uint16_t half;
    uint32_t word;
    uint64_t count, counts[3], pair[2], one[2], apart[2][3], most;
    uint8_t bytes[2];
    double real;
    const char *text;
    GPtrArray *texts;
    GArray *numbers, *rows;
    enum { RED, GREEN, COLOURS } colour, any;
};

static const char *colour_word(unsigned colour)
{
    return colour == RED ? "red" : "green";
}

static const char *count_word(unsigned i)
{
    return i == 1 ? NULL : i == 0 ? "first" : "last";
}

#define AT(field) JSON_AT(struct thing, field)

static const struct json_member row_members[] = {{"number", JSON_COUNT, JSON_AT(struct row, number)}, {NULL}};
static const struct json_table row_table = {"a row", row_members};
static const struct json_member inner_members[] = {
    {"half", JSON_COUNT, AT(half)},
    {"", JSON_COUNTS, AT(counts), .word = count_word, .n = 3, .zero = JSON_LEFT_OUT},
    {NULL},
};
static const struct json_table inner_table = {"the inner one", inner_members};
static const struct json_member members[] = {
    {"truth", JSON_TRUTH, AT(truth)},
    {"tristate", JSON_TRISTATE, AT(tristate)},
    {"small", JSON_COUNT, AT(small), .known = offsetof(struct thing, known)},
    {"word", JSON_COUNT, AT(word), .zero = JSON_SHOWN_AS_NULL},
    {"count", JSON_COUNT, AT(count), .zero = JSON_LEFT_OUT},
    {"most", JSON_COUNT, AT(most), .most = 7},
    {"pair", JSON_PAIR, AT(pair)},
    {"one", JSON_PAIR, AT(one), .zero = JSON_LEFT_OUT},
    {"apart", JSON_PAIR, AT(apart[0][1]), .n = 3, .zero = JSON_SHOWN_AS_NULL},
    {"bytes", JSON_PAIR, AT(bytes), .known = offsetof(struct thing, pair_known)},
    {"real", JSON_REAL, AT(real)},
    {"text", JSON_TEXT, AT(text), .zero = JSON_LEFT_OUT},
    {"texts", JSON_TEXTS, AT(texts)},
    {"numbers", JSON_NUMBERS, AT(numbers)},
    {"rows", JSON_ROWS, AT(rows), .inner = &row_table},
    {"colour", JSON_WORD, AT(colour), .word = colour_word, .n = COLOURS},
    {"any", JSON_WORD, AT(any), .word = colour_word, .n = COLOURS, .zero = JSON_SHOWN_AS_NULL},
    {"inner", JSON_INNER, .inner = &inner_table, .zero = JSON_LEFT_OUT},
    {"derived", JSON_TEXT, AT(text), .zero = JSON_LEFT_OUT, .derived = true},
    {NULL},
};
static const struct json_table table = {"a thing", members};

static void thing_begin(struct thing *thing)
{
    *thing = (struct thing){.texts = g_ptr_array_new(),
                            .numbers = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
                            .rows = g_array_new(FALSE, TRUE, sizeof(struct row))};
}

static void thing_end(struct thing *thing)
{
    g_ptr_array_unref(thing->texts);
    g_array_unref(thing->numbers);
    g_array_unref(thing->rows);
}

/* free() it. */
static char *line_of(const struct thing *thing)
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    struct json_writer writer;

    assert_non_null(out);
    json_line_begin(&writer, out);
    json_write_members(&writer, &table, thing, NULL);
    json_line_end(&writer);
    fclose(out);
    return text;
}

/* NULL: read, and written to the same line if `again`; else the error, freed by the caller. */
static gchar *read_again(const char *line, bool again)
{
    JsonNode *node = json_from_string(line, NULL);
    struct json_reading reading = {0};
    struct thing thing;
    bool ok;

    assert_non_null(node);
    thing_begin(&thing);
    ok = json_read_members(&reading, &table, json_node_get_object(node), &thing);
    assert_int_equal(ok, !reading.wrong);
    if (ok && again) {
        char *written = line_of(&thing);

        assert_string_equal(written, line);
        free(written);
    }
    thing_end(&thing);
    json_node_unref(node);
    return reading.wrong;
}

static const char all[] =
    "{\"truth\":true,\"tristate\":false,\"small\":200,\"word\":4294967295,\"count\":281474976710656,"
    "\"most\":7,\"pair\":[1,2],\"one\":[1,0],\"apart\":[3,null],\"bytes\":[255,0],\"real\":1.5,\"text\":\"x\","
    "\"texts\":[\"a\",\"b\"],\"numbers\":[4,5],\"rows\":[{\"number\":6},{\"number\":0}],"
    "\"colour\":\"green\",\"any\":\"red\",\"inner\":{\"half\":65535,\"last\":9},"
    "\"derived\":\"x\"}\n";
static const char none[] = "{\"truth\":false,\"tristate\":null,\"small\":null,\"word\":null,\"most\":0,\"pair\":[0,0],"
                           "\"apart\":[null,null],\"bytes\":[null,null],\"real\":0.0,\"texts\":[],\"numbers\":[],"
                           "\"rows\":[],\"colour\":\"red\",\"any\":null}\n";

UNIT_TEST(test_what_is_read_is_written_again)
{
    assert_null(read_again(all, true));
    assert_null(read_again(none, true));
}

UNIT_TEST(test_more_than_the_most_is_written_as_that)
{
    struct thing thing;
    char *line;

    thing_begin(&thing);
    thing.most = 8;
    thing.count = UINT64_MAX;
    line = line_of(&thing);
    assert_non_null(strstr(line, "\"most\":7,"));
    assert_non_null(strstr(line, "\"count\":281474976710656,"));
    free(line);
    thing_end(&thing);
}

/* Each member in turn is replaced or removed. */
UNIT_TEST(test_what_does_not_fit_is_refused)
{
    static const struct {
        const char *from, *to, *wrong;
    } cases[] = {
        {"\"truth\":true", "\"truth\":1", "'truth' of a thing should be true or false"},
        {"\"truth\":true", "\"x\":true", "'truth' of a thing should be true or false"},
        {"\"tristate\":false", "\"tristate\":0", "'tristate' of a thing should be true, false or null"},
        {":200", ":256", "'small' of a thing should be a count"},
        {":200", ":-1", "'small' of a thing should be a count"},
        {":4294967295", ":4294967296", "'word' of a thing should be a count"},
        {":281474976710656", ":281474976710657", "'count' of a thing should be a count"},
        {":281474976710656", ":1.0", "'count' of a thing should be a count"},
        {"\"most\":7", "\"most\":8", "'most' of a thing should be a count"},
        {"[1,2]", "[1]", "'pair' of a thing should be a pair of counts"},
        {"[1,2]", "[1,null]", "'pair' of a thing should be a pair of counts"},
        {"[255,0]", "[256,0]", "'bytes' of a thing should be a pair of counts"},
        {":1.5", ":\"1.5\"", "'real' of a thing should be a number"},
        {"\"text\":\"x\"", "\"text\":null", "'text' of a thing should be a string"},
        {"[\"a\",\"b\"]", "[\"a\",1]", "'texts' of a thing should be an array of strings"},
        {"[4,5]", "[4,-5]", "'numbers' of a thing should be an array of numbers"},
        {"{\"number\":0}", "{}", "'number' of a row should be a count"},
        {"{\"number\":0}", "0", "'rows' of an array should be an object"},
        {"\"green\"", "\"blue\"", "'colour' of a thing should be a word that is known"},
        {"\"green\"", "null", "'colour' of a thing should be a word that is known"},
        {"\"any\":\"red\",", "", "'any' of a thing should be a word that is known"},
        {"\"half\":65535", "\"half\":65536", "'half' of the inner one should be a count"},
        {"\"last\":9", "\"last\":null", "'last' of the inner one should be a count"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const char *at = strstr(all, cases[i].from);
        g_autofree gchar *line = NULL, *wrong = NULL;

        assert_non_null(at);
        line = g_strdup_printf("%.*s%s%s", (int)(at - all), all, cases[i].to, at + strlen(cases[i].from));
        wrong = read_again(line, false);
        assert_non_null(wrong);
        assert_string_equal(wrong, cases[i].wrong);
    }
}

/* ---- structures that own what is read ---- */

struct owner {
    char *name;
    double seconds;
    GPtrArray *owned; /* struct owner * */
    unsigned n;
};

static void owner_free(gpointer data)
{
    struct owner *owner = data;

    g_free(owner->name);
    if (owner->owned)
        g_ptr_array_unref(owner->owned);
    g_free(owner);
}

static void owner_init(void *zeroed)
{
    ((struct owner *)zeroed)->n = 7;
}

static bool owner_is_full(const void *owner)
{
    return ((const struct owner *)owner)->name != NULL;
}

static const struct json_member owned_members[] = {
    {"name", JSON_TEXT, JSON_AT(struct owner, name)}, {"n", JSON_COUNT, JSON_AT(struct owner, n)}, {NULL}};
static const struct json_table owned_table = {"an owned one", owned_members};
static const struct json_structure owned_structure = {sizeof(struct owner), owner_init, owner_is_full};
static const struct json_member owner_members[] = {
    {"name", JSON_TEXT, JSON_AT(struct owner, name)},
    {"seconds", JSON_SECONDS, JSON_AT(struct owner, seconds)},
    {"owned", JSON_POINTERS, JSON_AT(struct owner, owned), .inner = &owned_table, .structure = &owned_structure},
    {NULL},
};
static const struct json_table owner_table = {"an owner", owner_members};

/* What is wrong with the text, or the text that the owner is written as. */
static char *owner_again(const char *text)
{
    JsonNode *node = json_from_string(text, NULL);
    struct json_reading reading = {.partial = true, .copies = true};
    struct owner *owner = g_new0(struct owner, 1);
    struct json_writer writer;
    char *written = NULL;
    size_t n;
    FILE *out = open_memstream(&written, &n);
    bool ok;

    owner->owned = g_ptr_array_new_with_free_func(owner_free);
    ok = json_read_members(&reading, &owner_table, json_node_get_object(node), owner);
    json_node_unref(node); /* the texts outlive it */
    json_line_begin(&writer, out);
    if (ok)
        json_write_members(&writer, &owner_table, owner, NULL);
    json_line_end(&writer);
    fclose(out);
    owner_free(owner);
    if (ok)
        return written;
    free(written);
    return reading.wrong;
}

UNIT_TEST(test_structures_own_their_texts)
{
    static const struct {
        const char *read, *again;
    } cases[] = {
        {"{\"name\":\"x\",\"seconds\":0.1234567,\"owned\":[{\"name\":\"y\",\"n\":1},{\"name\":\"z\"}]}",
         "{\"name\":\"x\",\"seconds\":0.123457,\"owned\":[{\"name\":\"y\",\"n\":1},{\"name\":\"z\",\"n\":7}]}\n"},
        {"{\"seconds\":2,\"owned\":null}", "{\"name\":null,\"seconds\":2.0,\"owned\":[]}\n"},
        {"{\"name\":1}", "'name' of an owner should be a string"},
        {"{\"owned\":[{\"name\":\"y\"},{\"n\":1}]}", "'owned' of an owner should be complete"},
        {"{\"owned\":[{\"name\":\"y\",\"n\":\"1\"}]}", "'n' of an owned one should be a count"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *again = owner_again(cases[i].read);

        assert_string_equal(again, cases[i].again);
        free(again);
    }
}
