// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/speak/say/nfs_messages.h"

#include "wire/octets.h"

#include <stdlib.h>
#include <string.h>

enum { WORD_MAX = 96, CONTENTS_MAX = 1 << 26, ROUNDS_MAX = 1 << 20, ELEMENTS_MAX = 1 << 14 };

struct build {
    struct nfs_body *out;
    const struct nfs_body *call; /* for results: the arguments of the Call */
    const struct nfs_options *options;
    unsigned op;
    char **parameters; /* parameters of this operation, as written in `ops` */
    const struct nfs_template *template;
    uint64_t round; /* repetition of the current group */
    const char *wrong;
    struct xdr *in; /* NULL: the message is written, else it is read from here */
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
    /* Only the chunks of a Call that was received are known. */
    for (unsigned i = body->fields ? body->fields->len : 0; i-- > 0;) {
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

/* Writes contents and roundup. p NULL: a pattern. */
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

static void messages_note_item(struct build *b, const char *name, size_t at, uint32_t n, bool eligible)
{
    struct nfs_body_item item = {.op = b->op, .at = at, .length = n, .eligible = eligible};

    g_strlcpy(item.name, name, sizeof item.name);
    g_array_append_val(b->out->items, item);
}

static void note_field(struct build *b, const char *name, size_t at, unsigned size, uint64_t value)
{
    struct nfs_field field = {.op = b->op, .at = at, .size = size, .value = value};

    g_strlcpy(field.name, name, sizeof field.name);
    g_array_append_val(b->out->fields, field);
}

/* The same in every message: handles, sessions, state, and one file, so that READ returns what WRITE wrote. */
static unsigned seed_of(const struct build *b, const char *name, bool eligible)
{
    return eligible && strcmp(name, "data") != 0 ? b->options->seed + b->op : 1;
}

static void put_item(struct build *b, const char *name, const void *p, uint32_t n, bool eligible)
{
    messages_note_item(b, name, b->out->octets->len + 4, n, eligible);
    put_u32(b, n);
    put_pattern_or(b, p, n, seed_of(b, name, eligible));
}

/* ---- templates ---- */

static uint64_t field_value(const struct build *b, const char *name)
{
    const struct nfs_field *field = nfs_field_find(b->out, b->op, name);

    if (!field && b->call)
        field = nfs_field_find(b->call, b->op, name);
    return field ? field->value : 0;
}

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

/* Parses "16/8": 16 for the first element of a group, 8 for all others. */
static const char *of_round(const struct build *b, const char *text)
{
    const char *next;

    for (uint64_t i = 0; i < b->round && (next = strchr(text, '/')); i++)
        text = next + 1;
    return text;
}

/* The slot's next number, unless the script or `ops` sets another. */
static uint64_t next_sequence(const struct build *b, uint64_t otherwise)
{
    const char *slot = wanted(b, "slotid");

    return b->options->sequence && !b->call
               ? b->options->sequence(b->options->context, slot ? (unsigned)strtoul(slot, NULL, 0) : 0)
               : otherwise;
}

static uint64_t messages_number(struct build *b, const char *text)
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

static void put_link(struct build *b, const char *name, uint32_t n)
{
    g_autofree char *link = g_strnfill(n, 'a');

    for (uint32_t i = 5; i < n; i += 6)
        link[i] = '/';
    put_item(b, name, link, n, true);
}

/* ---- attributes of version 4 ---- */

enum { ATTR_ACL = 12, MASKS_MAX = 3, ATTRIBUTES_MAX = 32 * MASKS_MAX };

static const char *messages_run(struct build *b, const char *p, bool live);

/* The latest masks. */
struct announced {
    uint32_t mask[MASKS_MAX];
};

static struct announced announced_by(const struct build *b)
{
    static const char *const names[MASKS_MAX] = {"mask0", "mask1", "mask2"};
    const uint64_t n = field_value(b, "masks");
    struct announced announced = {{0}};

    for (unsigned i = 0; i < MASKS_MAX && i < n; i++)
        announced.mask[i] = (uint32_t)field_value(b, names[i]);
    return announced;
}

static bool is_announced(const struct announced *announced, unsigned bit)
{
    return announced->mask[bit / 32] >> bit % 32 & 1;
}

/* The ACL entries name different users. */
static void put_acl(struct build *b, uint32_t aces)
{
    put_u32(b, aces);
    for (uint32_t i = 0; i < aces; i++) {
        const char *who = i == 0 ? "OWNER@" : i % 2 ? "EVERYONE@" : "GROUP@";

        put_u64(b, 0);
        put_u32(b, 0x001601E7);
        put_item(b, "who", who, (uint32_t)strlen(who), false);
    }
}

/* Writes an attrlist4 with the attributes in the masks. aces: entries of an ACL. */
static void messages_put_attributes(struct build *b, const char *name, uint32_t aces)
{
    const struct announced announced = announced_by(b);
    const guint at = b->out->octets->len;
    guint n;

    put_u32(b, 0);
    for (unsigned bit = 0; bit < ATTRIBUTES_MAX; bit++) {
        if (!is_announced(&announced, bit))
            continue;
        if (bit == ATTR_ACL)
            put_acl(b, aces);
        else
            messages_run(b, nfs_attribute_template(bit), true);
    }
    n = b->out->octets->len - at - 4;
    put_be32(b->out->octets->data + at, n);
    messages_note_item(b, name, at + 4, n, false);
}

/* Stops at the first attribute without a description. */
static void read_attributes(struct build *b, size_t at, uint32_t n)
{
    const struct announced announced = announced_by(b);
    struct xdr values = xdr_begin(b->in->p, at + n), *whole = b->in;
    bool is_known = true;

    values.at = at;
    b->in = &values;
    for (unsigned bit = 0; bit < ATTRIBUTES_MAX && is_known && !b->wrong; bit++) {
        if (!is_announced(&announced, bit))
            continue;
        messages_run(b, nfs_attribute_template(bit), true);
        is_known = *nfs_attribute_template(bit);
    }
    b->in = whole;
}

/* ---- fields ---- */

static unsigned messages_size_of(char type)
{
    return type == '8' ? 8 : type == 'v' || type == 'f' ? 0 : 4;
}

static void write_number(struct build *b, char type, uint64_t value)
{
    if (type == '8')
        put_u64(b, value);
    else if (type != 'v')
        put_u32(b, (uint32_t)value);
}

static void write_field(struct build *b, const char *name, char type, const char *text)
{
    uint64_t value = type == 's' ? strlen(text) : messages_number(b, text);

    if (type && strchr("fodla", type) && value > CONTENTS_MAX)
        b->wrong = g_intern_string(text);
    if (b->wrong)
        return;
    note_field(b, name, b->out->octets->len, type == 's' ? 0 : messages_size_of(type), value);
    switch (type) {
    case 's':
        put_item(b, name, text, (uint32_t)value, false);
        break;
    case 'f':
        put_pattern_or(b, NULL, (uint32_t)value, 1);
        break;
    case 'o':
    case 'd':
        put_item(b, name, NULL, (uint32_t)value, type == 'd');
        break;
    case 'l':
        put_link(b, name, (uint32_t)value);
        break;
    case 'a':
        messages_put_attributes(b, name, (uint32_t)value);
        break;
    default:
        write_number(b, type, value);
        break;
    }
}

static void write_given(struct build *b, const char *name, char type, const struct nfs_given *given)
{
    note_field(b, name, b->out->octets->len, messages_size_of(type), given->p ? given->n : given->value);
    if (!given->p)
        write_number(b, type, given->value);
    else if (type == 'f')
        put_pattern_or(b, given->p, given->n, 0);
    else
        put_item(b, name, given->p, given->n, type == 'd' || type == 'l');
}

static void write_word(struct build *b, const char *name, char type, const char *text)
{
    const char *want = wanted(b, name);
    struct nfs_given given = {0};
    char sequence[24];

    if (!want && b->options->given && b->options->given(b->options->context, b->op, name, &given)) {
        write_given(b, name, type, &given);
        return;
    }
    if (!want && strcmp(name, "sequenceid") == 0 && !b->call) {
        g_snprintf(sequence, sizeof sequence, "%" G_GUINT64_FORMAT, next_sequence(b, 1));
        want = sequence;
    }
    write_field(b, name, type, want ? want : text);
}

static void messages_read_word(struct build *b, const char *name, char type, const char *text)
{
    const size_t at = b->in->at;
    const uint8_t *p;
    uint64_t value = 0;
    uint32_t n = 0;

    switch (type) {
    case 'v':
        return;
    case '8':
        xdr_u64(b->in, &value);
        break;
    case 'f':
        n = (uint32_t)messages_number(b, text);
        messages_note_item(b, name, at, n, false);
        xdr_skip(b->in, xdr_padded(n));
        break;
    case 'b':
    case '\0':
        xdr_u32(b->in, &n);
        value = n;
        b->in->failed |= type == 'b' && n > 1;
        break;
    default:
        xdr_opaque(b->in, &p, &n);
        messages_note_item(b, name, at + 4, n, type == 'd' || type == 'l');
        value = n;
        if (type == 'a' && !b->in->failed)
            read_attributes(b, at + 4, n);
        break;
    }
    note_field(b, name, at, messages_size_of(type), value);
    if (b->in->failed)
        b->wrong = g_intern_string(name);
}

/* Splits "NAME:TYPE=DEFAULT" and writes the value asked for, else the default; or reads the field. */
static void take_field(struct build *b, char *word)
{
    char *text = strchr(word, '=');
    char *type;

    if (text)
        *text++ = '\0';
    type = strchr(word, ':');
    if (type)
        *type++ = '\0';
    (b->in ? messages_read_word : write_word)(b, word, type ? *type : '\0', text ? text : "");
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
        return field_value(b, word + 1) == messages_number(b, text ? text : "1");
    want = wanted(b, word);
    return messages_number(b, want ? want : text ? text : "1");
}

/* Whether the linked list that is read has another entry. */
static bool messages_follows(const struct build *b)
{
    return b->in->at + 4 <= b->in->n && get_be32(b->in->p + b->in->at) == 1;
}

/* Writes a group, whose words begin at p, as often as its head says; returns the words after the group. */
static const char *run_group(struct build *b, char *head, const char *p, bool live)
{
    const bool is_list = live && b->in && g_str_has_prefix(p, " follows");
    const uint64_t most = g_str_has_prefix(head, "(n=") ? ELEMENTS_MAX : ROUNDS_MAX;
    uint64_t rounds = is_list ? ROUNDS_MAX : live ? group_rounds(b, head + 1) : 0, outer = b->round;
    const char *end = p;

    if (rounds > most)
        b->wrong = g_intern_string(head);
    for (b->round = 0; b->round < rounds && !b->wrong && (!is_list || messages_follows(b)); b->round++) {
        end = messages_run(b, p, true);
        if (!b->wrong && b->out->octets->len > CONTENTS_MAX) /* nested groups with long items can grow fast */
            b->wrong = g_intern_string(head);
    }
    b->round = outer;
    return end != p ? end : messages_run(b, p, false);
}

/* The word of n octets, with the repetition in place of each "#". */
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

/* Goes on until the group or the template ends; returns the words after it. */
static const char *messages_run(struct build *b, const char *p, bool live)
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
            take_field(b, word);
    }
    return p;
}

/* ---- COMPOUNDs ---- */

static bool is_compound(const struct nfs_template *procedure)
{
    return g_str_has_suffix(procedure->name, ".compound") || g_str_has_suffix(procedure->name, ".cb_compound");
}

static bool messages_is_callback(const struct nfs_template *procedure)
{
    return g_str_has_suffix(procedure->name, ".cb_compound");
}

/* Fields around the operations do not belong to any operation. */
enum { OUTSIDE = NFS_OPERATIONS_MAX };

static void write_opcode(struct build *b, uint32_t number_)
{
    char word[NFS_FIELD_MAX];

    g_snprintf(word, sizeof word, "opcode=%u", number_);
    take_field(b, word);
}

static void messages_write_operations(struct build *b, const struct nfs_template *procedure)
{
    g_auto(GStrv) names = g_strsplit(b->options->ops ? b->options->ops : "", ",", -1);
    struct nfs_body *out = b->out;
    unsigned i;

    for (i = 0; names[i] && *names[i] && out->n_ops < NFS_OPERATIONS_MAX && !b->wrong; i++) {
        g_auto(GStrv) parts = g_strsplit(names[i], ":", -1);
        const struct nfs_template *op = nfs_operation_template(parts[0], messages_is_callback(procedure));

        if (!op) {
            b->wrong = g_intern_string(parts[0]);
            return;
        }
        b->op = out->n_ops;
        b->template = op;
        b->parameters = parts + 1;
        out->ops[out->n_ops++] = op;
        write_opcode(b, op->number);
        messages_run(b, op->arguments, true);
        b->parameters = NULL;
    }
    if (names[i] && !b->wrong)
        b->wrong = g_intern_string(*names[i] ? names[i] : "ops");
}

const char *nfs_build_arguments(const struct nfs_template *procedure, const struct nfs_options *options,
                                struct nfs_body *out)
{
    struct build b = {.out = out, .options = options, .template = procedure};

    out->seed = options->seed;
    if (!is_compound(procedure)) {
        g_auto(GStrv) parameters = options->ops ? g_strsplit(options->ops, ":", -1) : NULL;

        b.parameters = parameters;
        messages_run(&b, procedure->arguments, true);
        return b.wrong;
    }

    size_t count_at;

    b.op = OUTSIDE;
    messages_run(&b, procedure->arguments, true);
    count_at = out->octets->len;
    put_u32(&b, 0);
    messages_write_operations(&b, procedure);
    put_be32(out->octets->data + count_at, out->n_ops);
    return b.wrong;
}

const char *nfs_build_results(const struct nfs_template *procedure, const struct nfs_body *call,
                              const struct nfs_options *options, unsigned n_ops, struct nfs_body *out)
{
    struct build b = {.out = out, .options = options, .call = call, .template = procedure};

    out->seed = options->seed;
    if (!is_compound(procedure)) {
        messages_run(&b, procedure->results, true);
        return b.wrong;
    }

    size_t count_at;
    const struct nfs_field *status = NULL;

    b.op = OUTSIDE;
    messages_run(&b, procedure->results, true);
    count_at = out->octets->len;
    put_u32(&b, 0);
    /* A COMPOUND ends with the operation that fails: RFC 8881 section 16.2.3. */
    for (unsigned i = 0; i < MIN(n_ops, call->n_ops) && (!status || status->value == 0) && !b.wrong; i++) {
        b.op = i;
        b.template = call->ops[i];
        out->ops[out->n_ops++] = call->ops[i];
        write_opcode(&b, call->ops[i]->number);
        messages_run(&b, call->ops[i]->results, true);
        status = nfs_field_find(out, i, "status");
    }
    put_be32(out->octets->data + count_at, out->n_ops);
    put_be32(out->octets->data, status ? (uint32_t)status->value : 0);
    return b.wrong;
}

/* Reads the next operation's results. False: its number differs, or it has failed. */
static bool messages_read_operation(struct build *b, const char *name, bool callback)
{
    const struct nfs_template *op;
    g_autofree char *only = g_strndup(name, strcspn(name, ":"));
    char word[] = "opcode";

    take_field(b, word);
    op = nfs_operation_template(only, callback);
    if (b->wrong || !op || field_value(b, "opcode") != op->number) {
        b->wrong = "opcode";
        return false;
    }
    b->out->ops[b->out->n_ops++] = op;
    messages_run(b, op->results, true);
    return !b->wrong && field_value(b, "status") == 0;
}

const char *nfs_read_results(const struct nfs_template *procedure, const char *ops, struct xdr *results,
                             struct nfs_body *out)
{
    static const struct nfs_options nothing_wanted;
    struct build b = {.out = out, .options = &nothing_wanted, .template = procedure, .in = results};

    if (!is_compound(procedure)) {
        messages_run(&b, procedure->results, true);
        return b.wrong;
    }

    g_auto(GStrv) names = g_strsplit(ops ? ops : "", ",", -1);
    char count[] = "operations";
    uint64_t n;
    bool ok = true;

    b.op = OUTSIDE;
    messages_run(&b, procedure->results, true);
    take_field(&b, count);
    n = MIN(field_value(&b, count), NFS_OPERATIONS_MAX);
    for (b.op = 0; ok && b.op < n && names[b.op]; b.op++)
        ok = messages_read_operation(&b, names[b.op], messages_is_callback(procedure));
    return !b.wrong && ok && names[b.op] && *names[b.op] ? "operations" : b.wrong;
}

const char *nfs_read_operation(const struct nfs_template *operation, struct xdr *arguments, struct nfs_body *out)
{
    static const struct nfs_options nothing_wanted;
    struct build b = {
        .out = out, .options = &nothing_wanted, .template = operation, .in = arguments, .op = out->n_ops++};

    messages_run(&b, operation->arguments, true);
    return b.wrong;
}
