// SPDX-License-Identifier: GPL-2.0-or-later
/* Minor version 2 of the stack's NFS server: RFC 7862 section 15, and the extended attributes of RFC 8276. */
#include "tests/unit/support/nfs4_client.h"

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

static void to_file(struct file *f, uint32_t op)
{
    v4_start_on(&f->t, "file");
    v4_op(&f->t, op);
}

static uint32_t extent(struct file *f, uint32_t op, uint64_t offset, uint64_t length)
{
    to_file(f, op);
    v4_stateid_put(&f->t, &f->stateid);
    v4_u64(&f->t, offset);
    v4_u64(&f->t, length);
    return v4_send(&f->t);
}

static uint64_t size_of(struct file *f, const char *name)
{
    struct xdr x;

    v4_start_on(&f->t, name);
    v4_op(&f->t, 9, 1, 1 << 4);
    assert_int_equal(v4_send(&f->t), 0);
    x = v4_nth(&f->t, 2);
    xdr_skip(&x, 12);
    return v4_get_u64(&x);
}

static uint32_t seek(struct file *f, uint64_t offset, uint32_t what, bool *eof, uint64_t *found)
{
    struct xdr x;
    uint32_t status;

    to_file(f, 69);
    v4_stateid_put(&f->t, &f->stateid);
    v4_u64(&f->t, offset);
    v4_put(&f->t, what);
    status = v4_send(&f->t);
    if (status == 0) {
        x = v4_nth(&f->t, 2);
        *eof = v4_get_u32(&x);
        *found = v4_get_u64(&x);
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
    assert_int_equal(extent(f, 59, 0, 10000), 0);
    assert_true(size_of(f, "file") == 10000);
    assert_int_equal(extent(f, 59, 0, 100), 0);
    assert_true(size_of(f, "file") == 10000);
    assert_int_equal(extent(f, 59, 5, UINT64_MAX - 4), 22);
    assert_int_equal(extent(f, 59, 0, 1 << 30), 28); /* more than there is */
    assert_int_equal(v4_write(&f->t, "file", &f->stateid, 1 << 20, data, sizeof data), 0);
    assert_int_equal(extent(f, 62, (1 << 20) + 100, UINT64_MAX - (1 << 21)), 0);
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
    struct file *f = *state;
    uint8_t data[4096];
    struct xdr x;
    uint32_t segments, n;
    const uint8_t *p;

    memset(data, 7, sizeof data);
    assert_int_equal(v4_write(&f->t, "file", &f->stateid, 0, data, sizeof data), 0);
    assert_int_equal(v4_write(&f->t, "file", &f->stateid, 40960, data, 10), 0);
    to_file(f, 68);
    v4_stateid_put(&f->t, &f->stateid);
    v4_u64(&f->t, 4000);
    v4_put(&f->t, 100000);
    assert_int_equal(v4_send(&f->t), 0);
    x = v4_nth(&f->t, 2);
    assert_int_equal(v4_get_u32(&x), 1);
    segments = v4_get_u32(&x);
    assert_int_equal(segments, 3);
    assert_int_equal(v4_get_u32(&x), 0);
    assert_true(v4_get_u64(&x) == 4000);
    assert_true(xdr_opaque(&x, &p, &n) && n == 96);
    assert_int_equal(v4_get_u32(&x), 1);
    assert_true(v4_get_u64(&x) == 4096);
    assert_true(v4_get_u64(&x) == 40960 - 4096);
    assert_int_equal(v4_get_u32(&x), 0);
    assert_true(v4_get_u64(&x) == 40960);
    assert_true(xdr_opaque(&x, &p, &n) && n == 10);
    assert_int_equal(f->t.reply.n_items, 0); /* not eligible */
    /* Less room than data. */
    f->t.room = 1000;
    to_file(f, 68);
    v4_stateid_put(&f->t, &f->stateid);
    v4_u64(&f->t, 0);
    v4_put(&f->t, 4096);
    assert_int_equal(v4_send(&f->t), 0);
    assert_true(f->t.reply.n <= 1000 && f->t.reply.n > 900);
}

static uint32_t copy(struct file *f, uint32_t op, const struct v4_stateid *to, uint64_t from_at, uint64_t to_at,
                     uint64_t n)
{
    to_file(f, 32);
    v4_root(&f->t);
    v4_lookup(&f->t, "copy");
    v4_op(&f->t, op);
    v4_stateid_put(&f->t, &f->stateid);
    v4_stateid_put(&f->t, to);
    v4_u64(&f->t, from_at);
    v4_u64(&f->t, to_at);
    v4_u64(&f->t, n);
    if (op == 60) {
        v4_put(&f->t, 1, 0, 0);
    }
    return v4_send(&f->t);
}

static void test_copy(void **state)
{
    struct file *f = *state;
    struct v4_stateid to;
    uint8_t data[70000];
    uint64_t seed = 9;
    struct xdr x;

    fill_random(&seed, data, sizeof data);
    assert_int_equal(v4_write(&f->t, "file", &f->stateid, 100000, data, sizeof data), 0);
    assert_int_equal(v4_open(&f->t, "me", "copy", 3, 0, true, &to), 0);
    assert_int_equal(copy(f, 60, &to, 5, 0, 0), 0); /* 0: all of it */
    x = v4_nth(&f->t, 5);
    assert_int_equal(v4_get_u32(&x), 0);
    assert_true(v4_get_u64(&x) == 169995);
    assert_true(size_of(f, "copy") == 169995);
    assert_int_equal(v4_read(&f->t, "copy", &to, 99995, 100000), 0);
    assert_int_equal(f->t.reply.items[0].n, 70000);
    assert_memory_equal(f->t.reply.p + f->t.reply.items[0].at, data, 70000);
    assert_int_equal(v4_read(&f->t, "copy", &to, 99991, 4), 0);
    assert_memory_equal(f->t.reply.p + f->t.reply.items[0].at, "\0\0\0", 4);
    assert_int_equal(copy(f, 71, &to, 100000, 7, 10), 0);
    assert_int_equal(v4_read(&f->t, "copy", &to, 7, 10), 0);
    assert_memory_equal(f->t.reply.p + f->t.reply.items[0].at, data, 10);
    assert_int_equal(copy(f, 71, &to, 100000, 7, 70001), 22); /* CLONE does all or nothing */
    assert_int_equal(copy(f, 60, &to, 200000, 7, 1), 22);
    /* Nobody knows a copy that is under way. */
    to_file(f, 67);
    v4_stateid_put(&f->t, &f->stateid);
    assert_int_equal(v4_send(&f->t), 10025);
}

/* ---- extended attributes ---- */

static uint32_t setxattr(struct file *f, uint32_t option, const char *name, const char *value)
{
    to_file(f, 73);
    v4_put(&f->t, option);
    v4_text(&f->t, name);
    v4_text(&f->t, value);
    return v4_send(&f->t);
}

static uint32_t by_name(struct file *f, uint32_t op, const char *name)
{
    to_file(f, op);
    v4_text(&f->t, name);
    return v4_send(&f->t);
}

static void test_xattrs(void **state)
{
    struct file *f = *state;
    struct xdr x;
    const uint8_t *p;
    uint32_t n, names = 0;
    uint64_t cookie = 0;
    bool eof = false;

    assert_int_equal(by_name(f, 72, "user"), 10095);
    assert_int_equal(setxattr(f, 2, "user", "v"), 10095);
    assert_int_equal(setxattr(f, 1, "user", "value"), 0);
    x = v4_nth(&f->t, 2);
    v4_get_u32(&x);
    assert_true(v4_get_u64(&x) < v4_get_u64(&x)); /* change_info4 */
    assert_int_equal(setxattr(f, 1, "user", "v"), 17);
    assert_int_equal(setxattr(f, 2, "user", "other"), 0);
    assert_int_equal(setxattr(f, 3, "user", "other"), 22);
    assert_int_equal(setxattr(f, 0, "", "other"), 22);
    assert_int_equal(by_name(f, 72, "user"), 0);
    x = v4_nth(&f->t, 2);
    assert_true(xdr_opaque(&x, &p, &n) && n == 5);
    assert_memory_equal(p, "other", 5);
    for (unsigned i = 1; i < 64; i++) {
        char name[8];

        g_snprintf(name, sizeof name, "n%u", i);
        assert_int_equal(setxattr(f, 0, name, "x"), 0);
    }
    assert_int_equal(setxattr(f, 0, "more", "x"), 28);
    while (!eof) {
        to_file(f, 74);
        v4_u64(&f->t, cookie);
        v4_put(&f->t, 100);
        assert_int_equal(v4_send(&f->t), 0);
        x = v4_nth(&f->t, 2);
        cookie = v4_get_u64(&x);
        n = v4_get_u32(&x);
        assert_true(n > 0);
        names += n;
        while (n-- > 0) {
            uint32_t length;

            assert_true(xdr_opaque(&x, &p, &length));
        }
        eof = v4_get_u32(&x);
        assert_true(x.at - v4_nth(&f->t, 2).at <= 100);
    }
    assert_int_equal(names, 64);
    to_file(f, 74);
    v4_u64(&f->t, 0);
    v4_put(&f->t, 20);
    assert_int_equal(v4_send(&f->t), 10005);
    assert_int_equal(by_name(f, 75, "user"), 0);
    assert_int_equal(by_name(f, 75, "user"), 10095);
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
