// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The NFS server with undescribed input: other programs and headers, undefined operations, octets of all kinds, and so
 * many locks and sessions that a model computes the results. *.calls has its ordinary Calls.
 */
#include "tests/unit/support/nfs_caller.h"

#include <inttypes.h>

static void begin(struct nfs_caller *t, struct caller_server *on, unsigned minor)
{
    caller_server_begin(on);
    caller_begin(t, on, minor, false);
}

static void end(struct nfs_caller *t)
{
    struct caller_server *on = t->on;

    caller_end(t);
    caller_server_end(on);
}

/* ---- RPC ---- */

static uint32_t call_nothing(struct nfs_caller *t, uint32_t program, uint32_t version, uint32_t number)
{
    struct xdr_out out;

    caller_call(t, program, version, number, &out);
    return caller_send(t, &out);
}

UNIT_TEST(turned_down)
{
    static const struct {
        uint32_t program, version, number, accept, low, high;
    } cases[] = {
        {100003, 3, 22, RPC_PROC_UNAVAIL, 0, 0},  {100003, 3, UINT32_MAX, RPC_PROC_UNAVAIL, 0, 0},
        {100003, 99, 0, RPC_PROG_MISMATCH, 2, 4}, {100005, 2, 0, RPC_PROG_MISMATCH, 1, 3},
        {100005, 3, 6, RPC_PROC_UNAVAIL, 0, 0},   {100021, 4, 0, RPC_PROG_UNAVAIL, 0, 0},
        {100003, 3, 1, RPC_GARBAGE_ARGS, 0, 0},   {100003, 2, 18, RPC_PROC_UNAVAIL, 0, 0},
    };
    struct caller_server on;
    struct nfs_caller t;

    begin(&t, &on, 0);
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        assert_int_equal(call_nothing(&t, cases[i].program, cases[i].version, cases[i].number),
                         CALLER_REFUSED + cases[i].accept);
        assert_int_equal(t.header.low, cases[i].low);
        assert_int_equal(t.header.high, cases[i].high);
    }
    assert_int_equal(call_nothing(&t, 100003, 3, 0), 0);
    t.uid = UINT32_MAX;
    assert_int_equal(call_nothing(&t, 100003, 3, 0), 0);
    end(&t);
}

UNIT_TEST(denied)
{
    static const struct {
        const char *call; /* after the XID */
        const char *reply;
    } cases[] = {
        /* RPC version 3; a body above 400 octets; AUTH_SYS without a body; RPCSEC_GSS; 17 groups; octets after them */
        {"00000000 00000003 000186a3 00000003 00000000 [16]", "00000001 00000001 00000000 00000002 00000002"},
        {"00000000 00000002 000186a3 00000003 00000000 00000001 00000191 [500]", "00000001 00000001 00000001 00000001"},
        {"00000000 00000002 000186a3 00000003 00000000 00000001 00000000 [8]", "00000001 00000001 00000001 00000001"},
        {"00000000 00000002 000186a3 00000003 00000000 00000006 00000000 [8]", "00000001 00000001 00000001 00000001"},
        {"00000000 00000002 000186a3 00000003 00000000 00000001 00000058 [16] 00000011 [76]",
         "00000001 00000001 00000001 00000001"},
        {"00000000 00000002 000186a3 00000003 00000000 00000001 00000018 [32]", "00000001 00000001 00000001 00000001"},
        /* two groups are not too many: NULL succeeds */
        {"00000000 00000002 000186a3 00000003 00000000 00000001 0000001c [16] 00000002 00000007 00000008 [8]",
         "00000001 00000000 [12]"},
        /* too short, or not a Call: no answer */
        {"00000000 00000002 000186a3 00000003", NULL},
        {"00000001 00000002 000186a3 00000003 00000000 [16]", NULL},
        {"00000002 00000002 000186a3 00000003 00000000 [16]", NULL},
    };
    struct caller_server on;
    struct nfs_caller t;
    uint8_t octets[600] = {0xab, 0xcd, 0xef, 0x01}, expected[64] = {0xab, 0xcd, 0xef, 0x01};

    begin(&t, &on, 0);
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct rpc_end_message call = {.p = octets}, reply = {0};

        call.n = 4 + octets_of(cases[i].call, octets + 4, sizeof octets - 4);
        assert_int_equal(nfs_server_call(t.peer, &call, 0, &reply), cases[i].reply != NULL);
        if (!cases[i].reply)
            continue;
        assert_int_equal(reply.n, 4 + octets_of(cases[i].reply, expected + 4, sizeof expected - 4));
        assert_memory_equal(reply.p, expected, reply.n);
        g_free(reply.p);
    }
    end(&t);
}

/* ---- operations ---- */

/* Begins a COMPOUND of this many operations, after SEQUENCE if the version has it. */
static void compound(struct nfs_caller *t, unsigned minor, unsigned n, struct xdr_out *out)
{
    caller_call(t, NFS_PROGRAM, 4, 1, out);
    xdr_out_words(out, 0, minor, n + (t->minor > 0));
    if (t->minor == 0)
        return;
    xdr_out_u32(out, NFS_OP_SEQUENCE);
    xdr_out_fixed(out, t->session, sizeof t->session);
    xdr_out_words(out, ++t->slot, 0, 0, false);
}

UNIT_TEST(unknown)
{
    static const uint32_t after[] = {40, 59, 76}; /* the last operation of each minor version */

    for (unsigned minor = 0; minor <= 2; minor++) {
        const uint32_t numbers[] = {after[minor], 2, 0xffffffff};
        struct caller_server on;
        struct nfs_caller t;
        struct xdr_out out;

        begin(&t, &on, minor);
        caller_mount(&t, "client", false);
        for (size_t i = 0; i < ARRAY_LENGTH(numbers); i++) {
            compound(&t, minor, 1, &out);
            xdr_out_u32(&out, numbers[i]);
            assert_int_equal(caller_send(&t, &out), 10044);
            assert_int_equal(t.last_op, 10044);
        }
        compound(&t, 3, 1, &out);
        xdr_out_u32(&out, NFS_OP_PUTROOTFH);
        assert_int_equal(caller_send(&t, &out), 10021);
        assert_int_equal(t.n_ops, 0);
        end(&t);
    }
}

/* An operation, perhaps a stateid, and words, many of them small. */
static void put_anything(struct xdr_out *out, uint64_t *seed, const uint8_t stateid[CALLER_STATEID])
{
    uint32_t words = (uint32_t)(next_random(seed) % 20);

    xdr_out_u32(out, 3 + (uint32_t)(next_random(seed) % 73));
    if (next_random(seed) % 2)
        xdr_out_fixed(out, stateid, CALLER_STATEID);
    while (words-- > 0)
        xdr_out_u32(out, next_random(seed) % 4 ? (uint32_t)(next_random(seed) % 8) : (uint32_t)next_random(seed));
}

UNIT_TEST(hostile)
{
    uint64_t seed = 1;

    for (unsigned minor = 0; minor <= 2; minor++) {
        struct caller_server on;
        struct nfs_caller t;
        uint8_t stateid[CALLER_STATEID];

        begin(&t, &on, minor);
        caller_mount(&t, "client", false);
        assert_int_equal(caller_open(&t, "x", "file", 3, 0, true), 0);
        nfs_results_stateid(&t.fields, stateid);
        for (unsigned i = 0; i < 20000; i++) {
            const bool on_file = i % 3;
            uint32_t n = 1 + (uint32_t)(next_random(&seed) % 6);
            struct xdr_out out;

            compound(&t, minor, 1 + on_file + n, &out);
            xdr_out_u32(&out, NFS_OP_PUTROOTFH);
            if (on_file) {
                xdr_out_u32(&out, NFS_OP_LOOKUP);
                xdr_out_opaque(&out, "file", 4);
            }
            while (n-- > 0)
                put_anything(&out, &seed, stateid);
            g_byte_array_set_size(out.octets, out.octets->len - (guint)(next_random(&seed) % 3 * 4));
            caller_send(&t, &out);
        }
        end(&t);
    }
}

/* ---- many of them ---- */

enum { SIZE = 64 };

struct locker {
    struct nfs_caller t;
    uint8_t open[CALLER_STATEID], lock[CALLER_STATEID];
    bool has_lock;
    uint8_t held[SIZE];
};

/* kind: 0 unlocks, 1 and 2 are READ_LT and WRITE_LT. */
static uint32_t lock(struct locker *l, unsigned kind, unsigned offset, unsigned n)
{
    const struct caller_value values[] = {{"state", {.p = l->has_lock ? l->lock : l->open, .n = CALLER_STATEID}}};
    g_autofree char *words = g_strdup_printf("/file,%s:locktype=%u:offset=%u:length=%u%s", kind ? "lock" : "locku",
                                             kind ? kind : 1, offset, n,
                                             kind == 0     ? ""
                                             : l->has_lock ? ":new_owner=0"
                                                           : ":new_owner=1");
    uint32_t status = caller_ask(&l->t, words, values, ARRAY_LENGTH(values));

    if (status == 0)
        l->has_lock = nfs_results_stateid(&l->t.fields, l->lock);
    return status;
}

static bool is_free(const struct locker *other, unsigned kind, unsigned first, unsigned n)
{
    for (unsigned k = first; k < first + n; k++) {
        if (other->held[k] == 2 || (kind == 2 && other->held[k]))
            return false;
    }
    return true;
}

/* Random locks of two owners, compared with a table of holders. */
UNIT_TEST(ranges)
{
    static struct locker lockers[2];
    struct caller_server on;
    uint64_t seed = 5;

    caller_server_begin(&on);
    for (unsigned i = 0; i < 2; i++) {
        caller_begin(&lockers[i].t, &on, 1, false);
        caller_mount(&lockers[i].t, i ? "b" : "a", false);
        assert_int_equal(caller_open(&lockers[i].t, "x", "file", 3, 0, true), 0);
        nfs_results_stateid(&lockers[i].t.fields, lockers[i].open);
    }
    for (unsigned i = 0; i < 5000; i++) {
        unsigned who = next_random(&seed) % 2, first = next_random(&seed) % SIZE;
        unsigned n = 1 + (unsigned)(next_random(&seed) % (SIZE - first)), kind = next_random(&seed) % 3;
        struct locker *l = &lockers[who];
        const bool works = kind == 0 || is_free(&lockers[!who], kind, first, n);

        if (kind == 0 && !l->has_lock)
            continue;
        assert_int_equal(lock(l, kind, first, n), works ? 0 : 10010);
        if (works)
            memset(l->held + first, (int)kind, n);
    }
    for (unsigned i = 0; i < 2; i++)
        caller_end(&lockers[i].t);
    caller_server_end(&on);
}

/* Sessions of many clients: later ones get fewer slots, and finally none. */
UNIT_TEST(many_sessions)
{
    struct caller_server on;
    struct nfs_caller t;
    uint32_t status = 0, slots = 0;
    unsigned n;

    begin(&t, &on, 1);
    for (n = 0; n < 10000 && status == 0; n++) {
        const struct caller_value id[] = {{"id", {.p = &n, .n = sizeof n}}};
        g_autofree char *words = g_strdup_printf("!create_session:csa_seqid=%u:flags=0:fmaxreq=4096:fmaxresp=4096"
                                                 ":fmaxcached=4096:fmaxreqs=64:bmaxreqs=1:secs=0",
                                                 1 + n % 16);

        if (n % 16 == 0)
            assert_int_equal(caller_ask(&t, "!exchange_id:flags=0", id, 1), 0);
        status = caller_ask(&t, words, NULL, 0);
        if (status == 0)
            slots += (uint32_t)nfs_results_number(&t.fields, "fmaxreqs", 0);
    }
    assert_int_equal(status, 28);
    assert_int_equal(slots, 16384);
    assert_true(n > 1000);
    end(&t);
}
