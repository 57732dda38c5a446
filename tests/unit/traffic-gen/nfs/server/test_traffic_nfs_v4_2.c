// SPDX-License-Identifier: GPL-2.0-or-later
/* Minor version 2 of the stack's NFS server: RFC 7862 section 15, and the extended attributes of RFC 8276. */
#include "tests/unit/support/nfs4_client.h"

#include <inttypes.h>

struct file {
    struct v4_server on;
    struct v4_client t;
    struct v4_stateid stateid;
};

static int begin(void **state)
{
    struct file *f = g_new0(struct file, 1);

    v4_server_begin(&f->on);
    v4_begin(&f->t, &f->on, 2, false);
    v4_mount(&f->t, "client", false);
    assert_int_equal(v4_open(&f->t, "me", "file", 3, 0, true, &f->stateid), 0);
    f->t.cache = false;
    *state = f;
    return 0;
}

static int end(void **state)
{
    struct file *f = *state;

    v4_end(&f->t);
    v4_server_end(&f->on);
    g_free(f);
    return 0;
}

static uint32_t extent(struct file *f, const char *op, uint64_t offset, uint64_t length)
{
    return v4_ask(&f->t, &f->stateid, "/file,%s:offset=%" PRIu64 ":length=%" PRIu64, op, offset, length);
}

static uint64_t size_of(struct file *f, const char *name)
{
    uint32_t n;

    assert_int_equal(v4_ask(&f->t, NULL, "/%s,getattr:masks=1:mask0=0x10", name), 0);
    return get_be64(v4_octets(&f->t, "attrs", &n));
}

static uint32_t seek(struct file *f, uint64_t offset, uint32_t what, bool *eof, uint64_t *found)
{
    uint32_t status = v4_ask(&f->t, &f->stateid, "/file,seek:offset=%" PRIu64 ":what=%u", offset, what);

    if (status == 0) {
        *eof = v4_number(&f->t, "eof");
        *found = v4_number(&f->t, "offset");
    }
    return status;
}

static void test_space(void **state)
{
    struct file *f = *state;
    uint8_t data[8192];
    uint64_t found = 0;
    bool eof = false;

    memset(data, 7, sizeof data);
    assert_int_equal(extent(f, "allocate", 0, 10000), 0);
    assert_true(size_of(f, "file") == 10000);
    assert_int_equal(extent(f, "allocate", 0, 100), 0);
    assert_true(size_of(f, "file") == 10000);
    assert_int_equal(extent(f, "allocate", 5, UINT64_MAX - 4), 22);
    assert_int_equal(extent(f, "allocate", 0, 1 << 30), 28); /* more than there is */
    assert_int_equal(v4_write(&f->t, "file", &f->stateid, 1 << 20, data, sizeof data), 0);
    assert_int_equal(extent(f, "deallocate", (1 << 20) + 100, UINT64_MAX - (1 << 21)), 0);
    assert_true(size_of(f, "file") == (1 << 20) + 8192);
    assert_int_equal(v4_read(&f->t, "file", &f->stateid, (1 << 20) + 99, 2), 0);
    assert_memory_equal(f->t.reply.p + f->t.reply.items[0].at, "\7\0", 2);
    /* Data, then a hole, then data, then the hole past the end. */
    assert_int_equal(seek(f, 20000, 0, &eof, &found), 0);
    assert_true(found == 1 << 20 && !eof);
    assert_int_equal(seek(f, 0, 1, &eof, &found), 0);
    assert_true(found == 12288 && !eof);
    assert_int_equal(seek(f, (1 << 20) + 5000, 1, &eof, &found), 0);
    assert_int_equal(seek(f, (1 << 20) + 8192, 0, &eof, &found), 6);
    assert_int_equal(seek(f, 0, 2, &eof, &found), 10090);
}

static void test_read_plus(void **state)
{
    static const struct {
        const char *name;
        uint64_t value;
    } expected[] = {{"eof", 1},   {"contents", 3},   {"what", 0},      {"offset", 4000},
                    {"data", 96}, {"what", 1},       {"offset", 4096}, {"length", 40960 - 4096},
                    {"what", 0},  {"offset", 40960}, {"data", 10}};
    struct file *f = *state;
    const struct nfs_field *field;
    uint8_t data[4096];

    memset(data, 7, sizeof data);
    assert_int_equal(v4_write(&f->t, "file", &f->stateid, 0, data, sizeof data), 0);
    assert_int_equal(v4_write(&f->t, "file", &f->stateid, 40960, data, 10), 0);
    assert_int_equal(v4_ask(&f->t, &f->stateid, "/file,read_plus:offset=4000:count=100000"), 0);
    field = nfs_results_first(&f->t.fields, "eof");
    for (size_t i = 0; i < ARRAY_LENGTH(expected); i++, field++) {
        assert_string_equal(field->name, expected[i].name);
        assert_int_equal(field->value, expected[i].value);
    }
    assert_int_equal(f->t.reply.n_items, 0); /* not eligible */
    /* Less room than data. */
    f->t.room = 1000;
    assert_int_equal(v4_ask(&f->t, &f->stateid, "/file,read_plus:offset=0:count=4096"), 0);
    assert_true(f->t.reply.n <= 1000 && f->t.reply.n > 900);
}

static uint32_t copy(struct file *f, const char *op, const struct v4_stateid *to, uint64_t from_at, uint64_t to_at,
                     uint64_t n)
{
    f->t.to = *to;
    return v4_ask(&f->t, &f->stateid,
                  "/file,savefh,putrootfh,lookup:copy,%s:offset=%" PRIu64 ":to_offset=%" PRIu64 ":count=%" PRIu64, op,
                  from_at, to_at, n);
}

static void test_copy(void **state)
{
    struct file *f = *state;
    struct v4_stateid to;
    uint8_t data[70000];
    uint64_t seed = 9;

    fill_random(&seed, data, sizeof data);
    assert_int_equal(v4_write(&f->t, "file", &f->stateid, 100000, data, sizeof data), 0);
    assert_int_equal(v4_open(&f->t, "me", "copy", 3, 0, true, &to), 0);
    assert_int_equal(copy(f, "copy", &to, 5, 0, 0), 0); /* 0: all of it */
    assert_int_equal(v4_number(&f->t, "callbacks"), 0);
    assert_int_equal(v4_number(&f->t, "count"), 169995);
    assert_true(size_of(f, "copy") == 169995);
    assert_int_equal(v4_read(&f->t, "copy", &to, 99995, 100000), 0);
    assert_int_equal(f->t.reply.items[0].n, 70000);
    assert_memory_equal(f->t.reply.p + f->t.reply.items[0].at, data, 70000);
    assert_int_equal(v4_read(&f->t, "copy", &to, 99991, 4), 0);
    assert_memory_equal(f->t.reply.p + f->t.reply.items[0].at, "\0\0\0", 4);
    assert_int_equal(copy(f, "clone", &to, 100000, 7, 10), 0);
    assert_int_equal(v4_read(&f->t, "copy", &to, 7, 10), 0);
    assert_memory_equal(f->t.reply.p + f->t.reply.items[0].at, data, 10);
    assert_int_equal(copy(f, "clone", &to, 100000, 7, 70001), 22); /* CLONE does all or nothing */
    assert_int_equal(copy(f, "copy", &to, 200000, 7, 1), 22);
    /* Nobody knows a copy that is under way. */
    assert_int_equal(v4_ask(&f->t, &f->stateid, "/file,offload_status"), 10025);
}

/* ---- extended attributes ---- */

static uint32_t setxattr(struct file *f, uint32_t option, const char *name, const char *value)
{
    return v4_ask_with(&f->t, NULL, value, (uint32_t)strlen(value), "/file,setxattr:how=%u:name=%s", option, name);
}

static void test_xattrs(void **state)
{
    struct file *f = *state;
    struct v4_client *t = &f->t;
    uint64_t names = 0, cookie = 0;
    uint32_t n;

    assert_int_equal(v4_ask(t, NULL, "/file,getxattr:user"), 10095);
    assert_int_equal(setxattr(f, 2, "user", "v"), 10095);
    assert_int_equal(setxattr(f, 1, "user", "value"), 0);
    assert_true(v4_number(t, "change_before") < v4_number(t, "change_after"));
    assert_int_equal(setxattr(f, 1, "user", "v"), 17);
    assert_int_equal(setxattr(f, 2, "user", "other"), 0);
    assert_int_equal(setxattr(f, 3, "user", "other"), 22);
    assert_int_equal(setxattr(f, 0, "", "other"), 22);
    assert_int_equal(v4_ask(t, NULL, "/file,getxattr:user"), 0);
    assert_memory_equal(v4_octets(t, "value", &n), "other", 5);
    assert_int_equal(n, 5);
    for (unsigned i = 1; i < 64; i++) {
        char name[8];

        g_snprintf(name, sizeof name, "n%u", i);
        assert_int_equal(setxattr(f, 0, name, "x"), 0);
    }
    assert_int_equal(setxattr(f, 0, "more", "x"), 28);
    do {
        assert_int_equal(v4_ask(t, NULL, "/file,listxattrs:100:cookie=%" PRIu64, cookie), 0);
        cookie = v4_number(t, "cookie");
        assert_true(v4_number(t, "names") > 0);
        names += v4_number(t, "names");
        assert_true(nfs_results_last(&t->fields, "eof")->at + 4 - nfs_results_last(&t->fields, "cookie")->at <= 100);
    } while (!v4_number(t, "eof"));
    assert_int_equal(names, 64);
    assert_int_equal(v4_ask(t, NULL, "/file,listxattrs:20"), 10005);
    assert_int_equal(v4_ask(t, NULL, "/file,removexattr:user"), 0);
    assert_int_equal(v4_ask(t, NULL, "/file,removexattr:user"), 10095);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_space, begin, end),
        cmocka_unit_test_setup_teardown(test_read_plus, begin, end),
        cmocka_unit_test_setup_teardown(test_copy, begin, end),
        cmocka_unit_test_setup_teardown(test_xattrs, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
