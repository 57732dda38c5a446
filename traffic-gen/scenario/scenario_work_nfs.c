// SPDX-License-Identifier: GPL-2.0-or-later
/* Connections of `work` between an NFS client and an NFS server: how the client works, and its jobs. */
#include "traffic-gen/scenario/scenario_work.h"

#include <string.h>

enum { IO_MAX = 1 << 20, DEPTH_MAX = 16, SEGMENTS_MAX = 16, FILES_MAX = 10000 };

/* ---- how ---- */

enum kind { VERSION, OCTETS, COUNT, CALLS, FLAG };

static const struct setting {
    const char *name;
    enum kind kind;
    size_t offset; /* in struct nfs_client_options */
    uint64_t min, max;
} settings[] = {
    {"version", VERSION, 0, 0, 0},
    {"io", OCTETS, offsetof(struct nfs_client_options, io_octets), 1, IO_MAX},
    {"list", OCTETS, offsetof(struct nfs_client_options, list_octets), 512, IO_MAX},
    {"inline-up-to", OCTETS, offsetof(struct nfs_client_options, inline_octets), 1, IO_MAX},
    {"in-flight", COUNT, offsetof(struct nfs_client_options, depth), 1, DEPTH_MAX},
    {"segments", COUNT, offsetof(struct nfs_client_options, how.segments), 1, SEGMENTS_MAX},
    {"calls", CALLS, 0, 0, 0},
    {"backchannel", FLAG, offsetof(struct nfs_client_options, backchannel), 0, 0},
    {"link-chunks", FLAG, offsetof(struct nfs_client_options, link_chunks), 0, 0},
};

static const char *const settings_allowed = "version, io, list, inline-up-to, in-flight, segments, calls, backchannel, "
                                            "link-chunks";

static bool read_version(struct reading *r, const yaml_node_t *node, struct nfs_client_options *nfs)
{
    static const struct {
        const char *name;
        unsigned version, minor;
    } versions[] = {{"2", 2, 0}, {"3", 3, 0}, {"4.0", 4, 0}, {"4.1", 4, 1}, {"4.2", 4, 2}};

    for (unsigned i = 0; i < G_N_ELEMENTS(versions); i++) {
        if (node_is(node, versions[i].name)) {
            nfs->version = versions[i].version;
            nfs->minor = versions[i].minor;
            return true;
        }
    }
    return complain(r, node, "2, 3, 4.0, 4.1, 4.2", "this is no version of NFS");
}

static bool read_calls(struct reading *r, const yaml_node_t *node, struct rpc_end_how *how)
{
    how->long_call = node_is(node, "long");
    how->reduce = node_is(node, "reduced");
    how->keep_inline = node_is(node, "unreduced");
    return how->long_call || how->reduce || how->keep_inline || node_is(node, "as-needed") ||
           complain(r, node, "as-needed, long, reduced, unreduced", "Calls cannot be like this");
}

static bool read_setting(struct reading *r, void *context, const yaml_node_t *key, const char *name,
                         const yaml_node_t *value)
{
    struct nfs_client_options *nfs = context;
    uint64_t number;

    for (unsigned i = 0; i < G_N_ELEMENTS(settings); i++) {
        const struct setting *s = &settings[i];

        if (strcmp(s->name, name) != 0)
            continue;
        if (s->kind == VERSION)
            return read_version(r, value, nfs);
        if (s->kind == CALLS)
            return read_calls(r, value, &nfs->how);
        if (s->kind == FLAG)
            return read_flag(r, value, (bool *)((uint8_t *)nfs + s->offset));
        if (!read_number(r, value, s->min, s->max, &number))
            return false;
        if (s->kind == OCTETS)
            *(uint32_t *)(void *)((uint8_t *)nfs + s->offset) = (uint32_t)number;
        else
            *(unsigned *)(void *)((uint8_t *)nfs + s->offset) = (unsigned)number;
        return true;
    }
    return complain(r, key, settings_allowed, "'%s' is nothing that an NFS client has", name);
}

bool read_work_nfs(struct reading *r, const yaml_node_t *node, struct work_nfs *nfs)
{
    if (node && node->type == YAML_SCALAR_NODE)
        return read_version(r, node, &nfs->client);
    if (!read_mapping(r, node, settings_allowed, read_setting, &nfs->client))
        return false;
    return nfs->client.version || complain(r, node, settings_allowed, "the version is missing");
}

/* ---- jobs ---- */

static const struct verb {
    const char *name;
    const char *other; /* what the second text is called; NULL: there is none */
    bool octets, count;
} verbs[] = {
    {"null", NULL, false, false},      {"mkdir", NULL, false, false},       {"write", NULL, true, false},
    {"read", NULL, true, false},       {"files", NULL, false, true},        {"list", NULL, false, true},
    {"getattr", NULL, true, false},    {"access", NULL, false, false},      {"truncate", NULL, true, false},
    {"symlink", "text", false, false}, {"readlink", "text", false, false},  {"rename", "to", false, false},
    {"link", "to", false, false},      {"remove", NULL, false, false},      {"rmdir", NULL, false, false},
    {"statfs", NULL, false, false},    {"remove-files", NULL, false, true},
};

/* What somebody does on the server's host. */
static const struct verb change_verb = {"change", NULL, true, false};

struct making {
    struct work *work;
    const struct verb *verb;
    struct work_item item;
};

static char *verb_names(void)
{
    GString *s = g_string_new(NULL);

    append_names(s, verbs, sizeof *verbs, G_N_ELEMENTS(verbs));
    return g_string_free(s, FALSE);
}

static char *parameter_names(const struct verb *verb)
{
    return g_strdup_printf("path%s%s%s%s, expect", verb->other ? ", " : "", verb->other ? verb->other : "",
                           verb->octets ? ", octets, at, pattern" : "", verb->count ? ", count" : "");
}

static bool read_string(struct reading *r, const yaml_node_t *node, struct making *m, const char **out)
{
    const char *text = read_text(r, node, "a text");

    if (text)
        *out = g_string_chunk_insert(m->work->texts, text);
    return text != NULL;
}

static bool read_status(struct reading *r, const yaml_node_t *node, uint32_t *status)
{
    static const struct {
        const char *name;
        uint32_t status;
    } names[] = {{"NOENT", 2},     {"EXIST", 17}, {"NOTDIR", 20},      {"ISDIR", 21}, {"INVAL", 22},
                 {"NOTEMPTY", 66}, {"FBIG", 27},  {"NAMETOOLONG", 63}, {"PERM", 1},   {"ACCES", 13},
                 {"NOSPC", 28},    {"ROFS", 30},  {"STALE", 70}};

    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
        if (node_is(node, names[i].name)) {
            *status = names[i].status;
            return true;
        }
    }
    return complain(r, node,
                    "PERM, NOENT, ACCES, EXIST, NOTDIR, ISDIR, INVAL, FBIG, NOSPC, ROFS, NAMETOOLONG, NOTEMPTY, STALE",
                    "this status is not known");
}

static bool read_files(struct reading *r, const yaml_node_t *node, uint32_t *value)
{
    uint64_t number = 0;
    bool good = read_number(r, node, 0, FILES_MAX, &number);

    *value = (uint32_t)number;
    return good;
}

static bool read_parameter(struct reading *r, void *context, const yaml_node_t *key, const char *name,
                           const yaml_node_t *value)
{
    struct making *m = context;
    struct nfs_job *job = &m->item.job;
    g_autofree char *allowed = NULL;

    if (strcmp(name, m->verb->name) == 0 || strcmp(name, "path") == 0)
        return value->type == YAML_MAPPING_NODE || read_string(r, value, m, &job->path);
    if (m->verb->other && strcmp(name, m->verb->other) == 0)
        return read_string(r, value, m, &job->other);
    if (strcmp(name, "expect") == 0)
        return read_status(r, value, &job->expect);
    if (m->verb->octets && strcmp(name, "octets") == 0)
        return read_octets(r, value, 1, &job->octets);
    if (m->verb->octets && strcmp(name, "at") == 0)
        return read_number(r, value, 0, UINT32_MAX, &job->at);
    if (m->verb->octets && strcmp(name, "pattern") == 0)
        return read_files(r, value, &job->pattern);
    if (m->verb->count && strcmp(name, "count") == 0)
        return read_files(r, value, &job->count);
    allowed = parameter_names(m->verb);
    return complain(r, key, allowed, "'%s' does not go with %s", name, m->verb->name);
}

static const struct verb *find_verb(struct reading *r, enum role role, const yaml_node_t *node)
{
    g_autofree char *allowed = role == RESPONDER ? g_strdup(change_verb.name) : verb_names();
    const char *name = read_text(r, node, allowed);

    for (unsigned i = 0; name && role == INITIATOR && i < G_N_ELEMENTS(verbs); i++) {
        if (strcmp(verbs[i].name, name) == 0)
            return &verbs[i];
    }
    if (name && role == RESPONDER && strcmp(name, change_verb.name) == 0)
        return &change_verb;
    if (name)
        complain(r, node, allowed, "'%s' is no job of an NFS %s", name, role == RESPONDER ? "server" : "client");
    return NULL;
}

/* `null`, {mkdir: a/b}, {write: a/b, octets: 100000} */
static bool read_job(struct reading *r, struct work *work, enum role role, const yaml_node_t *node)
{
    const yaml_node_t *what, *value;
    bool has_names = split_action(r, node, &what, &value);
    struct making m = {.work = work, .verb = find_verb(r, role, what)};
    g_autofree char *allowed = m.verb ? parameter_names(m.verb) : NULL;

    if (!what || !m.verb)
        return false;
    m.item.kind = role == RESPONDER ? WORK_CHANGE : WORK_JOB;
    m.item.line = (unsigned)what->start_mark.line + 1;
    m.item.job.kind = role == RESPONDER ? NFS_JOB_TRUNCATE : nfs_job_find(m.verb->name);
    if ((value && value->type == YAML_MAPPING_NODE && !read_mapping(r, value, allowed, read_parameter, &m)) ||
        (has_names && !read_mapping(r, node, allowed, read_parameter, &m)))
        return false;
    if (!m.item.job.path && m.item.job.kind != NFS_JOB_NULL)
        return complain(r, what, allowed, "%s needs a path", m.verb->name);
    if (m.verb->other && !m.item.job.other)
        return complain(r, what, allowed, "%s needs `%s`", m.verb->name, m.verb->other);
    if (++r->steps > SCENARIO_STATEMENTS_MAX)
        return complain(r, what, NULL, "more than %d steps, repetitions included", SCENARIO_STATEMENTS_MAX);
    g_array_append_val(work->items[role], m.item);
    return true;
}

bool read_work_jobs(struct reading *r, struct work *work, enum role role, const yaml_node_t *node)
{
    if (!node || node->type != YAML_SEQUENCE_NODE)
        return read_job(r, work, role, node);
    for (const yaml_node_item_t *item = node->data.sequence.items.start; item < node->data.sequence.items.top; item++) {
        if (!read_job(r, work, role, node_at(r, *item)))
            return false;
    }
    return true;
}
