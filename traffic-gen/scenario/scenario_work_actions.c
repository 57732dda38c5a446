// SPDX-License-Identifier: GPL-2.0-or-later
/* What one side does in a round of `work`. */
#include "traffic-gen/scenario/scenario_work.h"

#include <string.h>

enum { OCTETS_DEFAULT = 100, RECEIVES_MAX = 65536 };

/* A place in memory as the scenario says it. */
struct place {
    bool said;
    int region; /* -1: an STag is said */
    uint64_t stag, offset;
};

enum which { REMOTE, SOURCE, SINK, PLACES };

struct action {
    struct work *work;
    enum role role;
    const struct verb *verb;
    unsigned times;
    struct work_item item;
    struct place places[PLACES];
};

enum kind {
    OCTETS,
    NUMBER,     /* 64 bits of struct work_item */
    FLAG,       /* of struct work_item */
    REGION,     /* a region of the peer, or an STag; `also` is which place */
    OWN_REGION, /* a region of this side */
    OFFSET,     /* in one of them */
    INVALIDATE, /* a region of the peer, or an STag */
    ERROR,      /* of a Terminate */
    RECEIVES,
    TIMES,
};

struct parameter {
    const char *name;
    enum kind kind;
    size_t offset;
    enum which place;
};

#define POST(member) offsetof(struct work_item, post.member)

static const struct parameter send_parameters[] = {{"octets", OCTETS, 0, 0},
                                                   {"from", OWN_REGION, 0, SOURCE},
                                                   {"from-offset", OFFSET, 0, SOURCE},
                                                   {"solicited", FLAG, POST(solicited), 0},
                                                   {"invalidate", INVALIDATE, 0, REMOTE},
                                                   {"times", TIMES, 0, 0},
                                                   {NULL, 0, 0, 0}};
static const struct parameter write_parameters[] = {{"octets", OCTETS, 0, 0},
                                                    {"to", REGION, 0, REMOTE},
                                                    {"to-offset", OFFSET, 0, REMOTE},
                                                    {"from", OWN_REGION, 0, SOURCE},
                                                    {"from-offset", OFFSET, 0, SOURCE},
                                                    {"times", TIMES, 0, 0},
                                                    {NULL, 0, 0, 0}};
static const struct parameter read_parameters[] = {{"octets", OCTETS, 0, 0},
                                                   {"from", REGION, 0, REMOTE},
                                                   {"from-offset", OFFSET, 0, REMOTE},
                                                   {"into", OWN_REGION, 0, SINK},
                                                   {"into-offset", OFFSET, 0, SINK},
                                                   {"times", TIMES, 0, 0},
                                                   {NULL, 0, 0, 0}};
static const struct parameter immediate_parameters[] = {{"data", NUMBER, POST(immediate), 0},
                                                        {"solicited", FLAG, POST(solicited), 0},
                                                        {"times", TIMES, 0, 0},
                                                        {NULL, 0, 0, 0}};
static const struct parameter fetch_add_parameters[] = {{"add", NUMBER, POST(add_swap), 0},
                                                        {"mask", NUMBER, POST(add_swap_mask), 0},
                                                        {"at", REGION, 0, REMOTE},
                                                        {"at-offset", OFFSET, 0, REMOTE},
                                                        {"times", TIMES, 0, 0},
                                                        {NULL, 0, 0, 0}};
static const struct parameter compare_swap_parameters[] = {{"compare", NUMBER, POST(compare), 0},
                                                           {"compare-mask", NUMBER, POST(compare_mask), 0},
                                                           {"swap", NUMBER, POST(add_swap), 0},
                                                           {"swap-mask", NUMBER, POST(add_swap_mask), 0},
                                                           {"at", REGION, 0, REMOTE},
                                                           {"at-offset", OFFSET, 0, REMOTE},
                                                           {"times", TIMES, 0, 0},
                                                           {NULL, 0, 0, 0}};
static const struct parameter terminate_parameters[] = {{"error", ERROR, 0, 0}, {NULL, 0, 0, 0}};
static const struct parameter receives_parameters[] = {{"more", RECEIVES, 0, 0}, {NULL, 0, 0, 0}};
static const struct parameter no_parameters[] = {{NULL, 0, 0, 0}};

static const struct verb {
    const char *name;
    const struct parameter *parameters; /* the first one is what a value alone sets */
    bool needs_value;
    struct work_item item;
} verbs[] = {
    {"send", send_parameters, false, {.post = {.kind = QP_SEND, .n = OCTETS_DEFAULT}}},
    {"write", write_parameters, false, {.post = {.kind = QP_WRITE, .n = OCTETS_DEFAULT}}},
    {"read", read_parameters, false, {.post = {.kind = QP_READ, .n = OCTETS_DEFAULT}}},
    {"immediate", immediate_parameters, false, {.post = {.kind = QP_IMMEDIATE}}},
    {"fetch-add", fetch_add_parameters, false, {.post = {.kind = QP_FETCH_ADD, .add_swap = 1}}},
    {"compare-swap",
     compare_swap_parameters,
     false,
     {.post = {.kind = QP_CMP_SWAP, .add_swap_mask = UINT64_MAX, .compare_mask = UINT64_MAX}}},
    {"terminate", terminate_parameters, true, {.kind = WORK_TERMINATE}},
    {"receives", receives_parameters, true, {.kind = WORK_RECEIVES}},
    {"close", no_parameters, false, {.kind = WORK_CLOSE}},
    {"reset", no_parameters, false, {.kind = WORK_RESET}},
};

/* ---- lists of names, for messages ---- */

static char *actions_verb_names(void)
{
    GString *s = g_string_new(NULL);

    append_names(s, verbs, sizeof *verbs, G_N_ELEMENTS(verbs));
    return g_string_free(s, FALSE);
}

static char *actions_parameter_names(const struct verb *verb)
{
    GString *s = g_string_new(verb->parameters->name ? NULL : "nothing");

    append_names(s, verb->parameters, sizeof *verb->parameters, SIZE_MAX);
    return g_string_free(s, FALSE);
}

/* ---- places ---- */

static bool actions_read_region(struct reading *r, const yaml_node_t *node, const struct action *a, enum role role,
                                bool number_too, struct place *place)
{
    const GArray *regions = a->work->regions[role];
    const char *text = read_text(r, node, "the name of a region");
    g_autoptr(GString) names = g_string_new(number_too ? "an STag" : NULL);

    if (!text)
        return false;
    place->said = true;
    place->region = -1;
    if (number_too && g_ascii_isdigit(*text))
        return read_number(r, node, 0, UINT32_MAX, &place->stag);
    for (unsigned i = 0; i < regions->len; i++) {
        const struct work_region *region = &g_array_index(regions, struct work_region, i);

        g_string_append_printf(names, "%s%s", names->len ? ", " : "", region->name);
        if (strcmp(region->name, text) == 0) {
            place->region = (int)i;
            place->stag = region->stag;
        }
    }
    return place->region >= 0 ||
           complain(r, node, names->len ? names->str : "regions of `memory`", "the %s has no region '%s'",
                    role == INITIATOR ? "initiator" : "responder", text);
}

static const struct work_region *actions_region_of(const struct action *a, enum role role, const struct place *place)
{
    return &g_array_index(a->work->regions[role], struct work_region, place->region);
}

/* The peer's memory is the peer's to check: what is not there is refused by a Terminate. */
static uint64_t actions_offset_of(const struct action *a, enum role role, const struct place *place)
{
    return place->offset + (place->said && place->region >= 0 ? actions_region_of(a, role, place)->to : 0);
}

static bool check_own(struct reading *r, const yaml_node_t *node, const struct action *a, const struct place *place)
{
    const struct work_region *region = actions_region_of(a, a->role, place);

    if (place->offset > region->octets || a->item.post.n > region->octets - place->offset)
        return complain(r, node, NULL, "region '%s' has only %" PRIu64 " octets", region->name, region->octets);
    return true;
}

static bool actions_resolve(struct reading *r, const yaml_node_t *node, struct action *a)
{
    struct qp_work *post = &a->item.post;
    const struct place *remote = &a->places[REMOTE], *source = &a->places[SOURCE], *sink = &a->places[SINK];
    bool reads = post->kind == QP_READ, looks = !(post->kind == QP_SEND || post->kind == QP_IMMEDIATE);

    a->item.from = -1;
    if (a->item.kind != WORK_POST)
        return true;
    if (looks && !remote->said && (post->n > 0 || !(reads || post->kind == QP_WRITE)))
        return complain(r, node, NULL, "%s needs a region of the peer", a->verb->name);
    if (reads && !sink->said && post->n > 0)
        return complain(r, node, NULL, "read needs a region of its own (into)");
    post->remote_stag = (uint32_t)remote->stag;
    post->remote_to = actions_offset_of(a, !a->role, remote);
    if (sink->said) {
        post->sink_stag = (uint32_t)sink->stag;
        post->sink_to = actions_offset_of(a, a->role, sink);
        if (!check_own(r, node, a, sink))
            return false;
    }
    if (source->said) {
        a->item.from = source->region;
        a->item.from_offset = source->offset;
        return check_own(r, node, a, source);
    }
    return true;
}

/* ---- parameters ---- */

static bool actions_read_parameter(struct reading *r, const struct parameter *p, struct action *a,
                                   const yaml_node_t *node)
{
    uint8_t *member = (uint8_t *)&a->item + p->offset;
    uint64_t value;

    switch (p->kind) {
    case OCTETS:
        if (!read_octets(r, node, a->times, &value))
            return false;
        a->item.post.n = value;
        return true;
    case NUMBER:
        return read_number(r, node, 0, UINT64_MAX, (uint64_t *)(void *)member);
    case FLAG:
        return read_flag(r, node, (bool *)member);
    case REGION:
        return actions_read_region(r, node, a, !a->role, true, &a->places[p->place]);
    case OWN_REGION:
        return actions_read_region(r, node, a, a->role, false, &a->places[p->place]);
    case OFFSET:
        return read_number(r, node, 0, UINT64_MAX, &a->places[p->place].offset);
    case INVALIDATE:
        a->item.post.invalidate = true;
        return actions_read_region(r, node, a, !a->role, true, &a->places[p->place]);
    case ERROR:
        return read_error_code(r, node, &a->item.terminate);
    case RECEIVES:
        if (!read_number(r, node, 1, RECEIVES_MAX, &value))
            return false;
        a->item.receives = (unsigned)value;
        return true;
    case TIMES:
        return true; /* taken before all others */
    }
    return false;
}

static bool read_named(struct reading *r, void *context, const yaml_node_t *key, const char *name,
                       const yaml_node_t *value)
{
    struct action *a = context;
    g_autofree char *allowed = NULL;

    if (strcmp(name, a->verb->name) == 0)
        return true;
    for (const struct parameter *p = a->verb->parameters; p->name; p++) {
        if (strcmp(p->name, name) == 0)
            return actions_read_parameter(r, p, a, value);
    }
    allowed = actions_parameter_names(a->verb);
    return complain(r, key, allowed, "'%s' does not go with %s", name, a->verb->name);
}

/* ---- actions ---- */

static const struct verb *actions_find_verb(struct reading *r, const yaml_node_t *node)
{
    g_autofree char *allowed = actions_verb_names();
    const char *name = read_text(r, node, allowed);

    for (unsigned i = 0; name && i < G_N_ELEMENTS(verbs); i++) {
        if (strcmp(verbs[i].name, name) == 0)
            return &verbs[i];
    }
    if (name) {
        g_autofree char *hint = g_strconcat(allowed,
                                            " (NFS clients, with `nfs` in `connection`, have jobs of their own; RPC "
                                            "Calls are statements, in a file .scenario)",
                                            NULL);

        complain(r, node, hint, "'%s' is nothing that a side can do", name);
    }
    return NULL;
}

static bool read_values(struct reading *r, struct action *a, const yaml_node_t *what, const yaml_node_t *value)
{
    g_autofree char *allowed = actions_parameter_names(a->verb);

    if (node_is_empty(value))
        return !a->verb->needs_value || complain(r, what, allowed, "%s needs a value", a->verb->name);
    if (value->type == YAML_MAPPING_NODE)
        return read_mapping(r, value, allowed, read_named, a);
    if (!a->verb->parameters->name)
        return complain(r, value, allowed, "%s takes no value", a->verb->name);
    return actions_read_parameter(r, a->verb->parameters, a, value);
}

static bool add_item(struct reading *r, const yaml_node_t *node, struct action *a)
{
    a->item.line = node ? (unsigned)node->start_mark.line + 1 : 1;
    if (!count_steps(r, node, a->times))
        return false;
    for (unsigned i = 0; i < a->times; i++)
        g_array_append_val(a->work->items[a->role], a->item);
    return true;
}

/* `send`, or {send: 100, solicited: true}, or {send: {octets: 100, solicited: true}}: the first name is what is done.
 */
static bool read_action(struct reading *r, void *context, const yaml_node_t *node)
{
    const struct work_side *side = context;
    const yaml_node_t *what, *value;
    bool has_names = split_action(r, node, &what, &value);
    struct action a = {.work = side->work, .role = side->role, .times = 1};

    a.verb = actions_find_verb(r, what);
    if (!a.verb)
        return false;
    a.item = a.verb->item;
    return read_times(r, node, &a.times) && read_times(r, value, &a.times) && read_values(r, &a, what, value) &&
           (!has_names || read_mapping(r, node, "", read_named, &a)) && actions_resolve(r, what, &a) &&
           add_item(r, what, &a);
}

bool read_work_actions(struct reading *r, struct work *work, enum role role, const yaml_node_t *node)
{
    return read_each(r, node, read_action, &(struct work_side){work, role});
}
