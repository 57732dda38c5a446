// SPDX-License-Identifier: GPL-2.0-or-later
/* The module of the verbs transport, and its requirements on a host. */
#include "traffic-gen/live/verbs/verbs_internal.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { CANNOT = 1 };

static const char module_name[] = "iwarp-gen-verbs.so", cm_device[] = "/dev/infiniband/rdma_cm";
static const struct verbs_calls *calls;

void verbs_set_calls(const struct verbs_calls *others)
{
    calls = others;
}

const char *verbs_address(const char *text)
{
    return g_str_has_prefix(text, "rdma:") ? text + strlen("rdma:") : NULL;
}

/* The build directory of the program; else the installed place, relative to the program. */
static char *module_path(void)
{
    g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);
    g_autofree char *folder = program ? g_path_get_dirname(program) : g_strdup(IWARP_PROGRAM_FOLDER);
    char *path = g_build_filename(folder, module_name, NULL);

    if (g_file_test(path, G_FILE_TEST_EXISTS))
        return path;
    g_free(path);
    return g_build_filename(folder, IWARP_VERBS_FROM_PROGRAM, module_name, NULL);
}

const struct verbs_calls *verbs_calls(GError **error)
{
    g_autofree char *path = NULL;
    const struct verbs_calls *found;
    void *module;

    if (calls)
        return calls;
    path = module_path();
    module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    found = module ? dlsym(module, VERBS_MODULE_SYMBOL) : NULL;
    if (!module) {
        g_set_error(error, live_error(), CANNOT, "addresses that begin with rdma: need the package iwarp-kit-verbs: %s",
                    dlerror());
        return NULL;
    }
    if (!found || found->size != sizeof *found) {
        g_set_error(error, live_error(), CANNOT, "%s belongs to another release of iwarp-kit", path);
        dlclose(module);
        return NULL;
    }
    calls = found;
    return calls;
}

bool verbs_possible(GError **error)
{
    const struct verbs_calls *v = verbs_calls(error);
    struct ibv_device **list;
    int n = 0;

    if (!v)
        return false;
    list = v->get_device_list(&n);
    if (list)
        v->free_device_list(list);
    if (!list || n == 0) {
        g_set_error_literal(error, live_error(), CANNOT,
                            "no RDMA device on this host; in software: modprobe rdma_rxe && rdma link add rxe0 type "
                            "rxe netdev eth0 (or siw), and modprobe ib_uverbs");
        return false;
    }
    if (access(cm_device, R_OK | W_OK) == 0)
        return true;
    if (errno == ENOENT)
        g_set_error(error, live_error(), CANNOT, "there is no %s: modprobe rdma_ucm", cm_device);
    else
        g_set_error(error, live_error(), CANNOT, "%s: %s", cm_device, g_strerror(errno));
    return false;
}

char *verbs_trouble(const char *what, int number)
{
    struct rlimit limit;

    if ((number == ENOMEM || number == EAGAIN || number == EPERM) && getrlimit(RLIMIT_MEMLOCK, &limit) == 0 &&
        limit.rlim_cur != RLIM_INFINITY)
        return g_strdup_printf("%s: %s; this process may lock %" G_GUINT64_FORMAT
                               " KiB of memory (RLIMIT_MEMLOCK; ulimit -l unlimited)",
                               what, g_strerror(number), (guint64)limit.rlim_cur / 1024);
    return g_strdup_printf("%s: %s", what, g_strerror(number));
}
