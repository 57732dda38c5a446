// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/scenario/scenario_connection.h"

#include "traffic-gen/scenario/scenario_step.h"
#include "traffic-gen/scenario/scenario_values.h"
#include "wire/rpcrdma_private_data.h"

#include <string.h>

enum { PRIVATE_DATA_MAX = 512, THRESHOLD_UNIT = 1024, THRESHOLD_MAX = 256 * THRESHOLD_UNIT, IRD_ORD_MAX = 0x3FFF };
enum { ULPDU_LIMIT_MIN = 64, ULPDU_LIMIT_MAX = 64768, MSS_LEAST = 64, SEGMENT_MAX = 65000 };

enum kind {
    NUMBER,     /* WORD=N */
    SWITCH,     /* WORD=0, WORD=1 */
    TRUE_WORD,  /* WORD alone when true */
    FALSE_WORD, /* when false */
    THRESHOLD,  /* WORD=N as RFC 8797 encodes it */
    RTR,        /* a list of types */
    TEXT,       /* WORD=octets in hexadecimal */
    LATE,       /* the number of messages before the capture begins */
    OPENS,
};

/* What only one kind of connection has. */
enum needs { ANY, RPCRDMA, PLAIN };

struct setting {
    const char *name;
    enum kind kind;
    const char *word; /* of one side: I or R is written where '*' is */
    uint64_t min, max;
    enum needs needs;
};

static const struct setting settings[] = {
    {"mulpdu", NUMBER, "mulpdu", ULPDU_LIMIT_MIN, ULPDU_LIMIT_MAX, ANY},
    {"mss", NUMBER, "mss", MSS_LEAST, UINT16_MAX, ANY},
    {"port", NUMBER, "port", 1, UINT16_MAX, ANY},
    {"super-segments", NUMBER, "segments", MSS_LEAST, SEGMENT_MAX, ANY},
    {"plain", TRUE_WORD, "plain", 0, 0, ANY},
    {"captured", FALSE_WORD, "unseen", 0, 0, ANY},
    {"opened-by", OPENS, "responder-opens", 0, 0, ANY},
    {"capture-begins-at-msn", LATE, "msn", 0, UINT32_MAX, ANY},
    {"inline-threshold", NUMBER, "inline", THRESHOLD_UNIT, THRESHOLD_MAX, RPCRDMA},
    {"rpc-private-data", FALSE_WORD, "no-private-data", 0, 0, RPCRDMA},
};

static const struct setting side_settings[] = {
    {"mpa-revision", NUMBER, "rev*", 0, 2, ANY},
    {"crc", SWITCH, "crc*", 0, 0, ANY},
    {"markers", SWITCH, "markers*", 0, 0, ANY},
    {"rejects", SWITCH, "reject*", 0, 0, ANY},
    {"ird", NUMBER, "ird*", 0, IRD_ORD_MAX, ANY},
    {"ord", NUMBER, "ord*", 0, IRD_ORD_MAX, ANY},
    {"rtr", RTR, "rtr*", 0, 0, ANY},
    {"private-data", NUMBER, "data*", 0, PRIVATE_DATA_MAX, PLAIN},
    {"initial-sequence-number", NUMBER, "isn*", 1, UINT32_MAX, ANY},
    {"streaming-first", TEXT, "before*", 0, 0, ANY},
    {"send-size", THRESHOLD, "pd*@6", THRESHOLD_UNIT, THRESHOLD_MAX, RPCRDMA},
    {"receive-size", THRESHOLD, "pd*@7", THRESHOLD_UNIT, THRESHOLD_MAX, RPCRDMA},
    {"remote-invalidation", SWITCH, "r*", 0, 0, RPCRDMA},
    {"rpc-private-data", FALSE_WORD, "no-pd*", 0, 0, RPCRDMA},
};

struct making {
    struct statement *statement;
    char side; /* 'I', 'R'; 0: both */
    uint64_t revision;
    struct both {
        bool said, on;
    } crc, markers;
};

static char *names_of(bool one_side)
{
    GString *s = g_string_new(one_side ? "" : "mpa-revision, crc, markers, rpc-over-rdma, initiator, responder");

    if (one_side)
        append_names(s, side_settings, sizeof *side_settings, G_N_ELEMENTS(side_settings));
    else
        append_names(s, settings, sizeof *settings, G_N_ELEMENTS(settings));
    return g_string_free(s, FALSE);
}

static bool read_text_octets(struct reading *r, const yaml_node_t *node, const char *word, struct statement *statement)
{
    g_autoptr(GString) hex = g_string_new(NULL);

    if (!read_hex(r, node, hex))
        return false;
    statement_add_text(statement, word, hex->str);
    return true;
}

static bool read_value(struct reading *r, const struct setting *s, const yaml_node_t *node, uint64_t *value)
{
    uint32_t threshold = THRESHOLD_UNIT;
    uint8_t types = 0;
    bool flag = false, good;

    switch (s->kind) {
    case NUMBER:
    case LATE:
        return read_number(r, node, s->min, s->max, value);
    case THRESHOLD:
        good = read_threshold(r, node, s->min, &threshold);
        *value = threshold / THRESHOLD_UNIT - 1;
        return good;
    case RTR:
        good = read_rtr_types(r, node, &types);
        *value = types;
        return good;
    case OPENS:
        good = read_opener(r, node, &flag);
        break;
    default:
        good = read_flag(r, node, &flag);
        break;
    }
    *value = flag;
    return good;
}

static bool apply(struct reading *r, const struct setting *s, const yaml_node_t *key, const yaml_node_t *node,
                  struct making *m)
{
    g_autofree char *word = g_strdup(s->word);
    uint64_t value;

    if (s->needs == RPCRDMA && !r->rpcrdma)
        return complain(r, key, NULL, "%s needs `rpc-over-rdma: true`", s->name);
    if (s->needs == PLAIN && r->rpcrdma)
        return complain(r, key, NULL, "%s does not go with `rpc-over-rdma: true`", s->name);
    if (strchr(word, '*'))
        *strchr(word, '*') = m->side;
    if (s->kind == TEXT)
        return read_text_octets(r, node, word, m->statement);
    if (!read_value(r, s, node, &value))
        return false;
    if (s->kind == LATE)
        statement_add(m->statement, "late");
    if (s->kind != TRUE_WORD && s->kind != FALSE_WORD && s->kind != OPENS)
        statement_add_number(m->statement, word, '=', value);
    else if (value == (s->kind != FALSE_WORD))
        statement_add(m->statement, word);
    return true;
}

/* By the name that scenarios alone have, else by the word of scripts where its value is the same. */
static bool find_setting(const struct setting *rows, size_t n, const char *name, struct setting *found)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            *found = rows[i];
            return true;
        }
    }
    for (size_t i = 0; i < n; i++) {
        bool alone = rows[i].kind == FALSE_WORD || rows[i].kind == OPENS;
        size_t length = strcspn(rows[i].word, "*");

        if (strncmp(rows[i].word, name, length) != 0 || name[length] ||
            !(alone || rows[i].kind == NUMBER || rows[i].kind == SWITCH))
            continue;
        *found = rows[i];
        if (alone)
            found->kind = TRUE_WORD;
        return true;
    }
    return false;
}

static bool read_side(struct reading *r, void *context, const yaml_node_t *key, const char *name,
                      const yaml_node_t *value)
{
    g_autofree char *allowed = NULL;
    struct setting setting;

    if (find_setting(side_settings, G_N_ELEMENTS(side_settings), name, &setting))
        return apply(r, &setting, key, value, context);
    allowed = names_of(true);
    return complain(r, key, allowed, "'%s' is nothing that one side has", name);
}

static bool read_setting(struct reading *r, void *context, const yaml_node_t *key, const char *name,
                         const yaml_node_t *value)
{
    struct making *m = context;
    g_autofree char *allowed = NULL;
    struct setting setting;

    if (strcmp(name, "mpa-revision") == 0 || strcmp(name, "rev") == 0)
        return read_number(r, value, 0, 2, &m->revision);
    if (strcmp(name, "crc") == 0)
        return m->crc.said = read_flag(r, value, &m->crc.on);
    if (strcmp(name, "markers") == 0)
        return m->markers.said = read_flag(r, value, &m->markers.on);
    if (strcmp(name, "rpc-over-rdma") == 0)
        return true; /* find_rpcrdma() */
    if (strcmp(name, "initiator") == 0 || strcmp(name, "responder") == 0) {
        allowed = names_of(true);
        m->side = *name == 'i' ? 'I' : 'R';
        return read_mapping(r, value, allowed, read_side, m);
    }
    if (find_setting(settings, G_N_ELEMENTS(settings), name, &setting))
        return apply(r, &setting, key, value, m);
    allowed = names_of(false);
    return complain(r, key, allowed, "'%s' is nothing that a connection has", name);
}

/* It decides what else there may be, wherever it is written. */
static bool find_rpcrdma(struct reading *r, const yaml_node_t *node)
{
    if (!node || node->type != YAML_MAPPING_NODE)
        return true;
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
        if (node_is(node_at(r, pair->key), "rpc-over-rdma") && !read_flag(r, node_at(r, pair->value), &r->rpcrdma))
            return false;
    }
    return true;
}

static void add_of_both(struct statement *statement, const char *names[2], const struct both *both)
{
    for (unsigned role = 0; both->said && role < 2; role++)
        statement_add_number(statement, names[role], '=', both->on);
}

/* The words of one mapping; those of both sides come last: the first word of a name counts. */
static bool append_settings(struct reading *r, const yaml_node_t *node, struct statement *statement, uint64_t *revision)
{
    struct making m = {.statement = statement, .revision = *revision};
    g_autofree char *allowed = names_of(false);

    if (!read_mapping(r, node, allowed, read_setting, &m))
        return false;
    add_of_both(statement, (const char *[]){"crcI", "crcR"}, &m.crc);
    add_of_both(statement, (const char *[]){"markersI", "markersR"}, &m.markers);
    *revision = m.revision;
    return true;
}

/* What is usual is not said: revision 2 with RPC-over-RDMA, 1 without it. */
static void add_revision(struct statement *statement, bool rpcrdma, uint64_t revision)
{
    static const char *const names[] = {"rev0", "rev1", "rev2"};

    if (rpcrdma ? revision == 1 : revision == 0 || revision == 2)
        statement_add(statement, names[revision]);
}

static bool read_settings(struct reading *r, const yaml_node_t *node, const yaml_node_t *base,
                          struct statement *statement)
{
    struct statement *ignored = statement_new(INITIATOR, NULL);
    uint64_t revision = UINT64_MAX, of_base = UINT64_MAX;
    /* The base first, for its revision; its words come last. */
    bool good =
        find_rpcrdma(r, node) && (!base || (find_rpcrdma(r, base) && append_settings(r, base, ignored, &revision))) &&
        append_settings(r, node, statement, &revision) && (!base || append_settings(r, base, statement, &of_base));

    statement_unref(ignored);
    if (!good)
        return false;
    if (r->rpcrdma && revision == 0)
        return complain(r, node, "1, 2", "RPC-over-RDMA needs another mpa-revision");
    if (r->rpcrdma)
        statement_add(statement, "rpcrdma");
    add_revision(statement, r->rpcrdma, revision);
    return true;
}

bool read_connection(struct reading *r, const yaml_node_t *node, const yaml_node_t *base, struct statement *statement)
{
    if (read_settings(r, node, base, statement))
        return add_statement(r, node, statement, "settings of a connection");
    statement_unref(statement);
    return false;
}
