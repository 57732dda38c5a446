// SPDX-License-Identifier: GPL-2.0-or-later
/* Clients and sessions of the stack's NFSv4 server: RFC 8881 sections 2.4, 2.10, 18.35 to 18.37, 18.46. */
#include "nfs4_talk.h"

struct both {
    struct talk_server on;
    struct talk t, other;
};

static int begin(void **state)
{
    struct both *b = g_new0(struct both, 1);

    talk_server_begin(&b->on);
    talk_begin(&b->t, &b->on, 1, false);
    talk_begin(&b->other, &b->on, 1, false);
    *state = b;
    return 0;
}

static int end(void **state)
{
    struct both *b = *state;

    talk_end(&b->t);
    talk_end(&b->other);
    talk_server_end(&b->on);
    g_free(b);
    return 0;
}

/* ---- EXCHANGE_ID, CREATE_SESSION ---- */

static uint32_t flags_of_exchange(const struct talk *t)
{
    struct xdr x = talk_result(t, 0);

    xdr_skip(&x, 12);
    return talk_get_u32(&x);
}

static void test_exchange_id(void **state)
{
    struct both *b = *state;
    struct talk *t = &b->t;
    uint64_t first;

    assert_int_equal(talk_exchange_id(t, "c", 1, 0x40000000), 2); /* an update of nothing */
    assert_int_equal(talk_exchange_id(t, "c", 1, 0x80000000), 22);
    assert_int_equal(talk_exchange_id(t, "c", 1, 0), 0);
    assert_int_equal(flags_of_exchange(t), 0x00010000);
    first = t->client;
    assert_int_equal(talk_create_session(t, 1, false), 0);
    assert_int_equal(talk_exchange_id(t, "c", 1, 0), 0);
    assert_int_equal(flags_of_exchange(t), 0x80010000);
    assert_true(t->client == first);
    assert_int_equal(talk_exchange_id(t, "c", 1, 0x40000000), 0);
    assert_int_equal(talk_exchange_id(t, "c", 2, 0x40000000), 10027);
    t->uid = 9;
    assert_int_equal(talk_exchange_id(t, "c", 1, 0x40000000), 1);
    t->uid = 0;
    /* A restart: another client id, and with its first session the old one is gone. */
    assert_int_equal(talk_exchange_id(t, "c", 2, 0), 0);
    assert_true(t->client != first);
    talk_start(t);
    assert_int_equal(talk_send(t), 0); /* the old session works until then */
    assert_int_equal(talk_create_session(&b->other, 1, false), 10022);
    b->other.client = t->client;
    assert_int_equal(talk_create_session(&b->other, 1, false), 0);
    talk_start(t);
    assert_int_equal(talk_send(t), 10052);
}

static void test_create_session_again(void **state)
{
    struct both *b = *state;
    struct talk *t = &b->t;
    uint8_t session[16];

    assert_int_equal(talk_exchange_id(t, "c", 1, 0), 0);
    assert_int_equal(talk_create_session(t, 0, false), 10063); /* there is nothing to be told again */
    assert_int_equal(talk_create_session(t, 2, false), 10063);
    assert_int_equal(talk_create_session(t, 1, false), 0);
    memcpy(session, t->session, 16);
    assert_int_equal(talk_create_session(t, 1, false), 0);
    assert_memory_equal(session, t->session, 16);
    assert_int_equal(talk_create_session(t, 2, false), 0);
    assert_memory_not_equal(session, t->session, 16);
    assert_int_equal(talk_create_session(t, 4, false), 10063);
}

/* What comes back is never more than was asked for. */
static void test_channels(void **state)
{
    struct both *b = *state;
    struct talk *t = &b->t;
    struct xdr x;

    assert_int_equal(talk_exchange_id(t, "c", 1, 0), 0);
    talk_compound(t);
    talk_op(t, 43);
    talk_u64(t, t->client);
    talk_u32(t, 1);
    talk_u32(t, 0);
    talk_channel(t, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff);
    talk_channel(t, 4096, 4096, 0, 2, 16);
    talk_u32(t, 0x40000000);
    talk_u32(t, 0);
    assert_int_equal(talk_send(t), 0);
    x = talk_result(t, 0);
    xdr_skip(&x, 16 + 4 + 4 + 4);
    assert_int_equal(talk_get_u32(&x), (1 << 20) + 16384);
    assert_int_equal(talk_get_u32(&x), (1 << 20) + 16384);
    assert_int_equal(talk_get_u32(&x), 4096);
    assert_int_equal(talk_get_u32(&x), 64);
    assert_int_equal(talk_get_u32(&x), 64);
    /* Too small to be of use; and the sequence has moved on. */
    talk_compound(t);
    talk_op(t, 43);
    talk_u64(t, t->client);
    talk_u32(t, 2);
    talk_u32(t, 0);
    talk_channel(t, 100, 4096, 0, 8, 1);
    talk_channel(t, 4096, 4096, 0, 2, 16);
    talk_u32(t, 0x40000000);
    talk_u32(t, 0);
    assert_int_equal(talk_send(t), 10005);
    assert_int_equal(talk_create_session(t, 2, false), 10005);
    assert_int_equal(talk_create_session(t, 3, false), 0);
}

/* ---- where operations may stand ---- */

static void test_places(void **state)
{
    struct both *b = *state;
    struct talk *t = &b->t;

    talk_mount(t, "c", false);
    talk_compound(t);
    talk_root(t);
    assert_int_equal(talk_send(t), 10071);
    talk_start(t);
    talk_sequence_on(t, 1, 1);
    assert_int_equal(talk_send(t), 10064);
    talk_compound(t);
    talk_op(t, 44);
    xdr_out_fixed(&t->out, t->session, 16);
    talk_root(t);
    assert_int_equal(talk_send(t), 10081);
    talk_start(t);
    talk_op(t, 41);
    xdr_out_fixed(&t->out, t->session, 16);
    talk_u32(t, 1);
    talk_u32(t, 0);
    assert_int_equal(talk_send(t), 10081);
    /* One's own session: the last operation only. */
    talk_start(t);
    talk_op(t, 44);
    xdr_out_fixed(&t->out, t->session, 16);
    talk_root(t);
    assert_int_equal(talk_send(t), 10081);
    talk_start(t);
    talk_op(t, 57);
    talk_u64(t, t->client);
    assert_int_equal(talk_send(t), 10074);
    talk_start(t);
    talk_op(t, 44);
    xdr_out_fixed(&t->out, t->session, 16);
    assert_int_equal(talk_send(t), 0);
    talk_start(t);
    assert_int_equal(talk_send(t), 10052);
    talk_compound(t);
    talk_op(t, 57);
    talk_u64(t, t->client);
    assert_int_equal(talk_send(t), 0);
    talk_compound(t);
    talk_op(t, 57);
    talk_u64(t, t->client);
    assert_int_equal(talk_send(t), 10022);
}

/* ---- slots ---- */

static void make_put(struct talk *t, uint32_t slot, uint32_t sequence, const char *name)
{
    talk_compound(t);
    talk_sequence_on(t, slot, sequence);
    talk_root(t);
    talk_op(t, 6);
    talk_u32(t, 2);
    talk_text(t, name);
    talk_u32(t, 0);
    talk_u32(t, 0);
}

static void test_retry(void **state)
{
    struct both *b = *state;
    struct talk *t = &b->t;
    struct rpc_end_message first;

    talk_mount(t, "c", false);
    make_put(t, 3, 1, "d");
    assert_int_equal(talk_send(t), 0);
    first = t->reply;
    t->reply.p = NULL;
    /* The same once more: not done again, and answered octet for octet but for the XID. */
    make_put(t, 3, 1, "d");
    assert_int_equal(talk_send(t), 0);
    assert_int_equal(t->reply.n, first.n);
    assert_memory_equal(t->reply.p + 4, first.p + 4, first.n - 4);
    g_free(first.p);
    make_put(t, 3, 1, "e");
    assert_int_equal(talk_send(t), 10076);
    make_put(t, 3, 3, "d");
    assert_int_equal(talk_send(t), 10063);
    make_put(t, 3, 0, "d");
    assert_int_equal(talk_send(t), 10063);
    make_put(t, 4, 0, "d");
    assert_int_equal(talk_send(t), 10063); /* a slot that was never used has nothing to repeat */
    make_put(t, 3, 2, "d");
    assert_int_equal(talk_send(t), 17);
    make_put(t, 3, 2, "d");
    assert_int_equal(talk_send(t), 17); /* errors are kept, too */
    make_put(t, TALK_SLOTS, 1, "d");
    assert_int_equal(talk_send(t), 10053);
}

static void test_uncached(void **state)
{
    struct both *b = *state;
    struct talk *t = &b->t;

    talk_mount(t, "c", false);
    t->cache = false;
    make_put(t, 0, 2, "d");
    assert_int_equal(talk_send(t), 0);
    make_put(t, 0, 2, "d");
    assert_int_equal(talk_send(t), 10068);
    assert_int_equal(t->n_results, 2); /* SEQUENCE is answered, what stands behind it is not */
}

/* Items of a kept Reply are where they were. */
static void test_retry_of_read(void **state)
{
    struct both *b = *state;
    struct talk *t = &b->t;
    struct talk_stateid stateid;

    talk_mount(t, "c", false);
    assert_int_equal(talk_open(t, "me", "file", 3, 0, true, &stateid), 0);
    assert_int_equal(talk_write(t, "file", &stateid, 0, "contents", 8), 0);
    assert_int_equal(talk_read(t, "file", &stateid, 0, 100), 0);
    t->sequences[0]--;
    assert_int_equal(talk_read(t, "file", &stateid, 0, 100), 0);
    assert_int_equal(t->reply.n_items, 1);
    assert_memory_equal(t->reply.p + t->reply.items[0].at, "contents", 8);
}

static void test_limits(void **state)
{
    struct both *b = *state;
    struct talk *t = &b->t;

    talk_mount(t, "c", false);
    talk_start(t);
    for (unsigned i = 0; i < 16; i++)
        talk_root(t);
    assert_int_equal(talk_send(t), 10070);
    t->sequences[0]--;
    talk_start(t);
    talk_root(t);
    talk_op(t, 38);
    talk_stateid_put(t, &talk_anonymous);
    talk_u64(t, 0);
    talk_u32(t, 0);
    talk_u32(t, 1 << 20);
    g_byte_array_set_size(t->out.octets, t->out.octets->len + (1 << 20));
    assert_int_equal(talk_send(t), 10065);
    /* More sessions than one client may have. */
    for (unsigned i = 2; i <= 16; i++)
        assert_int_equal(talk_create_session(t, i, false), 0);
    assert_int_equal(talk_create_session(t, 17, false), 10008);
}

/* ---- minor version 0 ---- */

static void test_setclientid(void **state)
{
    struct both *b = *state;
    struct talk *t = &b->t;
    uint64_t first;

    t->minor = b->other.minor = 0;
    talk_compound(t);
    talk_op(t, 30);
    talk_u64(t, 5);
    assert_int_equal(talk_send(t), 10022);
    talk_setclientid(t, "c", 1);
    first = t->client;
    talk_compound(t);
    talk_op(t, 30);
    talk_u64(t, first);
    assert_int_equal(talk_send(t), 0);
    talk_setclientid(t, "c", 1); /* another callback, the same client */
    assert_true(t->client == first);
    talk_setclientid(t, "c", 2); /* a restart */
    assert_true(t->client != first);
    talk_compound(t);
    talk_op(t, 30);
    talk_u64(t, first);
    assert_int_equal(talk_send(t), 10022);
    talk_compound(t);
    talk_op(t, 36);
    talk_u64(t, t->client);
    talk_u64(t, 1);
    assert_int_equal(talk_send(t), 10022);
}

/* So many clients that the oldest ones have to go: those that never finished. */
static void test_many_clients(void **state)
{
    struct both *b = *state;
    struct talk *t = &b->t;

    for (unsigned i = 0; i < 3000; i++) {
        char name[16];

        g_snprintf(name, sizeof name, "c%u", i);
        assert_int_equal(talk_exchange_id(t, name, 1, 0), 0);
    }
    assert_int_equal(talk_create_session(t, 1, false), 0);
}

/* Sessions of many clients: those that come late get fewer slots, and in the end none is left. */
static void test_many_sessions(void **state)
{
    struct both *b = *state;
    struct talk *t = &b->t;
    uint32_t status = 0, slots = 0;
    unsigned n;

    for (n = 0; n < 10000 && status == 0; n++) {
        char name[16];
        struct xdr x;

        g_snprintf(name, sizeof name, "c%u", n / 16);
        if (n % 16 == 0)
            assert_int_equal(talk_exchange_id(t, name, 1, 0), 0);
        talk_compound(t);
        talk_op(t, 43);
        talk_u64(t, t->client);
        talk_u32(t, 1 + n % 16);
        talk_u32(t, 0);
        talk_channel(t, 4096, 4096, 4096, 8, 64);
        talk_channel(t, 4096, 4096, 0, 2, 1);
        talk_u32(t, 0x40000000);
        talk_u32(t, 0);
        status = talk_send(t);
        if (status != 0)
            break;
        x = talk_result(t, 0);
        xdr_skip(&x, 16 + 4 + 4 + 20);
        slots += talk_get_u32(&x);
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
