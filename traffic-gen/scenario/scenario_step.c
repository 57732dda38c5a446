// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/scenario/scenario_step.h"

#include "traffic-gen/say/deviation.h"
#include "traffic-gen/scenario/scenario_values.h"

#include <string.h>

enum kind {
    NUMBER,      /* WORD=N */
    SIGNED,      /* the same, and it may be negative */
    CHANGE,      /* NUMBER, or "+N", "-N": relative to what would be right */
    OCTETS,      /* of payload */
    FLAG,        /* WORD alone when true */
    UNSET,       /* WORD=0 when false */
    SEGMENTS,    /* a chunk: `whole` is WORD alone, a list of lengths WORD=A+B+rest */
    CHUNKS,      /* a list of them: WORD=A+B/C/- */
    CHOICE,      /* WORD=what the table has for it; ALSO alone, if any */
    BARE_CHOICE, /* what the table has for it, alone */
    VERB_CHOICE, /* instead of the verb */
    PROCEDURE,   /* its name, first */
    OPERATIONS,  /* of a COMPOUND */
    TEXT,        /* as octets in hexadecimal, first */
    HEX,         /* octets in hexadecimal: WORD=HEX, or first without a WORD */
    TERMINATE,   /* layer/type/code, first */
    STAG,        /* WORD=STag; a region: ALSO=Tagged Offset, too */
    SOLICITED,
    INVALIDATE,
    WAIT,
    TIMES,
};

struct parameter {
    const char *name;
    enum kind kind;
    const char *word, *also;
    const struct choice *choices;
};

static const struct choice accept_stats[] = {{"PROG_UNAVAIL", "1"}, {"PROG_MISMATCH", "2"}, {"PROC_UNAVAIL", "3"},
                                             {"GARBAGE_ARGS", "4"}, {"SYSTEM_ERR", "5"},    {NULL, NULL}};
static const struct choice reject_stats[] = {{"RPC_MISMATCH", "0"}, {"AUTH_ERROR", "1"}, {NULL, NULL}};
static const struct choice credentials[] = {{"AUTH_NONE", "none"},
                                            {"AUTH_SYS", "sys"},
                                            {"rpcsec-gss-init", "gss:init"},
                                            {"rpcsec-gss-none", "gss:1"},
                                            {"rpcsec-gss-integrity", "gss:2"},
                                            {"rpcsec-gss-privacy", "gss:3"},
                                            {"rpcsec-gss-destroy", "gss:destroy"},
                                            {NULL, NULL}};
static const struct choice procs[] = {{"RDMA_MSG", "0"}, {"RDMA_NOMSG", "1"}, {"RDMA_MSGP", "2"}, {NULL, NULL}};
static const struct choice errors[] = {{"ERR_CHUNK", "chunk"}, {"ERR_VERS", "vers=1..1"}, {NULL, NULL}};
static const struct choice rtrs[] = {{"send", "send"}, {"write", "write"}, {"read", "read"}, {NULL, NULL}};
static const struct choice captures[] = {{"on", "show"}, {"off", "hide"}, {NULL, NULL}};

#define END                                                                                                            \
    {                                                                                                                  \
        .name = NULL                                                                                                   \
    }
#define ALWAYS                                                                                                         \
    {"times", TIMES, NULL, NULL, NULL}, {"wait", WAIT, NULL, NULL, NULL}, {"early", FLAG, "early", NULL, NULL},        \
    {                                                                                                                  \
        "acknowledged", FLAG, "acked", NULL, NULL                                                                      \
    }
static const struct choice troubles[] = {
    {"lost", "lost"},   {"lost-before-capture", "lost-before"}, {"late", "late"},
    {"twice", "twice"}, {"fragmented", "fragmented"},           {"not-captured", "uncaptured"},
    {NULL, NULL}};
#define ON_THE_WAY                                                                                                     \
    {                                                                                                                  \
        "on-the-way", CHOICE, "net", NULL, troubles                                                                    \
    }
#define SENT                                                                                                           \
    {                                                                                                                  \
        "solicited", SOLICITED, "se", NULL, NULL                                                                       \
    }

static const struct parameter send_parameters[] = {{"octets", OCTETS, "len", NULL, NULL},
                                                   {"longer-by", NUMBER, "longer", NULL, NULL},
                                                   {"zeros", FLAG, "zeros", NULL, NULL},
                                                   {"invalidate", INVALIDATE, "stag", NULL, NULL},
                                                   {"last", UNSET, "l", NULL, NULL},
                                                   SENT,
                                                   ON_THE_WAY,
                                                   ALWAYS,
                                                   END};
static const struct parameter write_parameters[] = {{"octets", OCTETS, "len", NULL, NULL},
                                                    {"to", STAG, "stag", "to", NULL},
                                                    {"tagged-offset", NUMBER, "to", NULL, NULL},
                                                    {"value", NUMBER, "value", NULL, NULL},
                                                    {"octets-after-marker", NUMBER, "marker", NULL, NULL},
                                                    {"pad", NUMBER, "pad", NULL, NULL},
                                                    {"last", UNSET, "l", NULL, NULL},
                                                    ON_THE_WAY,
                                                    ALWAYS,
                                                    END};
static const struct parameter read_parameters[] = {{"octets", OCTETS, "size", NULL, NULL},
                                                   {"from", STAG, "src", "srcto", NULL},
                                                   {"from-offset", NUMBER, "srcto", NULL, NULL},
                                                   {"into", STAG, "sink", "sinkto", NULL},
                                                   {"into-offset", NUMBER, "sinkto", NULL, NULL},
                                                   ON_THE_WAY,
                                                   ALWAYS,
                                                   END};
static const struct parameter response_parameters[] = {{"octets", OCTETS, "len", NULL, NULL},
                                                       {"request", NUMBER, "of", NULL, NULL},
                                                       {"last", UNSET, "l", NULL, NULL},
                                                       ON_THE_WAY,
                                                       ALWAYS,
                                                       END};
static const struct parameter terminate_parameters[] = {{"error", TERMINATE, NULL, NULL, NULL},
                                                        {"back", NUMBER, "back", NULL, NULL},
                                                        {"octets", CHANGE, "size", NULL, NULL},
                                                        {"from-offset", CHANGE, "srcto", NULL, NULL},
                                                        {"into-offset", CHANGE, "sinkto", NULL, NULL},
                                                        ON_THE_WAY,
                                                        ALWAYS,
                                                        END};
static const struct parameter immediate_parameters[] = {
    {"data", NUMBER, "data", NULL, NULL}, SENT, ON_THE_WAY, ALWAYS, END};
static const struct parameter fetch_add_parameters[] = {{"add", NUMBER, "data", NULL, NULL},
                                                        {"mask", NUMBER, "mask", NULL, NULL},
                                                        {"at", STAG, "astag", "ato", NULL},
                                                        {"tagged-offset", NUMBER, "ato", NULL, NULL},
                                                        ON_THE_WAY,
                                                        ALWAYS,
                                                        END};
static const struct parameter compare_swap_parameters[] = {{"compare", NUMBER, "cdata", NULL, NULL},
                                                           {"compare-mask", NUMBER, "cmask", NULL, NULL},
                                                           {"swap", NUMBER, "data", NULL, NULL},
                                                           {"swap-mask", NUMBER, "mask", NULL, NULL},
                                                           {"at", STAG, "astag", "ato", NULL},
                                                           {"tagged-offset", NUMBER, "ato", NULL, NULL},
                                                           ON_THE_WAY,
                                                           ALWAYS,
                                                           END};
static const struct parameter result_parameters[] = {{"request", NUMBER, "of", NULL, NULL}, ON_THE_WAY, ALWAYS, END};
static const struct parameter rtr_parameters[] = {{"by", BARE_CHOICE, NULL, NULL, rtrs}, ON_THE_WAY, ALWAYS, END};
static const struct parameter silence_parameters[] = {{"wait", WAIT, NULL, NULL, NULL}, END};
static const struct parameter plain_parameters[] = {{"wait", WAIT, NULL, NULL, NULL}, END};
static const struct parameter start_parameters[] = {ON_THE_WAY, {"wait", WAIT, NULL, NULL, NULL}, END};
static const struct parameter streaming_parameters[] = {
    {"text", TEXT, NULL, NULL, NULL}, ON_THE_WAY, {"wait", WAIT, NULL, NULL, NULL}, END};
static const struct parameter fpdu_parameters[] = {{"ulpdu", HEX, NULL, NULL, NULL}, ON_THE_WAY, ALWAYS, END};
static const struct parameter segment_parameters[] = {{"at", SIGNED, "at", NULL, NULL},
                                                      {"step", SIGNED, "step", NULL, NULL},
                                                      {"octets", OCTETS, "len", NULL, NULL},
                                                      {"value", NUMBER, "value", NULL, NULL},
                                                      {"hex", HEX, "hex", NULL, NULL},
                                                      {"push", FLAG, "push", NULL, NULL},
                                                      {"acknowledges", SIGNED, "ack", NULL, NULL},
                                                      {"zero-window", FLAG, "zero-window", NULL, NULL},
                                                      ON_THE_WAY,
                                                      ALWAYS,
                                                      END};
static const struct parameter capture_parameters[] = {{"capture", VERB_CHOICE, NULL, NULL, captures}, END};

/* Of every RPC-over-RDMA message. */
#define MESSAGE                                                                                                        \
    {"xid", NUMBER, "xid", NULL, NULL}, {"credits", NUMBER, "credit", NULL, NULL},                                     \
        {"invalidate", INVALIDATE, "inv", NULL, NULL}, SENT, ALWAYS
#define READ_CHUNKS                                                                                                    \
    {"read-chunk", SEGMENTS, "read", NULL, NULL}, {"read-chunks", CHUNKS, "read", NULL, NULL},                         \
        {"position-zero-chunk", SEGMENTS, "pz", NULL, NULL},                                                           \
    {                                                                                                                  \
        "with-roundup", FLAG, "pad", NULL, NULL                                                                        \
    }
#define WHICH                                                                                                          \
    {"outstanding", NUMBER, "of", NULL, NULL},                                                                         \
    {                                                                                                                  \
        "latest", NUMBER, "back", NULL, NULL                                                                           \
    }

static const struct parameter call_parameters[] = {{"procedure", PROCEDURE, NULL, NULL, NULL},
                                                   {"operations", OPERATIONS, "ops", NULL, NULL},
                                                   READ_CHUNKS,
                                                   {"position-zero-last", FLAG, "pz-last", NULL, NULL},
                                                   {"write-chunk", SEGMENTS, "write", NULL, NULL},
                                                   {"write-chunks", CHUNKS, "write", NULL, NULL},
                                                   {"reply-chunk", SEGMENTS, "reply", NULL, NULL},
                                                   {"credential", CHOICE, "cred", NULL, credentials},
                                                   {"rdma-proc", CHOICE, "h.proc", NULL, procs},
                                                   {"rdma-align", NUMBER, "h.align", NULL, NULL},
                                                   {"rdma-thresh", NUMBER, "h.thresh", NULL, NULL},
                                                   MESSAGE,
                                                   END};
static const struct parameter again_parameters[] = {{"same-stags", FLAG, "same", NULL, NULL}, WHICH, MESSAGE, END};
static const struct parameter pull_parameters[] = {{"octets-per-read", NUMBER, "parts", NULL, NULL},
                                                   {"segment", NUMBER, "only", NULL, NULL},
                                                   {"unanswered", FLAG, "no-answer", NULL, NULL},
                                                   WHICH,
                                                   ALWAYS,
                                                   END};
static const struct parameter reply_parameters[] = {{"accept-stat", CHOICE, "accept", NULL, accept_stats},
                                                    {"denied", CHOICE, "reject", "denied", reject_stats},
                                                    {"auth-stat", NUMBER, "auth", NULL, NULL},
                                                    {"low", NUMBER, "low", NULL, NULL},
                                                    {"high", NUMBER, "high", NULL, NULL},
                                                    {"results", NUMBER, "results", NULL, NULL},
                                                    {"long", FLAG, "long", NULL, NULL},
                                                    {"inline", FLAG, "inline", NULL, NULL},
                                                    {"empty", FLAG, "empty", NULL, NULL},
                                                    {"last-segment-first", FLAG, "backward", NULL, NULL},
                                                    {"octets-per-write", NUMBER, "parts", NULL, NULL},
                                                    READ_CHUNKS,
                                                    WHICH,
                                                    MESSAGE,
                                                    END};
static const struct parameter error_parameters[] = {{"code", BARE_CHOICE, NULL, NULL, errors}, WHICH, MESSAGE, END};
static const struct parameter done_parameters[] = {WHICH, MESSAGE, END};
static const struct parameter give_parameters[] = {ALWAYS, END};

static const struct verb {
    const char *name, *word;
    const struct parameter *parameters; /* the first one is what a value alone sets */
    bool needs_value, rpc;
    bool free; /* further names are fields of arguments or results */
} verbs[] = {
    {"send", "send", send_parameters, false, false, false},
    {"write", "write", write_parameters, false, false, false},
    {"read", "read", read_parameters, false, false, false},
    {"read-response", "answer", response_parameters, false, false, false},
    {"terminate", "term", terminate_parameters, true, false, false},
    {"immediate", "imm", immediate_parameters, false, false, false},
    {"fetch-add", "fadd", fetch_add_parameters, false, false, false},
    {"compare-swap", "cswap", compare_swap_parameters, false, false, false},
    {"atomic-response", "result", result_parameters, false, false, false},
    {"ready-to-receive", "rtr", rtr_parameters, true, false, false},
    {"silence", "silence", silence_parameters, true, false, false},
    {"streaming", "stream", streaming_parameters, true, false, false},
    {"mpa-request", "mpa-request", start_parameters, false, false, false},
    {"mpa-reply", "mpa-reply", start_parameters, false, false, false},
    {"fpdu", "fpdu", fpdu_parameters, true, false, false},
    {"segment", "segment", segment_parameters, false, false, false},
    {"cork", "cork", plain_parameters, false, false, false},
    {"uncork", "uncork", start_parameters, false, false, false},
    {"fin", "fin", plain_parameters, false, false, false},
    {"reset", "rst", plain_parameters, false, false, false},
    {"close", "close", plain_parameters, false, false, false},
    {"leave-open", "hang", plain_parameters, false, false, false},
    {"capture", "show", capture_parameters, true, false, false},
    {"call", "call", call_parameters, true, true, true},
    {"call-again", "again", again_parameters, false, true, false},
    {"pull", "pull", pull_parameters, false, true, false},
    {"answer-reads", "give", give_parameters, false, true, false},
    {"reply", "reply", reply_parameters, false, true, true},
    {"error", "error", error_parameters, true, true, false},
    {"done", "done", done_parameters, false, true, false},
};

/* ---- lists of names, for messages; made once ---- */

static const char *verb_names(void)
{
    static char *names;

    if (!names) {
        GString *s = g_string_new(NULL);

        append_names(s, verbs, sizeof *verbs, G_N_ELEMENTS(verbs));
        names = g_string_free(s, FALSE);
    }
    return names;
}

static const char *parameter_names(const struct verb *verb)
{
    static char *names[G_N_ELEMENTS(verbs)];
    char **mine = &names[verb - verbs];

    if (!*mine) {
        GString *s = g_string_new(NULL);

        append_names(s, verb->parameters, sizeof *verb->parameters, SIZE_MAX);
        g_string_append(s, ", words about MPA (mpa.WORD)");
        if (verb->free)
            g_string_append_printf(s, ", fields of the %s",
                                   verb->parameters == call_parameters ? "arguments" : "results");
        *mine = g_string_free(s, FALSE);
    }
    return *mine;
}

/* ---- a statement in the making ---- */

struct action {
    enum role role;
    const struct verb *verb;
    const char *word; /* of the verb */
    struct statement *statement;
    bool solicited, invalidate;
    unsigned times;
    bool has_wait;
    uint64_t wait;
};

/* ---- parameters ---- */

static bool read_invalidate(struct reading *r, const yaml_node_t *node, const struct parameter *p, struct action *a)
{
    const struct scenario_region *region;
    uint64_t stag;

    a->invalidate = !node_is(node, "false");
    if (node_is(node, "true") || !a->invalidate) {
        if (a->verb->rpc && a->invalidate)
            statement_add(a->statement, p->word);
        return true;
    }
    if (!read_stag(r, node, &region, &stag))
        return false;
    statement_add_number(a->statement, p->word, '=', stag);
    return true;
}

/* A chunk, or a list of them. */
static bool read_chunk_words(struct reading *r, const struct parameter *p, struct statement *statement,
                             const yaml_node_t *node)
{
    g_autoptr(GString) sizes = g_string_new(NULL);

    if (p->kind == SEGMENTS ? !read_segments(r, node, sizes) : !read_chunks(r, node, sizes))
        return false;
    if (p->kind == SEGMENTS && strcmp(sizes->str, "rest") == 0)
        statement_add(statement, p->word);
    else
        statement_add_text(statement, p->word, sizes->str);
    return true;
}

static bool read_number_word(struct reading *r, const struct parameter *p, struct action *a, const yaml_node_t *node)
{
    uint64_t value;

    if (p->kind == OCTETS ? !read_octets(r, node, a->times, &value) : !read_number(r, node, 0, UINT64_MAX, &value))
        return false;
    statement_add_number(a->statement, p->word, '=', value);
    return true;
}

static bool read_signed(struct reading *r, const struct parameter *p, struct statement *statement,
                        const yaml_node_t *node)
{
    static const char allowed[] = "a number, which may be negative";
    const char *text = read_text(r, node, allowed);
    char *end;
    int64_t value;

    if (!text)
        return false;
    value = g_ascii_strtoll(text, &end, 0);
    if (!g_ascii_isdigit(text[*text == '-']) || *end)
        return complain(r, node, allowed, "'%s' is no such number", text);
    statement_add_number(statement, p->word, '=', (uint64_t)value);
    return true;
}

static bool read_octets_in_hex(struct reading *r, const struct parameter *p, struct statement *statement,
                               const yaml_node_t *node)
{
    static const char allowed[] = "octets in hexadecimal";
    const char *text = read_word(r, node, allowed);

    if (!text)
        return false;
    if (strlen(text) % 2 || strspn(text, "0123456789abcdefABCDEF") != strlen(text))
        return complain(r, node, allowed, "'%s' is none", text);
    if (p->word)
        statement_add_text(statement, p->word, text);
    else
        statement_put_first(statement, text);
    return true;
}

static bool read_flag_word(struct reading *r, const struct parameter *p, struct statement *statement,
                           const yaml_node_t *node)
{
    bool flag;

    if (!read_flag(r, node, &flag))
        return false;
    if (flag && p->kind == FLAG)
        statement_add(statement, p->word);
    else if (!flag && p->kind == UNSET)
        statement_add_number(statement, p->word, '=', 0);
    return true;
}

static bool read_choice(struct reading *r, const struct parameter *p, struct action *a, const yaml_node_t *node)
{
    const char *word;

    if (!choose(r, node, p->choices, &word))
        return false;
    if (p->kind == VERB_CHOICE)
        a->word = word;
    else if (p->kind == BARE_CHOICE)
        statement_add_word(a->statement, word);
    else
        statement_add_text(a->statement, p->word, word);
    if (p->also)
        statement_add(a->statement, p->also);
    return true;
}

static bool read_first(struct reading *r, const struct parameter *p, struct statement *statement,
                       const yaml_node_t *node)
{
    g_autoptr(GString) text = g_string_new(NULL);
    const char *name;
    unsigned error;

    if (p->kind == PROCEDURE) {
        if (!read_procedure(r, node, &name))
            return false;
        g_string_append(text, name);
    } else if (p->kind == TERMINATE) {
        if (!read_error_code(r, node, &error))
            return false;
        g_string_append_printf(text, "%x/%x/%02x", error >> 12, error >> 8 & 0xF, error & 0xFF);
    } else if (!read_hex(r, node, text)) {
        return false;
    }
    statement_put_first(statement, text->str);
    return true;
}

static bool read_stag_words(struct reading *r, const struct parameter *p, struct statement *statement,
                            const yaml_node_t *node)
{
    const struct scenario_region *region;
    uint64_t stag;

    if (!read_stag(r, node, &region, &stag))
        return false;
    statement_add_number(statement, p->word, '=', stag);
    if (region)
        statement_add_number(statement, p->also, '=', region->to);
    return true;
}

static bool read_operation_words(struct reading *r, const struct parameter *p, struct statement *statement,
                                 const yaml_node_t *node)
{
    g_autoptr(GString) text = g_string_new(NULL);

    if (!read_operations(r, node, text))
        return false;
    statement_add_text(statement, p->word, text->str);
    return true;
}

static bool read_parameter(struct reading *r, const struct parameter *p, struct action *a, const yaml_node_t *node)
{
    switch (p->kind) {
    case NUMBER:
    case OCTETS:
        return read_number_word(r, p, a, node);
    case SIGNED:
        return read_signed(r, p, a->statement, node);
    case CHANGE:
        return read_change(r, node, p->word, a->statement);
    case FLAG:
    case UNSET:
        return read_flag_word(r, p, a->statement, node);
    case SEGMENTS:
    case CHUNKS:
        return read_chunk_words(r, p, a->statement, node);
    case CHOICE:
    case BARE_CHOICE:
    case VERB_CHOICE:
        return read_choice(r, p, a, node);
    case OPERATIONS:
        return read_operation_words(r, p, a->statement, node);
    case PROCEDURE:
    case TEXT:
    case TERMINATE:
        return read_first(r, p, a->statement, node);
    case HEX:
        return read_octets_in_hex(r, p, a->statement, node);
    case STAG:
        return read_stag_words(r, p, a->statement, node);
    case SOLICITED:
        return read_flag(r, node, &a->solicited);
    case INVALIDATE:
        return read_invalidate(r, node, p, a);
    case WAIT:
        a->has_wait = true;
        return read_time(r, node, &a->wait);
    case TIMES:
        return true; /* taken before all others */
    }
    return false;
}

static bool says_startup(const struct action *a)
{
    return verb_says_startup(verb_find(a->verb->word));
}

/* A word that changes the FPDU or the startup frame that is said, as scripts have it. */
static bool read_mpa_word(struct reading *r, const yaml_node_t *node, const char *name, struct action *a)
{
    bool startup = says_startup(a);
    const char *allowed = mpa_word_allows(name, startup);
    const char *text = read_text(r, node, allowed);
    return text && (mpa_word_add(a->statement, name, startup, text) ||
                    complain(r, node, allowed, "'%s' is no value of %s", text, name));
}

/* By the name that scenarios alone have, else by the word of scripts. */
static const struct parameter *find_parameter(const struct parameter *parameters, const char *name)
{
    for (const struct parameter *p = parameters; p->name; p++) {
        if (strcmp(p->name, name) == 0)
            return p;
    }
    for (const struct parameter *p = parameters; p->name; p++) {
        if (p->word && strcmp(p->word, name) == 0)
            return p;
    }
    return NULL;
}

static bool read_named(struct reading *r, void *context, const yaml_node_t *key, const char *name,
                       const yaml_node_t *value)
{
    struct action *a = context;
    const struct parameter *p;
    bool startup = says_startup(a);
    g_autofree char *names = NULL;
    const char *text;

    if (strcmp(name, a->verb->name) == 0 || strcmp(name, a->verb->word) == 0)
        return true;
    p = find_parameter(a->verb->parameters, name);
    if (p)
        return read_parameter(r, p, a, value);
    if (mpa_word_allows(name, startup))
        return read_mpa_word(r, value, name, a);
    if (g_str_has_prefix(name, "mpa")) {
        names = mpa_word_names(startup);
        return complain(r, key, names, "'%s' is no word about %s", name, startup ? "start-up frames" : "FPDUs");
    }
    if (!a->verb->free || !is_field(name))
        return complain(r, key, parameter_names(a->verb), "'%s' does not go with %s", name, a->verb->name);
    if (!read_field(r, value, name, a->times, &text))
        return false;
    statement_add_text(a->statement, name, text);
    return true;
}

bool add_statement(struct reading *r, const yaml_node_t *node, struct statement *statement, const char *allowed)
{
    statement->allowed = allowed;
    statement->line = node ? (unsigned)node->start_mark.line + 1 : 1;
    g_ptr_array_add(r->statements, statement);
    for (unsigned i = 0; i < statement->words->len; i++) {
        const struct word *word = &g_array_index(statement->words, struct word, i);

        r->text += sizeof *word + strlen(word->name) + (word->text ? strlen(word->text) : 0);
    }
    if (r->statements->len > SCENARIO_STATEMENTS_MAX || r->text > SCENARIO_TEXT_MAX)
        return complain(r, node, NULL, "more than %d steps, repetitions included", SCENARIO_STATEMENTS_MAX);
    return true;
}

static bool add_action(struct reading *r, const yaml_node_t *node, struct action *a)
{
    struct statement *s = a->statement;
    g_autofree char *verb = g_strconcat(a->word, a->solicited && !a->verb->rpc ? "-se" : "",
                                        a->invalidate && !a->verb->rpc ? "-inv" : "", NULL);
    uint64_t wait = a->has_wait ? a->wait : r->wait;

    r->steps += a->times - 1;
    if (r->steps > SCENARIO_STATEMENTS_MAX)
        return complain(r, node, NULL, "more than %d steps, repetitions included", SCENARIO_STATEMENTS_MAX);
    s->verb = verb_find(verb);
    s->role = a->role;
    s->times = a->times;
    if (a->solicited && a->verb->rpc)
        statement_add(s, "se");
    if (wait)
        statement_add_number(s, "wait", '=', wait);
    r->wait = 0;
    return add_statement(r, node, g_steal_pointer(&a->statement), parameter_names(a->verb));
}

/* NULL: it was complained of. */
static const struct verb *find_verb(struct reading *r, const yaml_node_t *what, const yaml_node_t *value)
{
    const char *name = read_text(r, what, verb_names());
    const struct verb *verb = NULL;

    for (unsigned i = 0; name && i < G_N_ELEMENTS(verbs) && !verb; i++) {
        if (strcmp(verbs[i].name, name) == 0 || strcmp(verbs[i].word, name) == 0)
            verb = &verbs[i];
    }
    if (!name)
        return NULL;
    if (!verb)
        complain(r, what, verb_names(), "'%s' is nothing that a side can do", name);
    else if (verb->rpc && !r->rpcrdma)
        complain(r, what, NULL, "%s needs `rpc-over-rdma: true` in `connection`", name);
    else if (verb->needs_value && node_is_empty(value))
        complain(r, what, parameter_names(verb), "%s needs a value", name);
    else
        return verb;
    return NULL;
}

/* Those in its value, and those beside it. */
static bool read_values(struct reading *r, const yaml_node_t *node, const yaml_node_t *value, bool has_names,
                        struct action *a)
{
    bool good;

    if (value && value->type == YAML_MAPPING_NODE)
        good = read_mapping(r, value, parameter_names(a->verb), read_named, a);
    else
        good = node_is_empty(value) || read_parameter(r, a->verb->parameters, a, value);
    return good && (!has_names || read_mapping(r, node, parameter_names(a->verb), read_named, a));
}

static bool lacks_value(const struct action *a)
{
    return a->verb->needs_value && !a->has_wait && a->statement->words->len == 0 &&
           a->verb->parameters != capture_parameters;
}

/* `reply`, or {send: 100, solicited: true}, or {send: {octets: 100, solicited: true}}: the first name is what is done.
 */
static bool read_action(struct reading *r, enum role role, const yaml_node_t *node)
{
    const yaml_node_t *what, *value;
    bool has_names = split_action(r, node, &what, &value), good;
    struct action a = {.role = role, .times = 1, .verb = find_verb(r, what, value)};

    if (!a.verb || !read_times(r, node, &a.times) || !read_times(r, value, &a.times))
        return false;
    a.word = a.verb->word;
    a.statement = statement_new(role, NULL);
    good = read_values(r, node, value, has_names, &a);
    if (good && lacks_value(&a))
        good = complain(r, what, parameter_names(a.verb), "%s needs `%s`", a.verb->name, a.verb->parameters->name);
    good = good && add_action(r, what, &a);
    if (a.statement)
        statement_unref(a.statement);
    return good;
}

bool read_actions(struct reading *r, enum role role, const yaml_node_t *node)
{
    if (!node || node->type != YAML_SEQUENCE_NODE)
        return read_action(r, role, node);
    for (const yaml_node_item_t *item = node->data.sequence.items.start; item < node->data.sequence.items.top; item++) {
        if (++r->steps > SCENARIO_STATEMENTS_MAX)
            return complain(r, node, NULL, "more than %d steps, repetitions included", SCENARIO_STATEMENTS_MAX);
        if (!read_action(r, role, node_at(r, *item)))
            return false;
    }
    return true;
}
