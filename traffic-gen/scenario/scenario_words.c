// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/scenario/scenario_words.h"

#include "traffic-gen/scenario/scenario_values.h"

#include <string.h>

enum { TIMES_MAX = 100000 };

enum kind {
    NUMBER,      /* WORD=N */
    CHANGE,      /* the same, or "+N", "-N": relative to what would be right */
    OCTETS,      /* of payload */
    FLAG,        /* WORD alone when true */
    UNSET,       /* WORD=0 when false */
    SEGMENTS,    /* a chunk: `whole` is WORD alone, a list of lengths WORD=A+B+rest */
    CHUNKS,      /* a list of them: WORD=A+B/C/- */
    NAME,        /* WORD=TEXT */
    CHOICE,      /* WORD=what the table has for it */
    BARE_CHOICE, /* what the table has for it, in front */
    VERB_CHOICE, /* instead of the verb */
    PROCEDURE,   /* in front */
    OPERATIONS,  /* of a COMPOUND */
    HEX,         /* a text as octets in hexadecimal, in front */
    TERMINATE,   /* layer/type/code, in front */
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
    {"times", TIMES, NULL, NULL, NULL}, {"wait", WAIT, NULL, NULL, NULL},                                              \
    {                                                                                                                  \
        "early", FLAG, "early", NULL, NULL                                                                             \
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
        "solicited", SOLICITED, NULL, NULL, NULL                                                                       \
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
                                                    {"octets-behind-marker", NUMBER, "marker", NULL, NULL},
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
    {"text", HEX, NULL, NULL, NULL}, ON_THE_WAY, {"wait", WAIT, NULL, NULL, NULL}, END};
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
                                                    {"denied", CHOICE, "denied reject", NULL, reject_stats},
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
        GString *s = g_string_new(verbs[0].name);

        for (unsigned i = 1; i < G_N_ELEMENTS(verbs); i++)
            g_string_append_printf(s, ", %s", verbs[i].name);
        names = g_string_free(s, FALSE);
    }
    return names;
}

static const char *parameter_names(const struct verb *verb)
{
    static char *names[G_N_ELEMENTS(verbs)];
    char **mine = &names[verb - verbs];

    if (!*mine) {
        GString *s = g_string_new(verb->parameters->name);

        for (const struct parameter *p = verb->parameters + 1; p->name; p++)
            g_string_append_printf(s, ", %s", p->name);
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
    GString *front;   /* words without a name */
    GString *words;
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
            g_string_append_printf(a->words, " %s", p->word);
        return true;
    }
    if (!read_stag(r, node, &region, &stag))
        return false;
    g_string_append_printf(a->words, " %s=%" PRIu64, p->word, stag);
    return true;
}

static bool read_parameter(struct reading *r, const struct parameter *p, struct action *a, const yaml_node_t *node)
{
    const struct scenario_region *region;
    g_autoptr(GString) text = g_string_new(NULL);
    const char *word;
    uint64_t value;
    bool flag;

    switch (p->kind) {
    case NUMBER:
        if (!read_number(r, node, 0, UINT64_MAX, &value))
            return false;
        g_string_append_printf(a->words, " %s=%" PRIu64, p->word, value);
        return true;
    case CHANGE:
        return read_change(r, node, p->word, a->words);
    case OCTETS:
        if (!read_octets(r, node, a->times, &value))
            return false;
        g_string_append_printf(a->words, " %s=%" PRIu64, p->word, value);
        return true;
    case FLAG:
    case UNSET:
        if (!read_flag(r, node, &flag))
            return false;
        if (flag == (p->kind == FLAG))
            g_string_append_printf(a->words, " %s%s", p->word, p->kind == FLAG ? "" : "=0");
        return true;
    case SEGMENTS:
        if (!read_segments(r, node, text))
            return false;
        g_string_append_printf(a->words, strcmp(text->str, "rest") == 0 ? " %s" : " %s=%s", p->word, text->str);
        return true;
    case CHUNKS:
        if (!read_chunks(r, node, text))
            return false;
        g_string_append_printf(a->words, " %s=%s", p->word, text->str);
        return true;
    case NAME:
        word = read_word(r, node, NULL);
        g_string_append_printf(a->words, " %s=%s", p->word, word ? word : "");
        return word != NULL;
    case CHOICE:
        if (!choose(r, node, p->choices, &word))
            return false;
        g_string_append_printf(a->words, " %s=%s", p->word, word);
        return true;
    case BARE_CHOICE:
        if (!choose(r, node, p->choices, &word))
            return false;
        g_string_append_printf(a->front, " %s", word);
        return true;
    case VERB_CHOICE:
        return choose(r, node, p->choices, &a->word);
    case PROCEDURE:
        return read_procedure(r, node, a->front);
    case OPERATIONS:
        if (!read_operations(r, node, text))
            return false;
        g_string_append_printf(a->words, " %s=%s", p->word, text->str);
        return true;
    case HEX:
        return read_hex(r, node, " ", a->front);
    case TERMINATE:
        return read_terminate(r, node, a->front);
    case STAG:
        if (!read_stag(r, node, &region, &value))
            return false;
        g_string_append_printf(a->words, " %s=%" PRIu64, p->word, value);
        if (region)
            g_string_append_printf(a->words, " %s=%" PRIu64, p->also, region->to);
        return true;
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

static bool read_named(struct reading *r, void *context, const yaml_node_t *key, const char *name,
                       const yaml_node_t *value)
{
    struct action *a = context;

    if (strcmp(name, a->verb->name) == 0)
        return true;
    for (const struct parameter *p = a->verb->parameters; p->name; p++) {
        if (strcmp(p->name, name) == 0)
            return read_parameter(r, p, a, value);
    }
    if (!a->verb->free || !is_field(name))
        return complain(r, key, parameter_names(a->verb), "'%s' does not go with %s", name, a->verb->name);
    g_string_append_c(a->words, ' ');
    return read_field(r, value, name, a->times, a->words);
}

/* What amounts are multiplied with, so it has to be known before them. */
static bool find_times(struct reading *r, const yaml_node_t *node, unsigned *times)
{
    if (!node || node->type != YAML_MAPPING_NODE)
        return true;
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
        uint64_t value;

        if (!node_is(node_at(r, pair->key), "times"))
            continue;
        if (!read_number(r, node_at(r, pair->value), 1, TIMES_MAX, &value))
            return false;
        *times = (unsigned)value;
    }
    return true;
}

bool add_statement(struct reading *r, const yaml_node_t *node, char *text, const char *allowed)
{
    const struct scenario_statement statement = {
        .text = text, .line = node ? (unsigned)node->start_mark.line + 1 : 1, .allowed = allowed};

    r->text += strlen(text);
    if (r->statements->len >= SCENARIO_STATEMENTS_MAX || r->text > SCENARIO_TEXT_MAX) {
        g_free(text);
        return complain(r, node, NULL, "more than %d steps, repetitions included", SCENARIO_STATEMENTS_MAX);
    }
    g_array_append_val(r->statements, statement);
    return true;
}

static bool add_action(struct reading *r, const yaml_node_t *node, struct action *a)
{
    GString *s = g_string_new(a->role == INITIATOR ? "I " : "R ");
    uint64_t wait = a->has_wait ? a->wait : r->wait;

    r->steps += a->times - 1;
    if (r->steps > SCENARIO_STATEMENTS_MAX) {
        g_string_free(s, TRUE);
        return complain(r, node, NULL, "more than %d steps, repetitions included", SCENARIO_STATEMENTS_MAX);
    }
    if (a->times > 1)
        g_string_append_printf(s, "%u* ", a->times);
    g_string_append(s, a->word);
    if (a->solicited && !a->verb->rpc)
        g_string_append(s, "-se");
    if (a->invalidate && !a->verb->rpc)
        g_string_append(s, "-inv");
    g_string_append_printf(s, "%s%s", a->front->str, a->words->str);
    if (a->solicited && a->verb->rpc)
        g_string_append(s, " se");
    if (wait)
        g_string_append_printf(s, " wait=%" PRIu64, wait);
    r->wait = 0;
    return add_statement(r, node, g_string_free(s, FALSE), parameter_names(a->verb));
}

/* `reply`, or {send: 100, solicited: true}, or {send: {octets: 100, solicited: true}}: the first name is what is done.
 */
static bool read_action(struct reading *r, enum role role, const yaml_node_t *node)
{
    const yaml_node_t *what, *value;
    bool has_names = split_action(r, node, &what, &value);
    struct action a = {.role = role, .times = 1};
    const char *name = read_text(r, what, verb_names());
    bool good;

    if (!name)
        return false;
    for (unsigned i = 0; i < G_N_ELEMENTS(verbs) && !a.verb; i++) {
        if (strcmp(verbs[i].name, name) == 0)
            a.verb = &verbs[i];
    }
    if (!a.verb)
        return complain(r, what, verb_names(), "'%s' is nothing that a side can do", name);
    if (a.verb->rpc && !r->rpcrdma)
        return complain(r, what, NULL, "%s needs `rpc-over-rdma: true` in `connection`", name);
    if (a.verb->needs_value && (!value || (value->type == YAML_SCALAR_NODE && value->data.scalar.length == 0)))
        return complain(r, what, parameter_names(a.verb), "%s needs a value", name);
    if (!find_times(r, node, &a.times) || !find_times(r, value, &a.times))
        return false;
    a.word = a.verb->word;
    a.front = g_string_new(NULL);
    a.words = g_string_new(NULL);
    if (value && value->type == YAML_MAPPING_NODE)
        good = read_mapping(r, value, parameter_names(a.verb), read_named, &a);
    else
        good = !value || (value->type == YAML_SCALAR_NODE && value->data.scalar.length == 0) ||
               read_parameter(r, a.verb->parameters, &a, value);
    good = good && (!has_names || read_mapping(r, node, parameter_names(a.verb), read_named, &a));
    if (good && a.verb->needs_value && !a.has_wait && a.front->len == 0 && a.verb->parameters != capture_parameters)
        good = complain(r, what, parameter_names(a.verb), "%s needs `%s`", name, a.verb->parameters->name);
    good = good && add_action(r, what, &a);
    g_string_free(a.front, TRUE);
    g_string_free(a.words, TRUE);
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
