// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/say/nfs_messages.h"

#include "wire/octets.h"

#include <stdlib.h>
#include <string.h>

enum { WORD_MAX = 96, CONTENTS_MAX = 1 << 26, ROUNDS_MAX = 1 << 20 };

struct build {
    struct nfs_body *out;
    const struct nfs_body *call; /* results: the arguments that they answer */
    const struct nfs_options *options;
    unsigned op;
    char **parameters; /* of this operation, as written in `ops` */
    const struct nfs_template *template;
    uint64_t round; /* of the group */
    const char *wrong;
};

void nfs_body_init(struct nfs_body *body)
{
    *body = (struct nfs_body){
        .octets = g_byte_array_new(),
        .fields = g_array_new(FALSE, TRUE, sizeof(struct nfs_field)),
        .items = g_array_new(FALSE, TRUE, sizeof(struct nfs_body_item)),
    };
}

void nfs_body_clear(struct nfs_body *body)
{
    if (!body->octets)
        return;
    g_byte_array_unref(body->octets);
    g_array_unref(body->fields);
    g_array_unref(body->items);
    *body = (struct nfs_body){0};
}

void nfs_fill(uint8_t *p, size_t n, unsigned seed)
{
    enum { PERIOD = 65536 };

    for (size_t i = 0; i < n && i < PERIOD; i++)
        p[i] = (uint8_t)(i * 7 + (i >> 8) * 29 + seed * 37 + 0x31);
    for (size_t done = PERIOD; done < n; done += PERIOD)
        memcpy(p + done, p, MIN(n - done, PERIOD));
}

const struct nfs_field *nfs_field_find(const struct nfs_body *body, unsigned op, const char *name)
{
    for (unsigned i = body->fields->len; i-- > 0;) {
        const struct nfs_field *field = &g_array_index(body->fields, struct nfs_field, i);

        if (field->op == op && strcmp(field->name, name) == 0)
            return field;
    }
    return NULL;
}

/* ---- octets ---- */

static void put_u32(struct build *b, uint32_t v)
{
    uint8_t octets[4];

    put_be32(octets, v);
    g_byte_array_append(b->out->octets, octets, sizeof octets);
}

static void put_u64(struct build *b, uint64_t v)
{
    put_u32(b, (uint32_t)(v >> 32));
    put_u32(b, (uint32_t)v);
}

/* Contents and roundup. p NULL: a pattern. */
static void put_pattern_or(struct build *b, const void *p, uint32_t n, unsigned seed)
{
    guint at = b->out->octets->len;

    g_byte_array_set_size(b->out->octets, at + n + (-n & 3u));
    if (p)
        memcpy(b->out->octets->data + at, p, n);
    else
        nfs_fill(b->out->octets->data + at, n, seed);
    memset(b->out->octets->data + at + n, 0, -n & 3u);
}

/* What is no file data is the same in every message: handles, sessions, state. */
static void put_contents(struct build *b, const void *p, uint32_t n)
{
    put_pattern_or(b, p, n, 1);
}

static void put_item(struct build *b, const char *name, const void *p, uint32_t n, bool eligible)
{
    struct nfs_body_item item = {.op = b->op, .at = b->out->octets->len + 4, .length = n, .eligible = eligible};

    g_strlcpy(item.name, name, sizeof item.name);
    g_array_append_val(b->out->items, item);
    put_u32(b, n);
    put_pattern_or(b, p, n, eligible ? b->options->seed + b->op : 1);
}

/* ---- attributes of NFSv4 ---- */

/* Octets of the value of each attribute of RFC 8881 that has a fixed length and is worth asking for; 0: see below. */
static const uint8_t attribute_size[76] = {
    [1] = 4,  [2] = 4,  [3] = 8,  [4] = 8,   [5] = 4,   [6] = 4,   [7] = 4,   [8] = 16, [9] = 4,  [10] = 4, [11] = 4,
    [13] = 4, [14] = 4, [15] = 4, [16] = 4,  [17] = 4,  [18] = 4,  [20] = 8,  [21] = 8, [22] = 8, [23] = 8, [26] = 4,
    [27] = 8, [28] = 4, [29] = 4, [30] = 8,  [31] = 8,  [33] = 4,  [34] = 4,  [35] = 4, [41] = 8, [42] = 8, [43] = 8,
    [44] = 8, [45] = 8, [46] = 4, [47] = 12, [51] = 12, [52] = 12, [53] = 12, [55] = 8, [65] = 4,
};

enum { ATTR_TYPE = 1, ATTR_ACL = 12, ATTR_FILEHANDLE = 19, ATTR_OWNER = 36, ATTR_GROUP = 37 };

static void put_string(struct build *b, const char *text)
{
    put_u32(b, (uint32_t)strlen(text));
    put_contents(b, text, (uint32_t)strlen(text));
}

static uint64_t field_value(const struct build *b, const char *name)
{
    const struct nfs_field *field = nfs_field_find(b->out, b->op, name);

    if (!field && b->call)
        field = nfs_field_find(b->call, b->op, name);
    return field ? field->value : 0;
}

static void put_acl(struct build *b, uint32_t aces)
{
    put_u32(b, aces);
    for (uint32_t i = 0; i < aces; i++) {
        put_u32(b, 0);
        put_u32(b, 0);
        put_u32(b, 0x001601E7);
        put_string(b, i == 0 ? "OWNER@" : i % 2 ? "EVERYONE@" : "GROUP@");
    }
}

/* An attribute without a value in the table would shift the next ones: there is none in the templates. */
static void put_attribute(struct build *b, unsigned bit, uint32_t aces)
{
    switch (bit) {
    case 0: /* supported_attrs */
        put_u32(b, 2);
        put_u32(b, 0xFDFFBFFF);
        put_u32(b, 0x00B0BE3A);
        break;
    case ATTR_TYPE:
        put_u32(b, 1);
        break;
    case ATTR_ACL:
        put_acl(b, aces);
        break;
    case ATTR_FILEHANDLE:
        put_u32(b, 28);
        put_contents(b, NULL, 28);
        break;
    case ATTR_OWNER:
    case ATTR_GROUP:
        put_string(b, "root@example.org");
        break;
    default:
        for (unsigned i = 0; bit < G_N_ELEMENTS(attribute_size) && i < attribute_size[bit] / 4u; i++)
            put_u32(b, i + 1u == attribute_size[bit] / 4u ? bit * 3 : 0);
        break;
    }
}

/* An attrlist4 that has what the masks say. aces: entries of an ACL. */
static void put_attributes(struct build *b, const char *name, uint32_t aces)
{
    size_t count_at = b->out->octets->len;
    const uint32_t mask[3] = {(uint32_t)field_value(b, "mask0"), (uint32_t)field_value(b, "mask1"),
                              (uint32_t)field_value(b, "mask2")};

    put_u32(b, 0);
    for (unsigned bit = 0; bit < 96; bit++) {
        if (mask[bit / 32] >> bit % 32 & 1)
            put_attribute(b, bit, aces);
    }
    put_be32(b->out->octets->data + count_at, (uint32_t)(b->out->octets->len - count_at - 4));

    struct nfs_body_item item = {
        .op = b->op, .at = count_at + 4, .length = (uint32_t)(b->out->octets->len - count_at - 4)};

    g_strlcpy(item.name, name, sizeof item.name);
    g_array_append_val(b->out->items, item);
}

/* ---- templates ---- */

static const char *wanted(const struct build *b, const char *name)
{
    const char *text = b->options->option ? b->options->option(b->options->context, b->op, name) : NULL;
    size_t n = strlen(name);

    for (unsigned i = 0; !text && b->parameters && b->parameters[i]; i++) {
        if (strncmp(b->parameters[i], name, n) == 0 && b->parameters[i][n] == '=')
            text = b->parameters[i] + n + 1;
        else if (!strchr(b->parameters[i], '=') && b->template->main && strcmp(b->template->main, name) == 0)
            text = b->parameters[i];
    }
    return text;
}

/* "16/8": what the first element of a group has, and what all others. */
static const char *of_round(const struct build *b, const char *text)
{
    const char *next;

    for (uint64_t i = 0; i < b->round && (next = strchr(text, '/')); i++)
        text = next + 1;
    return text;
}

/* The number that follows in this slot, unless the script or `ops` says another. */
static uint64_t next_sequence(const struct build *b, uint64_t otherwise)
{
    const char *slot = wanted(b, "slotid");

    return b->options->sequence && !b->call
               ? b->options->sequence(b->options->context, slot ? (unsigned)strtoul(slot, NULL, 0) : 0)
               : otherwise;
}

static uint64_t number(struct build *b, const char *text)
{
    char *end;
    uint64_t value;

    if (*text == '$')
        return field_value(b, text + 1);
    if (!*text)
        return 0;
    value = g_ascii_strtoull(of_round(b, text), &end, 0);
    if (*end && *end != '/')
        b->wrong = g_intern_string(text);
    return value;
}

static void write_field(struct build *b, const char *name, const char *type, const char *text)
{
    struct nfs_field field = {.op = b->op, .at = b->out->octets->len};
    char *link;

    g_strlcpy(field.name, name, sizeof field.name);
    if (*type == 's') {
        field.value = strlen(text);
        put_item(b, name, text, (uint32_t)field.value, false);
        g_array_append_val(b->out->fields, field);
        return;
    }
    field.value = number(b, text);
    if (strchr("fodla", *type) && *type && field.value > CONTENTS_MAX)
        b->wrong = g_intern_string(text);
    if (b->wrong)
        return;
    field.size = *type == '8' ? 8 : *type == 'v' || *type == 'f' ? 0 : 4;
    g_array_append_val(b->out->fields, field);
    switch (*type) {
    case '\0':
        put_u32(b, (uint32_t)field.value);
        break;
    case '8':
        put_u64(b, field.value);
        break;
    case 'f':
        put_contents(b, NULL, (uint32_t)field.value);
        break;
    case 'o':
    case 'd':
        put_item(b, name, NULL, (uint32_t)field.value, *type == 'd');
        break;
    case 'l':
        link = g_strnfill((gsize)field.value, 'a');
        for (uint64_t i = 5; i < field.value; i += 6)
            link[i] = '/';
        put_item(b, name, link, (uint32_t)field.value, true);
        g_free(link);
        break;
    case 'a':
        put_attributes(b, name, (uint32_t)field.value);
        break;
    default: /* v */
        break;
    }
}

/* Splits "NAME:TYPE=DEFAULT" and writes what is wanted, else the default. */
static void write_word(struct build *b, char *word)
{
    char *text = strchr(word, '=');
    char *type;
    const char *want;
    g_autofree char *sequence = NULL;

    if (text)
        *text++ = '\0';
    type = strchr(word, ':');
    if (type)
        *type++ = '\0';
    want = wanted(b, word);
    if (!want && strcmp(word, "sequenceid") == 0 && !b->call)
        sequence = g_strdup_printf("%" G_GUINT64_FORMAT, next_sequence(b, 1));
    if (sequence)
        want = sequence;
    write_field(b, word, type ? type : "", want ? want : text ? text : "");
}

static uint64_t group_rounds(struct build *b, char *word)
{
    char *text = strchr(word, '=');
    const char *want;

    if (strcmp(word, "ok") == 0)
        return field_value(b, "status") == 0;
    if (strcmp(word, "bad") == 0)
        return field_value(b, "status") != 0;
    if (text)
        *text++ = '\0';
    if (*word == '?')
        return field_value(b, word + 1) == number(b, text ? text : "1");
    want = wanted(b, word);
    return number(b, want ? want : text ? text : "1");
}

static const char *run(struct build *b, const char *p, bool live);

/* A group, whose words begin at p, as often as its head says; returns what follows it. */
static const char *run_group(struct build *b, char *head, const char *p, bool live)
{
    uint64_t rounds = live ? group_rounds(b, head + 1) : 0, outer = b->round;
    const char *end = p;

    if (rounds > ROUNDS_MAX)
        b->wrong = g_intern_string(head);
    for (b->round = 0; b->round < rounds && !b->wrong; b->round++)
        end = run(b, p, true);
    b->round = outer;
    return end != p ? end : run(b, p, false);
}

/* The word of n octets, with the round in place of each "#". */
static void take_word(const struct build *b, const char *p, size_t n, char word[WORD_MAX])
{
    size_t at = 0;

    for (size_t i = 0; i < n && at + 1 < WORD_MAX; i++) {
        if (p[i] == '#')
            at += (size_t)g_snprintf(word + at, WORD_MAX - at, "%" G_GUINT64_FORMAT, b->round);
        else
            word[at++] = p[i];
    }
    word[MIN(at, WORD_MAX - 1)] = '\0';
}

/* Until the group's or the template's end; returns what follows it. */
static const char *run(struct build *b, const char *p, bool live)
{
    while (*(p += strspn(p, " "))) {
        char word[WORD_MAX];
        size_t n = strcspn(p, " ");

        take_word(b, p, n, word);
        p += n;
        if (*word == ')')
            return p;
        if (*word == '(')
            p = run_group(b, word, p, live);
        else if (live)
            write_word(b, word);
    }
    return p;
}

/* ---- COMPOUNDs ---- */

static bool is_compound(const struct nfs_template *procedure)
{
    return g_str_has_suffix(procedure->name, ".compound") || g_str_has_suffix(procedure->name, ".cb_compound");
}

static bool is_callback(const struct nfs_template *procedure)
{
    return g_str_has_suffix(procedure->name, ".cb_compound");
}

/* The fields around the operations belong to none of them. */
enum { OUTSIDE = NFS_OPERATIONS_MAX };

static void write_opcode(struct build *b, uint32_t number_)
{
    char word[NFS_NAME_MAX];

    g_snprintf(word, sizeof word, "opcode=%u", number_);
    write_word(b, word);
}

static void write_operations(struct build *b, const struct nfs_template *procedure)
{
    g_auto(GStrv) names = g_strsplit(b->options->ops ? b->options->ops : "", ",", -1);
    struct nfs_body *out = b->out;

    for (unsigned i = 0; names[i] && *names[i] && out->n_ops < NFS_OPERATIONS_MAX && !b->wrong; i++) {
        g_auto(GStrv) parts = g_strsplit(names[i], ":", -1);
        const struct nfs_template *op = nfs_operation_template(parts[0], is_callback(procedure));

        if (!op) {
            b->wrong = g_intern_string(parts[0]);
            return;
        }
        b->op = out->n_ops;
        b->template = op;
        b->parameters = parts + 1;
        out->ops[out->n_ops++] = op;
        write_opcode(b, op->number);
        run(b, op->arguments, true);
        b->parameters = NULL;
    }
}

const char *nfs_build_arguments(const struct nfs_template *procedure, const struct nfs_options *options,
                                struct nfs_body *out)
{
    struct build b = {.out = out, .options = options, .template = procedure};

    out->seed = options->seed;
    if (!is_compound(procedure)) {
        run(&b, procedure->arguments, true);
        return b.wrong;
    }

    size_t count_at;

    b.op = OUTSIDE;
    run(&b, procedure->arguments, true);
    count_at = out->octets->len;
    put_u32(&b, 0);
    write_operations(&b, procedure);
    put_be32(out->octets->data + count_at, out->n_ops);
    return b.wrong;
}

const char *nfs_build_results(const struct nfs_template *procedure, const struct nfs_body *call,
                              const struct nfs_options *options, unsigned n_ops, struct nfs_body *out)
{
    struct build b = {.out = out, .options = options, .call = call, .template = procedure};

    out->seed = options->seed;
    if (!is_compound(procedure)) {
        run(&b, procedure->results, true);
        return b.wrong;
    }

    size_t count_at;
    const struct nfs_field *status = NULL;

    b.op = OUTSIDE;
    run(&b, procedure->results, true);
    count_at = out->octets->len;
    put_u32(&b, 0);
    /* An operation that fails is the last one: RFC 8881 section 16.2.3. */
    for (unsigned i = 0; i < MIN(n_ops, call->n_ops) && (!status || status->value == 0) && !b.wrong; i++) {
        b.op = i;
        b.template = call->ops[i];
        out->ops[out->n_ops++] = call->ops[i];
        write_opcode(&b, call->ops[i]->number);
        run(&b, call->ops[i]->results, true);
        status = nfs_field_find(out, i, "status");
    }
    put_be32(out->octets->data + count_at, out->n_ops);
    put_be32(out->octets->data, status ? (uint32_t)status->value : 0);
    return b.wrong;
}
