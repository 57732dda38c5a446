// SPDX-License-Identifier: GPL-2.0-or-later
#include "tap/probes.h"

#include "tap.skel.h"
#include "tap/fit.h"
#include "tap/types.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <cap-ng.h>
#include <errno.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char probes_sys[] = "/sys";
static const char kernel_types[] = "/sys/kernel/btf/vmlinux", module_types[] = "/sys/kernel/btf/rpcrdma";

struct probes {
    struct tap_bpf *bpf;
    struct ring_buffer *ring;
    struct probes_options options;
    gchar *types; /* the module's; NULL: it is a part of the kernel */
    gsize types_length;
    size_t taken; /* octets, in this call */
};

#define SAY(error, ...) ((void)snprintf(error, PROBES_ERROR_SIZE, __VA_ARGS__))

/* ---- the running kernel ---- */

static bool may_load(void)
{
    return capng_get_caps_process() != 0 || /* unknown: the kernel decides */
           capng_have_capability(CAPNG_EFFECTIVE, CAP_SYS_ADMIN) ||
           (capng_have_capability(CAPNG_EFFECTIVE, CAP_BPF) && capng_have_capability(CAPNG_EFFECTIVE, CAP_PERFMON));
}

bool probes_permitted(char error[PROBES_ERROR_SIZE])
{
    bool permitted = may_load();

    if (!permitted)
        SAY(error, "not permitted: run as root, or with CAP_BPF, CAP_PERFMON and CAP_SYSLOG");
    return permitted;
}

/* ---- functions by their types ---- */

/* The number of arguments of a function of the kernel or its module rpcrdma; -1: there is none. */
static int arguments_of(const struct btf *types, const char *name)
{
    int id = types ? btf__find_by_name_kind(types, name, BTF_KIND_FUNC) : -1;
    const struct btf_type *function = id > 0 ? btf__type_by_id(types, (unsigned)id) : NULL;

    return function ? (int)btf_vlen(btf__type_by_id(types, function->type)) : -1;
}

/* Functions whose names or arguments differ between kernels. */
static bool choose_programs(struct tap_bpf *bpf, char *error)
{
    struct btf *kernel = btf__load_vmlinux_btf(), *module = kernel ? btf__load_module_btf("rpcrdma", kernel) : NULL;
    const struct btf *types = module ? module : kernel;
    int old_send = arguments_of(types, "svc_rdma_send"), new_send = arguments_of(types, "svc_rdma_post_send");
    int segment = arguments_of(types, "svc_rdma_rw_ctx_init");
    const char *unknown = old_send != 2 && new_send != 2 ? "svc_rdma_post_send"
                          : segment != 5 && segment != 6 ? "svc_rdma_rw_ctx_init"
                                                         : NULL;

    (void)bpf_program__set_autoload(new_send == 2 ? bpf->progs.server_post_send : bpf->progs.server_send, true);
    (void)bpf_program__set_autoload(segment == 6 ? bpf->progs.server_segment_6 : bpf->progs.server_segment_5, true);
    if (unknown)
        SAY(error, "this kernel's rpcrdma lacks %s, or has it with other arguments than iwarp-tap knows", unknown);
    btf__free(module);
    btf__free(kernel);
    return !unknown;
}

/* ---- life ---- */

static int take_record(void *ctx, void *p, size_t n)
{
    struct probes *probes = ctx;

    probes->options.record(probes->options.ctx, p, n);
    probes->taken += n;
    return probes->taken < bpf_map__max_entries(probes->bpf->maps.ring) ? 0 : -EAGAIN;
}

/* types: a file, or NULL for those of the kernel itself. */
static struct tap_bpf *open_programs(const char *types)
{
    LIBBPF_OPTS(bpf_object_open_opts, options, .btf_custom_path = types);

    return tap_bpf__open_opts(&options);
}

static bool load(struct probes *probes, const char *types, char *error)
{
    int status;

    probes->bpf = open_programs(types);
    if (!probes->bpf) {
        SAY(error, "cannot prepare the BPF programs: %s", strerror(errno));
        return false;
    }
    if (probes->options.snap > 0 && probes->options.snap < probes->bpf->rodata->snap)
        probes->bpf->rodata->snap = probes->options.snap;
    probes->bpf->rodata->chunks = probes->options.chunks;
    if (!choose_programs(probes->bpf, error))
        return false;
    status = tap_bpf__load(probes->bpf);
    if (status != 0) {
        SAY(error, "the kernel refuses the BPF programs: %s", strerror(-status));
        return false;
    }
    probes->ring = ring_buffer__new(bpf_map__fd(probes->bpf->maps.ring), take_record, probes, NULL);
    if (!probes->ring)
        SAY(error, "cannot read from the kernel: %s", strerror(errno));
    return probes->ring != NULL;
}

/* The module's types, as they are now; NULL: there are none. */
static gchar *read_types(gsize *length)
{
    gchar *types = NULL;

    *length = 0;
    return g_file_get_contents(module_types, &types, length, NULL) ? types : NULL;
}

/* The programs are made for the types that the module had when they were loaded. */
static bool has_same_types(const struct probes *probes)
{
    gsize length;
    g_autofree gchar *types = read_types(&length);

    return length == probes->types_length && (length == 0 || memcmp(types, probes->types, length) == 0);
}

/* The function at which attaching stopped: they are attached in this order. */
static const char *function_not_attached(const struct tap_bpf *bpf)
{
    for (int i = 0; i < bpf->skeleton->prog_cnt; i++) {
        const struct bpf_prog_skeleton *skeleton = &bpf->skeleton->progs[i];
        const char *section = bpf_program__section_name(*skeleton->prog), *name = strchr(section, '/');

        if (bpf_program__autoload(*skeleton->prog) && !*skeleton->link)
            return name ? name + 1 : section;
    }
    return "functions";
}

bool probes_need_admin(void)
{
    g_autofree gchar *paranoid = NULL;

    return g_file_get_contents("/proc/sys/kernel/perf_event_paranoid", &paranoid, NULL, NULL) &&
           strtol(paranoid, NULL, 10) > 2;
}

bool probes_attach(struct probes *probes, char error[PROBES_ERROR_SIZE])
{
    int status;

    if (!has_same_types(probes)) {
        SAY(error, "the module rpcrdma is not the same as before: start iwarp-tap again");
        return false;
    }
    status = tap_bpf__attach(probes->bpf);
    if (status == 0)
        return true;
    SAY(error, "cannot attach to the kernel's %s: %s%s", function_not_attached(probes->bpf), strerror(-status),
        status == -EACCES
            ? " (where the sysctl kernel.perf_event_paranoid is above 2, as Debian has it, CAP_SYS_ADMIN is needed)"
            : "");
    probes_detach(probes);
    return false;
}

void probes_detach(struct probes *probes)
{
    tap_bpf__detach(probes->bpf);
}

static bool load_with_types(struct probes *probes, char *error)
{
    char path[64];
    bool loaded;
    int file;

    if (!fit_is_module(probes_sys, "rpcrdma"))
        return load(probes, NULL, error);
    file = types_join(kernel_types, module_types);
    if (file < 0) {
        SAY(error, "%s and %s: %s", kernel_types, module_types, strerror(errno));
        return false;
    }
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    loaded = load(probes, path, error);
    close(file);
    return loaded;
}

/* Why the pages of chunks cannot be found; NULL: they can. */
static const char *why_no_pages(void)
{
    switch (fit_symbol("/proc/kallsyms", "page_offset_base")) {
    case FIT_SHOWN:
        return NULL;
    case FIT_ABSENT:
        return "the octets of chunks are not recorded: this kernel does not say where its pages are";
    default:
        return capng_have_capability(CAPNG_EFFECTIVE, CAP_SYSLOG)
                   ? "the octets of chunks are not recorded: /proc/kallsyms has no addresses, see the sysctl "
                     "kernel.kptr_restrict"
                   : "without CAP_SYSLOG the octets of chunks are not recorded";
    }
}

static int say_if_wanted(enum libbpf_print_level level, const char *format, va_list args)
{
    if (!getenv("IWARP_TAP_DEBUG") || level == LIBBPF_DEBUG)
        return 0;
    return vfprintf(stderr, format, args);
}

struct probes *probes_open(const struct probes_options *options, const char **no_pages, char error[PROBES_ERROR_SIZE])
{
    struct probes *probes = calloc(1, sizeof *probes);

    if (!probes) {
        SAY(error, "not enough memory");
        return NULL;
    }
    probes->options = *options;
    libbpf_set_print(say_if_wanted);
    probes->types = read_types(&probes->types_length);
    if (!load_with_types(probes, error)) {
        probes_close(probes);
        return NULL;
    }
    *no_pages = why_no_pages();
    return probes;
}

bool probes_read(struct probes *probes, int timeout_ms)
{
    int n;

    probes->taken = 0;
    n = ring_buffer__poll(probes->ring, timeout_ms);
    if (n == 0) /* records that are too few to wake anybody */
        n = ring_buffer__consume(probes->ring);
    errno = n < 0 ? -n : 0;
    return n >= 0 || errno == EINTR || errno == EAGAIN;
}

uint64_t probes_lost(const struct probes *probes)
{
    return probes->bpf->bss->lost;
}

uint64_t probes_left_out(const struct probes *probes)
{
    uint64_t n = 0;
    struct bpf_program *program;

    bpf_object__for_each_program(program, probes->bpf->obj)
    {
        struct bpf_prog_info info = {0};
        unsigned size = sizeof info;
        int fd = bpf_program__fd(program);

        if (fd >= 0 && bpf_obj_get_info_by_fd(fd, &info, &size) == 0)
            n += info.recursion_misses;
    }
    return n;
}

void probes_close(struct probes *probes)
{
    if (!probes)
        return;
    ring_buffer__free(probes->ring);
    tap_bpf__destroy(probes->bpf);
    g_free(probes->types);
    free(probes);
}
