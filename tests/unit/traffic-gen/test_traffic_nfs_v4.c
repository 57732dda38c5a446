// SPDX-License-Identifier: GPL-2.0-or-later
/* NFSv4 of the stack's server: files written, read back, listed and attributed in every minor version. */
#include "nfs4_talk.h"

static void with_each_minor(void (*test)(struct talk *t))
{
    for (unsigned minor = 0; minor <= 2; minor++) {
        struct talk_server on;
        struct talk t;

        talk_server_begin(&on);
        talk_begin(&t, &on, minor, false);
        talk_mount(&t, "client", false);
        test(&t);
        talk_end(&t);
        talk_server_end(&on);
    }
}

/* ---- the root ---- */

static void root_of(struct talk *t)
{
    struct xdr x;
    const uint8_t *handle;
    uint32_t n, words[3] = {0};

    talk_start(t);
    talk_root(t);
    talk_op(t, 10);
    talk_op(t, 9);
    talk_u32(t, 3);
    talk_u32(t, 0xffffffff);
    talk_u32(t, 0xffbeffff); /* not time_access_set, time_modify_set: they cannot be read */
    talk_u32(t, 0xfffdffff); /* nor mode_umask */
    assert_int_equal(talk_send(t), 0);
    x = talk_nth(t, 1);
    assert_true(xdr_opaque(&x, &handle, &n));
    assert_int_equal(n, 16);
    x = talk_nth(t, 2);
    n = talk_get_u32(&x);
    assert_true(n <= 3);
    for (uint32_t i = 0; i < n; i++)
        words[i] = talk_get_u32(&x);
    /* RFC 7530 section 5.6: the REQUIRED attributes are there; 12 (acl) is not. */
    assert_int_equal(words[0] & 0x00080fff, 0x00080fff);
    assert_int_equal(words[0] >> 12 & 1, 0);
    assert_int_equal(words[1] >> 1 & 1, 1);              /* mode */
    assert_int_equal(words[2] >> 11 & 1, t->minor > 0);  /* suppattr_exclcreat */
    assert_int_equal(words[2] >> 18 & 1, t->minor == 2); /* xattr_support */
    /* supported_attrs is the first of the values, and has no fewer bits than were told. */
    talk_get_u32(&x);
    n = talk_get_u32(&x);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(words[i] & ~talk_get_u32(&x), 0);
    assert_int_equal(talk_get_u32(&x), 2); /* type: a directory */
    /* Handles lead back. */
    talk_start(t);
    talk_op(t, 22);
    xdr_out_opaque(&t->out, handle, 16);
    talk_op(t, 16);
    assert_int_equal(talk_send(t), 2); /* the root has no parent */
}

static void test_root(void **state)
{
    (void)state;
    with_each_minor(root_of);
}

static void handles_of(struct talk *t)
{
    talk_start(t);
    talk_op(t, 22);
    talk_text(t, "nonsense");
    assert_int_equal(talk_send(t), 10001);
    talk_start(t);
    talk_op(t, 10);
    assert_int_equal(talk_send(t), 10020);
    talk_start(t);
    talk_op(t, 31);
    assert_int_equal(talk_send(t), t->minor == 0 ? 10030 : 10020);
    talk_start(t);
    talk_root(t);
    talk_lookup(t, "..");
    assert_int_equal(talk_send(t), 10041);
    talk_start(t);
    talk_root(t);
    talk_lookup(t, "");
    assert_int_equal(talk_send(t), 22);
}

static void test_handles(void **state)
{
    (void)state;
    with_each_minor(handles_of);
}

/* ---- operations that are not there ---- */

static uint32_t send_op(struct talk *t, uint32_t number)
{
    talk_start(t);
    talk_op(t, number);
    return talk_send(t);
}

static void unknown_of(struct talk *t)
{
    static const uint32_t behind[] = {40, 59, 76};

    assert_int_equal(send_op(t, behind[t->minor]), 10044);
    assert_int_equal(t->results[t->n_results - 1].op, 10044);
    assert_int_equal(send_op(t, 2), 10044);
    assert_int_equal(send_op(t, 0xffffffff), 10044);
    talk_start(t);
    talk_root(t);
    talk_op(t, 19);
    talk_u32(t, 0);
    assert_int_equal(talk_send(t), 10004);
    assert_int_equal(t->results[t->n_results - 1].op, 19);
    if (t->minor > 0)
        assert_int_equal(send_op(t, 30), 10004); /* RENEW is of minor version 0 */
}

static void test_unknown(void **state)
{
    struct talk_server on;
    struct talk t;

    (void)state;
    with_each_minor(unknown_of);
    talk_server_begin(&on);
    talk_begin(&t, &on, 3, false);
    talk_compound(&t);
    talk_root(&t);
    assert_int_equal(talk_send(&t), 10021);
    assert_int_equal(t.n_results, 0);
    talk_end(&t);
    talk_server_end(&on);
}

/* ---- data ---- */

static void data_of(struct talk *t)
{
    struct talk_stateid stateid;
    uint8_t data[100001];
    uint64_t seed = 3;
    struct xdr x;
    const uint8_t *p;
    uint32_t n;

    fill_random(&seed, data, sizeof data);
    assert_int_equal(talk_open(t, "me", "file", 3, 0, true, &stateid), 0);
    assert_int_equal(talk_write(t, "file", &stateid, 0, data, sizeof data), 0);
    x = talk_nth(t, 2);
    assert_int_equal(talk_get_u32(&x), sizeof data);
    t->cache = false; /* it would be too big for that */
    assert_int_equal(talk_read(t, "file", &stateid, 1, sizeof data), 0);
    x = talk_nth(t, 2);
    assert_int_equal(talk_get_u32(&x), 1);
    assert_true(xdr_opaque(&x, &p, &n));
    assert_int_equal(n, sizeof data - 1);
    assert_memory_equal(p, data + 1, n);
    /* The data is marked as eligible, where it is. */
    assert_int_equal(t->reply.n_items, 1);
    assert_ptr_equal(t->reply.p + t->reply.items[0].at, p);
    assert_int_equal(t->reply.items[0].n, n);
    /* COMMIT has the verifier of WRITE. */
    talk_start(t);
    talk_root(t);
    talk_lookup(t, "file");
    talk_op(t, 5);
    talk_u64(t, 0);
    talk_u32(t, 0);
    assert_int_equal(talk_send(t), 0);
    assert_int_equal(talk_close(t, "file", &stateid), 0);
    assert_int_equal(talk_read(t, "file", &stateid, 0, 1), 10025);
    /* The anonymous stateid reads, too. */
    assert_int_equal(talk_read(t, "file", &talk_anonymous, 0, 4), 0);
}

static void test_data(void **state)
{
    (void)state;
    with_each_minor(data_of);
}

/* A requester that has told how much it can take. */
static void room_of(struct talk *t)
{
    struct talk_stateid stateid;
    uint8_t data[5000] = {1};
    struct xdr x;

    assert_int_equal(talk_open(t, "me", "file", 3, 0, true, &stateid), 0);
    assert_int_equal(talk_write(t, "file", &stateid, 0, data, sizeof data), 0);
    t->room = 1000;
    if (t->minor == 0) {
        assert_int_equal(talk_read(t, "file", &stateid, 0, 5000), 0);
        assert_true(t->reply.n <= 1000);
        x = talk_nth(t, 2);
        assert_int_equal(talk_get_u32(&x), 0);
        assert_true(talk_get_u32(&x) > 700);
    } else {
        assert_int_equal(talk_read(t, "file", &stateid, 0, 5000), 10066);
        t->room = 0;
        t->cache = true;
        assert_int_equal(talk_read(t, "file", &stateid, 0, 4090), 10067); /* too big to cache */
        t->cache = false;
        assert_int_equal(talk_read(t, "file", &stateid, 0, 4090), 0);
    }
    /* Nothing is removed when that could not be told. */
    t->room = t->minor == 0 ? 64 : 116;
    talk_start(t);
    talk_root(t);
    talk_op(t, 28);
    talk_text(t, "file");
    assert_int_equal(talk_send(t), t->minor == 0 ? 10018 : 10066);
    t->room = 0;
    assert_int_equal(talk_read(t, "file", &stateid, 0, 1), 0);
}

static void test_room(void **state)
{
    (void)state;
    with_each_minor(room_of);
}

/* ---- names ---- */

static void make_directory(struct talk *t, const char *name)
{
    talk_start(t);
    talk_root(t);
    talk_op(t, 6);
    talk_u32(t, 2);
    talk_text(t, name);
    talk_u32(t, 0);
    talk_u32(t, 0);
}

static unsigned list(struct talk *t, uint32_t maxcount, bool *same)
{
    uint64_t cookie = 0, verifier = 0;
    unsigned entries = 0;
    bool eof = false;

    *same = true;
    while (!eof) {
        struct xdr x;

        talk_start(t);
        talk_root(t);
        talk_lookup(t, "many");
        talk_op(t, 26);
        talk_u64(t, cookie);
        talk_u64(t, verifier);
        talk_u32(t, maxcount);
        talk_u32(t, maxcount);
        talk_u32(t, 1);
        talk_u32(t, 1 << 20 | 1 << 11 | 2);
        assert_int_equal(talk_send(t), 0);
        x = talk_nth(t, 2);
        verifier = talk_get_u64(&x);
        while (talk_get_u32(&x)) {
            const uint8_t *name;
            uint32_t n;
            char expected[16];

            cookie = talk_get_u64(&x);
            assert_true(cookie > 2);
            assert_true(xdr_opaque(&x, &name, &n));
            g_snprintf(expected, sizeof expected, "f%03u", entries++);
            *same = *same && n == 4 && memcmp(name, expected, 4) == 0;
            assert_int_equal(talk_get_u32(&x), 1);
            xdr_skip(&x, 4);
            assert_int_equal(talk_get_u32(&x), 16);
            xdr_skip(&x, 16);
        }
        eof = talk_get_u32(&x);
    }
    return entries;
}

static void names_of(struct talk *t)
{
    bool same;

    make_directory(t, "many");
    assert_int_equal(talk_send(t), 0);
    make_directory(t, "many");
    assert_int_equal(talk_send(t), 17);
    for (unsigned i = 0; i < 500; i++) {
        char name[8];

        g_snprintf(name, sizeof name, "f%03u", i);
        talk_start(t);
        talk_root(t);
        talk_lookup(t, "many");
        talk_op(t, 6);
        talk_u32(t, i % 2 ? 2 : 7);
        talk_text(t, name);
        talk_u32(t, 0);
        talk_u32(t, 0);
        assert_int_equal(talk_send(t), 0);
    }
    t->cache = false; /* READDIR may be long */
    assert_int_equal(list(t, 512, &same), 500);
    assert_true(same);
    assert_int_equal(list(t, 1 << 19, &same), 500);
    /* Not even one entry would fit. */
    talk_start(t);
    talk_root(t);
    talk_lookup(t, "many");
    talk_op(t, 26);
    talk_u64(t, 0);
    talk_u64(t, 0);
    talk_u32(t, 20);
    talk_u32(t, 20);
    talk_u32(t, 0);
    assert_int_equal(talk_send(t), 10005);
    /* A directory that is not empty stays. */
    talk_start(t);
    talk_root(t);
    talk_op(t, 28);
    talk_text(t, "many");
    assert_int_equal(talk_send(t), 66);
    /* RENAME, with saved and current directory. */
    talk_start(t);
    talk_root(t);
    talk_lookup(t, "many");
    talk_op(t, 32);
    talk_root(t);
    talk_op(t, 29);
    talk_text(t, "f000");
    talk_text(t, "moved");
    assert_int_equal(talk_send(t), 0);
    talk_start(t);
    talk_root(t);
    talk_lookup(t, "moved");
    assert_int_equal(talk_send(t), 0);
}

static void test_names(void **state)
{
    (void)state;
    with_each_minor(names_of);
}

static void links_of(struct talk *t)
{
    struct talk_stateid stateid;
    struct xdr x;
    const uint8_t *p;
    uint32_t n;

    talk_start(t);
    talk_root(t);
    talk_op(t, 6);
    talk_u32(t, 5);
    talk_text(t, "some/where");
    talk_text(t, "link");
    talk_u32(t, 0);
    talk_u32(t, 0);
    talk_op(t, 27);
    assert_int_equal(talk_send(t), 0);
    x = talk_nth(t, 2);
    assert_true(xdr_opaque(&x, &p, &n));
    assert_int_equal(n, 10);
    assert_memory_equal(p, "some/where", 10);
    assert_int_equal(t->reply.n_items, 1);
    assert_int_equal(talk_open(t, "me", "link", 1, 0, false, &stateid), 10029);
    talk_start(t);
    talk_root(t);
    talk_lookup(t, "link");
    talk_lookup(t, "x");
    assert_int_equal(talk_send(t), 10029);
    /* LINK: the file is saved, the directory current. */
    assert_int_equal(talk_open(t, "me", "file", 3, 0, true, &stateid), 0);
    talk_start(t);
    talk_root(t);
    talk_lookup(t, "file");
    talk_op(t, 32);
    talk_root(t);
    talk_op(t, 11);
    talk_text(t, "hard");
    talk_op(t, 31);
    talk_op(t, 9);
    talk_u32(t, 2);
    talk_u32(t, 0);
    talk_u32(t, 1 << 3);
    assert_int_equal(talk_send(t), 0);
    x = talk_nth(t, 6);
    xdr_skip(&x, 16);
    assert_int_equal(talk_get_u32(&x), 2);
}

static void test_links(void **state)
{
    (void)state;
    with_each_minor(links_of);
}

/* ---- attributes ---- */

static void attributes_of(struct talk *t)
{
    struct talk_stateid stateid;
    struct xdr x;

    assert_int_equal(talk_open(t, "me", "file", 3, 0, true, &stateid), 0);
    talk_start(t);
    talk_root(t);
    talk_lookup(t, "file");
    talk_op(t, 34);
    talk_stateid_put(t, &stateid);
    talk_u32(t, 2);
    talk_u32(t, 1 << 4);
    talk_u32(t, 1 << 1 | 1 << 4 | 1 << 22);
    talk_u32(t, 8 + 4 + 8 + 16);
    talk_u64(t, 1234);
    talk_u32(t, 0600);
    talk_text(t, "1000");
    talk_u32(t, 1);
    talk_u64(t, (uint64_t)-2);
    talk_u32(t, 5);
    talk_op(t, 9);
    talk_u32(t, 2);
    talk_u32(t, 1 << 4);
    talk_u32(t, 1 << 1 | 1 << 4 | 1 << 21);
    assert_int_equal(talk_send(t), 0);
    x = talk_nth(t, 2);
    assert_int_equal(talk_get_u32(&x), 2);
    x = talk_nth(t, 3);
    xdr_skip(&x, 16);
    assert_int_equal(talk_get_u64(&x), 1234);
    assert_int_equal(talk_get_u32(&x), 0600);
    assert_int_equal(talk_get_u32(&x), 4);
    assert_memory_equal(x.p + x.at, "1000", 4);
    xdr_skip(&x, 4);
    assert_int_equal((int64_t)talk_get_u64(&x), -2);
    assert_int_equal(talk_get_u32(&x), 5);
    /* What cannot be set, is not known, or is no number. */
    for (unsigned bit = 0; bit < 3; bit++) {
        static const uint32_t bits[] = {1 << 1, 1 << 12, 1 << 4};
        static const uint32_t expected[] = {22, 10032, 10039};

        talk_start(t);
        talk_root(t);
        talk_op(t, 34);
        talk_stateid_put(t, &talk_anonymous);
        talk_u32(t, 2);
        talk_u32(t, bit < 2 ? bits[bit] : 0);
        talk_u32(t, bit < 2 ? 0 : bits[bit]);
        talk_u32(t, 8);
        talk_text(t, "root");
        assert_int_equal(talk_send(t), expected[bit]);
    }
    /* Size words that are not there. */
    talk_start(t);
    talk_root(t);
    talk_op(t, 34);
    talk_stateid_put(t, &talk_anonymous);
    talk_u32(t, 1);
    talk_u32(t, 1 << 4);
    talk_u32(t, 4);
    talk_u32(t, 0);
    assert_int_equal(talk_send(t), 10036);
    /* VERIFY and NVERIFY of the size. */
    for (unsigned i = 0; i < 4; i++) {
        static const uint32_t expected[] = {0, 10027, 10009, 0};

        talk_start(t);
        talk_root(t);
        talk_lookup(t, "file");
        talk_op(t, i < 2 ? 37 : 17);
        talk_u32(t, 1);
        talk_u32(t, 1 << 4);
        talk_u32(t, 8);
        talk_u64(t, i % 2 ? 1 : 1234);
        assert_int_equal(talk_send(t), expected[i]);
    }
}

static void test_attributes(void **state)
{
    (void)state;
    with_each_minor(attributes_of);
}

static void permissions_of(struct talk *t)
{
    struct talk_stateid stateid;
    struct xdr x;

    assert_int_equal(talk_open(t, "me", "file", 3, 0, true, &stateid), 0);
    t->uid = 5;
    talk_start(t);
    talk_root(t);
    talk_lookup(t, "file");
    talk_op(t, 3);
    talk_u32(t, 0x3f);
    assert_int_equal(talk_send(t), 0);
    x = talk_nth(t, 2);
    assert_int_equal(talk_get_u32(&x), 0x2d);
    assert_int_equal(talk_get_u32(&x), 1); /* mode 0644: others read */
    talk_start(t);
    talk_root(t);
    talk_lookup(t, "file");
    talk_op(t, 34);
    talk_stateid_put(t, &talk_anonymous);
    talk_u32(t, 2);
    talk_u32(t, 0);
    talk_u32(t, 2);
    talk_u32(t, 4);
    talk_u32(t, 0777);
    assert_int_equal(talk_send(t), 1);
    assert_int_equal(talk_write(t, "file", &talk_anonymous, 0, "x", 1), 13);
}

static void test_permissions(void **state)
{
    (void)state;
    with_each_minor(permissions_of);
}

/* ---- anything at all ---- */

static void test_hostile(void **state)
{
    struct talk_server on;
    struct talk t;
    uint64_t seed = 1;

    (void)state;
    talk_server_begin(&on);
    for (unsigned minor = 0; minor <= 2; minor++) {
        struct talk_stateid stateid;

        talk_begin(&t, &on, minor, false);
        talk_mount(&t, minor == 1 ? "hostile" : "enemy", false);
        assert_int_equal(talk_open(&t, "me", "file", 3, 0, true, &stateid), 0);
        t.cache = false;
        for (unsigned i = 0; i < 20000; i++) {
            struct rpc_end_message call;
            uint32_t n = 1 + (uint32_t)(next_random(&seed) % 6);

            talk_start(&t);
            talk_root(&t);
            if (i % 3)
                talk_lookup(&t, "file");
            while (n-- > 0) {
                uint32_t words = (uint32_t)(next_random(&seed) % 20);

                talk_op(&t, 3 + (uint32_t)(next_random(&seed) % 73));
                if (next_random(&seed) % 2)
                    talk_stateid_put(&t, &stateid);
                while (words-- > 0)
                    talk_u32(&t, next_random(&seed) % 4 ? (uint32_t)(next_random(&seed) % 8)
                                                        : (uint32_t)next_random(&seed));
            }
            talk_finish(&t, &call);
            call.n -= next_random(&seed) % 3 * 4;
            talk_deliver(&t, &call);
            g_free(call.p);
        }
        talk_end(&t);
    }
    talk_server_end(&on);
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
