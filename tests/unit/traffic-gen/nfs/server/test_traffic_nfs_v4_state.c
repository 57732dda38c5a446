// SPDX-License-Identifier: GPL-2.0-or-later
/* Opens, locks and delegations of the stack's NFSv4 server: RFC 7530 section 9, RFC 8881 sections 8 to 10. */
#include "tests/unit/support/nfs4_client.h"

struct both {
    struct v4_server on;
    struct v4_client a, b;
};

static struct both *begin(unsigned minor, bool back)
{
    struct both *both = g_new0(struct both, 1);

    v4_server_begin(&both->on);
    v4_begin(&both->a, &both->on, minor, back);
    v4_begin(&both->b, &both->on, minor, back);
    v4_mount(&both->a, "a", back);
    v4_mount(&both->b, "b", back);
    return both;
}

static void end(struct both *both)
{
    v4_end(&both->a);
    v4_end(&both->b);
    v4_server_end(&both->on);
    g_free(both);
}

/* ---- opens ---- */

static void shares_of(unsigned minor)
{
    struct both *both = begin(minor, false);
    struct v4_stateid a, b, again;

    /* What is refused uses the owner's seqid up, too. */
    assert_int_equal(v4_open(&both->a, "x", "file", 0, 0, true, &a), 22);
    assert_int_equal(v4_open(&both->a, "x", "file", 1, 4, true, &a), 22);
    assert_int_equal(v4_open(&both->a, "x", "", 1, 0, true, &a), 22);

    assert_int_equal(v4_open(&both->a, "x", "file", 1, 2, true, &a), 0); /* reads, denies writing */
    assert_int_equal(v4_open(&both->b, "x", "file", 2, 0, false, &b), 10015);
    assert_int_equal(v4_open(&both->b, "x", "file", 3, 0, false, &b), 10015);
    assert_int_equal(v4_open(&both->b, "x", "file", 1, 1, false, &b), 10015); /* somebody reads */
    assert_int_equal(v4_open(&both->b, "x", "file", 1, 0, false, &b), 0);
    assert_int_equal(v4_write(&both->b, "file", &v4_anonymous, 0, "x", 1), 10012);
    assert_int_equal(v4_write(&both->b, "file", &b, 0, "x", 1), 10038);
    /* The same owner again: the same open, with more rights and another seqid. */
    assert_int_equal(v4_open(&both->a, "x", "file", 3, 0, false, &again), 0);
    assert_memory_equal(a.other, again.other, 12);
    assert_true(again.seqid > a.seqid);
    assert_int_equal(v4_write(&both->a, "file", &a, 0, "x", 1), 10024);
    assert_int_equal(v4_write(&both->a, "file", &again, 0, "x", 1), 0);
    /* Back to reading. */
    v4_start_on(&both->a, "file");
    v4_op(&both->a, 21);
    v4_stateid_put(&both->a, &again);
    v4_put(&both->a, minor == 0 ? both->a.seqid++ : 0, 1, 0);
    assert_int_equal(v4_send(&both->a), 0);
    again.seqid++;
    assert_int_equal(v4_write(&both->a, "file", &again, 0, "x", 1), 10038);
    assert_int_equal(v4_open(&both->b, "x", "file", 2, 0, false, &b), 0);
    /* A stateid of somebody else, or of another file. */
    if (minor > 0)
        assert_int_equal(v4_read(&both->b, "file", &again, 0, 1), 10025);
    assert_int_equal(v4_close(&both->a, "file", &again), 0);
    if (minor > 0)
        assert_int_equal(v4_close(&both->a, "file", &again), 10025);
    end(both);
}

static void test_shares(void **state)
{
    for (unsigned minor = 0; minor <= 2; minor++)
        shares_of(minor);
}

/* A lease that is over is in nobody's way. */
static void expiry_of(unsigned minor)
{
    struct both *both = begin(minor, false);
    struct v4_stateid a, b;

    assert_int_equal(v4_open(&both->a, "x", "file", 3, 3, true, &a), 0);
    assert_int_equal(v4_open(&both->b, "x", "file", 1, 0, false, &b), 10015);
    both->on.now += INT64_C(91) * 1000000000;
    assert_int_equal(v4_open(&both->b, "x", "file", 1, 0, false, &b), 0);
    v4_start_on(&both->a, "file");
    v4_op(&both->a, 25);
    v4_stateid_put(&both->a, &a);
    v4_u64(&both->a, 0);
    v4_put(&both->a, 1);
    assert_int_equal(v4_send(&both->a), minor == 0 ? 10025 : 10052);
    end(both);
}

static void test_expiry(void **state)
{
    for (unsigned minor = 0; minor <= 1; minor++)
        expiry_of(minor);
}

/* RFC 7530 section 9.1.7: requests of an open-owner that come twice, or too late. */
static void test_owner_retry(void **state)
{
    struct both *both = begin(0, false);
    struct v4_client *t = &both->a;
    struct v4_stateid first, second;
    struct xdr x;

    for (unsigned i = 0; i < 2; i++) {
        v4_start_root(t);
        v4_open_put(t, "x", "file", 3, 0, true);
        v4_op(t, 10);
        assert_int_equal(v4_send(t), 0);
        x = v4_nth(t, 1);
        *(i ? &second : &first) = v4_stateid_get(&x);
        t->seqid--;
    }
    assert_memory_equal(&first, &second, sizeof first);
    /* The same seqid with something else is no retry. */
    assert_int_equal(v4_close(t, "file", &first), 10026);
    t->seqid--;
    /* Not confirmed: nothing can be done with it. */
    assert_int_equal(v4_read(t, "file", &first, 0, 1), 10025);
    t->seqid++;
    for (unsigned i = 0; i < 2; i++) {
        v4_start_on(t, "file");
        v4_op(t, 20);
        v4_stateid_put(t, &first);
        v4_put(t, t->seqid);
        assert_int_equal(v4_send(t), 0);
        x = v4_nth(t, 2);
        second = v4_stateid_get(&x);
        assert_int_equal(second.seqid, first.seqid + 1);
    }
    t->seqid += 3;
    assert_int_equal(v4_close(t, "file", &second), 10026);
    t->seqid -= 3;
    /* CLOSE twice. */
    assert_int_equal(v4_close(t, "file", &second), 0);
    t->seqid--;
    assert_int_equal(v4_close(t, "file", &second), 0);
    assert_int_equal(v4_close(t, "file", &second), 10025);
    end(both);
}

static uint32_t create_exclusive(struct v4_client *t, uint64_t verifier, uint32_t mode)
{
    v4_start_root(t);
    v4_op(t, 18, t->minor == 0 ? t->seqid++ : 0, 3, 0);
    v4_u64(t, t->client);
    v4_text(t, "x");
    v4_put(t, 1, mode);
    if (mode >= 2)
        v4_u64(t, verifier);
    if (mode != 2) {
        v4_put(t, 0, 0);
    }
    v4_put(t, 0);
    v4_text(t, "file");
    return v4_send(t);
}

static void test_creation(void **state)
{
    for (unsigned minor = 0; minor <= 2; minor++) {
        struct both *both = begin(minor, false);
        struct v4_client *t = &both->a;
        struct v4_stateid stateid;

        assert_int_equal(v4_open(t, "x", "file", 3, 0, false, &stateid), 2);
        assert_int_equal(create_exclusive(t, 77, minor == 0 ? 2 : 3), 0);
        assert_int_equal(create_exclusive(t, 77, minor == 0 ? 2 : 3), 0);
        assert_int_equal(create_exclusive(t, 78, minor == 0 ? 2 : 3), 17);
        assert_int_equal(create_exclusive(t, 77, 1), 17);
        assert_int_equal(create_exclusive(t, 77, 0), 0);
        end(both);
    }
}

/* OPEN by file handle, with the current stateid used after it; and claims that have no ground. */
static void test_claims(void **state)
{
    struct both *both = begin(1, false);
    struct v4_client *t = &both->a;
    struct v4_stateid stateid, current = {.seqid = 1};
    static const uint32_t claims[] = {1, 6};
    static const uint32_t expected[] = {10033, 10004};

    assert_int_equal(v4_open(t, "x", "file", 3, 0, true, &stateid), 0);
    v4_start_on(t, "file");
    v4_op(t, 18, 0, 3, 0);
    v4_u64(t, 0);
    v4_text(t, "y");
    v4_put(t, 0, 4);
    v4_op(t, 38);
    v4_stateid_put(t, &current);
    v4_u64(t, 0);
    v4_put(t, 2);
    v4_text(t, "data");
    v4_op(t, 4, 0);
    v4_stateid_put(t, &current);
    assert_int_equal(v4_send(t), 0);
    /* Another file handle has no current stateid. */
    assert_int_equal(v4_write(t, "file", &current, 0, "x", 1), 10025);
    for (unsigned i = 0; i < ARRAY_LENGTH(claims); i++) {
        v4_start_on(t, "file");
        v4_op(t, 18, 0, 3, 0);
        v4_u64(t, 0);
        v4_text(t, "z");
        v4_put(t, 0, claims[i]);
        if (claims[i] == 1)
            v4_put(t, 0);
        assert_int_equal(v4_send(t), expected[i]);
    }
    end(both);
}

/* RFC 8881 section 18.51.3 */
static void test_reclaim_complete(void **state)
{
    struct v4_server on;
    struct v4_client t;
    struct v4_stateid stateid;

    v4_server_begin(&on);
    v4_begin(&t, &on, 1, false);
    assert_int_equal(v4_exchange_id(&t, "c", 1, 0), 0);
    assert_int_equal(v4_create_session(&t, 1, false), 0);
    assert_int_equal(v4_open(&t, "x", "file", 3, 0, true, &stateid), 10013);
    for (unsigned i = 0; i < 2; i++) {
        v4_start(&t);
        v4_op(&t, 58, 0);
        assert_int_equal(v4_send(&t), i ? 10054 : 0);
    }
    assert_int_equal(v4_open(&t, "x", "file", 3, 0, true, &stateid), 0);
    v4_end(&t);
    v4_server_end(&on);
}

/* ---- locks ---- */

struct locker {
    struct v4_client *t;
    struct v4_stateid open, lock;
    bool has_lock;
    uint32_t seqid;
    const char *name;
};

static uint32_t lock(struct locker *l, uint32_t type, uint64_t offset, uint64_t length)
{
    struct v4_client *t = l->t;
    struct xdr x;
    uint32_t status;

    v4_start_on(t, "file");
    v4_op(t, 12, type, 0);
    v4_u64(t, offset);
    v4_u64(t, length);
    v4_put(t, !l->has_lock);
    if (l->has_lock) {
        v4_stateid_put(t, &l->lock);
        v4_put(t, t->minor == 0 ? ++l->seqid : 0);
    } else {
        v4_put(t, t->minor == 0 ? t->seqid++ : 0);
        v4_stateid_put(t, &l->open);
        v4_put(t, l->seqid);
        v4_u64(t, t->client);
        v4_text(t, l->name);
    }
    status = v4_send(t);
    if (status == 0) {
        x = v4_nth(t, 2);
        l->lock = v4_stateid_get(&x);
        l->has_lock = true;
    }
    return status;
}

static uint32_t unlock(struct locker *l, uint64_t offset, uint64_t length)
{
    struct v4_client *t = l->t;
    struct xdr x;
    uint32_t status;

    v4_start_on(t, "file");
    v4_op(t, 14, 1, t->minor == 0 ? ++l->seqid : 0);
    v4_stateid_put(t, &l->lock);
    v4_u64(t, offset);
    v4_u64(t, length);
    status = v4_send(t);
    if (status == 0) {
        x = v4_nth(t, 2);
        l->lock = v4_stateid_get(&x);
    }
    return status;
}

/* Where a write lock of [offset, offset + length) would first meet another one; UINT64_MAX: nowhere. */
static uint64_t test_lock(struct v4_client *t, uint64_t offset, uint64_t length)
{
    struct xdr x;
    uint32_t status;

    v4_start_on(t, "file");
    v4_op(t, 13, 2);
    v4_u64(t, offset);
    v4_u64(t, length);
    v4_u64(t, t->client);
    v4_text(t, "tester");
    status = v4_send(t);
    if (status == 0)
        return UINT64_MAX;
    assert_int_equal(status, 10010);
    x = v4_nth(t, 2);
    return v4_get_u64(&x);
}

static void locks_of(unsigned minor)
{
    struct both *both = begin(minor, false);
    struct locker a = {.t = &both->a, .name = "la", .seqid = 10}, b = {.t = &both->b, .name = "lb", .seqid = 20};
    struct v4_stateid other;
    struct xdr x;

    assert_int_equal(v4_open(a.t, "x", "file", 3, 0, true, &a.open), 0);
    assert_int_equal(v4_open(b.t, "x", "file", 1, 0, false, &b.open), 0);
    assert_int_equal(lock(&a, 2, 100, 100), 0);
    assert_int_equal(lock(&a, 2, 0, 0), 22);
    assert_int_equal(lock(&a, 2, 2, UINT64_MAX - 1), 22);
    assert_int_equal(lock(&b, 1, 150, 1), 10010);
    x = v4_nth(b.t, 2);
    assert_int_equal(v4_get_u64(&x), 100);
    assert_int_equal(v4_get_u64(&x), 100);
    assert_int_equal(v4_get_u32(&x), 2);
    assert_int_equal(lock(&b, 2, 0, 10), 10038); /* opened for reading */
    assert_int_equal(lock(&b, 1, 0, 100), 0);
    assert_true(test_lock(a.t, 0, 1) == 0);
    assert_true(test_lock(b.t, 100, 1) == 100);
    /* A hole in the middle, and a part that becomes shared. */
    assert_int_equal(unlock(&a, 140, 20), 0);
    assert_true(test_lock(b.t, 140, 20) == UINT64_MAX);
    assert_true(test_lock(b.t, 139, 1) == 100);
    assert_true(test_lock(b.t, 160, UINT64_MAX) == 160);
    assert_int_equal(lock(&a, 1, 100, 20), 0);
    assert_int_equal(lock(&b, 1, 110, 5), 0);
    assert_int_equal(lock(&b, 1, 119, 2), 10010);
    /* Up to the end of all files. */
    assert_int_equal(lock(&a, 2, 1000, UINT64_MAX), 0);
    assert_true(test_lock(b.t, UINT64_MAX - 1, 1) == 1000);
    assert_int_equal(unlock(&a, 0, UINT64_MAX), 0);
    assert_int_equal(unlock(&b, 0, UINT64_MAX), 0);
    assert_true(test_lock(b.t, 0, UINT64_MAX) == UINT64_MAX);
    /* CLOSE takes locks along. */
    assert_int_equal(lock(&a, 2, 5, 5), 0);
    assert_true(test_lock(b.t, 0, 100) == 5);
    assert_int_equal(v4_close(a.t, "file", &a.open), 0);
    assert_true(test_lock(b.t, 0, 100) == UINT64_MAX);
    assert_int_equal(unlock(&a, 0, 1), 10025);
    /* Reading with the stateid of the locks. */
    other = b.lock;
    assert_int_equal(v4_read(b.t, "file", &other, 0, 1), 0);
    end(both);
}

static void test_locks(void **state)
{
    for (unsigned minor = 0; minor <= 2; minor++)
        locks_of(minor);
}

/* Random locks of two owners against a table of who holds what. */
static void test_ranges(void **state)
{
    enum { SIZE = 64 };
    struct both *both = begin(1, false);
    struct locker l[2] = {{.t = &both->a, .name = "la"}, {.t = &both->b, .name = "lb"}};
    uint8_t held[2][SIZE] = {{0}};
    uint64_t seed = 5;

    assert_int_equal(v4_open(l[0].t, "x", "file", 3, 0, true, &l[0].open), 0);
    assert_int_equal(v4_open(l[1].t, "x", "file", 3, 0, false, &l[1].open), 0);
    for (unsigned i = 0; i < 5000; i++) {
        unsigned who = next_random(&seed) % 2, first = next_random(&seed) % SIZE;
        unsigned n = 1 + (unsigned)(next_random(&seed) % (SIZE - first)), kind = next_random(&seed) % 3;
        bool free = true;

        for (unsigned k = first; k < first + n; k++)
            free = free && !(held[!who][k] == 2 || (kind == 2 && held[!who][k]));
        if (kind == 0) {
            if (!l[who].has_lock)
                continue;
            assert_int_equal(unlock(&l[who], first, n), 0);
        } else {
            assert_int_equal(lock(&l[who], kind, first, n), free ? 0 : 10010);
            if (!free)
                continue;
        }
        memset(&held[who][first], (int)kind, n);
    }
    end(both);
}

/* RFC 8881 sections 18.38 and 18.48 */
static void test_stateids(void **state)
{
    struct both *both = begin(2, false);
    struct locker a = {.t = &both->a, .name = "la"};
    struct v4_stateid nobody = {.seqid = 1, .other = {9, 9, 9}};
    struct xdr x;

    assert_int_equal(v4_open(a.t, "x", "file", 3, 0, true, &a.open), 0);
    assert_int_equal(lock(&a, 2, 0, 1), 0);
    v4_start(a.t);
    v4_op(a.t, 55, 3);
    v4_stateid_put(a.t, &a.open);
    v4_stateid_put(a.t, &a.lock);
    v4_stateid_put(a.t, &nobody);
    assert_int_equal(v4_send(a.t), 0);
    x = v4_nth(a.t, 0);
    assert_int_equal(v4_get_u32(&x), 3);
    assert_int_equal(v4_get_u32(&x), 0);
    assert_int_equal(v4_get_u32(&x), 0);
    assert_int_equal(v4_get_u32(&x), 10025);
    for (unsigned i = 0; i < 4; i++) {
        static const uint32_t expected[] = {10037, 10037, 0, 10025};

        if (i == 2)
            assert_int_equal(unlock(&a, 0, 1), 0);
        v4_start(a.t);
        v4_op(a.t, 45);
        v4_stateid_put(a.t, i == 0 ? &a.open : &a.lock);
        assert_int_equal(v4_send(a.t), expected[i]);
    }
    end(both);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shares),   cmocka_unit_test(test_expiry), cmocka_unit_test(test_owner_retry),
        cmocka_unit_test(test_creation), cmocka_unit_test(test_claims), cmocka_unit_test(test_reclaim_complete),
        cmocka_unit_test(test_locks),    cmocka_unit_test(test_ranges), cmocka_unit_test(test_stateids),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
