// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/tester/suite/rpc/nfs_run.h"

#include "traffic-gen/speak/sim/random.h"

#include <string.h>

enum { TREE_OCTETS = 256 << 20, TREE_NODES = 100000 };

const char *const nfs_version_names[NFS_VERSIONS] = {"3", "4.0", "4.1", "4.2"};

static unsigned version_of(const char *word)
{
    for (unsigned i = 0; i < NFS_VERSIONS; i++) {
        if (strcmp(nfs_version_names[i], word) == 0)
            return 1U << i;
    }
    return strcmp(word, "4") == 0 ? NFS_ALL_VERSIONS & ~(1U << NFS_V3) : 0;
}

unsigned nfs_versions_parse(const char *text)
{
    g_auto(GStrv) words = g_strsplit(text, ",", -1);
    unsigned versions = 0;

    for (unsigned i = 0; words[i]; i++) {
        unsigned version = version_of(words[i]);

        if (version == 0)
            return 0;
        versions |= version;
    }
    return versions;
}

char *nfs_versions_text(unsigned versions)
{
    GString *text = g_string_new(NULL);
    unsigned n = 0;

    for (unsigned i = 0; i < NFS_VERSIONS; i++) {
        if (versions & 1U << i)
            g_string_append_printf(text, "%s%s", n++ > 0 ? ", " : "", nfs_version_names[i]);
    }
    g_string_prepend(text, n == 1 ? "version " : "versions ");
    return g_string_free(text, FALSE);
}

struct nfs_run *nfs_run_new(void)
{
    struct nfs_run *nfs = g_new0(struct nfs_run, 1);

    g_mutex_init(&nfs->lock);
    g_mutex_init(&nfs->drawn_lock);
    nfs->drawn = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    return nfs;
}

void nfs_run_free(struct nfs_run *nfs)
{
    for (unsigned i = 0; i < NFS_VERSIONS; i++)
        g_free(nfs->version[i].why_not);
    if (nfs->server) {
        nfs_server_free(nfs->server);
        nfs_tree_free(nfs->tree);
    }
    nfs_mount_service_free(nfs->mount_service);
    g_hash_table_unref(nfs->drawn);
    g_mutex_clear(&nfs->drawn_lock);
    g_mutex_clear(&nfs->lock);
    g_free(nfs);
}

uint64_t nfs_run_seed(struct talk_run *run, uint64_t id, unsigned connections)
{
    struct nfs_run *nfs = run->nfs;
    struct random_source mixed = {.state = run->seed}; /* runs with neighbouring seeds have different numbers */
    uint64_t seed = random_next(&mixed) ^ (id << 32 | connections);

    g_mutex_lock(&nfs->drawn_lock);
    while (g_hash_table_contains(nfs->drawn, &seed)) {
        struct random_source random = {.state = seed};

        seed = random_next(&random);
    }
    g_hash_table_add(nfs->drawn, g_memdup2(&seed, sizeof seed));
    g_mutex_unlock(&nfs->drawn_lock);
    return seed;
}

struct nfs_server *nfs_run_server(struct talk_run *run)
{
    struct nfs_run *nfs = run->nfs;

    if (!nfs->server) {
        nfs->tree = nfs_tree_new(nfs_tree_real_time, NULL, TREE_OCTETS, TREE_NODES);
        nfs->server = nfs_server_new(
            &(struct nfs_server_options){.tree = nfs->tree, .now = nfs_tree_real_time, .seed = run->seed});
    }
    return nfs->server;
}
