// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/merge/json_source.h"

#include <errno.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum { WINDOW = 1 << 16, ITEMS = 256, VALUE_MAX = 1 << 30 };

void json_source_init(struct json_source *source, int fd)
{
    *source = (struct json_source){.fd = fd, .text = g_malloc(WINDOW + 1), .room = WINDOW};
    source->text[0] = '\0';
}

void json_source_init_text(struct json_source *source, gchar *text, size_t n)
{
    *source = (struct json_source){.fd = -1, .text = text, .room = n, .end = n, .ended = true};
}

void json_source_clear(struct json_source *source)
{
    g_free(source->text);
    g_free(source->item);
    *source = (struct json_source){.fd = -1};
}

uint64_t json_source_position(const struct json_source *source)
{
    return source->before + source->at;
}

/* ---- octets ---- */

/* Gives up what is before the value that is being read. */
static void source_make_room(struct json_source *source)
{
    size_t kept = source->end - source->value;

    memmove(source->text, source->text + source->value, kept);
    source->before += source->value;
    source->at -= source->value;
    source->end = kept;
    source->value = 0;
    if (kept < source->room / 2)
        return;
    source->room *= 2;
    source->text = g_realloc(source->text, source->room + 1);
}

/* Further octets, after the last one. False: there are none, or too many. */
static bool refill(struct json_source *source)
{
    ssize_t n = -1;

    if (source->ended)
        return false;
    if (source->end == source->room)
        source_make_room(source);
    errno = EFBIG;
    if (source->end < VALUE_MAX)
        while ((n = read(source->fd, source->text + source->end, source->room - source->end)) < 0 && errno == EINTR)
            continue;
    source->ended = n <= 0;
    source->failed |= n < 0;
    source->end += n > 0 ? (size_t)n : 0;
    source->text[source->end] = '\0';
    return n > 0;
}

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* A NUL is the end of the window, or of what can be JSON. */
static char skip_blanks(struct json_source *source)
{
    do {
        const char *p = source->text + source->at;

        while (is_blank(*p))
            p++;
        source->at = (size_t)(p - source->text);
    } while (source->at == source->end && refill(source));
    return source->text[source->at];
}

static char here(struct json_source *source)
{
    if (source->at == source->end)
        refill(source);
    return source->text[source->at];
}

char json_peek(struct json_source *source)
{
    char c;

    source->value = source->at; /* what is before it is not needed */
    c = skip_blanks(source);
    source->value = source->at;
    return c;
}

bool json_take(struct json_source *source, char wanted)
{
    if (json_peek(source) != wanted || wanted == '\0')
        return false;
    source->value = ++source->at;
    return true;
}

enum json_step json_step(struct json_source *source, bool first, char closing)
{
    if (json_take(source, closing))
        return JSON_CLOSED;
    return first || json_take(source, ',') ? JSON_MORE : JSON_WRONG;
}

bool json_source_ends(struct json_source *source)
{
    return json_peek(source) == '\0' && source->at == source->end && !source->failed;
}

/* ---- items ---- */

static size_t new_item(struct json_source *source, enum json_type type, size_t at)
{
    if (source->n == source->items_room) {
        source->items_room = source->items_room == 0 ? ITEMS : 2 * source->items_room;
        source->item = g_renew(struct json_item, source->item, source->items_room);
    }
    source->item[source->n] = (struct json_item){.at = (uint32_t)(at - source->value), .type = (uint8_t)type};
    return source->n++;
}

static void source_end_item(struct json_source *source, size_t number, size_t end)
{
    struct json_item *item = &source->item[number];

    item->length = (uint32_t)(end - source->value) - item->at;
    item->next = (uint32_t)source->n;
}

enum octet { PLAIN, OTHER, ESCAPE, QUOTE, CONTROL };

static inline enum octet octet_of(char c)
{
    if (c == '"')
        return QUOTE;
    if (c == '\\')
        return ESCAPE;
    if ((unsigned char)c < ' ')
        return CONTROL;
    return (unsigned char)c >= 0x7f ? OTHER : PLAIN;
}

/* After the reverse solidus. */
static bool read_escape(struct json_source *source)
{
    char c = here(source);
    unsigned digits = c == 'u' ? 4 : 0;

    if (c == '\0' || !strchr("\"\\/bfnrtu", c))
        return false;
    for (source->at++; digits > 0; digits--, source->at++)
        if (!g_ascii_isxdigit(here(source)))
            return false;
    return true;
}

/* After the opening quotation mark. */
static bool source_read_string(struct json_source *source)
{
    size_t number = new_item(source, JSON_STRING, source->at);
    bool plain = true, ascii = true;
    enum octet octet;

    for (;;) {
        const char *p = source->text + source->at;

        while ((octet = octet_of(*p)) == PLAIN)
            p++;
        source->at = (size_t)(p - source->text);
        if (octet == QUOTE)
            break;
        if (octet == CONTROL) {
            if (source->at < source->end || !refill(source))
                return false;
            continue;
        }
        plain = false;
        ascii &= octet == ESCAPE;
        source->at++;
        if (octet == ESCAPE && !read_escape(source))
            return false;
    }
    source_end_item(source, number, source->at);
    source->item[number].plain = plain;
    source->at++;
    return ascii || g_utf8_validate(source->text + source->value + source->item[number].at,
                                    (gssize)source->item[number].length, NULL);
}

static size_t read_digits(struct json_source *source)
{
    size_t n = 0;

    do {
        for (; g_ascii_isdigit(source->text[source->at]); n++)
            source->at++;
    } while (source->at == source->end && refill(source));
    return n;
}

/* One of the two. */
static bool take_octet(struct json_source *source, char one, char other)
{
    char c = here(source);

    if (c != one && c != other)
        return false;
    source->at++;
    return true;
}

static bool fits_integer(const char *text, size_t length)
{
    gint64 value;
    char digits[24];

    if (length < 19)
        return true;
    if (length >= sizeof digits)
        return false;
    memcpy(digits, text, length);
    digits[length] = '\0';
    return g_ascii_string_to_signed(digits, 10, INT64_MIN, INT64_MAX, &value, NULL);
}

static bool source_read_number(struct json_source *source)
{
    size_t number = new_item(source, JSON_INTEGER, source->at), n;
    struct json_item *item;
    const char *text;
    bool whole = true, zero;

    take_octet(source, '-', '-');
    zero = here(source) == '0';
    n = read_digits(source);
    if (n == 0 || (zero && n > 1))
        return false;
    if (take_octet(source, '.', '.')) {
        whole = false;
        if (read_digits(source) == 0)
            return false;
    }
    if (take_octet(source, 'e', 'E')) {
        whole = false;
        take_octet(source, '+', '-');
        if (read_digits(source) == 0)
            return false;
    }
    source_end_item(source, number, source->at);
    item = &source->item[number];
    text = source->text + source->value + item->at;
    if (!whole || !fits_integer(text, item->length))
        item->type = JSON_REAL;
    return item->type == JSON_INTEGER || isfinite(g_ascii_strtod(text, NULL));
}

static bool source_read_word(struct json_source *source)
{
    static const struct {
        const char *text;
        enum json_type type;
    } words[] = {{"null", JSON_NULL}, {"false", JSON_FALSE}, {"true", JSON_TRUE}};

    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        size_t n = strlen(words[i].text), number;

        while (source->end - source->at < n && refill(source))
            continue;
        if (strncmp(source->text + source->at, words[i].text, n) != 0)
            continue;
        number = new_item(source, words[i].type, source->at);
        source->at += n;
        source_end_item(source, number, source->at);
        return true;
    }
    return false;
}

/* What is open around the place that has been reached. */
struct nesting {
    size_t depth;
    uint32_t open[JSON_DEPTH_MAX]; /* items */
};

static bool in_object(const struct json_source *source, const struct nesting *nesting)
{
    return nesting->depth > 0 && source->item[nesting->open[nesting->depth - 1]].type == JSON_OBJECT;
}

static bool source_read_name(struct json_source *source)
{
    if (skip_blanks(source) != '"')
        return false;
    source->at++;
    if (!source_read_string(source) || skip_blanks(source) != ':')
        return false;
    source->at++;
    return true;
}

static bool open_bracket(struct json_source *source, struct nesting *nesting)
{
    bool object = source->text[source->at] == '{';

    if (nesting->depth == JSON_DEPTH_MAX)
        return false;
    nesting->open[nesting->depth++] = (uint32_t)new_item(source, object ? JSON_OBJECT : JSON_ARRAY, source->at);
    source->at++;
    return true;
}

static bool closes(const struct json_source *source, const struct nesting *nesting, char c)
{
    return nesting->depth > 0 && c == (in_object(source, nesting) ? '}' : ']');
}

static void close_bracket(struct json_source *source, struct nesting *nesting)
{
    source->at++;
    source_end_item(source, nesting->open[--nesting->depth], source->at);
}

static bool read_scalar(struct json_source *source)
{
    char c = source->text[source->at];

    if (c == '"') {
        source->at++;
        return source_read_string(source);
    }
    return c == '-' || g_ascii_isdigit(c) ? source_read_number(source) : source_read_word(source);
}

/* A value or the beginning of one, with its name. */
static bool begin_value(struct json_source *source, struct nesting *nesting)
{
    char c;

    if (in_object(source, nesting) && !source_read_name(source))
        return false;
    c = skip_blanks(source);
    return c == '{' || c == '[' ? open_bracket(source, nesting) : read_scalar(source);
}

/* After a value: closes what ends with it. True with depth 0: all is read; else another value is wanted. */
static bool end_values(struct json_source *source, struct nesting *nesting)
{
    while (nesting->depth > 0) {
        char c = skip_blanks(source);

        if (c == ',') {
            source->at++;
            return true;
        }
        if (!closes(source, nesting, c))
            return false;
        close_bracket(source, nesting);
    }
    return true;
}

bool json_read(struct json_source *source)
{
    struct nesting nesting = {0};
    size_t opened;

    source->n = 0;
    json_peek(source);
    do {
        opened = nesting.depth;
        if (!begin_value(source, &nesting))
            return false;
        if (nesting.depth > opened && !closes(source, &nesting, skip_blanks(source)))
            continue;
        if (!end_values(source, &nesting))
            return false;
    } while (nesting.depth > 0);
    return true;
}

/* ---- views ---- */

static struct json_view source_view_of(struct json_view beside, const struct json_item *item)
{
    return (struct json_view){beside.source, item};
}

struct json_view json_whole(const struct json_source *source)
{
    return (struct json_view){source, source->n > 0 ? source->item : NULL};
}

bool json_is(struct json_view view, enum json_type type)
{
    return view.item && view.item->type == type;
}

static const struct json_item *source_after(struct json_view view)
{
    return view.source->item + view.item->next;
}

struct json_view json_first(struct json_view view)
{
    bool any = (json_is(view, JSON_OBJECT) || json_is(view, JSON_ARRAY)) && source_after(view) > view.item + 1;

    return source_view_of(view, any ? view.item + 1 : NULL);
}

struct json_view json_named(struct json_view name)
{
    return source_view_of(name, name.item ? name.item + 1 : NULL);
}

struct json_view json_next(struct json_view whole, struct json_view view)
{
    const struct json_item *next = json_is(whole, JSON_OBJECT) ? source_after(json_named(view)) : source_after(view);

    return source_view_of(view, next < source_after(whole) ? next : NULL);
}

const char *json_raw(struct json_view view)
{
    return view.source->text + view.source->value + view.item->at;
}

gchar *json_string_of(struct json_view view)
{
    JsonNode *node;
    gchar *text, *whole;

    if (!json_is(view, JSON_STRING))
        return NULL;
    if (view.item->plain)
        return g_strndup(json_raw(view), view.item->length);
    whole = g_strndup(json_raw(view) - 1, (gsize)view.item->length + 2); /* with its quotation marks */
    node = json_from_string(whole, NULL);
    text = g_utf8_make_valid(node && json_node_get_string(node) ? json_node_get_string(node) : "", -1);
    g_free(whole);
    if (node)
        json_node_unref(node);
    return text;
}

bool json_says(struct json_view string, const char *text)
{
    g_autofree gchar *value = NULL;

    if (!json_is(string, JSON_STRING))
        return false;
    if (string.item->plain)
        return strlen(text) == string.item->length && memcmp(json_raw(string), text, string.item->length) == 0;
    value = json_string_of(string);
    return strcmp(value, text) == 0;
}

struct json_view json_member(struct json_view object, const char *name)
{
    struct json_view found = source_view_of(object, NULL);

    if (!json_is(object, JSON_OBJECT))
        return found;
    for (struct json_view at = json_first(object); at.item; at = json_next(object, at))
        if (json_says(at, name))
            found = json_named(at);
    return found;
}

size_t json_length(struct json_view array)
{
    size_t n = 0;

    if (!json_is(array, JSON_ARRAY))
        return 0;
    for (struct json_view at = json_first(array); at.item; at = json_next(array, at))
        n++;
    return n;
}

struct json_view json_element(struct json_view array, size_t i)
{
    struct json_view at = json_is(array, JSON_ARRAY) ? json_first(array) : source_view_of(array, NULL);

    while (at.item && i-- > 0)
        at = json_next(array, at);
    return at;
}

int64_t json_integer(struct json_view view)
{
    return json_is(view, JSON_INTEGER) ? g_ascii_strtoll(json_raw(view), NULL, 10) : 0;
}

double json_real(struct json_view view)
{
    return json_is(view, JSON_INTEGER) || json_is(view, JSON_REAL) ? g_ascii_strtod(json_raw(view), NULL) : 0;
}
