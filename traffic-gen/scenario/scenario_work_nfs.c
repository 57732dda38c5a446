// SPDX-License-Identifier: GPL-2.0-or-later
/* Connections of `work` between an NFS client and an NFS server: how the client works, and its jobs. */
#include "traffic-gen/nfs/tree/nfs_status.h"
#include "traffic-gen/scenario/scenario_work.h"

#include <string.h>

enum { IO_MAX = 1 << 20, DEPTH_MAX = 16, SEGMENTS_MAX = 16, FILES_MAX = 10000 };

/* ---- how ---- */

#define SETTING(NAME, PLACE, MIN, MAX) MEMBER(NAME, struct nfs_client_options, PLACE, MIN, MAX)

static const struct member settings[] = {
    SETTING("io", io_octets, 1, IO_MAX),
    SETTING("list", list_octets, 512, IO_MAX),
    SETTING("inline-up-to", inline_octets, 1, IO_MAX),
    SETTING("in-flight", depth, 1, DEPTH_MAX),
    SETTING("segments", how.segments, 1, SEGMENTS_MAX),
    SETTING("backchannel", backchannel, 0, 0),
    SETTING("link-chunks", link_chunks, 0, 0),
};

static const char *const settings_allowed = "version, io, list, inline-up-to, in-flight, segments, calls, backchannel, "
                                            "link-chunks";

static bool read_version(struct reading *r, const yaml_node_t *node, struct nfs_client_options *nfs)
{
    static const struct named versions[] = {{"2", 20}, {"3", 30}, {"4.0", 40}, {"4.1", 41}, {"4.2", 42}, {NULL, 0}};
    unsigned version;

    if (!read_named_value(r, node, versions, "this is no version of NFS", &version))
        return false;
    nfs->version = version / 10;
    nfs->minor = version % 10;
    return true;
}

static bool nfs_read_calls(struct reading *r, const yaml_node_t *node, struct rpc_end_how *how)
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
    const struct member *setting = find_member(settings, G_N_ELEMENTS(settings), name);
    struct nfs_client_options *nfs = context;

    if (setting)
        return read_member(r, setting, value, nfs);
    if (strcmp(name, "version") == 0)
        return read_version(r, value, nfs);
    if (strcmp(name, "calls") == 0)
        return nfs_read_calls(r, value, &nfs->how);
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

static char *nfs_verb_names(void)
{
    GString *s = g_string_new(NULL);

    append_names(s, verbs, sizeof *verbs, G_N_ELEMENTS(verbs));
    return g_string_free(s, FALSE);
}

static char *nfs_parameter_names(const struct verb *verb)
{
    return g_strdup_printf("path%s%s%s%s, expect", verb->other ? ", " : "", verb->other ? verb->other : "",
                           verb->octets ? ", octets, at, pattern" : "", verb->count ? ", count" : "");
}

static bool nfs_read_string(struct reading *r, const yaml_node_t *node, struct making *m, const char **out)
{
    const char *text = read_text(r, node, "a text");

    if (text)
        *out = g_string_chunk_insert(m->work->texts, text);
    return text != NULL;
}

static bool read_status(struct reading *r, const yaml_node_t *node, uint32_t *status)
{
    const char *name = read_text(r, node, "a status");

    return name &&
           (nfs_status_find(name, status) ||
            complain(r, node, "PERM, NOENT, ACCES, EXIST, or another status of NFS", "this status is not known"));
}

#define NUMBER_OF(NAME, PLACE, MAX) MEMBER(NAME, struct nfs_job, PLACE, 0, MAX)

static const struct member numbers[] = {NUMBER_OF("at", at, UINT32_MAX), NUMBER_OF("pattern", pattern, FILES_MAX),
                                        NUMBER_OF("count", count, FILES_MAX)};

static bool nfs_read_parameter(struct reading *r, void *context, const yaml_node_t *key, const char *name,
                               const yaml_node_t *value)
{
    struct making *m = context;
    struct nfs_job *job = &m->item.job;
    const struct member *number = find_member(numbers, G_N_ELEMENTS(numbers), name);
    g_autofree char *allowed = NULL;

    if (strcmp(name, m->verb->name) == 0 || strcmp(name, "path") == 0)
        return value->type == YAML_MAPPING_NODE || nfs_read_string(r, value, m, &job->path);
    if (m->verb->other && strcmp(name, m->verb->other) == 0)
        return nfs_read_string(r, value, m, &job->other);
    if (strcmp(name, "expect") == 0)
        return read_status(r, value, &job->expect);
    if (m->verb->octets && strcmp(name, "octets") == 0)
        return read_octets(r, value, 1, &job->octets);
    if (number && (strcmp(name, "count") == 0 ? m->verb->count : m->verb->octets))
        return read_member(r, number, value, job);
    allowed = nfs_parameter_names(m->verb);
    return complain(r, key, allowed, "'%s' does not go with %s", name, m->verb->name);
}

static const struct verb *nfs_find_verb(struct reading *r, enum role role, const yaml_node_t *node)
{
    g_autofree char *allowed = role == RESPONDER ? g_strdup(change_verb.name) : nfs_verb_names();
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
static bool read_job(struct reading *r, void *context, const yaml_node_t *node)
{
    const struct work_side *side = context;
    const enum role role = side->role;
    const yaml_node_t *what, *value;
    bool has_names = split_action(r, node, &what, &value);
    struct making m = {.work = side->work, .verb = nfs_find_verb(r, role, what)};
    g_autofree char *allowed = m.verb ? nfs_parameter_names(m.verb) : NULL;

    if (!what || !m.verb)
        return false;
    m.item.kind = role == RESPONDER ? WORK_CHANGE : WORK_JOB;
    m.item.line = (unsigned)what->start_mark.line + 1;
    m.item.job.kind = role == RESPONDER ? NFS_JOB_TRUNCATE : nfs_job_find(m.verb->name);
    if ((value && value->type == YAML_MAPPING_NODE && !read_mapping(r, value, allowed, nfs_read_parameter, &m)) ||
        (has_names && !read_mapping(r, node, allowed, nfs_read_parameter, &m)))
        return false;
    if (!m.item.job.path && m.item.job.kind != NFS_JOB_NULL)
        return complain(r, what, allowed, "%s needs a path", m.verb->name);
    if (m.verb->other && !m.item.job.other)
        return complain(r, what, allowed, "%s needs `%s`", m.verb->name, m.verb->other);
    if (!count_steps(r, what, 1))
        return false;
    g_array_append_val(side->work->items[role], m.item);
    return true;
}

bool read_work_jobs(struct reading *r, struct work *work, enum role role, const yaml_node_t *node)
{
    return read_each(r, node, read_job, &(struct work_side){work, role});
}
