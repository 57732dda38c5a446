// SPDX-License-Identifier: GPL-2.0-or-later
/* What is missing in a kernel, and its types with those of a module. */
#include "tap/fit.h"
#include "tap/types.h"
#include "tests/unit/support/support.h"

#include <errno.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <linux/btf.h>
#include <string.h>
#include <unistd.h>

static char sys[] = "/tmp/test-fit-XXXXXX";

static void put(const char *path, const void *p, gssize n)
{
    g_autofree gchar *whole = g_build_filename(sys, path, NULL), *folder = g_path_get_dirname(whole);

    assert_int_equal(g_mkdir_with_parents(folder, 0700), 0);
    assert_true(g_file_set_contents(whole, p, n, NULL));
}

static void leave(const char *path)
{
    g_autofree gchar *whole = g_build_filename(sys, path, NULL);

    assert_int_equal(g_remove(whole), 0);
}

static void assert_lacks(enum fit fit, const char *what)
{
    char why[256] = "";

    assert_int_equal(fit_kernel(sys, why, sizeof why), fit);
    if (!strstr(why, what))
        fail_msg("%s", why);
}

static void assert_fits(void)
{
    char why[256] = "";

    assert_int_equal(fit_kernel(sys, why, sizeof why), FIT_YES);
}

static void each_lack_is_named(void **state)
{
    assert_lacks(FIT_NEVER, "built without CONFIG_DEBUG_INFO_BTF");
    put("kernel/btf/vmlinux", "", 0);
    assert_lacks(FIT_LATER, "module rpcrdma is not loaded");
    put("module/rpcrdma/initstate", "coming\n", -1);
    assert_true(fit_is_module(sys, "rpcrdma"));
    assert_lacks(FIT_LATER, "module rpcrdma is not loaded");
    put("module/rpcrdma/initstate", "live\n", -1);
    assert_lacks(FIT_NEVER, "module rpcrdma does not describe its types (BTF)");
    put("kernel/btf/rpcrdma", "", 0);
    assert_lacks(FIT_LATER, "module rdma_cm is not loaded");
    put("module/rdma_cm/uevent", "", 0); /* a part of the kernel */
    assert_false(fit_is_module(sys, "rdma_cm"));
    assert_fits();
    put("kernel/security/lockdown", "none [integrity] confidentiality\n", -1);
    assert_fits();
    put("kernel/security/lockdown", "none integrity [confidentiality]\n", -1);
    assert_lacks(FIT_NEVER, "locked down for confidentiality");
    leave("kernel/security/lockdown");
    assert_fits();
}

static void put_module(const char *state)
{
    put("module/rpcrdma/initstate", state, -1);
}

static void unload(void)
{
    leave("module/rpcrdma/initstate");
    leave("module/rpcrdma");
}

/* With the modules of the test before. */
static void a_module_goes_and_comes_again(void **state)
{
    struct fit_watch watch = fit_watch_begin(sys);
    g_autofree gchar *old = g_build_filename(sys, "module/rpcrdma", NULL), *kept = g_build_filename(sys, "old", NULL);

    assert_int_equal(fit_watch_look(&watch, sys), FIT_SAME);
    unload();
    assert_int_equal(fit_watch_look(&watch, sys), FIT_GONE);
    assert_int_equal(fit_watch_look(&watch, sys), FIT_SAME);
    put_module("coming\n");
    assert_int_equal(fit_watch_look(&watch, sys), FIT_SAME);
    put_module("live\n");
    assert_int_equal(fit_watch_look(&watch, sys), FIT_AGAIN);
    assert_int_equal(fit_watch_look(&watch, sys), FIT_SAME);
    assert_int_equal(g_rename(old, kept), 0); /* between two looks; its inode stays in use */
    put_module("live\n");
    assert_int_equal(fit_watch_look(&watch, sys), FIT_GONE);
    assert_int_equal(fit_watch_look(&watch, sys), FIT_AGAIN);
    assert_int_equal(fit_watch_look(&watch, sys), FIT_SAME);
}

/* With a longer header than the one of today, and room before the names. */
struct types_file {
    struct btf_header header;
    uint8_t more[4], types[8], room[4], names[8];
};

static struct types_file types_of(uint8_t fill)
{
    struct types_file file = {.header = {.magic = BTF_MAGIC,
                                         .version = BTF_VERSION,
                                         .hdr_len = sizeof file.header + sizeof file.more,
                                         .type_len = sizeof file.types,
                                         .str_off = sizeof file.types + sizeof file.room,
                                         .str_len = sizeof file.names}};

    memset(file.types, fill, sizeof file.types);
    memset(file.names, fill + 1, sizeof file.names);
    return file;
}

static void types_of_a_module_follow_the_kernels(void **state)
{
    struct types_file kernel = types_of(1), module = types_of(3);
    g_autofree gchar *a = g_build_filename(sys, "a", NULL), *b = g_build_filename(sys, "b", NULL);
    static const uint8_t expected[] = {1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 3,
                                       2, 2, 2, 2, 2, 2, 2, 2, 4, 4, 4, 4, 4, 4, 4, 4};
    struct btf_header header;
    uint8_t octets[sizeof expected + 1];
    int file;

    put("a", &kernel, sizeof kernel);
    put("b", &module, sizeof module);
    file = types_join(a, b);
    assert_true(file >= 0);
    assert_int_equal(pread(file, &header, sizeof header, 0), sizeof header);
    assert_int_equal(header.hdr_len, sizeof header);
    assert_int_equal(header.type_len, 16);
    assert_int_equal(header.str_off, 16);
    assert_int_equal(header.str_len, 16);
    assert_int_equal(pread(file, octets, sizeof octets, sizeof header), sizeof expected);
    assert_memory_equal(octets, expected, sizeof expected);
    close(file);
}

static void assert_not_joined(const char *a, const char *b, int error)
{
    errno = 0;
    assert_int_equal(types_join(a, b), -1);
    assert_int_equal(errno, error);
}

static void other_files_are_refused(void **state)
{
    struct types_file good = types_of(1), bad;
    g_autofree gchar *a = g_build_filename(sys, "a", NULL), *b = g_build_filename(sys, "b", NULL);

    put("a", &good, sizeof good);
    assert_not_joined(a, "/no/such/file", ENOENT);
    for (unsigned i = 0; i < 7; i++) {
        bad = good;
        bad.header.magic ^= i == 0;
        bad.header.version += i == 1;
        bad.header.hdr_len = i == 2 ? 8 : i == 3 ? sizeof bad + 1 : bad.header.hdr_len;
        bad.header.type_len = i == 4 ? UINT32_MAX : bad.header.type_len;
        bad.header.str_off = i == 5 ? UINT32_MAX : bad.header.str_off;
        put("b", &bad, i == 6 ? 10 : sizeof bad);
        assert_not_joined(a, b, EPROTO);
        assert_not_joined(b, a, EPROTO);
    }
}

static void addresses_may_be_hidden(void **state)
{
    g_autofree gchar *path = g_build_filename(sys, "kallsyms", NULL);

    assert_int_equal(fit_symbol(path, "b"), FIT_ABSENT);
    put("kallsyms", "0000000000000000 A fixed\nffffffff81000000 T b\t[module]\n0000000000000000 D bb\n", -1);
    assert_int_equal(fit_symbol(path, "b"), FIT_SHOWN);
    assert_int_equal(fit_symbol(path, "bb"), FIT_HIDDEN);
    assert_int_equal(fit_symbol(path, "bbb"), FIT_ABSENT);
    leave("kallsyms");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_lack_is_named),
        cmocka_unit_test(a_module_goes_and_comes_again),
        cmocka_unit_test(types_of_a_module_follow_the_kernels),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(addresses_may_be_hidden),
    };
    g_autofree gchar *remove = NULL;
    int status;

    if (!g_mkdtemp(sys))
        return 1;
    status = cmocka_run_group_tests(tests, NULL, NULL);
    remove = g_strdup_printf("rm -r %s", sys);
    return g_spawn_command_line_sync(remove, NULL, NULL, NULL, NULL) ? status : 1;
}
