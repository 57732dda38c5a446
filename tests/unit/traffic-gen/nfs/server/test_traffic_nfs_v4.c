// SPDX-License-Identifier: GPL-2.0-or-later
/* NFSv4 of the stack's server: files written, read back, listed and attributed in every minor version. */
#include "tests/unit/support/nfs4_client.h"

#include <inttypes.h>

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
    static const char *const masks[] = {"mask0", "mask1", "mask2"};
    uint8_t handle[16];
    uint32_t n, words[3] = {0};
    struct xdr x;

    /* Not time_access_set, time_modify_set: they cannot be read; nor mode_umask. */
    assert_int_equal(v4_ask(t, NULL, "/,getfh,getattr:masks=3:mask0=0xffffffff:mask1=0xffbeffff:mask2=0xfffdffff"), 0);
    assert_true(v4_number(t, "masks") <= 3);
    memcpy(handle, v4_octets(t, "handle", &n), sizeof handle);
    assert_int_equal(n, sizeof handle);
    for (uint32_t i = 0; i < 3; i++)
        words[i] = (uint32_t)nfs_results_number(&t->fields, masks[i], 0);
    /* RFC 7530 section 5.6: the REQUIRED attributes are there; 12 (acl) is not. */
    assert_int_equal(words[0] & 0x00080fff, 0x00080fff);
    assert_int_equal(words[0] >> 12 & 1, 0);
    assert_int_equal(words[1] >> 1 & 1, 1);              /* mode */
    assert_int_equal(words[2] >> 11 & 1, t->minor > 0);  /* suppattr_exclcreat */
    assert_int_equal(words[2] >> 18 & 1, t->minor == 2); /* xattr_support */
    /* supported_attrs is the first of the values, and has no fewer bits than were reported. */
    x = v4_attributes(t);
    n = v4_get_u32(&x);
    for (uint32_t i = 0; i < n && i < 3; i++)
        assert_int_equal(words[i] & ~v4_get_u32(&x), 0);
    assert_int_equal(v4_get_u32(&x), 2); /* type: a directory */
    /* Handles lead back. */
    assert_int_equal(v4_ask_with(t, NULL, handle, sizeof handle, "putfh,lookupp"), 2); /* the root has no parent */
}

static void test_root(void **state)
{
    with_each_minor(root_of);
}

static void handles_of(struct v4_client *t)
{
    assert_int_equal(v4_ask(t, NULL, "putfh:8"), 10001);
    assert_int_equal(v4_ask(t, NULL, "getfh"), 10020);
    assert_int_equal(v4_ask(t, NULL, "restorefh"), t->minor == 0 ? 10030 : 10020);
    assert_int_equal(v4_ask(t, NULL, "/.."), 10041);
    assert_int_equal(v4_ask(t, NULL, "/,lookup:"), 22);
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
    assert_int_equal(v4_ask(t, NULL, "/,openattr"), 10004);
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
    const uint8_t *p;
    uint32_t n;

    fill_random(&seed, data, sizeof data);
    assert_int_equal(v4_open(t, "me", "file", 3, 0, true, &stateid), 0);
    assert_int_equal(v4_write(t, "file", &stateid, 0, data, sizeof data), 0);
    assert_int_equal(v4_number(t, "count"), sizeof data);
    t->cache = false; /* it would be too big for that */
    assert_int_equal(v4_read(t, "file", &stateid, 1, sizeof data), 0);
    assert_int_equal(v4_number(t, "eof"), 1);
    p = v4_octets(t, "data", &n);
    assert_int_equal(n, sizeof data - 1);
    assert_memory_equal(p, data + 1, n);
    /* The data is marked as eligible, where it is. */
    assert_int_equal(t->reply.n_items, 1);
    assert_ptr_equal(t->reply.p + t->reply.items[0].at, p);
    assert_int_equal(t->reply.items[0].n, n);
    assert_int_equal(v4_ask(t, NULL, "/file,commit"), 0);
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
    uint32_t n;

    assert_int_equal(v4_open(t, "me", "file", 3, 0, true, &stateid), 0);
    assert_int_equal(v4_write(t, "file", &stateid, 0, data, sizeof data), 0);
    t->room = 1000;
    if (t->minor == 0) {
        assert_int_equal(v4_read(t, "file", &stateid, 0, 5000), 0);
        assert_true(t->reply.n <= 1000);
        assert_int_equal(v4_number(t, "eof"), 0);
        v4_octets(t, "data", &n);
        assert_true(n > 700);
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
    assert_int_equal(v4_ask(t, NULL, "/,remove:file"), t->minor == 0 ? 10018 : 10066);
    t->room = 0;
    assert_int_equal(v4_read(t, "file", &stateid, 0, 1), 0);
}

static void test_room(void **state)
{
    with_each_minor(room_of);
}

/* ---- names ---- */

static uint32_t make_directory(struct v4_client *t, const char *name)
{
    return v4_ask_with(t, NULL, "", 0, "/,create:objtype=2:masks=0:name=%s", name);
}

static unsigned list(struct v4_client *t, uint32_t maxcount, bool *same)
{
    uint64_t cookie = 0;
    unsigned entries = 0;

    *same = true;
    t->verifier = 0;
    do {
        const GArray *items;

        assert_int_equal(v4_ask(t, NULL, "/many,readdir:%u:dircount=%u:cookie=%" PRIu64 ":masks=1:mask0=0x00100802",
                                maxcount, maxcount, cookie),
                         0);
        t->verifier = nfs_results_hyper(&t->fields, "cookieverf");
        cookie = v4_number(t, "cookie");
        for (guint i = 0; i < t->fields.body.fields->len; i++) {
            const struct nfs_field *field = &g_array_index(t->fields.body.fields, struct nfs_field, i);

            assert_true(strcmp(field->name, "cookie") != 0 || field->value > 2);
        }
        items = t->fields.body.items;
        for (guint i = 0; i < items->len; i++) {
            const struct nfs_body_item *item = &g_array_index(items, struct nfs_body_item, i);
            char expected[16];

            if (strcmp(item->name, "attrs") == 0)
                assert_int_equal(item->length, 16);
            if (strcmp(item->name, "name") != 0)
                continue;
            g_snprintf(expected, sizeof expected, "f%03u", entries++);
            *same = *same && item->length == 4 && memcmp(t->reply.p + item->at, expected, 4) == 0;
        }
    } while (!v4_number(t, "eof"));
    return entries;
}

static void names_of(struct v4_client *t)
{
    bool same;

    assert_int_equal(make_directory(t, "many"), 0);
    assert_int_equal(make_directory(t, "many"), 17);
    for (unsigned i = 0; i < 500; i++)
        assert_int_equal(v4_ask_with(t, NULL, "", 0, "/many,create:objtype=%u:masks=0:name=f%03u", i % 2 ? 2 : 7, i),
                         0);
    t->cache = false; /* READDIR may be long */
    assert_int_equal(list(t, 512, &same), 500);
    assert_true(same);
    assert_int_equal(list(t, 1 << 19, &same), 500);
    /* Not even one entry would fit. */
    t->verifier = 0;
    assert_int_equal(v4_ask(t, NULL, "/many,readdir:20:dircount=20:masks=0"), 10005);
    /* A directory that is not empty stays. */
    assert_int_equal(v4_ask(t, NULL, "/,remove:many"), 66);
    /* RENAME, with saved and current directory. */
    assert_int_equal(v4_ask(t, NULL, "/many,savefh,putrootfh,rename:f000:toname=moved"), 0);
    assert_int_equal(v4_ask(t, NULL, "/moved"), 0);
}

static void test_names(void **state)
{
    with_each_minor(names_of);
}

static void links_of(struct v4_client *t)
{
    struct v4_stateid stateid;
    uint32_t n;
    struct xdr x;

    assert_int_equal(v4_ask(t, NULL, "/,create:10:name=link,readlink"), 0);
    assert_memory_equal(v4_octets(t, "link", &n), "aaaaa/aaaa", 10);
    assert_int_equal(n, 10);
    assert_int_equal(t->reply.n_items, 1);
    assert_int_equal(v4_open(t, "me", "link", 1, 0, false, &stateid), 10029);
    assert_int_equal(v4_ask(t, NULL, "/link,lookup:x"), 10029);
    /* LINK: the file is saved, the directory current. */
    assert_int_equal(v4_open(t, "me", "file", 3, 0, true, &stateid), 0);
    assert_int_equal(v4_ask(t, NULL, "/file,savefh,putrootfh,link:hard,restorefh,getattr:0:mask1=8"), 0);
    x = v4_attributes(t);
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
    struct xdr_out values;
    struct xdr x;

    assert_int_equal(v4_open(t, "me", "file", 3, 0, true, &stateid), 0);
    xdr_out_begin(&values);
    xdr_out_u64(&values, 1234);
    xdr_out_u32(&values, 0600);
    xdr_out_opaque(&values, "1000", 4);
    xdr_out_u32(&values, 1);
    xdr_out_u64(&values, (uint64_t)-2);
    xdr_out_u32(&values, 5);
    assert_int_equal(v4_ask_with(t, &stateid, values.octets->data, values.octets->len,
                                 "/file,setattr:mask0=0x10:mask1=0x00400012,getattr:0x10:mask1=0x00200012"),
                     0);
    xdr_out_free(&values);
    assert_int_equal(v4_number(t, "attrsset"), 2);
    x = v4_attributes(t);
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

        assert_int_equal(v4_ask_with(t, NULL, "\0\0\0\4root", 8, "/,setattr:mask0=%u:mask1=%u", bit < 2 ? bits[bit] : 0,
                                     bit < 2 ? 0 : bits[bit]),
                         expected[bit]);
    }
    /* Size words that are not there. */
    assert_int_equal(v4_ask_with(t, NULL, "\0\0\0", 4, "/,setattr:masks=1:mask0=0x10"), 10036);
    /* VERIFY and NVERIFY of the size. */
    for (unsigned i = 0; i < 4; i++) {
        static const uint32_t expected[] = {0, 10027, 10009, 0};
        uint8_t size[8];

        put_be64(size, i % 2 ? 1 : 1234);
        assert_int_equal(
            v4_ask_with(t, NULL, size, sizeof size, "/file,%s:masks=1:mask0=0x10", i < 2 ? "verify" : "nverify"),
            expected[i]);
    }
}

static void test_attributes(void **state)
{
    with_each_minor(attributes_of);
}

static void permissions_of(struct v4_client *t)
{
    static const uint8_t mode[] = {0, 0, 0777 >> 8, 0777 & 0xff};
    struct v4_stateid stateid;

    assert_int_equal(v4_open(t, "me", "file", 3, 0, true, &stateid), 0);
    t->uid = 5;
    assert_int_equal(v4_ask(t, NULL, "/file,access:0x3f"), 0);
    assert_int_equal(v4_number(t, "supported"), 0x2d);
    assert_int_equal(v4_number(t, "access"), 1); /* mode 0644: others read */
    assert_int_equal(v4_ask_with(t, NULL, mode, sizeof mode, "/file,setattr"), 1);
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
