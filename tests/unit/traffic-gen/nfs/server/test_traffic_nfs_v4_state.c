// SPDX-License-Identifier: GPL-2.0-or-later
/* Opens, locks and delegations of the stack's NFSv4 server: RFC 7530 section 9, RFC 8881 sections 8 to 10. */
#include "tests/unit/support/nfs4_client.h"

#include <inttypes.h>

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
    assert_int_equal(v4_ask(&both->a, &again, "/file,open_downgrade"), 0);
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
    assert_int_equal(v4_read(&both->a, "file", &a, 0, 1), minor == 0 ? 10025 : 10052);
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

    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(v4_ask(t, NULL, "/,open:share_access=3:opentype=1,getfh"), 0);
        *(i ? &second : &first) = v4_stateid_of(t);
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
        assert_int_equal(v4_ask(t, &first, "/file,open_confirm:seqid=%u", t->seqid), 0);
        second = v4_stateid_of(t);
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
    t->verifier = verifier;
    return v4_ask_with(t, NULL, "", 0, "/,open:share_access=3:opentype=1:createmode=%u:masks=0", mode);
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
    t->owner = "y";
    assert_int_equal(v4_ask_with(t, &current, "data", 4, "/file,open:share_access=3:claim=4,write:stable=2,close"), 0);
    /* Another file handle has no current stateid. */
    assert_int_equal(v4_write(t, "file", &current, 0, "x", 1), 10025);
    for (unsigned i = 0; i < ARRAY_LENGTH(claims); i++) {
        t->owner = "z";
        assert_int_equal(v4_ask(t, NULL, "/file,open:share_access=3:claim=%u", claims[i]), expected[i]);
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
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(v4_ask(&t, NULL, "reclaim_complete"), i ? 10054 : 0);
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
    uint32_t lock_seqid = l->has_lock ? (t->minor == 0 ? ++l->seqid : 0) : l->seqid, status;

    t->owner = l->name;
    status =
        v4_ask(t, l->has_lock ? &l->lock : &l->open,
               "/file,lock:locktype=%u:offset=%" PRIu64 ":length=%" PRIu64 ":new_owner=%u:open_seqid=%u:lock_seqid=%u",
               type, offset, length, !l->has_lock, t->minor == 0 && !l->has_lock ? t->seqid++ : 0, lock_seqid);
    if (status == 0) {
        l->lock = v4_stateid_of(t);
        l->has_lock = true;
    }
    return status;
}

static uint32_t unlock(struct locker *l, uint64_t offset, uint64_t length)
{
    struct v4_client *t = l->t;
    uint32_t status = v4_ask(t, &l->lock, "/file,locku:locktype=1:seqid=%u:offset=%" PRIu64 ":length=%" PRIu64,
                             t->minor == 0 ? ++l->seqid : 0, offset, length);

    if (status == 0)
        l->lock = v4_stateid_of(t);
    return status;
}

/* Where a write lock of [offset, offset + length) would first meet another one; UINT64_MAX: nowhere. */
static uint64_t test_lock(struct v4_client *t, uint64_t offset, uint64_t length)
{
    uint32_t status;

    t->owner = "tester";
    status = v4_ask(t, NULL, "/file,lockt:offset=%" PRIu64 ":length=%" PRIu64, offset, length);
    if (status == 0)
        return UINT64_MAX;
    assert_int_equal(status, 10010);
    return v4_number(t, "offset");
}

static void locks_of(unsigned minor)
{
    struct both *both = begin(minor, false);
    struct locker a = {.t = &both->a, .name = "la", .seqid = 10}, b = {.t = &both->b, .name = "lb", .seqid = 20};
    struct v4_stateid other;

    assert_int_equal(v4_open(a.t, "x", "file", 3, 0, true, &a.open), 0);
    assert_int_equal(v4_open(b.t, "x", "file", 1, 0, false, &b.open), 0);
    assert_int_equal(lock(&a, 2, 100, 100), 0);
    assert_int_equal(lock(&a, 2, 0, 0), 22);
    assert_int_equal(lock(&a, 2, 2, UINT64_MAX - 1), 22);
    assert_int_equal(lock(&b, 1, 150, 1), 10010);
    assert_int_equal(v4_number(b.t, "offset"), 100);
    assert_int_equal(v4_number(b.t, "length"), 100);
    assert_int_equal(v4_number(b.t, "locktype"), 2);
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
    struct v4_stateid three[] = {{0}, {0}, {.seqid = 1, .other = {9, 9, 9}}}; /* the last one is nobody's */
    const struct nfs_field *codes;

    assert_int_equal(v4_open(a.t, "x", "file", 3, 0, true, &a.open), 0);
    assert_int_equal(lock(&a, 2, 0, 1), 0);
    three[0] = a.open;
    three[1] = a.lock;
    a.t->in_turn = true;
    assert_int_equal(v4_ask(a.t, three, "test_stateid:stateids=3"), 0);
    a.t->in_turn = false;
    assert_int_equal(v4_number(a.t, "statuses"), 3);
    codes = nfs_results_first(&a.t->fields, "code");
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(codes[i].value, i == 2 ? 10025 : 0);
    for (unsigned i = 0; i < 4; i++) {
        static const uint32_t expected[] = {10037, 10037, 0, 10025};

        if (i == 2)
            assert_int_equal(unlock(&a, 0, 1), 0);
        assert_int_equal(v4_ask(a.t, i == 0 ? &a.open : &a.lock, "free_stateid"), expected[i]);
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
