// SPDX-License-Identifier: GPL-2.0-or-later
/* Clients and sessions of the stack's NFSv4 server: RFC 8881 sections 2.4, 2.10, 18.35 to 18.37, 18.46. */
#include "tests/unit/support/nfs4_client.h"

#include <inttypes.h>

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

static void test_exchange_id(void **state)
{
    struct both *b = *state;
    struct v4_client *t = &b->t;
    uint64_t first;

    assert_int_equal(v4_exchange_id(t, "c", 1, 0x40000000), 2); /* an update of nothing */
    assert_int_equal(v4_exchange_id(t, "c", 1, 0x80000000), 22);
    assert_int_equal(v4_exchange_id(t, "c", 1, 0), 0);
    assert_int_equal(v4_number(t, "flags"), 0x00010000);
    first = t->client;
    assert_int_equal(v4_create_session(t, 1, false), 0);
    assert_int_equal(v4_exchange_id(t, "c", 1, 0), 0);
    assert_int_equal(v4_number(t, "flags"), 0x80010000);
    assert_true(t->client == first);
    assert_int_equal(v4_exchange_id(t, "c", 1, 0x40000000), 0);
    assert_int_equal(v4_exchange_id(t, "c", 2, 0x40000000), 10027);
    t->uid = 9;
    assert_int_equal(v4_exchange_id(t, "c", 1, 0x40000000), 1);
    t->uid = 0;
    /* A restart: another client id, and with its first session the old one is gone. */
    assert_int_equal(v4_exchange_id(t, "c", 2, 0), 0);
    assert_true(t->client != first);
    assert_int_equal(v4_nothing(t), 0); /* the old session works until then */
    assert_int_equal(v4_create_session(&b->other, 1, false), 10022);
    b->other.client = t->client;
    assert_int_equal(v4_create_session(&b->other, 1, false), 0);
    assert_int_equal(v4_nothing(t), 10052);
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

    assert_int_equal(v4_exchange_id(t, "c", 1, 0), 0);
    assert_int_equal(v4_ask(t, NULL,
                            "!create_session:flags=0:fmaxreq=0xFFFFFFFF:fmaxresp=0xFFFFFFFF:fmaxcached=0xFFFFFFFF"
                            ":fmaxops=0xFFFFFFFF:fmaxreqs=0xFFFFFFFF:secs=0"),
                     0);
    assert_int_equal(v4_number(t, "fmaxreq"), (1 << 20) + 16384);
    assert_int_equal(v4_number(t, "fmaxresp"), (1 << 20) + 16384);
    assert_int_equal(v4_number(t, "fmaxcached"), 4096);
    assert_int_equal(v4_number(t, "fmaxops"), 64);
    assert_int_equal(v4_number(t, "fmaxreqs"), 64);
    /* Too small to be of use; and the sequence has moved on. */
    assert_int_equal(v4_ask(t, NULL,
                            "!create_session:csa_seqid=2:flags=0:fmaxreq=100:fmaxresp=4096:fmaxcached=0"
                            ":fmaxops=8:fmaxreqs=1:secs=0"),
                     10005);
    assert_int_equal(v4_create_session(t, 2, false), 10005);
    assert_int_equal(v4_create_session(t, 3, false), 0);
}

/* ---- where operations may stand ---- */

static void test_places(void **state)
{
    static const struct {
        const char *words;
        uint32_t status;
    } cases[] = {
        {"!putrootfh", 10071},
        {"sequence:1:sequenceid=1", 10064},
        {"!destroy_session,putrootfh", 10081},
        {"bind_conn_to_session:1", 10081},
        /* One's own session: the last operation only. */
        {"destroy_session,putrootfh", 10081},
        {"destroy_clientid", 10074},
        {"destroy_session", 0},
        {"", 10052},
        {"!destroy_clientid", 0},
        {"!destroy_clientid", 10022},
    };
    struct both *b = *state;

    v4_mount(&b->t, "c", false);
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)
        assert_int_equal(v4_ask(&b->t, NULL, "%s", cases[i].words), cases[i].status);
}

/* ---- slots ---- */

static uint32_t make(struct v4_client *t, uint32_t slot, uint32_t sequence, const char *name)
{
    return v4_ask_with(t, NULL, "", 0,
                       "!sequence:%u:highest=%u:sequenceid=%u,putrootfh,create:objtype=2:masks=0:name=%s", slot, slot,
                       sequence, name);
}

static void test_retry(void **state)
{
    struct both *b = *state;
    struct v4_client *t = &b->t;
    struct rpc_end_message first;

    v4_mount(t, "c", false);
    assert_int_equal(make(t, 3, 1, "d"), 0);
    first = t->reply;
    t->reply.p = NULL;
    /* The same once more: not done again, and answered octet for octet but for the XID. */
    assert_int_equal(make(t, 3, 1, "d"), 0);
    assert_int_equal(t->reply.n, first.n);
    assert_memory_equal(t->reply.p + 4, first.p + 4, first.n - 4);
    g_free(first.p);
    assert_int_equal(make(t, 3, 1, "e"), 10076);
    assert_int_equal(make(t, 3, 3, "d"), 10063);
    assert_int_equal(make(t, 3, 0, "d"), 10063);
    assert_int_equal(make(t, 4, 0, "d"), 10063); /* a slot that was never used has nothing to repeat */
    assert_int_equal(make(t, 3, 2, "d"), 17);
    assert_int_equal(make(t, 3, 2, "d"), 17); /* errors are kept, too */
    assert_int_equal(make(t, V4_SLOTS, 1, "d"), 10053);
}

static void test_uncached(void **state)
{
    struct both *b = *state;
    struct v4_client *t = &b->t;

    v4_mount(t, "c", false);
    t->cache = false;
    assert_int_equal(make(t, 0, 2, "d"), 0);
    assert_int_equal(make(t, 0, 2, "d"), 10068);
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
    g_autofree uint8_t *large = g_malloc0(1 << 20);

    v4_mount(t, "c", false);
    v4_start(t);
    for (unsigned i = 0; i < 16; i++)
        v4_root(t);
    assert_int_equal(v4_send(t), 10070);
    t->sequences[0]--;
    assert_int_equal(v4_ask_with(t, NULL, large, 1 << 20, "/,write:stable=0"), 10065);
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
    assert_int_equal(v4_ask(t, NULL, "renew:clientid=5"), 10022);
    v4_setclientid(t, "c", 1);
    first = t->client;
    assert_int_equal(v4_ask(t, NULL, "renew"), 0);
    v4_setclientid(t, "c", 1); /* another callback, the same client */
    assert_true(t->client == first);
    v4_setclientid(t, "c", 2); /* a restart */
    assert_true(t->client != first);
    assert_int_equal(v4_ask(t, NULL, "renew:clientid=%" PRIu64, first), 10022);
    t->confirm = 1;
    assert_int_equal(v4_ask(t, NULL, "setclientid_confirm"), 10022);
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

        g_snprintf(name, sizeof name, "c%u", n / 16);
        if (n % 16 == 0)
            assert_int_equal(v4_exchange_id(t, name, 1, 0), 0);
        status = v4_ask(t, NULL,
                        "!create_session:csa_seqid=%u:flags=0:fmaxreq=4096:fmaxresp=4096:fmaxcached=4096"
                        ":fmaxreqs=64:bmaxreqs=1:secs=0",
                        1 + n % 16);
        if (status == 0)
            slots += (uint32_t)v4_number(t, "fmaxreqs");
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
