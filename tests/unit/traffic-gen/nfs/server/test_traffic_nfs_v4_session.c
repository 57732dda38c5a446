// SPDX-License-Identifier: GPL-2.0-or-later
/* Clients and sessions of the stack's NFSv4 server: RFC 8881 sections 2.4, 2.10, 18.35 to 18.37, 18.46. */
#include "tests/unit/support/nfs4_client.h"

struct both {
    struct v4_server on;
    struct v4_client t, other;
};

static int begin(void **state)
{
    struct both *b = g_new0(struct both, 1);

    v4_server_begin(&b->on);
    v4_begin(&b->t, &b->on, 1, false);
    v4_begin(&b->other, &b->on, 1, false);
    *state = b;
    return 0;
}

static int end(void **state)
{
    struct both *b = *state;

    v4_end(&b->t);
    v4_end(&b->other);
    v4_server_end(&b->on);
    g_free(b);
    return 0;
}

/* ---- EXCHANGE_ID, CREATE_SESSION ---- */

static uint32_t flags_of_exchange(const struct v4_client *t)
{
    struct xdr x = v4_result(t, 0);

    xdr_skip(&x, 12);
    return v4_get_u32(&x);
}

static void test_exchange_id(void **state)
{
    struct both *b = *state;
    struct v4_client *t = &b->t;
    uint64_t first;

    assert_int_equal(v4_exchange_id(t, "c", 1, 0x40000000), 2); /* an update of nothing */
    assert_int_equal(v4_exchange_id(t, "c", 1, 0x80000000), 22);
    assert_int_equal(v4_exchange_id(t, "c", 1, 0), 0);
    assert_int_equal(flags_of_exchange(t), 0x00010000);
    first = t->client;
    assert_int_equal(v4_create_session(t, 1, false), 0);
    assert_int_equal(v4_exchange_id(t, "c", 1, 0), 0);
    assert_int_equal(flags_of_exchange(t), 0x80010000);
    assert_true(t->client == first);
    assert_int_equal(v4_exchange_id(t, "c", 1, 0x40000000), 0);
    assert_int_equal(v4_exchange_id(t, "c", 2, 0x40000000), 10027);
    t->uid = 9;
    assert_int_equal(v4_exchange_id(t, "c", 1, 0x40000000), 1);
    t->uid = 0;
    /* A restart: another client id, and with its first session the old one is gone. */
    assert_int_equal(v4_exchange_id(t, "c", 2, 0), 0);
    assert_true(t->client != first);
    v4_start(t);
    assert_int_equal(v4_send(t), 0); /* the old session works until then */
    assert_int_equal(v4_create_session(&b->other, 1, false), 10022);
    b->other.client = t->client;
    assert_int_equal(v4_create_session(&b->other, 1, false), 0);
    v4_start(t);
    assert_int_equal(v4_send(t), 10052);
}

static void test_create_session_again(void **state)
{
    struct both *b = *state;
    struct v4_client *t = &b->t;
    uint8_t session[16];

    assert_int_equal(v4_exchange_id(t, "c", 1, 0), 0);
    assert_int_equal(v4_create_session(t, 0, false), 10063); /* there is nothing to say again */
    assert_int_equal(v4_create_session(t, 2, false), 10063);
    assert_int_equal(v4_create_session(t, 1, false), 0);
    memcpy(session, t->session, 16);
    assert_int_equal(v4_create_session(t, 1, false), 0);
    assert_memory_equal(session, t->session, 16);
    assert_int_equal(v4_create_session(t, 2, false), 0);
    assert_memory_not_equal(session, t->session, 16);
    assert_int_equal(v4_create_session(t, 4, false), 10063);
}

/* What comes back is never more than was asked for. */
static void test_channels(void **state)
{
    struct both *b = *state;
    struct v4_client *t = &b->t;
    struct xdr x;

    assert_int_equal(v4_exchange_id(t, "c", 1, 0), 0);
    v4_compound(t);
    v4_op(t, 43);
    v4_u64(t, t->client);
    v4_put(t, 1, 0);
    v4_channel(t, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff);
    v4_channel(t, 4096, 4096, 0, 2, 16);
    v4_put(t, 0x40000000, 0);
    assert_int_equal(v4_send(t), 0);
    x = v4_result(t, 0);
    xdr_skip(&x, 16 + 4 + 4 + 4);
    assert_int_equal(v4_get_u32(&x), (1 << 20) + 16384);
    assert_int_equal(v4_get_u32(&x), (1 << 20) + 16384);
    assert_int_equal(v4_get_u32(&x), 4096);
    assert_int_equal(v4_get_u32(&x), 64);
    assert_int_equal(v4_get_u32(&x), 64);
    /* Too small to be of use; and the sequence has moved on. */
    v4_compound(t);
    v4_op(t, 43);
    v4_u64(t, t->client);
    v4_put(t, 2, 0);
    v4_channel(t, 100, 4096, 0, 8, 1);
    v4_channel(t, 4096, 4096, 0, 2, 16);
    v4_put(t, 0x40000000, 0);
    assert_int_equal(v4_send(t), 10005);
    assert_int_equal(v4_create_session(t, 2, false), 10005);
    assert_int_equal(v4_create_session(t, 3, false), 0);
}

/* ---- where operations may stand ---- */

static void test_places(void **state)
{
    struct both *b = *state;
    struct v4_client *t = &b->t;

    v4_mount(t, "c", false);
    v4_compound(t);
    v4_root(t);
    assert_int_equal(v4_send(t), 10071);
    v4_start(t);
    v4_sequence_on(t, 1, 1);
    assert_int_equal(v4_send(t), 10064);
    v4_compound(t);
    v4_op(t, 44);
    xdr_out_fixed(&t->out, t->session, 16);
    v4_root(t);
    assert_int_equal(v4_send(t), 10081);
    v4_start(t);
    v4_op(t, 41);
    xdr_out_fixed(&t->out, t->session, 16);
    v4_put(t, 1, 0);
    assert_int_equal(v4_send(t), 10081);
    /* One's own session: the last operation only. */
    v4_start(t);
    v4_op(t, 44);
    xdr_out_fixed(&t->out, t->session, 16);
    v4_root(t);
    assert_int_equal(v4_send(t), 10081);
    v4_start(t);
    v4_op(t, 57);
    v4_u64(t, t->client);
    assert_int_equal(v4_send(t), 10074);
    v4_start(t);
    v4_op(t, 44);
    xdr_out_fixed(&t->out, t->session, 16);
    assert_int_equal(v4_send(t), 0);
    v4_start(t);
    assert_int_equal(v4_send(t), 10052);
    v4_compound(t);
    v4_op(t, 57);
    v4_u64(t, t->client);
    assert_int_equal(v4_send(t), 0);
    v4_compound(t);
    v4_op(t, 57);
    v4_u64(t, t->client);
    assert_int_equal(v4_send(t), 10022);
}

/* ---- slots ---- */

static void make_put(struct v4_client *t, uint32_t slot, uint32_t sequence, const char *name)
{
    v4_compound(t);
    v4_sequence_on(t, slot, sequence);
    v4_root(t);
    v4_op(t, 6, 2);
    v4_text(t, name);
    v4_put(t, 0, 0);
}

static void test_retry(void **state)
{
    struct both *b = *state;
    struct v4_client *t = &b->t;
    struct rpc_end_message first;

    v4_mount(t, "c", false);
    make_put(t, 3, 1, "d");
    assert_int_equal(v4_send(t), 0);
    first = t->reply;
    t->reply.p = NULL;
    /* The same once more: not done again, and answered octet for octet but for the XID. */
    make_put(t, 3, 1, "d");
    assert_int_equal(v4_send(t), 0);
    assert_int_equal(t->reply.n, first.n);
    assert_memory_equal(t->reply.p + 4, first.p + 4, first.n - 4);
    g_free(first.p);
    make_put(t, 3, 1, "e");
    assert_int_equal(v4_send(t), 10076);
    make_put(t, 3, 3, "d");
    assert_int_equal(v4_send(t), 10063);
    make_put(t, 3, 0, "d");
    assert_int_equal(v4_send(t), 10063);
    make_put(t, 4, 0, "d");
    assert_int_equal(v4_send(t), 10063); /* a slot that was never used has nothing to repeat */
    make_put(t, 3, 2, "d");
    assert_int_equal(v4_send(t), 17);
    make_put(t, 3, 2, "d");
    assert_int_equal(v4_send(t), 17); /* errors are kept, too */
    make_put(t, V4_SLOTS, 1, "d");
    assert_int_equal(v4_send(t), 10053);
}

static void test_uncached(void **state)
{
    struct both *b = *state;
    struct v4_client *t = &b->t;

    v4_mount(t, "c", false);
    t->cache = false;
    make_put(t, 0, 2, "d");
    assert_int_equal(v4_send(t), 0);
    make_put(t, 0, 2, "d");
    assert_int_equal(v4_send(t), 10068);
    assert_int_equal(t->n_results, 2); /* SEQUENCE is answered, what follows it is not */
}

/* Items of a kept Reply are where they were. */
static void test_retry_of_read(void **state)
{
    struct both *b = *state;
    struct v4_client *t = &b->t;
    struct v4_stateid stateid;

    v4_mount(t, "c", false);
    assert_int_equal(v4_open(t, "me", "file", 3, 0, true, &stateid), 0);
    assert_int_equal(v4_write(t, "file", &stateid, 0, "contents", 8), 0);
    assert_int_equal(v4_read(t, "file", &stateid, 0, 100), 0);
    t->sequences[0]--;
    assert_int_equal(v4_read(t, "file", &stateid, 0, 100), 0);
    assert_int_equal(t->reply.n_items, 1);
    assert_memory_equal(t->reply.p + t->reply.items[0].at, "contents", 8);
}

static void test_limits(void **state)
{
    struct both *b = *state;
    struct v4_client *t = &b->t;

    v4_mount(t, "c", false);
    v4_start(t);
    for (unsigned i = 0; i < 16; i++)
        v4_root(t);
    assert_int_equal(v4_send(t), 10070);
    t->sequences[0]--;
    v4_start_root(t);
    v4_op(t, 38);
    v4_stateid_put(t, &v4_anonymous);
    v4_u64(t, 0);
    v4_put(t, 0, 1 << 20);
    g_byte_array_set_size(t->out.octets, t->out.octets->len + (1 << 20));
    assert_int_equal(v4_send(t), 10065);
    /* More sessions than one client may have. */
    for (unsigned i = 2; i <= 16; i++)
        assert_int_equal(v4_create_session(t, i, false), 0);
    assert_int_equal(v4_create_session(t, 17, false), 10008);
}

/* ---- minor version 0 ---- */

static void test_setclientid(void **state)
{
    struct both *b = *state;
    struct v4_client *t = &b->t;
    uint64_t first;

    t->minor = b->other.minor = 0;
    v4_compound(t);
    v4_op(t, 30);
    v4_u64(t, 5);
    assert_int_equal(v4_send(t), 10022);
    v4_setclientid(t, "c", 1);
    first = t->client;
    v4_compound(t);
    v4_op(t, 30);
    v4_u64(t, first);
    assert_int_equal(v4_send(t), 0);
    v4_setclientid(t, "c", 1); /* another callback, the same client */
    assert_true(t->client == first);
    v4_setclientid(t, "c", 2); /* a restart */
    assert_true(t->client != first);
    v4_compound(t);
    v4_op(t, 30);
    v4_u64(t, first);
    assert_int_equal(v4_send(t), 10022);
    v4_compound(t);
    v4_op(t, 36);
    v4_u64(t, t->client);
    v4_u64(t, 1);
    assert_int_equal(v4_send(t), 10022);
}

/* So many clients that the oldest ones have to go: those that never finished. */
static void test_many_clients(void **state)
{
    struct both *b = *state;
    struct v4_client *t = &b->t;

    for (unsigned i = 0; i < 3000; i++) {
        char name[16];

        g_snprintf(name, sizeof name, "c%u", i);
        assert_int_equal(v4_exchange_id(t, name, 1, 0), 0);
    }
    assert_int_equal(v4_create_session(t, 1, false), 0);
}

/* Sessions of many clients: those that come late get fewer slots, and in the end none is left. */
static void test_many_sessions(void **state)
{
    struct both *b = *state;
    struct v4_client *t = &b->t;
    uint32_t status = 0, slots = 0;
    unsigned n;

    for (n = 0; n < 10000 && status == 0; n++) {
        char name[16];
        struct xdr x;

        g_snprintf(name, sizeof name, "c%u", n / 16);
        if (n % 16 == 0)
            assert_int_equal(v4_exchange_id(t, name, 1, 0), 0);
        v4_compound(t);
        v4_op(t, 43);
        v4_u64(t, t->client);
        v4_put(t, 1 + n % 16, 0);
        v4_channel(t, 4096, 4096, 4096, 8, 64);
        v4_channel(t, 4096, 4096, 0, 2, 1);
        v4_put(t, 0x40000000, 0);
        status = v4_send(t);
        if (status != 0)
            break;
        x = v4_result(t, 0);
        xdr_skip(&x, 16 + 4 + 4 + 20);
        slots += v4_get_u32(&x);
    }
    assert_int_equal(status, 28);
    assert_int_equal(slots, 16384);
    assert_true(n > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_exchange_id, begin, end),
        cmocka_unit_test_setup_teardown(test_create_session_again, begin, end),
        cmocka_unit_test_setup_teardown(test_channels, begin, end),
        cmocka_unit_test_setup_teardown(test_places, begin, end),
        cmocka_unit_test_setup_teardown(test_retry, begin, end),
        cmocka_unit_test_setup_teardown(test_uncached, begin, end),
        cmocka_unit_test_setup_teardown(test_retry_of_read, begin, end),
        cmocka_unit_test_setup_teardown(test_limits, begin, end),
        cmocka_unit_test_setup_teardown(test_setclientid, begin, end),
        cmocka_unit_test_setup_teardown(test_many_clients, begin, end),
        cmocka_unit_test_setup_teardown(test_many_sessions, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
