// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/scenario/scenario_step.h"

#include "traffic-gen/say/deviation.h"
#include "traffic-gen/say/word_value.h"
#include "traffic-gen/scenario/scenario_values.h"

#include <string.h>

enum kind {
    VALUE,       /* WORD with one of `value` */
    AMOUNT,      /* octets of payload */
    UNSET,       /* WORD=0 when false */
    SEGMENTS,    /* a chunk: `whole` is WORD alone, a list of lengths WORD=A+B+rest */
    CHUNKS,      /* a list of them: WORD=A+B/C/- */
    CHOICE,      /* WORD=what the table has for it; ALSO alone, if any */
    BARE_CHOICE, /* what the table has for it, alone */
    VERB_CHOICE, /* instead of the verb */
    PROCEDURE,   /* its name, first */
    OPERATIONS,  /* of a COMPOUND */
    TEXT,        /* as octets in hexadecimal, first */
    ULPDU,       /* octets in hexadecimal, first */
    TERMINATE,   /* layer/type/code, first */
    STAG,        /* WORD=STag; a region: ALSO=Tagged Offset, too */
    SOLICITED,
    INVALIDATE,
    WAIT,
    TIMES,
};

struct parameter {
    const char *name; /* NULL: the last one was before */
    enum kind kind;
    enum word_value value;
    const char *word, *also;
    const struct choice *choices;
};

#define V(NAME, OF_WHAT, WORD)                                                                                         \
    {                                                                                                                  \
        .name = NAME, .kind = VALUE, .value = OF_WHAT, .word = WORD                                                    \
    }
#define P(NAME, KIND, WORD)                                                                                            \
    {                                                                                                                  \
        .name = NAME, .kind = KIND, .word = WORD                                                                       \
    }
#define P_ALSO(NAME, KIND, WORD, ALSO)                                                                                 \
    {                                                                                                                  \
        .name = NAME, .kind = KIND, .word = WORD, .also = ALSO                                                         \
    }
#define P_CHOICE(NAME, KIND, WORD, CHOICES)                                                                            \
    {                                                                                                                  \
        .name = NAME, .kind = KIND, .word = WORD, .choices = CHOICES                                                   \
    }
#define END                                                                                                            \
    {                                                                                                                  \
        .name = NULL                                                                                                   \
    }

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

static const struct choice troubles[] = {
    {"lost", "lost"},   {"lost-before-capture", "lost-before"}, {"late", "late"},
    {"twice", "twice"}, {"fragmented", "fragmented"},           {"not-captured", "uncaptured"},
    {NULL, NULL}};

/* ---- what only this verb has; the first one is what a value alone sets ---- */

static const struct parameter send_parameters[] = {P("octets", AMOUNT, "len"), V("longer-by", NUMBER, "longer"),
                                                   V("zeros", ALONE, "zeros"), P("invalidate", INVALIDATE, "stag"),
                                                   P("last", UNSET, "l"),      END};
static const struct parameter write_parameters[] = {P("octets", AMOUNT, "len"),
                                                    P_ALSO("to", STAG, "stag", "to"),
                                                    V("tagged-offset", NUMBER, "to"),
                                                    V("value", NUMBER, "value"),
                                                    V("octets-after-marker", NUMBER, "marker"),
                                                    V("pad", NUMBER, "pad"),
                                                    P("last", UNSET, "l"),
                                                    END};
static const struct parameter read_parameters[] = {
    P("octets", AMOUNT, "size"),        P_ALSO("from", STAG, "src", "srcto"),
    V("from-offset", NUMBER, "srcto"),  P_ALSO("into", STAG, "sink", "sinkto"),
    V("into-offset", NUMBER, "sinkto"), END};
static const struct parameter response_parameters[] = {P("octets", AMOUNT, "len"), V("request", NUMBER, "of"),
                                                       P("last", UNSET, "l"), END};
static const struct parameter terminate_parameters[] = {
    P("error", TERMINATE, NULL),       V("back", NUMBER, "back"),          V("octets", CHANGE, "size"),
    V("from-offset", CHANGE, "srcto"), V("into-offset", CHANGE, "sinkto"), END};
static const struct parameter immediate_parameters[] = {V("data", NUMBER, "data"), END};
static const struct parameter fetch_add_parameters[] = {V("add", NUMBER, "data"), V("mask", NUMBER, "mask"),
                                                        P_ALSO("at", STAG, "astag", "ato"),
                                                        V("tagged-offset", NUMBER, "ato"), END};
static const struct parameter compare_swap_parameters[] = {V("compare", NUMBER, "cdata"),
                                                           V("compare-mask", NUMBER, "cmask"),
                                                           V("swap", NUMBER, "data"),
                                                           V("swap-mask", NUMBER, "mask"),
                                                           P_ALSO("at", STAG, "astag", "ato"),
                                                           V("tagged-offset", NUMBER, "ato"),
                                                           END};
static const struct parameter result_parameters[] = {V("request", NUMBER, "of"), END};
static const struct parameter rtr_parameters[] = {P_CHOICE("by", BARE_CHOICE, NULL, rtrs), END};
static const struct parameter streaming_parameters[] = {P("text", TEXT, NULL), END};
static const struct parameter fpdu_parameters[] = {P("ulpdu", ULPDU, NULL), END};
static const struct parameter segment_parameters[] = {V("at", SIGNED, "at"),
                                                      V("step", SIGNED, "step"),
                                                      P("octets", AMOUNT, "len"),
                                                      V("value", NUMBER, "value"),
                                                      V("hex", OCTETS, "hex"),
                                                      V("push", ALONE, "push"),
                                                      V("acknowledges", SIGNED, "ack"),
                                                      V("zero-window", ALONE, "zero-window"),
                                                      END};
static const struct parameter capture_parameters[] = {P_CHOICE("capture", VERB_CHOICE, NULL, captures), END};
static const struct parameter call_parameters[] = {P("procedure", PROCEDURE, NULL),
                                                   P("operations", OPERATIONS, "ops"),
                                                   V("position-zero-last", ALONE, "pz-last"),
                                                   P("write-chunk", SEGMENTS, "write"),
                                                   P("write-chunks", CHUNKS, "write"),
                                                   P("reply-chunk", SEGMENTS, "reply"),
                                                   P_CHOICE("credential", CHOICE, "cred", credentials),
                                                   P_CHOICE("rdma-proc", CHOICE, "h.proc", procs),
                                                   V("rdma-align", NUMBER, "h.align"),
                                                   V("rdma-thresh", NUMBER, "h.thresh"),
                                                   END};
static const struct parameter again_parameters[] = {V("same-stags", ALONE, "same"), END};
static const struct parameter pull_parameters[] = {V("octets-per-read", NUMBER, "parts"), V("segment", NUMBER, "only"),
                                                   V("unanswered", ALONE, "no-answer"), END};
static const struct parameter reply_parameters[] = {P_CHOICE("accept-stat", CHOICE, "accept", accept_stats),
                                                    {"denied", CHOICE, NO_WORD, "reject", "denied", reject_stats},
                                                    V("auth-stat", NUMBER, "auth"),
                                                    V("low", NUMBER, "low"),
                                                    V("high", NUMBER, "high"),
                                                    V("results", NUMBER, "results"),
                                                    V("long", ALONE, "long"),
                                                    V("inline", ALONE, "inline"),
                                                    V("empty", ALONE, "empty"),
                                                    V("last-segment-first", ALONE, "backward"),
                                                    V("octets-per-write", NUMBER, "parts"),
                                                    END};
static const struct parameter error_parameters[] = {P_CHOICE("code", BARE_CHOICE, NULL, errors), END};

/* ---- what many verbs have ---- */

static const struct parameter of_read_chunks[] = {P("read-chunk", SEGMENTS, "read"), P("read-chunks", CHUNKS, "read"),
                                                  P("position-zero-chunk", SEGMENTS, "pz"),
                                                  V("with-roundup", ALONE, "pad"), END};
static const struct parameter call_choosing[] = {V("outstanding", NUMBER, "of"), V("latest", NUMBER, "back"), END};
static const struct parameter of_messages[] = {V("xid", NUMBER, "xid"), V("credits", NUMBER, "credit"),
                                               P("invalidate", INVALIDATE, "inv"), END};
static const struct parameter of_sends[] = {P("solicited", SOLICITED, "se"), END};
static const struct parameter on_the_way[] = {P_CHOICE("on-the-way", CHOICE, "net", troubles), END};
static const struct parameter repeated[] = {P("times", TIMES, NULL), END};
static const struct parameter timed[] = {P("wait", WAIT, NULL), END};
static const struct parameter ordered[] = {V("early", ALONE, "early"), V("acknowledged", ALONE, "acked"), END};
static const struct parameter *const groups[] = {of_read_chunks, call_choosing, of_messages, of_sends,
                                                 on_the_way,     repeated,      timed,       ordered};

/* What a verb has of them, in their order; and what it is like. */
enum {
    READ_CHUNKS = 1 << 0,
    CHOOSES = 1 << 1,
    MESSAGE = 1 << 2,
    SENT = 1 << 3,
    TROUBLE = 1 << 4,
    REPEATED = 1 << 5,
    TIMED = 1 << 6,
    ORDERED = 1 << 7,
    ALWAYS = REPEATED | TIMED | ORDERED,
    NEEDS_VALUE = 1 << 8,
    RPC = 1 << 9,
    FREE = 1 << 10, /* further names are fields of arguments or results */
};

static const struct verb {
    const char *name, *word;
    const struct parameter *parameters;
    unsigned flags;
} verbs[] = {
    {"send", "send", send_parameters, SENT | TROUBLE | ALWAYS},
    {"write", "write", write_parameters, TROUBLE | ALWAYS},
    {"read", "read", read_parameters, TROUBLE | ALWAYS},
    {"read-response", "answer", response_parameters, TROUBLE | ALWAYS},
    {"terminate", "term", terminate_parameters, TROUBLE | ALWAYS | NEEDS_VALUE},
    {"immediate", "imm", immediate_parameters, SENT | TROUBLE | ALWAYS},
    {"fetch-add", "fadd", fetch_add_parameters, TROUBLE | ALWAYS},
    {"compare-swap", "cswap", compare_swap_parameters, TROUBLE | ALWAYS},
    {"atomic-response", "result", result_parameters, TROUBLE | ALWAYS},
    {"ready-to-receive", "rtr", rtr_parameters, TROUBLE | ALWAYS | NEEDS_VALUE},
    {"silence", "silence", timed, NEEDS_VALUE},
    {"streaming", "stream", streaming_parameters, TROUBLE | TIMED | NEEDS_VALUE},
    {"mpa-request", "mpa-request", on_the_way, TIMED},
    {"mpa-reply", "mpa-reply", on_the_way, TIMED},
    {"fpdu", "fpdu", fpdu_parameters, TROUBLE | ALWAYS | NEEDS_VALUE},
    {"segment", "segment", segment_parameters, TROUBLE | ALWAYS},
    {"cork", "cork", timed, 0},
    {"uncork", "uncork", on_the_way, TIMED},
    {"fin", "fin", timed, 0},
    {"reset", "rst", timed, 0},
    {"close", "close", timed, 0},
    {"leave-open", "hang", timed, 0},
    {"capture", "show", capture_parameters, NEEDS_VALUE},
    {"call", "call", call_parameters, READ_CHUNKS | MESSAGE | SENT | ALWAYS | NEEDS_VALUE | RPC | FREE},
    {"call-again", "again", again_parameters, CHOOSES | MESSAGE | SENT | ALWAYS | RPC},
    {"pull", "pull", pull_parameters, CHOOSES | ALWAYS | RPC},
    {"answer-reads", "give", repeated, TIMED | ORDERED | RPC},
    {"reply", "reply", reply_parameters, READ_CHUNKS | CHOOSES | MESSAGE | SENT | ALWAYS | RPC | FREE},
    {"error", "error", error_parameters, CHOOSES | MESSAGE | SENT | ALWAYS | NEEDS_VALUE | RPC},
    {"done", "done", call_choosing, MESSAGE | SENT | ALWAYS | RPC},
};

/* Those of the verb, one after the other. NULL: that was all. */
static const struct parameter *next_parameter(const struct verb *verb, const struct parameter *p, unsigned *group)
{
    if (p && (++p)->name)
        return p;
    while (*group < G_N_ELEMENTS(groups)) {
        unsigned which = (*group)++;

        if (verb->flags & 1U << which)
            return groups[which];
    }
    return NULL;
}

#define EACH_PARAMETER(P, VERB, GROUP)                                                                                 \
    for (const struct parameter *P = ((GROUP) = 0, (VERB)->parameters); P; P = next_parameter(VERB, P, &(GROUP)))

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
        unsigned group;

        EACH_PARAMETER(p, verb, group)
        g_string_append_printf(s, "%s%s", s->len ? ", " : "", p->name);
        g_string_append(s, ", words about MPA (mpa.WORD)");
        if (verb->flags & FREE)
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
        if (a->verb->flags & RPC && a->invalidate)
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

static bool read_amount(struct reading *r, const struct parameter *p, struct action *a, const yaml_node_t *node)
{
    uint64_t value;

    if (!read_octets(r, node, a->times, &value))
        return false;
    statement_add_number(a->statement, p->word, '=', value);
    return true;
}

/* As scripts have it, but for numbers below 0 that say no distance. */
static bool read_value(struct reading *r, const struct parameter *p, struct statement *statement,
                       const yaml_node_t *node)
{
    const char *allowed = word_value_allows(p->value), *text = read_text(r, node, allowed);

    return text &&
           (((p->value != NUMBER || g_ascii_isdigit(*text)) && word_value_add(statement, p->word, p->value, text)) ||
            complain(r, node, allowed, "'%s' is no value of %s", text, p->name));
}

static bool read_unset(struct reading *r, const struct parameter *p, struct statement *statement,
                       const yaml_node_t *node)
{
    bool flag;

    if (!read_flag(r, node, &flag))
        return false;
    if (!flag)
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

static bool read_octets_in_hex(struct reading *r, const yaml_node_t *node, GString *out)
{
    const char *allowed = word_value_allows(OCTETS), *text = read_text(r, node, allowed);

    g_string_append(out, text ? text : "");
    return text && (word_has(&(struct word){.op = '=', .text = out->str}, OCTETS) ||
                    complain(r, node, allowed, "'%s' is none", text));
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
    } else if (p->kind == TEXT ? !read_hex(r, node, text) : !read_octets_in_hex(r, node, text)) {
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
    case VALUE:
        return read_value(r, p, a->statement, node);
    case AMOUNT:
        return read_amount(r, p, a, node);
    case UNSET:
        return read_unset(r, p, a->statement, node);
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
    case ULPDU:
    case TERMINATE:
        return read_first(r, p, a->statement, node);
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
static const struct parameter *find_parameter(const struct verb *verb, const char *name)
{
    const struct parameter *found = NULL;
    unsigned group;

    EACH_PARAMETER(p, verb, group)
    {
        if (strcmp(p->name, name) == 0)
            return p;
        if (!found && p->word && strcmp(p->word, name) == 0)
            found = p;
    }
    return found;
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
    p = find_parameter(a->verb, name);
    if (p)
        return read_parameter(r, p, a, value);
    if (mpa_word_allows(name, startup))
        return read_mpa_word(r, value, name, a);
    if (g_str_has_prefix(name, "mpa")) {
        names = mpa_word_names(startup);
        return complain(r, key, names, "'%s' is no word about %s", name, startup ? "start-up frames" : "FPDUs");
    }
    if (!(a->verb->flags & FREE) || !is_field(name))
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
    bool rpc = a->verb->flags & RPC;
    g_autofree char *verb =
        g_strconcat(a->word, a->solicited && !rpc ? "-se" : "", a->invalidate && !rpc ? "-inv" : "", NULL);
    uint64_t wait = a->has_wait ? a->wait : r->wait;

    if (!count_steps(r, node, a->times - 1))
        return false;
    s->verb = verb_find(verb);
    s->role = a->role;
    s->times = a->times;
    if (a->solicited && rpc)
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
    else if (verb->flags & RPC && !r->rpcrdma)
        complain(r, what, NULL, "%s needs `rpc-over-rdma: true` in `connection`", name);
    else if (verb->flags & NEEDS_VALUE && node_is_empty(value))
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
    return a->verb->flags & NEEDS_VALUE && !a->has_wait && a->statement->words->len == 0 &&
           a->verb->parameters != capture_parameters;
}

static bool has_word(const struct statement *statement, const char *name)
{
    bool found = false;

    for (unsigned i = 0; i < statement->words->len; i++)
        found |= strcmp(g_array_index(statement->words, struct word, i).name, name) == 0;
    return found;
}

/* The count of a WRITE says how long its data is: alone, it would make a faulty Call. */
static bool count_agrees(struct reading *r, const yaml_node_t *what, const struct statement *statement)
{
    return !has_word(statement, "nfs3.write") || !has_word(statement, "count") || has_word(statement, "len") ||
           complain(r, what, NULL,
                    "`count` changes the number in the arguments, but not the data; `len` sets both (for a faulty Call "
                    "give `len` as well as `count`)");
}

/* `reply`, or {send: 100, solicited: true}, or {send: {octets: 100, solicited: true}}: the first name is what is done.
 */
static bool read_action(struct reading *r, void *role, const yaml_node_t *node)
{
    const yaml_node_t *what, *value;
    bool has_names = split_action(r, node, &what, &value), good;
    struct action a = {.role = *(const enum role *)role, .times = 1, .verb = find_verb(r, what, value)};

    if (!a.verb || !read_times(r, node, &a.times) || !read_times(r, value, &a.times))
        return false;
    a.word = a.verb->word;
    a.statement = statement_new(a.role, NULL);
    good = read_values(r, node, value, has_names, &a);
    if (good && lacks_value(&a))
        good = complain(r, what, parameter_names(a.verb), "%s needs `%s`", a.verb->name, a.verb->parameters->name);
    good = good && count_agrees(r, what, a.statement) && add_action(r, what, &a);
    if (a.statement)
        statement_unref(a.statement);
    return good;
}

static bool read_listed(struct reading *r, void *role, const yaml_node_t *node)
{
    return count_steps(r, node, 1) && read_action(r, role, node);
}

bool read_actions(struct reading *r, enum role role, const yaml_node_t *node)
{
    return read_each(r, node, is_list(node) ? read_listed : read_action, &role);
}
