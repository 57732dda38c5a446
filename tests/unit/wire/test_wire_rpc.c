// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/support/support.h"
#include "wire/rpc.h"

static enum rpc_status decode(const char *text, struct rpc_message *rpc, size_t *length)
{
    uint8_t octets[1024];

    *length = octets_of(text, octets, sizeof octets);
    return rpc_decode(rpc, octets, *length);
}

#define CALL_WORDS "00000042 00000000 00000002 000186a3 00000003 00000007 "
#define NO_AUTH    "00000000 00000000 "

/* ---- Calls ---- */

UNIT_TEST(a_call)
{
    struct rpc_message rpc;
    size_t n;

    /* AUTH_SYS of 22 octets, two of roundup; then AUTH_NONE and arguments. */
    assert_int_equal(decode(CALL_WORDS "00000001 00000016 [22] [2] " NO_AUTH "cafecafe", &rpc, &n), RPC_OK);
    assert_int_equal(rpc.xid, 0x42);
    assert_int_equal(rpc.type, RPC_CALL);
    assert_int_equal(rpc.rpcvers, 2);
    assert_int_equal(rpc.prog, 100003);
    assert_int_equal(rpc.vers, 3);
    assert_int_equal(rpc.proc, 7);
    assert_true(rpc.cred.flavor == RPC_AUTH_SYS && rpc.cred.at == 32 && rpc.cred.length == 22);
    assert_true(rpc.verf.flavor == RPC_AUTH_NONE && rpc.verf.at == 64 && rpc.verf.length == 0);
    assert_int_equal(rpc.header_len, n - 4);
    assert_false(rpc.has_gss || rpc_gss_protects(&rpc));
    assert_int_equal(decode(CALL_WORDS NO_AUTH NO_AUTH, &rpc, &n), RPC_OK);
    assert_int_equal(n, RPC_CALL_MIN);
    assert_int_equal(rpc.header_len, RPC_CALL_MIN);
}

/* RFC 2203 section 5.2: version, gss_proc, seq_num, service, handle<>. */
#define GSS(length, version, proc, service, handle)                                                                    \
    CALL_WORDS "00000006 000000" length " 000000" version " 000000" proc " 00000099 000000" service " " handle         \
               " " NO_AUTH

UNIT_TEST(gss_credentials)
{
    static const struct {
        const char *text;
        bool understood;
        uint32_t version, proc, service;
        bool protects;
    } cases[] = {
        {GSS("1c", "01", "00", "01", "00000008 0102030405060708"), true, 1, RPC_GSS_DATA, RPC_GSS_SVC_NONE, false},
        {GSS("1c", "01", "00", "02", "00000008 0102030405060708"), true, 1, RPC_GSS_DATA, RPC_GSS_SVC_INTEGRITY, true},
        {GSS("18", "01", "00", "03", "00000003 01020300"), true, 1, RPC_GSS_DATA, RPC_GSS_SVC_PRIVACY, true},
        {GSS("14", "01", "01", "02", "00000000"), true, 1, RPC_GSS_INIT, RPC_GSS_SVC_INTEGRITY, false},
        {GSS("14", "01", "02", "03", "00000000"), true, 1, RPC_GSS_CONTINUE_INIT, RPC_GSS_SVC_PRIVACY, false},
        {GSS("14", "01", "03", "03", "00000000"), true, 1, RPC_GSS_DESTROY, RPC_GSS_SVC_PRIVACY, false},
        {GSS("14", "03", "00", "02", "00000000"), true, 3, RPC_GSS_DATA, RPC_GSS_SVC_INTEGRITY, true},
        /* A version that does not exist, a handle past the end, octets after it, no handle at all. */
        {GSS("14", "04", "00", "02", "00000000"), false, 0, 0, 0, false},
        {GSS("14", "01", "00", "02", "00000001"), false, 0, 0, 0, false},
        {GSS("14", "01", "00", "02", "ffffffff"), false, 0, 0, 0, false},
        {GSS("18", "01", "00", "02", "00000000 00000000"), false, 0, 0, 0, false},
        {GSS("10", "01", "00", "02", ""), false, 0, 0, 0, false},
    };

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct rpc_message rpc;
        size_t n;

        assert_int_equal(decode(cases[i].text, &rpc, &n), RPC_OK);
        assert_int_equal(rpc.header_len, n);
        assert_int_equal(rpc.cred.flavor, RPC_AUTH_GSS);
        assert_int_equal(rpc.has_gss, cases[i].understood);
        assert_int_equal(rpc.gss_version, cases[i].version);
        assert_int_equal(rpc.gss_proc, cases[i].proc);
        assert_int_equal(rpc.gss_seq, cases[i].understood ? 0x99 : 0);
        assert_int_equal(rpc.gss_service, cases[i].service);
        assert_int_equal(rpc_gss_protects(&rpc), cases[i].protects);
    }
}

/* ---- Replies ---- */

UNIT_TEST(replies_of_every_kind)
{
    static const struct {
        const char *text;
        uint32_t reply_stat, accept_stat, reject_stat, auth_stat, low, high;
        size_t after;
    } cases[] = {
        {"00000042 00000001 00000000 " NO_AUTH "00000000 cafecafe", 0, RPC_SUCCESS, 0, 0, 0, 0, 4},
        {"00000042 00000001 00000000 " NO_AUTH "00000001", 0, RPC_PROG_UNAVAIL, 0, 0, 0, 0, 0},
        {"00000042 00000001 00000000 " NO_AUTH "00000002 00000003 00000004", 0, RPC_PROG_MISMATCH, 0, 0, 3, 4, 0},
        {"00000042 00000001 00000000 " NO_AUTH "00000003", 0, RPC_PROC_UNAVAIL, 0, 0, 0, 0, 0},
        {"00000042 00000001 00000000 " NO_AUTH "00000004", 0, RPC_GARBAGE_ARGS, 0, 0, 0, 0, 0},
        {"00000042 00000001 00000000 " NO_AUTH "00000005", 0, RPC_SYSTEM_ERR, 0, 0, 0, 0, 0},
        {"00000042 00000001 00000001 00000000 00000002 00000002", 1, 0, RPC_MISMATCH, 0, 2, 2, 0},
        {"00000042 00000001 00000001 00000001 0000000d", 1, 0, RPC_AUTH_ERROR, 13, 0, 0, 0},
    };

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct rpc_message rpc;
        size_t n;

        assert_int_equal(decode(cases[i].text, &rpc, &n), RPC_OK);
        assert_int_equal(rpc.xid, 0x42);
        assert_int_equal(rpc.type, RPC_REPLY);
        assert_int_equal(rpc.reply_stat, cases[i].reply_stat);
        assert_int_equal(rpc.accept_stat, cases[i].accept_stat);
        assert_int_equal(rpc.reject_stat, cases[i].reject_stat);
        assert_int_equal(rpc.auth_stat, cases[i].auth_stat);
        assert_true(rpc.low == cases[i].low && rpc.high == cases[i].high);
        assert_int_equal(rpc.header_len, n - cases[i].after);
        assert_true(n >= RPC_REPLY_MIN);
    }
}

UNIT_TEST(a_verifier_of_a_reply)
{
    struct rpc_message rpc;
    size_t n;

    assert_int_equal(decode("00000042 00000001 00000000 00000006 00000005 0102030405 [3] 00000000", &rpc, &n), RPC_OK);
    assert_true(rpc.verf.flavor == RPC_AUTH_GSS && rpc.verf.at == 20 && rpc.verf.length == 5);
    assert_int_equal(rpc.header_len, n);
}

/* ---- faults ---- */

UNIT_TEST(faults_are_told_where_they_are)
{
    static const struct {
        const char *text;
        enum rpc_status status;
        uint32_t at, fault;
    } cases[] = {
        {"00000042 00000002 00000002", RPC_BAD_TYPE, 4, 2},
        {"00000042 ffffffff", RPC_BAD_TYPE, 4, UINT32_MAX},
        {"00000042 00000000 00000003 000186a3", RPC_BAD_VALUE, 8, 3},
        {CALL_WORDS "00000001 00000191 [404]", RPC_BAD_VALUE, 28, 401},
        {CALL_WORDS "00000001 ffffffff [404]", RPC_BAD_VALUE, 28, UINT32_MAX},
        {CALL_WORDS NO_AUTH "00000001 00000191 [404]", RPC_BAD_VALUE, 36, 401},
        {"00000042 00000001 00000002 00000000", RPC_BAD_VALUE, 8, 2},
        {"00000042 00000001 00000000 " NO_AUTH "00000006", RPC_BAD_VALUE, 20, 6},
        {"00000042 00000001 00000001 00000002 00000000", RPC_BAD_VALUE, 12, 2},
        {CALL_WORDS "00000001 00000005 [6]", RPC_SHORT, 36, 0}, /* the roundup is missing */
    };

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct rpc_message rpc;
        size_t n;

        assert_int_equal(decode(cases[i].text, &rpc, &n), cases[i].status);
        assert_int_equal(rpc.status, cases[i].status);
        assert_int_equal(rpc.fault_at, cases[i].at);
        assert_int_equal(rpc.fault, cases[i].fault);
        assert_int_equal(rpc.xid, 0x42);
        assert_int_equal(rpc.header_len, 0);
    }
}

UNIT_TEST(a_body_of_400_octets_is_allowed)
{
    struct rpc_message rpc;
    size_t n;

    assert_int_equal(decode(CALL_WORDS "00000001 00000190 [400] " NO_AUTH, &rpc, &n), RPC_OK);
    assert_int_equal(rpc.header_len, n);
}

/* ---- all of it again ---- */

static void assert_all_truncations_are_short(const uint8_t *octets, size_t length)
{
    for (size_t n = 0; n < length; n++) {
        struct rpc_message cut;

        assert_int_equal(rpc_decode(&cut, octets, n), RPC_SHORT);
        assert_int_equal(cut.fault_at, n & ~(size_t)3);
        assert_int_equal(cut.header_len, 0);
    }
}

UNIT_TEST(calls_make_the_round_trip)
{
    static const uint8_t contents[RPC_AUTH_MAX] = {1, 2, 3};
    static const uint32_t lengths[] = {0, 1, 4, 7, 28, RPC_AUTH_MAX};
    const struct rpc_message call = {.xid = 0xFEDCBA98, .rpcvers = 2, .prog = 100003, .vers = 4, .proc = 1};

    for (size_t i = 0; i < ARRAY_LENGTH(lengths); i++)
        for (size_t j = 0; j <= ARRAY_LENGTH(lengths); j++) {
            const struct rpc_body cred = {RPC_AUTH_SYS, contents, lengths[i]};
            const struct rpc_body verf = {RPC_AUTH_SHORT, contents, lengths[j % ARRAY_LENGTH(lengths)]};
            const struct rpc_body *given = j < ARRAY_LENGTH(lengths) ? &verf : NULL;
            uint8_t octets[1024];
            struct xdr_writer w = {.p = octets, .size = sizeof octets};
            struct rpc_message back;

            rpc_call_encode(&call, &cred, given, &w);
            assert_false(w.failed);
            assert_int_equal(rpc_decode(&back, octets, w.at), RPC_OK);
            assert_int_equal(back.header_len, w.at);
            assert_true(back.xid == call.xid && back.prog == 100003 && back.vers == 4 && back.proc == 1);
            assert_true(back.cred.flavor == RPC_AUTH_SYS && back.cred.length == lengths[i]);
            assert_memory_equal(octets + back.cred.at, contents, lengths[i]);
            assert_int_equal(back.verf.flavor, given ? RPC_AUTH_SHORT : RPC_AUTH_NONE);
            assert_int_equal(back.verf.length, given ? verf.n : 0);
            assert_memory_equal(octets + back.verf.at, contents, back.verf.length);
            assert_all_truncations_are_short(octets, w.at);
        }
}

UNIT_TEST(replies_make_the_round_trip)
{
    static const uint8_t token[] = {9, 8, 7, 6, 5};
    const struct rpc_body verf = {RPC_AUTH_GSS, token, sizeof token};

    for (uint32_t reply_stat = 0; reply_stat < 2; reply_stat++)
        for (uint32_t stat = 0; stat < (reply_stat == RPC_MSG_ACCEPTED ? 6u : 2u); stat++) {
            const struct rpc_message reply = {.xid = 5,
                                              .type = RPC_REPLY,
                                              .reply_stat = reply_stat,
                                              .accept_stat = reply_stat == RPC_MSG_ACCEPTED ? stat : 0,
                                              .reject_stat = reply_stat == RPC_MSG_DENIED ? stat : 0,
                                              .auth_stat = 2,
                                              .low = 3,
                                              .high = 4};
            uint8_t octets[128];
            struct xdr_writer w = {.p = octets, .size = sizeof octets};
            struct rpc_message back;

            rpc_reply_encode(&reply, &verf, &w);
            assert_false(w.failed);
            assert_int_equal(rpc_decode(&back, octets, w.at), RPC_OK);
            assert_int_equal(back.header_len, w.at);
            assert_int_equal(back.type, RPC_REPLY);
            assert_int_equal(back.reply_stat, reply_stat);
            assert_int_equal(back.accept_stat, reply.accept_stat);
            assert_int_equal(back.reject_stat, reply.reject_stat);
            assert_int_equal(back.verf.length, reply_stat == RPC_MSG_ACCEPTED ? sizeof token : 0);
            assert_all_truncations_are_short(octets, w.at);
        }
}

UNIT_TEST(names)
{
    assert_string_equal(rpc_accept_stat_name(0), "SUCCESS");
    assert_string_equal(rpc_accept_stat_name(RPC_GARBAGE_ARGS), "GARBAGE_ARGS");
    assert_string_equal(rpc_accept_stat_name(5), "SYSTEM_ERR");
    assert_string_equal(rpc_accept_stat_name(6), "unknown");
}
