// SPDX-License-Identifier: GPL-2.0-or-later
/* NFSv4 of the stack's server: files written, read back, listed and attributed in every minor version. */
#include "tests/unit/support/nfs4_client.h"

static void with_each_minor(void (*test)(struct v4_client *t))
{
    for (unsigned minor = 0; minor <= 2; minor++) {
        struct v4_server on;
        struct v4_client t;

        v4_server_begin(&on);
        v4_begin(&t, &on, minor, false);
        v4_mount(&t, "client", false);
        test(&t);
        v4_end(&t);
        v4_server_end(&on);
    }
}

/* ---- the root ---- */

static void root_of(struct v4_client *t)
{
    struct xdr x;
    const uint8_t *handle;
    uint32_t n, words[3] = {0};

    v4_start_root(t);
    v4_op(t, 10);
    v4_op(t, 9, 3, 0xffffffff, 0xffbeffff); /* not time_access_set, time_modify_set: they cannot be read */
    v4_put(t, 0xfffdffff);                  /* nor mode_umask */
    assert_int_equal(v4_send(t), 0);
    x = v4_nth(t, 1);
    assert_true(xdr_opaque(&x, &handle, &n));
    assert_int_equal(n, 16);
    x = v4_nth(t, 2);
    n = v4_get_u32(&x);
    assert_true(n <= 3);
    for (uint32_t i = 0; i < n; i++)
        words[i] = v4_get_u32(&x);
    /* RFC 7530 section 5.6: the REQUIRED attributes are there; 12 (acl) is not. */
    assert_int_equal(words[0] & 0x00080fff, 0x00080fff);
    assert_int_equal(words[0] >> 12 & 1, 0);
    assert_int_equal(words[1] >> 1 & 1, 1);              /* mode */
    assert_int_equal(words[2] >> 11 & 1, t->minor > 0);  /* suppattr_exclcreat */
    assert_int_equal(words[2] >> 18 & 1, t->minor == 2); /* xattr_support */
    /* supported_attrs is the first of the values, and has no fewer bits than were reported. */
    v4_get_u32(&x);
    n = v4_get_u32(&x);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(words[i] & ~v4_get_u32(&x), 0);
    assert_int_equal(v4_get_u32(&x), 2); /* type: a directory */
    /* Handles lead back. */
    v4_start(t);
    v4_op(t, 22);
    xdr_out_opaque(&t->out, handle, 16);
    v4_op(t, 16);
    assert_int_equal(v4_send(t), 2); /* the root has no parent */
}

static void test_root(void **state)
{
    with_each_minor(root_of);
}

static void handles_of(struct v4_client *t)
{
    v4_start(t);
    v4_op(t, 22);
    v4_text(t, "nonsense");
    assert_int_equal(v4_send(t), 10001);
    v4_start(t);
    v4_op(t, 10);
    assert_int_equal(v4_send(t), 10020);
    v4_start(t);
    v4_op(t, 31);
    assert_int_equal(v4_send(t), t->minor == 0 ? 10030 : 10020);
    v4_start_on(t, "..");
    assert_int_equal(v4_send(t), 10041);
    v4_start_on(t, "");
    assert_int_equal(v4_send(t), 22);
}

static void test_handles(void **state)
{
    with_each_minor(handles_of);
}

/* ---- operations that are not there ---- */

static uint32_t send_op(struct v4_client *t, uint32_t number)
{
    v4_start(t);
    v4_op(t, number);
    return v4_send(t);
}

static void unknown_of(struct v4_client *t)
{
    static const uint32_t after[] = {40, 59, 76};

    assert_int_equal(send_op(t, after[t->minor]), 10044);
    assert_int_equal(t->results[t->n_results - 1].op, 10044);
    assert_int_equal(send_op(t, 2), 10044);
    assert_int_equal(send_op(t, 0xffffffff), 10044);
    v4_start_root(t);
    v4_op(t, 19, 0);
    assert_int_equal(v4_send(t), 10004);
    assert_int_equal(t->results[t->n_results - 1].op, 19);
    if (t->minor > 0)
        assert_int_equal(send_op(t, 30), 10004); /* RENEW is of minor version 0 */
}

static void test_unknown(void **state)
{
    struct v4_server on;
    struct v4_client t;

    with_each_minor(unknown_of);
    v4_server_begin(&on);
    v4_begin(&t, &on, 3, false);
    v4_compound(&t);
    v4_root(&t);
    assert_int_equal(v4_send(&t), 10021);
    assert_int_equal(t.n_results, 0);
    v4_end(&t);
    v4_server_end(&on);
}

/* ---- data ---- */

static void data_of(struct v4_client *t)
{
    struct v4_stateid stateid;
    uint8_t data[100001];
    uint64_t seed = 3;
    struct xdr x;
    const uint8_t *p;
    uint32_t n;

    fill_random(&seed, data, sizeof data);
    assert_int_equal(v4_open(t, "me", "file", 3, 0, true, &stateid), 0);
    assert_int_equal(v4_write(t, "file", &stateid, 0, data, sizeof data), 0);
    x = v4_nth(t, 2);
    assert_int_equal(v4_get_u32(&x), sizeof data);
    t->cache = false; /* it would be too big for that */
    assert_int_equal(v4_read(t, "file", &stateid, 1, sizeof data), 0);
    x = v4_nth(t, 2);
    assert_int_equal(v4_get_u32(&x), 1);
    assert_true(xdr_opaque(&x, &p, &n));
    assert_int_equal(n, sizeof data - 1);
    assert_memory_equal(p, data + 1, n);
    /* The data is marked as eligible, where it is. */
    assert_int_equal(t->reply.n_items, 1);
    assert_ptr_equal(t->reply.p + t->reply.items[0].at, p);
    assert_int_equal(t->reply.items[0].n, n);
    /* COMMIT has the verifier of WRITE. */
    v4_start_on(t, "file");
    v4_op(t, 5);
    v4_u64(t, 0);
    v4_put(t, 0);
    assert_int_equal(v4_send(t), 0);
    assert_int_equal(v4_close(t, "file", &stateid), 0);
    assert_int_equal(v4_read(t, "file", &stateid, 0, 1), 10025);
    /* The anonymous stateid reads, too. */
    assert_int_equal(v4_read(t, "file", &v4_anonymous, 0, 4), 0);
}

static void test_data(void **state)
{
    with_each_minor(data_of);
}

/* A requester that has told how much it can take. */
static void room_of(struct v4_client *t)
{
    struct v4_stateid stateid;
    uint8_t data[5000] = {1};
    struct xdr x;

    assert_int_equal(v4_open(t, "me", "file", 3, 0, true, &stateid), 0);
    assert_int_equal(v4_write(t, "file", &stateid, 0, data, sizeof data), 0);
    t->room = 1000;
    if (t->minor == 0) {
        assert_int_equal(v4_read(t, "file", &stateid, 0, 5000), 0);
        assert_true(t->reply.n <= 1000);
        x = v4_nth(t, 2);
        assert_int_equal(v4_get_u32(&x), 0);
        assert_true(v4_get_u32(&x) > 700);
    } else {
        assert_int_equal(v4_read(t, "file", &stateid, 0, 5000), 10066);
        t->room = 0;
        t->cache = true;
        assert_int_equal(v4_read(t, "file", &stateid, 0, 4090), 10067); /* too big to cache */
        t->cache = false;
        assert_int_equal(v4_read(t, "file", &stateid, 0, 4090), 0);
    }
    /* Nothing is removed when that could not be reported. */
    t->room = t->minor == 0 ? 64 : 116;
    v4_start_root(t);
    v4_op(t, 28);
    v4_text(t, "file");
    assert_int_equal(v4_send(t), t->minor == 0 ? 10018 : 10066);
    t->room = 0;
    assert_int_equal(v4_read(t, "file", &stateid, 0, 1), 0);
}

static void test_room(void **state)
{
    with_each_minor(room_of);
}

/* ---- names ---- */

static void make_directory(struct v4_client *t, const char *name)
{
    v4_start_root(t);
    v4_op(t, 6, 2);
    v4_text(t, name);
    v4_put(t, 0, 0);
}

static unsigned list(struct v4_client *t, uint32_t maxcount, bool *same)
{
    uint64_t cookie = 0, verifier = 0;
    unsigned entries = 0;
    bool eof = false;

    *same = true;
    while (!eof) {
        struct xdr x;

        v4_start_on(t, "many");
        v4_op(t, 26);
        v4_u64(t, cookie);
        v4_u64(t, verifier);
        v4_put(t, maxcount, maxcount, 1, 1 << 20 | 1 << 11 | 2);
        assert_int_equal(v4_send(t), 0);
        x = v4_nth(t, 2);
        verifier = v4_get_u64(&x);
        while (v4_get_u32(&x)) {
            const uint8_t *name;
            uint32_t n;
            char expected[16];

            cookie = v4_get_u64(&x);
            assert_true(cookie > 2);
            assert_true(xdr_opaque(&x, &name, &n));
            g_snprintf(expected, sizeof expected, "f%03u", entries++);
            *same = *same && n == 4 && memcmp(name, expected, 4) == 0;
            assert_int_equal(v4_get_u32(&x), 1);
            xdr_skip(&x, 4);
            assert_int_equal(v4_get_u32(&x), 16);
            xdr_skip(&x, 16);
        }
        eof = v4_get_u32(&x);
    }
    return entries;
}

static void names_of(struct v4_client *t)
{
    bool same;

    make_directory(t, "many");
    assert_int_equal(v4_send(t), 0);
    make_directory(t, "many");
    assert_int_equal(v4_send(t), 17);
    for (unsigned i = 0; i < 500; i++) {
        char name[8];

        g_snprintf(name, sizeof name, "f%03u", i);
        v4_start_on(t, "many");
        v4_op(t, 6, i % 2 ? 2 : 7);
        v4_text(t, name);
        v4_put(t, 0, 0);
        assert_int_equal(v4_send(t), 0);
    }
    t->cache = false; /* READDIR may be long */
    assert_int_equal(list(t, 512, &same), 500);
    assert_true(same);
    assert_int_equal(list(t, 1 << 19, &same), 500);
    /* Not even one entry would fit. */
    v4_start_on(t, "many");
    v4_op(t, 26);
    v4_u64(t, 0);
    v4_u64(t, 0);
    v4_put(t, 20, 20, 0);
    assert_int_equal(v4_send(t), 10005);
    /* A directory that is not empty stays. */
    v4_start_root(t);
    v4_op(t, 28);
    v4_text(t, "many");
    assert_int_equal(v4_send(t), 66);
    /* RENAME, with saved and current directory. */
    v4_start_on(t, "many");
    v4_op(t, 32);
    v4_root(t);
    v4_op(t, 29);
    v4_text(t, "f000");
    v4_text(t, "moved");
    assert_int_equal(v4_send(t), 0);
    v4_start_on(t, "moved");
    assert_int_equal(v4_send(t), 0);
}

static void test_names(void **state)
{
    with_each_minor(names_of);
}

static void links_of(struct v4_client *t)
{
    struct v4_stateid stateid;
    struct xdr x;
    const uint8_t *p;
    uint32_t n;

    v4_start_root(t);
    v4_op(t, 6, 5);
    v4_text(t, "some/where");
    v4_text(t, "link");
    v4_put(t, 0, 0);
    v4_op(t, 27);
    assert_int_equal(v4_send(t), 0);
    x = v4_nth(t, 2);
    assert_true(xdr_opaque(&x, &p, &n));
    assert_int_equal(n, 10);
    assert_memory_equal(p, "some/where", 10);
    assert_int_equal(t->reply.n_items, 1);
    assert_int_equal(v4_open(t, "me", "link", 1, 0, false, &stateid), 10029);
    v4_start_on(t, "link");
    v4_lookup(t, "x");
    assert_int_equal(v4_send(t), 10029);
    /* LINK: the file is saved, the directory current. */
    assert_int_equal(v4_open(t, "me", "file", 3, 0, true, &stateid), 0);
    v4_start_on(t, "file");
    v4_op(t, 32);
    v4_root(t);
    v4_op(t, 11);
    v4_text(t, "hard");
    v4_op(t, 31);
    v4_op(t, 9, 2, 0, 1 << 3);
    assert_int_equal(v4_send(t), 0);
    x = v4_nth(t, 6);
    xdr_skip(&x, 16);
    assert_int_equal(v4_get_u32(&x), 2);
}

static void test_links(void **state)
{
    with_each_minor(links_of);
}

/* ---- attributes ---- */

static void attributes_of(struct v4_client *t)
{
    struct v4_stateid stateid;
    struct xdr x;

    assert_int_equal(v4_open(t, "me", "file", 3, 0, true, &stateid), 0);
    v4_start_on(t, "file");
    v4_op(t, 34);
    v4_stateid_put(t, &stateid);
    v4_put(t, 2, 1 << 4, 1 << 1 | 1 << 4 | 1 << 22, 8 + 4 + 8 + 16);
    v4_u64(t, 1234);
    v4_put(t, 0600);
    v4_text(t, "1000");
    v4_put(t, 1);
    v4_u64(t, (uint64_t)-2);
    v4_put(t, 5);
    v4_op(t, 9, 2, 1 << 4, 1 << 1 | 1 << 4 | 1 << 21);
    assert_int_equal(v4_send(t), 0);
    x = v4_nth(t, 2);
    assert_int_equal(v4_get_u32(&x), 2);
    x = v4_nth(t, 3);
    xdr_skip(&x, 16);
    assert_int_equal(v4_get_u64(&x), 1234);
    assert_int_equal(v4_get_u32(&x), 0600);
    assert_int_equal(v4_get_u32(&x), 4);
    assert_memory_equal(x.p + x.at, "1000", 4);
    xdr_skip(&x, 4);
    assert_int_equal((int64_t)v4_get_u64(&x), -2);
    assert_int_equal(v4_get_u32(&x), 5);
    /* What cannot be set, is not known, or is no number. */
    for (unsigned bit = 0; bit < 3; bit++) {
        static const uint32_t bits[] = {1 << 1, 1 << 12, 1 << 4};
        static const uint32_t expected[] = {22, 10032, 10039};

        v4_start_root(t);
        v4_op(t, 34);
        v4_stateid_put(t, &v4_anonymous);
        v4_put(t, 2, bit < 2 ? bits[bit] : 0, bit < 2 ? 0 : bits[bit], 8);
        v4_text(t, "root");
        assert_int_equal(v4_send(t), expected[bit]);
    }
    /* Size words that are not there. */
    v4_start_root(t);
    v4_op(t, 34);
    v4_stateid_put(t, &v4_anonymous);
    v4_put(t, 1, 1 << 4, 4, 0);
    assert_int_equal(v4_send(t), 10036);
    /* VERIFY and NVERIFY of the size. */
    for (unsigned i = 0; i < 4; i++) {
        static const uint32_t expected[] = {0, 10027, 10009, 0};

        v4_start_on(t, "file");
        v4_op(t, i < 2 ? 37 : 17, 1, 1 << 4, 8);
        v4_u64(t, i % 2 ? 1 : 1234);
        assert_int_equal(v4_send(t), expected[i]);
    }
}

static void test_attributes(void **state)
{
    with_each_minor(attributes_of);
}

static void permissions_of(struct v4_client *t)
{
    struct v4_stateid stateid;
    struct xdr x;

    assert_int_equal(v4_open(t, "me", "file", 3, 0, true, &stateid), 0);
    t->uid = 5;
    v4_start_on(t, "file");
    v4_op(t, 3, 0x3f);
    assert_int_equal(v4_send(t), 0);
    x = v4_nth(t, 2);
    assert_int_equal(v4_get_u32(&x), 0x2d);
    assert_int_equal(v4_get_u32(&x), 1); /* mode 0644: others read */
    v4_start_on(t, "file");
    v4_op(t, 34);
    v4_stateid_put(t, &v4_anonymous);
    v4_put(t, 2, 0, 2, 4, 0777);
    assert_int_equal(v4_send(t), 1);
    assert_int_equal(v4_write(t, "file", &v4_anonymous, 0, "x", 1), 13);
}

static void test_permissions(void **state)
{
    with_each_minor(permissions_of);
}

/* ---- anything at all ---- */

static void test_hostile(void **state)
{
    struct v4_server on;
    struct v4_client t;
    uint64_t seed = 1;

    v4_server_begin(&on);
    for (unsigned minor = 0; minor <= 2; minor++) {
        struct v4_stateid stateid;

        v4_begin(&t, &on, minor, false);
        v4_mount(&t, minor == 1 ? "hostile" : "enemy", false);
        assert_int_equal(v4_open(&t, "me", "file", 3, 0, true, &stateid), 0);
        t.cache = false;
        for (unsigned i = 0; i < 20000; i++) {
            struct rpc_end_message call;
            uint32_t n = 1 + (uint32_t)(next_random(&seed) % 6);

            v4_start_root(&t);
            if (i % 3)
                v4_lookup(&t, "file");
            while (n-- > 0) {
                uint32_t words = (uint32_t)(next_random(&seed) % 20);

                v4_op(&t, 3 + (uint32_t)(next_random(&seed) % 73));
                if (next_random(&seed) % 2)
                    v4_stateid_put(&t, &stateid);
                while (words-- > 0)
                    v4_put(&t,
                           next_random(&seed) % 4 ? (uint32_t)(next_random(&seed) % 8) : (uint32_t)next_random(&seed));
            }
            v4_finish(&t, &call);
            call.n -= next_random(&seed) % 3 * 4;
            v4_deliver(&t, &call);
            g_free(call.p);
        }
        v4_end(&t);
    }
    v4_server_end(&on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_root),    cmocka_unit_test(test_handles),    cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_data),    cmocka_unit_test(test_room),       cmocka_unit_test(test_names),
        cmocka_unit_test(test_links),   cmocka_unit_test(test_attributes), cmocka_unit_test(test_permissions),
        cmocka_unit_test(test_hostile),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
