// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The NFS server with the tests in *.calls beside this file, whose notation README.md describes: every test has its own
 * server, in each of its versions. An argument picks tests by the beginning of their names: test_nfs_calls locks
 */
#include "tests/unit/support/nfs_caller.h"
#include "traffic-gen/ends/nfs/tree/nfs_status.h"

#include <stdio.h>
#include <stdlib.h>

enum { VALUES_MAX = 8, LISTED_MAX = 100000 };

/* A test and its lines. */
struct calls {
    const char *file;
    unsigned minor;
    char **lines; /* of the file */
    unsigned first, after;
};

struct play {
    const struct calls *test;
    struct caller_server on;
    GHashTable *callers;   /* by name: struct nfs_caller */
    GHashTable *variables; /* by name: GBytes, */
    GHashTable *numbers;   /* or uint64_t */
    unsigned line;         /* the current line */
};

/* One statement. */
struct statement {
    struct play *play;
    struct nfs_caller *by;
    char **words; /* NULL after the last one */
    struct caller_value values[VALUES_MAX];
    unsigned n;
    GPtrArray *held; /* GBytes that values point into */
    unsigned listed; /* entries so far */
};

#define WRONG(play, ...) wrong(play, g_strdup_printf(__VA_ARGS__))

static void wrong(const struct play *play, char *what)
{
    fail_msg("%s:%u: %s", play->test->file, play->line + 1, what); /* does not return */
}

/* Replaces "{i}", or "{i:03}", by the counter. */
static char *with_counter(char *text, char letter, unsigned value)
{
    const char head[] = {'{', letter, '\0'};
    char *at;

    while ((at = strstr(text, head))) {
        const char *end = at + strcspn(at, "}");
        char *next = g_strdup_printf("%.*s%0*u%s", (int)(at - text), text,
                                     at[2] == ':' ? (int)strtol(at + 3, NULL, 10) : 1, value, *end ? end + 1 : end);

        g_free(text);
        text = next;
    }
    return text;
}

/* "1-2", "2..16": two numbers, or one twice; returns the rest. */
static char *range(const char *text, const char *between, unsigned *first, unsigned *last)
{
    char *end;

    *first = *last = (unsigned)strtoul(text, &end, 10);
    if (g_str_has_prefix(end, between))
        *last = (unsigned)strtoul(end + strlen(between), &end, 10);
    return end;
}

/* ---- values ---- */

static GBytes *hex_bytes(const char *hex)
{
    uint8_t octets[256];

    return g_bytes_new(octets, octets_of(hex, octets, sizeof octets));
}

/* "1234:8": a number of so many octets. */
static GBytes *number_bytes(const char *text)
{
    uint8_t octets[8];
    char *end;
    const uint64_t value = g_ascii_strtoull(text, &end, 0);
    const size_t n = *end == ':' ? strtoul(end + 1, NULL, 10) : 0;

    put_be64(octets, value);
    return n == 4 || n == 8 ? g_bytes_new(octets + 8 - n, n) : NULL;
}

/* "$NAME", "$NAME[4..15]" (the last octet included), "$NAME[4..]": of a variable. */
static GBytes *variable_bytes(const struct play *play, const char *text)
{
    g_autofree char *name = g_strndup(text, strcspn(text, "["));
    GBytes *all = g_hash_table_lookup(play->variables, name);
    const char *part = text + strlen(name);
    unsigned from, to;

    if (!all) {
        WRONG(play, "$%s has not been set", name);
        return NULL;
    }
    range(part + (*part == '['), "..", &from, &to);
    to = MIN((unsigned)g_bytes_get_size(all), strstr(part, "..]") || !*part ? UINT32_MAX : to + 1);
    return g_bytes_new_from_bytes(all, from, to - from);
}

/* The octets of a word; NULL: it is a number. */
static GBytes *bytes_of(const struct play *play, const char *text)
{
    if (*text == '$' && g_hash_table_contains(play->numbers, text + 1))
        return NULL;
    if (*text == '$')
        return variable_bytes(play, text + 1);
    if (g_str_has_prefix(text, "hex:"))
        return hex_bytes(text + 4);
    return *text == '-' || g_ascii_isdigit(*text) ? number_bytes(text) : g_bytes_new(text, strlen(text));
}

static uint64_t number_of(const struct play *play, const char *text)
{
    if (*text == '$')
        return *(const uint64_t *)g_hash_table_lookup(play->numbers, text + 1);
    return *text == '-' ? (uint64_t)g_ascii_strtoll(text, NULL, 0) : g_ascii_strtoull(text, NULL, 0);
}

static void add_value(struct statement *s, const char *name, const char *text)
{
    struct caller_value value = {.name = g_intern_string(name)};
    GBytes *bytes = bytes_of(s->play, text);
    gsize n = 0;

    if (bytes) {
        value.given.p = g_bytes_get_data(bytes, &n);
        value.given.p = value.given.p ? value.given.p : "";
        value.given.n = (uint32_t)n;
        g_ptr_array_add(s->held, bytes);
    } else {
        value.given.value = number_of(s->play, text);
    }
    assert_true(s->n < VALUES_MAX);
    s->values[s->n++] = value;
}

/* "NAME=VALUE"; a variable alone is a handle for procedures, a stateid for operations. */
static void take_argument(struct statement *s, const char *word, bool is_procedure)
{
    const size_t n = strcspn(word, "=");
    g_autofree char *name = g_strndup(word, n);

    if (*word == '$')
        add_value(s, is_procedure ? "handle" : "state", word);
    else if (word[n])
        add_value(s, name, word + n + 1);
    else
        WRONG(s->play, "'%s' is no NAME=VALUE", word);
}

/* ---- answers ---- */

/* A field of the Reply, or a property of it, as a number and as octets. */
struct answer {
    const char *name;
    bool is_there;
    uint64_t number;
    const uint8_t *p;
    size_t n;
};

static struct answer nth_answer(const struct nfs_caller *t, const char *name, unsigned nth)
{
    const GArray *fields = t->fields.body.fields, *items = t->fields.body.items;
    struct answer answer = {.name = name};
    unsigned left = nth;

    for (guint i = 0; i < fields->len && !answer.is_there; i++) {
        const struct nfs_field *field = &g_array_index(fields, struct nfs_field, i);

        answer.is_there = strcmp(field->name, name) == 0 && left-- == 0;
        answer.number = field->value;
    }
    for (guint i = 0; i < items->len && !answer.p; i++) {
        const struct nfs_body_item *item = &g_array_index(items, struct nfs_body_item, i);

        if (strcmp(item->name, name) == 0 && nth-- == 0)
            answer = (struct answer){name, true, item->length, t->reply.p + item->at, item->length};
    }
    return answer;
}

static unsigned count_of(const struct nfs_caller *t, const char *name)
{
    unsigned n = 0;

    while (nth_answer(t, name, n).is_there)
        n++;
    return n;
}

static struct answer about(const struct nfs_caller *t, const char *name)
{
    const struct nfs_field *first_state = nfs_results_first(&t->fields, "state_seqid"),
                           *last_state = nfs_results_last(&t->fields, "state_seqid");
    const struct rpc_end_message *reply = &t->reply;
    const struct {
        const char *name;
        uint64_t number;
        const uint8_t *p;
        size_t n;
    } all[] = {
        {"reply", reply->n, reply->p + 4, reply->n - 4}, /* without its XID */
        {"results", reply->n - t->header.header_len, NULL, 0},
        {"eligible", reply->n_items, NULL, 0},
        {"operations", t->n_ops, NULL, 0},
        {"last_op", t->last_op, NULL, 0},
        {"called", t->calls, NULL, 0},
        {"callback", t->calls > 0 ? caller_called_sequence(t) : 0, NULL, 0},
        {"state", 0, first_state ? reply->p + first_state->at : NULL, CALLER_STATEID},
        {"delegated", 0, last_state ? reply->p + last_state->at : NULL, CALLER_STATEID},
    };

    if (g_str_has_prefix(name, "count(")) {
        g_autofree char *counted = g_strndup(name + 6, strcspn(name + 6, ")"));

        return (struct answer){name, true, count_of(t, counted), NULL, 0};
    }
    for (size_t i = 0; i < ARRAY_LENGTH(all); i++) {
        if (strcmp(all[i].name, name) == 0)
            return (struct answer){name, true, all[i].number, all[i].p, all[i].n};
    }
    return (struct answer){name, false, 0, NULL, 0};
}

static bool compare(int order, const char *relation)
{
    return strcmp(relation, "=") == 0    ? order == 0
           : strcmp(relation, "!=") == 0 ? order != 0
           : strcmp(relation, "<=") == 0 ? order <= 0
           : *relation == '<'            ? order < 0
                                         : order > 0;
}

static void check_answer(struct statement *s, const struct answer *answer, uint64_t mask, const char *relation,
                         const char *due)
{
    g_autoptr(GBytes) bytes = bytes_of(s->play, due);
    const uint64_t number = answer->number & mask;
    gsize n = 0;
    const uint8_t *p = bytes ? g_bytes_get_data(bytes, &n) : NULL;
    int order;

    if (!answer->is_there || (bytes && !answer->p)) {
        WRONG(s->play, "expected %s%s%s; found no such field", answer->name, relation, due);
        return;
    }
    if (bytes)
        order = answer->n != n || (n > 0 && memcmp(answer->p, p, n) != 0);
    else
        order = (number > number_of(s->play, due)) - (number < number_of(s->play, due));
    if (!compare(order, relation))
        WRONG(s->play, "expected %s%s%s; found %s%" G_GUINT64_FORMAT, answer->name, relation, due,
              answer->p ? "other octets, " : "", number);
}

static void keep(struct statement *s, const char *variable, const struct answer *answer)
{
    if (!answer->is_there)
        WRONG(s->play, "found no field %s", answer->name);
    if (answer->p)
        g_hash_table_insert(s->play->variables, g_strdup(variable), g_bytes_new(answer->p, answer->n));
    else
        g_hash_table_insert(s->play->numbers, g_strdup(variable), g_memdup2(&answer->number, sizeof answer->number));
}

/* "NAME", "NAME#2" or "NAME*": the last, the third, all. */
static void check_field(struct statement *s, const char *field, uint64_t mask, const char *relation, const char *due)
{
    g_autofree char *name = g_strndup(field, strcspn(field, "#*"));
    const char *which = field + strlen(name);
    const unsigned n = count_of(s->by, name);
    struct answer answer = about(s->by, name);

    if (answer.is_there || n == 0) {
        check_answer(s, &answer, mask, relation, due);
    } else if (*which != '*') {
        answer = nth_answer(s->by, name, *which ? (unsigned)strtoul(which + 1, NULL, 10) : n - 1);
        check_answer(s, &answer, mask, relation, due);
    } else {
        for (unsigned i = 0; i < n; i++) {
            g_autofree char *element = with_counter(g_strdup(due), 'k', s->listed - n + i);

            answer = nth_answer(s->by, name, i);
            check_answer(s, &answer, mask, relation, element);
        }
    }
}

/* "count=5", "flags&0x40=0", "reply<=1000", "$F=handle". */
static void check(struct statement *s, const char *word)
{
    const size_t n = strcspn(word, "=<>!&");
    g_autofree char *name = g_strndup(word, n), *relation = NULL;
    char *rest = (char *)word + n;
    uint64_t mask = UINT64_MAX;

    if (*rest == '&')
        mask = g_ascii_strtoull(rest + 1, &rest, 0);
    relation = g_strndup(rest, strspn(rest, "=<>!"));
    rest += strlen(relation);
    if (*word != '$') {
        check_field(s, name, mask, relation, rest);
    } else {
        struct answer answer = about(s->by, rest);

        if (!answer.is_there)
            answer = nth_answer(s->by, rest, MAX(count_of(s->by, rest), 1) - 1);
        keep(s, name + 1, &answer);
    }
}

/* "NOENT", "2", "GARBAGE_ARGS"; "STALE/BADHANDLE": for each minor version, the last for all others. */
static uint32_t status_of(const struct play *play, const char *word)
{
    g_auto(GStrv) each = g_strsplit(word, "/", -1);
    const char *name = each[MIN(play->test->minor, g_strv_length(each) - 1)];
    uint32_t status;

    if (g_ascii_isdigit(*name))
        return (uint32_t)number_of(play, name);
    for (unsigned stat = RPC_PROG_UNAVAIL; stat <= RPC_GARBAGE_ARGS; stat++) {
        if (strcmp(rpc_accept_stat_name(stat), name) == 0)
            return CALLER_REFUSED + stat;
    }
    if (!nfs_status_find(name, &status))
        WRONG(play, "there is no status %s", name);
    return status;
}

/* The part after "->". */
static void judge(struct statement *s, uint32_t status, char **due)
{
    const uint32_t expected = *due ? status_of(s->play, *due) : 0;

    if (status != expected)
        WRONG(s->play, "expected status %s; found %u (%s)", *due ? *due : "OK", status, nfs_status_name(status));
    for (char **word = due; *word && word[1]; word++)
        check(s, word[1]);
}

/* ---- statements ---- */

static const char *word_at(const struct statement *s, unsigned i)
{
    return i < g_strv_length(s->words) ? s->words[i] : "";
}

static unsigned arrow_of(const struct statement *s)
{
    unsigned i = 0;

    while (s->words[i] && strcmp(s->words[i], "->") != 0)
        i++;
    return i;
}

/* CALL [ARGUMENT ...] [-> STATUS [CHECK ...]] */
static uint32_t ask(struct statement *s, unsigned from)
{
    const unsigned arrow = arrow_of(s);
    g_autofree char *name = g_strndup(s->words[from], strcspn(s->words[from], ":"));
    const bool is_procedure = nfs_procedure_template(name);

    for (unsigned i = from + 1; i < arrow; i++)
        take_argument(s, s->words[i], is_procedure);
    return caller_ask(s->by, s->words[from], s->values, s->n);
}

static char **due_of(const struct statement *s)
{
    char **arrow = s->words + arrow_of(s);

    return *arrow ? arrow + 1 : arrow;
}

/* "lists N CALL ...": the whole directory, or all names of attributes, until eof; each Reply is judged. */
static void lists(struct statement *s)
{
    uint64_t cookie = 0, verifier = 0;

    do {
        g_autofree char *place = g_strdup_printf("cookieverf=%" G_GUINT64_FORMAT ":8", verifier);
        g_autofree char *from = g_strdup_printf("cookie=%" G_GUINT64_FORMAT, cookie);
        uint32_t status;

        s->n = 0;
        take_argument(s, place, false);
        take_argument(s, from, false);
        status = ask(s, 3);
        s->listed += count_of(s->by, "name");
        judge(s, status, due_of(s));
        verifier = nfs_results_hyper(&s->by->fields, "cookieverf");
        cookie = nfs_results_number(&s->by->fields, "cookie", cookie);
        assert_true(s->listed < LISTED_MAX);
    } while (!nfs_results_number(&s->by->fields, "eof", 1));
    if (s->listed != number_of(s->play, s->words[2]))
        WRONG(s->play, "expected %s entries; found %u", s->words[2], s->listed);
}

/* "opens FILE SHARE/DENY [OWNER]"; "makes FILE ..." creates it if necessary. */
static void opens(struct statement *s)
{
    const char *owner = arrow_of(s) > 4 ? s->words[4] : "x";
    char *deny;
    const uint32_t share = (uint32_t)strtoul(word_at(s, 3), &deny, 0);

    judge(s,
          caller_open(s->by, owner, word_at(s, 2), share, *deny ? (uint32_t)number_of(s->play, deny + 1) : 0,
                      strcmp(s->words[1], "makes") == 0),
          due_of(s));
}

static void sets(struct statement *s)
{
    struct nfs_caller *t = s->by;
    const struct {
        const char *name;
        uint32_t *place;
    } all[] = {{"uid", &t->uid},    {"room", &t->room},   {"cache", &t->cache},
               {"slot", &t->slot},  {"seqid", &t->seqid}, {"lock_seqid", &t->lock_seqid},
               {"minor", &t->minor}};
    const char *text = word_at(s, 3);

    for (size_t i = 0; i < ARRAY_LENGTH(all); i++) {
        if (strcmp(all[i].name, word_at(s, 2)) == 0) {
            *all[i].place = (uint32_t)(strchr("+-", *text) ? *all[i].place : 0) + (uint32_t)strtol(text, NULL, 0);
            return;
        }
    }
    WRONG(s->play, "'%s' cannot be set", word_at(s, 2));
}

/* "mounts [NAME]", "mounts-back": with callbacks; "connects": sends nothing yet. */
static void mounts(struct statement *s)
{
    const bool back = g_str_has_suffix(s->words[1], "-back");
    struct nfs_caller *t = s->by;

    if (t) {
        caller_end(t);
    } else {
        t = g_new0(struct nfs_caller, 1);
        g_hash_table_insert(s->play->callers, g_strdup(s->words[0]), t);
    }
    caller_begin(t, &s->play->on, s->play->test->minor, back);
    if (g_str_has_prefix(s->words[1], "mounts"))
        caller_mount(t, s->words[2] ? s->words[2] : s->words[0], back);
}

/* "answers [SEQUENCE [RECALL]]": statuses; "loses": does not answer the callback. */
static void answers(struct statement *s)
{
    const char *sequence = word_at(s, 2), *recall = *sequence ? word_at(s, 3) : "";

    caller_answer(s->by, *sequence ? status_of(s->play, sequence) : 0, *recall ? status_of(s->play, recall) : 0);
}

static void loses(struct statement *s)
{
    nfs_peer_replied(s->by->peer, s->by->cookie, NULL);
}

static void reconnects(struct statement *s)
{
    caller_reconnect(s->by);
}

static void waits(struct statement *s)
{
    s->play->on.now += (int64_t)number_of(s->play, word_at(s, 2)) * 1000000000;
}

/* "let VARIABLE be N OCTET", or "N random". */
static void has(struct statement *s)
{
    const size_t n = number_of(s->play, word_at(s, 2));
    uint8_t *octets = g_malloc(n);
    uint64_t seed = n;

    if (strcmp(word_at(s, 3), "random") == 0)
        fill_random(&seed, octets, n);
    else
        memset(octets, (int)number_of(s->play, word_at(s, 3)), n);
    g_hash_table_insert(s->play->variables, g_strdup(s->words[0] + 1), g_bytes_new_take(octets, n));
}

static const struct {
    const char *verb;
    void (*play)(struct statement *s);
} verbs[] = {{"connects", mounts}, {"connects-back", mounts}, {"mounts", mounts},         {"mounts-back", mounts},
             {"opens", opens},     {"makes", opens},          {"lists", lists},           {"sets", sets},
             {"answers", answers}, {"loses", loses},          {"reconnects", reconnects}, {"waits", waits},
             {"has", has}};

static void play_words(struct play *play, char **words)
{
    struct statement s = {.play = play,
                          .by = g_hash_table_lookup(play->callers, words[0]),
                          .words = words,
                          .held = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref)};
    size_t verb = 0;

    while (words[1] && verb < ARRAY_LENGTH(verbs) && strcmp(verbs[verb].verb, words[1]) != 0)
        verb++;
    if (!words[1] || (verb == ARRAY_LENGTH(verbs) && !s.by))
        WRONG(play, "'%s' is neither a client nor anything else that does something", words[0]);
    else if (verb < ARRAY_LENGTH(verbs))
        verbs[verb].play(&s);
    else
        judge(&s, ask(&s, 1), due_of(&s));
    g_ptr_array_unref(s.held);
}

/* "[0]", "[1-2]": only in these minor versions; "0..9": for each {i}. */
static void play_line(struct play *play, char *line)
{
    const unsigned minor = play->test->minor;
    unsigned first = minor, last = minor;

    if (*line == '[')
        line = g_strchug(range(line + 1, "-", &first, &last) + 1);
    if (minor < first || minor > last)
        return;
    first = last = 0;
    if (g_ascii_isdigit(*line))
        line = g_strchug(range(line, "..", &first, &last));
    for (unsigned i = first; i <= last; i++) {
        g_autofree char *text = with_counter(g_strdup(line), 'i', i);
        g_auto(GStrv) words = NULL;

        if (g_shell_parse_argv(text, NULL, &words, NULL)) /* false: only a comment */
            play_words(play, words);
    }
}

/* ---- tests ---- */

static void free_caller(void *caller)
{
    caller_end(caller);
    g_free(caller);
}

static int begin(void **state)
{
    struct play *play = g_new0(struct play, 1);

    play->test = *state;
    play->callers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_caller);
    play->variables = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_bytes_unref);
    play->numbers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    caller_server_begin(&play->on);
    *state = play;
    return 0;
}

static void test(void **state)
{
    struct play *play = *state;

    for (play->line = play->test->first; play->line < play->test->after; play->line++) {
        g_autofree char *line = g_strdup(play->test->lines[play->line]);

        play_line(play, g_strstrip(line));
    }
}

static int end(void **state)
{
    struct play *play = *state;

    if (play->line < play->test->after)
        print_error("it was %s:%u\n", play->test->file, play->line + 1);
    g_hash_table_unref(play->callers);
    g_hash_table_unref(play->variables);
    g_hash_table_unref(play->numbers);
    caller_server_end(&play->on);
    g_free(play);
    return 0;
}

struct all_calls {
    GArray *tests;     /* struct CMUnitTest */
    GPtrArray *states; /* of them: struct calls */
    const char *wanted;
};

/* "test NAME MINOR ...", and its indented lines; returns the next line. */
static unsigned add_tests(struct all_calls *all, const char *file, char **lines, unsigned i)
{
    static char *only[] = {"0", NULL};
    g_auto(GStrv) words = g_strsplit(lines[i], " ", -1);
    unsigned after = i + 1;

    while (lines[after] && (!*lines[after] || *lines[after] == ' '))
        after++;
    for (char **minor = words[2] ? words + 2 : only; g_str_has_prefix(words[1], all->wanted) && *minor; minor++) {
        g_autofree char *name = g_strdup_printf("%s, minor version %s", words[1], *minor);
        const struct calls calls = {file, (unsigned)strtoul(*minor, NULL, 10), lines, i + 1, after};
        struct CMUnitTest row = {g_intern_string(words[2] ? name : words[1]), test, begin, end, NULL};

        row.initial_state = g_memdup2(&calls, sizeof calls);
        g_ptr_array_add(all->states, row.initial_state);
        g_array_append_val(all->tests, row);
    }
    return after;
}

static char **lines_of(const char *file)
{
    g_autofree char *text = NULL;

    return g_file_get_contents(file, &text, NULL, NULL) ? g_strsplit(text, "\n", -1) : NULL;
}

int main(int argc, char **argv)
{
    static const char *const files[] = {NFS_CALLS};
    char **lines[ARRAY_LENGTH(files)];
    struct all_calls all = {.tests = g_array_new(FALSE, FALSE, sizeof(struct CMUnitTest)),
                            .states = g_ptr_array_new_with_free_func(g_free),
                            .wanted = argc > 1 ? argv[1] : ""};
    int failed;

    for (size_t f = 0; f < ARRAY_LENGTH(files); f++) {
        lines[f] = lines_of(files[f]);
        for (unsigned i = 0; lines[f] && lines[f][i];)
            i = g_str_has_prefix(lines[f][i], "test ") ? add_tests(&all, files[f], lines[f], i) : i + 1;
    }
    if (all.tests->len == 0)
        fprintf(stderr, "%s: no test begins with '%s'\n", argv[0], all.wanted);
    failed =
        _cmocka_run_group_tests("nfs_calls", (struct CMUnitTest *)(void *)all.tests->data, all.tests->len, NULL, NULL);
    failed += all.tests->len == 0;
    for (size_t f = 0; f < ARRAY_LENGTH(files); f++)
        g_strfreev(lines[f]);
    g_ptr_array_unref(all.states);
    g_array_unref(all.tests);
    return failed;
}
