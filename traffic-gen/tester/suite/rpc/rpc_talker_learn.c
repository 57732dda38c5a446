// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds which versions an NFS server speaks and where its export is: MOUNT (over TCP, as in RFC 8267 section 5.1, or on
 * the connection itself) for version 3, the path from the root for version 4. Also runs cases once for each version.
 */
#include "traffic-gen/tester/suite/rpc/rpc_talker_v4.h"

#include "traffic-gen/live/play/rpc_tcp.h"
#include "traffic-gen/tester/suite/talk/talk_job.h"
#include "wire/nfs.h"

#include <string.h>

enum { MOUNT_VERSION = 3, PATH_WORDS_MAX = 8, MOUNT_SECONDS = 5 };

static const int64_t second = INT64_C(1000000000);

/* ---- version 3 ---- */

static bool keep_root(struct rpc_talker *talker, const uint8_t *p, uint32_t n)
{
    if (n == 0 || n > NFS_HANDLE_MAX)
        return false;
    memcpy(talker->files.root, p, n);
    talker->files.root_n = n;
    return true;
}

static bool learn_take_root(struct rpc_talker *talker, const struct nfs_results *results)
{
    uint32_t n;
    const uint8_t *p = nfs_results_octets(results, "handle", &n);

    return p && keep_root(talker, p, n);
}

/* MOUNT, if the service answers it on this connection. */
static bool mount_here(struct rpc_talker *talker, const char *path)
{
    const struct talker_request request = {
        .procedure = "mount3.mnt", .words = "", .name = path, .take = learn_take_root};

    return talker_ask(talker, &request) == 0;
}

static bool mount_by_tcp(struct rpc_talker *talker, const char *path, char **why)
{
    const struct talk_run *run = talk_job(talker->talk)->run;
    const struct rpc_tcp_mount mount = {.host = run->host,
                                        .port = run->nfs->mount_port,
                                        .path = path,
                                        .version = MOUNT_VERSION,
                                        .timeout_ns = MOUNT_SECONDS * second};
    uint8_t handle[RPC_TCP_HANDLE_MAX];
    uint32_t n;

    return rpc_tcp_mount(&mount, handle, &n, why) && keep_root(talker, handle, n);
}

static char *learn_3(struct rpc_talker *talker)
{
    const struct nfs_run *nfs = talk_job(talker->talk)->run->nfs;
    const char *path = nfs->export ? nfs->export : "/";
    static const struct talker_request getattr = {.procedure = "nfs3.getattr", .words = ""};
    g_autofree char *why = NULL;

    if (!(!nfs->mount_port && mount_here(talker, path)) && !mount_by_tcp(talker, path, &why))
        return g_strdup_printf("no file handle for the export: %s (--mount-port, --export)",
                               why ? why : "MOUNT returned none");
    if (talker_ask(talker, &getattr) != 0)
        return g_strdup_printf("GETATTR of the export: %s", rpc_talker_result_words(talker));
    return NULL;
}

/* ---- version 4 ---- */

/* Returns the status of the path lookup. */
static uint32_t learn_walk(struct rpc_talker *talker, char *const *path)
{
    g_autoptr(GString) words = g_string_new("putrootfh,");
    struct talker_request request = {.path = path, .take = learn_take_root};

    for (unsigned i = 0; path[i]; i++)
        g_string_append(words, "lookup,");
    request.words = g_string_append(words, "getfh")->str;
    return talker_ask(talker, &request);
}

/* "/srv/nfs": the names in it, without empty ones. */
static char **learn_names_of(const char *path)
{
    g_auto(GStrv) parts = g_strsplit(path ? path : "", "/", -1);
    GPtrArray *names = g_ptr_array_new();

    for (unsigned i = 0; parts[i] && names->len < PATH_WORDS_MAX; i++) {
        if (*parts[i])
            g_ptr_array_add(names, g_strdup(parts[i]));
    }
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(names, FALSE);
}

/* An export can be the root of version 4 itself (fsid=0 on Linux): then its path does not exist. */
static char *learn_4(struct rpc_talker *talker)
{
    static char *const none[] = {NULL};
    g_auto(GStrv) names = learn_names_of(talk_job(talker->talk)->run->nfs->export);
    uint32_t status = talker_meet(talker);

    if (status == 0)
        status = learn_walk(talker, names);
    if (status == NFS4ERR_NOENT && names[0])
        status = learn_walk(talker, none);
    return status == 0 ? NULL : g_strdup(rpc_talker_result_words(talker));
}

/* ---- both ---- */

/* The version whose NULL is answered with SUCCESS: for stimuli that are NULL Calls. */
static void learn_null(struct rpc_talker *talker)
{
    struct nfs_run *nfs = talk_job(talker->talk)->run->nfs;

    for (uint32_t version = 3; version <= 4 && !nfs->null_version; version++) {
        struct xdr_out out;
        struct xdr results;

        rpc_talker_begin(talker, &out, NFS_PROGRAM, version, 0);
        if (!rpc_talker_call(talker, &out, NULL))
            return;
        if (rpc_talker_results(talker, &results))
            nfs->null_version = version;
    }
    nfs->no_null = nfs->null_version == 0;
}

/* Opens a separate connection. */
static void learn_version(struct talk_run *run, enum nfs_version_at version)
{
    struct nfs_run *nfs = run->nfs;
    struct rpc_talker talker;
    struct talk *talk = talk_begin_job(run, NULL, 1, NULL);
    char *why_not;

    if (rpc_talker_open(&talker, talk, &(struct talker_wish){.version = version})) {
        if (!nfs->null_version)
            learn_null(&talker);
        why_not = !(run->services & NEED_NFS) ? g_strdup("the service was not declared NFS (--service=nfs)")
                  : version == NFS_V3         ? learn_3(&talker)
                                              : learn_4(&talker);
    } else {
        why_not = g_strdup(talk_actual(talk));
    }
    if (!why_not) {
        nfs->spoken |= 1U << version;
        nfs->version[version].root_n = talker.files.root_n;
        memcpy(nfs->version[version].root, talker.files.root, talker.files.root_n);
    }
    nfs->version[version].why_not = why_not;
    rpc_talker_close(&talker);
    talk_end_job(talk);
}

void rpc_talker_learn(struct talk *talk)
{
    struct nfs_run *nfs = talk_job(talk)->run->nfs;
    int64_t began = talk_now();

    if (!talk_job(talk)->row) /* this already is one of those connections */
        return;
    g_mutex_lock(&nfs->lock);
    if (!nfs->is_learnt) {
        for (unsigned i = 0; i < NFS_VERSIONS; i++) {
            if (!nfs->wanted || nfs->wanted & 1U << i)
                learn_version(talk_job(talk)->run, (enum nfs_version_at)i);
            else
                nfs->version[i].why_not = g_strdup("not asked for (--nfs-version)");
            if (!(talk_job(talk)->run->services & NEED_NFS) && nfs->null_version)
                break;
        }
        nfs->is_learnt = true;
    }
    g_mutex_unlock(&nfs->lock);
    talk_extend(talk, talk_now() - began); /* does not count as the case's time */
}

bool rpc_talker_over_tcp(struct talk *talk, const char *name, uint32_t program, uint32_t version)
{
    const int64_t began = talk_now();
    g_autofree char *why = NULL;
    const enum rpc_tcp_offer offer =
        rpc_tcp_offers(talk_job(talk)->run->host, program, version, talk_t_close(talk), &why);

    talk_extend(talk, talk_now() - began);
    if (offer == RPC_TCP_UNKNOWN)
        talk_not_applicable(talk, "what is served over TCP cannot be looked up: rpcbind: %s", why);
    else if (offer == RPC_TCP_UNREGISTERED)
        talk_failed(talk, "expected %s; found %s version %u not registered for TCP", talk_job(talk)->row->expected,
                    name, version);
    else if (offer == RPC_TCP_SILENT)
        talk_inconclusive(talk, "%s version %u is registered for TCP, and does not answer here: %s", name, version,
                          why);
    return offer == RPC_TCP_OFFERED;
}

/* Only versions that the user wants, if any. */
static const char *why_none(const struct nfs_run *nfs, unsigned versions)
{
    unsigned wanted = versions & nfs->wanted ? versions & nfs->wanted : versions;

    for (unsigned i = 0; i < NFS_VERSIONS; i++) {
        if (wanted & 1U << i && nfs->version[i].why_not)
            return nfs->version[i].why_not;
    }
    return "--nfs-version leaves none";
}

bool rpc_talker_first_version(struct talk *talk, enum nfs_version_at *version)
{
    const struct nfs_run *nfs = talk_job(talk)->run->nfs;

    rpc_talker_learn(talk);
    for (unsigned i = 0; i < NFS_VERSIONS; i++) {
        if (nfs->spoken & 1U << i) {
            *version = (enum nfs_version_at)i;
            return true;
        }
    }
    talk_not_applicable(talk, "the device serves no NFS version that the case needs: %s",
                        why_none(nfs, NFS_ALL_VERSIONS));
    return false;
}

/* ---- a case for each version ---- */

/* Versions with the same result. */
struct group {
    enum case_outcome outcome;
    char *actual;
    unsigned versions;
};

/* Takes over the result for that version. */
static void add_to_groups(struct group groups[NFS_VERSIONS], struct case_result *result, unsigned version)
{
    g_autofree char *actual =
        result->actual ? g_steal_pointer(&result->actual) : g_strdup("the stimulus could not be delivered");
    unsigned i = 0;

    while (groups[i].actual && (groups[i].outcome != result->outcome || strcmp(groups[i].actual, actual) != 0))
        i++;
    groups[i].outcome = result->outcome;
    groups[i].versions |= version;
    if (!groups[i].actual)
        groups[i].actual = g_steal_pointer(&actual);
}

static void append_group(GString *text, const struct group *group, bool is_one)
{
    g_autofree char *names = nfs_versions_text(group->versions);

    if (is_one)
        g_string_append(text, group->actual);
    else
        g_string_append_printf(text, "%sNFS %s: %s", text->len > 0 ? "; " : "", names, group->actual);
}

/* A failure outranks an inconclusive version, which outranks a pass. */
static void learn_join(struct case_result *result, struct group groups[NFS_VERSIONS], unsigned versions)
{
    static const enum case_outcome order[] = {OUTCOME_FAILED, OUTCOME_INCONCLUSIVE, OUTCOME_PASSED,
                                              OUTCOME_NOT_APPLICABLE};
    GString *text = g_string_new(NULL);

    for (unsigned k = 0; k < NFS_VERSIONS * G_N_ELEMENTS(order); k++) {
        const struct group *group = &groups[k % NFS_VERSIONS];

        if (!group->actual || group->outcome != order[k / NFS_VERSIONS])
            continue;
        if (text->len == 0)
            result->outcome = group->outcome;
        append_group(text, group, (versions & (versions - 1)) == 0);
    }
    for (unsigned i = 0; i < NFS_VERSIONS; i++)
        g_free(groups[i].actual);
    result->actual = g_string_free(text, FALSE);
}

void rpc_talker_each_version(struct talk *talk, const struct suite_case *row, const struct talker_wish *wish)
{
    struct group groups[NFS_VERSIONS] = {0};
    struct case_result *result = talk_job(talk)->result;
    unsigned versions = wish->versions ? wish->versions : NFS_ALL_VERSIONS;

    rpc_talker_learn(talk);
    if (!(talk_job(talk)->run->nfs->spoken & versions)) {
        talk_not_applicable(talk, "the device serves no NFS version that the case needs: %s",
                            why_none(talk_job(talk)->run->nfs, versions));
        return;
    }
    versions &= talk_job(talk)->run->nfs->spoken;
    for (unsigned i = 0; i < NFS_VERSIONS; i++) {
        struct talker_wish mine = *wish;
        struct rpc_talker talker;

        if (!(versions & 1U << i))
            continue;
        result->outcome = OUTCOME_INCONCLUSIVE;
        g_clear_pointer(&result->actual, g_free);
        mine.version = (enum nfs_version_at)i;
        if (rpc_talker_open(&talker, talk, &mine) && rpc_talker_root(&talker))
            row->on(&talker, row);
        rpc_talker_close(&talker);
        talk_hang_up(talk);
        add_to_groups(groups, result, 1U << i);
    }
    learn_join(result, groups, versions);
}
