// SPDX-License-Identifier: GPL-2.0-or-later
/* Lookups of rpcbind: RFC 1833. The first two are what rpcinfo(8) sends. */
#include "tests/unit/support/support.h"
#include "wire/rpcbind.h"

static const uint8_t getaddr[] = {
    0x5F, 0x00, 0x11, 0x22, 0, 0, 0,   0,   0,   0,   0,   2, 0, 1, 0x86, 0xA0, 0, 0, 0, 4,    0,    0, 0,
    3,    0,    0,    0,    0, 0, 0,   0,   0,   0,   0,   0, 0, 0, 0,    0,    0, 0, 1, 0x86, 0xA3, 0, 0,
    0,    4,    0,    0,    0, 5, 'r', 'd', 'm', 'a', '6', 0, 0, 0, 0,    0,    0, 0, 0, 0,    0,    0,
};

static const uint8_t getport[] = {
    0x5F, 0x00, 0x11, 0x23, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0x86, 0xA0, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0,
    0,    0,    0,    0,    0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0x86, 0xA3, 0, 0, 0, 3, 0, 0, 0, 6, 0, 0, 0, 0,
};

UNIT_TEST(lookups)
{
    struct rpcbind_lookup lookup;

    assert_int_equal(rpcbind_decode(&lookup, getaddr, sizeof getaddr), RPCBIND_LOOKUP);
    assert_int_equal(lookup.version, 4);
    assert_string_equal(rpcbind_name(lookup.version, lookup.procedure), "GETADDR");
    assert_int_equal(lookup.program, 100003);
    assert_int_equal(lookup.program_version, 4);
    assert_true(rpcbind_is_rdma(&lookup));

    assert_int_equal(rpcbind_decode(&lookup, getport, sizeof getport), RPCBIND_LOOKUP);
    assert_int_equal(lookup.version, 2);
    assert_string_equal(rpcbind_name(lookup.version, lookup.procedure), "GETPORT");
    assert_int_equal(lookup.program_version, 3);
    assert_int_equal(lookup.protocol, 6);
    assert_false(rpcbind_is_rdma(&lookup));
}

UNIT_TEST(netids)
{
    static const struct {
        const char *netid;
        bool rdma;
    } cases[] = {{"rdma", true},    {"rdma6", true}, {"rdma7", false}, {"rdm", false},
                 {"rdma66", false}, {"tcp", false},  {"", false}};

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct rpcbind_lookup lookup = {.netid = (const uint8_t *)cases[i].netid,
                                        .netid_len = (uint32_t)strlen(cases[i].netid)};

        assert_int_equal(rpcbind_is_rdma(&lookup), cases[i].rdma);
    }
}

/* Every length except the whole: the question is unknown. The address and the owner decide nothing. */
UNIT_TEST(cut_short)
{
    struct rpcbind_lookup lookup;

    for (size_t n = 0; n < sizeof getaddr - 8; n++)
        assert_int_equal(rpcbind_decode(&lookup, getaddr, n), RPCBIND_UNREADABLE);
    for (size_t n = 0; n < sizeof getport - 4; n++)
        assert_int_equal(rpcbind_decode(&lookup, getport, n), RPCBIND_UNREADABLE);
}

UNIT_TEST(other_questions)
{
    static const struct {
        uint32_t version, procedure;
        enum rpcbind_question question;
        const char *name;
    } cases[] = {
        {2, 0, RPCBIND_NOTHING, "NULL"},       {2, 4, RPCBIND_DUMP, "DUMP"},
        {3, 4, RPCBIND_DUMP, "DUMP"},          {4, 1, RPCBIND_NOTHING, "SET"},
        {4, 6, RPCBIND_NOTHING, "GETTIME"},    {3, 3, RPCBIND_LOOKUP, "GETADDR"},
        {4, 9, RPCBIND_LOOKUP, "GETVERSADDR"}, {4, 11, RPCBIND_LOOKUP, "GETADDRLIST"},
        {3, 9, RPCBIND_NOTHING, "?"},          {5, 3, RPCBIND_NOTHING, "?"},
    };

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct rpcbind_lookup lookup = {.version = cases[i].version,
                                        .procedure = cases[i].procedure,
                                        .program = 100003,
                                        .program_version = 4,
                                        .netid = (const uint8_t *)"rdma",
                                        .netid_len = 4};
        uint8_t p[100];
        struct xdr_writer w = {.p = p, .size = sizeof p};

        rpcbind_encode(&lookup, 7, &w);
        assert_false(w.failed);
        assert_int_equal(rpcbind_decode(&lookup, p, w.at), cases[i].question);
        assert_string_equal(rpcbind_name(cases[i].version, cases[i].procedure), cases[i].name);
        p[11]++; /* RPC version 3 */
        assert_int_equal(rpcbind_decode(&lookup, p, w.at), RPCBIND_UNREADABLE);
        p[11]--;
        p[15]++; /* another program */
        assert_int_equal(rpcbind_decode(&lookup, p, w.at), RPCBIND_UNREADABLE);
        p[15]--;
        p[7] = 1; /* a Reply */
        assert_int_not_equal(rpcbind_decode(&lookup, p, w.at), RPCBIND_LOOKUP);
    }
}

UNIT_TEST(records)
{
    uint8_t segment[2 * (4 + sizeof getport) + 3] = {0x80, 0, 0, sizeof getport};
    const size_t one = 4 + sizeof getport;
    const uint8_t *p = segment;
    size_t n = sizeof segment, length;

    assert_ptr_equal(rpcbind_next_record(&p, &n, &length), segment + 4);
    assert_int_equal(length, sizeof getport);
    assert_int_equal(n, one + 3);
    memcpy(segment + one, segment, 4);
    assert_ptr_equal(rpcbind_next_record(&p, &n, &length), segment + one + 4);
    assert_int_equal(n, 3);
    assert_null(rpcbind_next_record(&p, &n, &length)); /* half a mark */
    assert_int_equal(n, 0);
    assert_ptr_equal(p, segment + sizeof segment);

    p = segment, n = one - 1; /* the rest is in another segment */
    assert_null(rpcbind_next_record(&p, &n, &length));
    assert_int_equal(n, 0);
    segment[0] = 0; /* fragments of a record follow */
    p = segment, n = one;
    assert_null(rpcbind_next_record(&p, &n, &length));
    assert_int_equal(n, 0);
}

static size_t reply_with(uint8_t p[64], const char *address, uint32_t port)
{
    const struct rpc_message reply = {.xid = 9};
    struct xdr_writer w = {.p = p, .size = 64};

    rpc_reply_encode(&reply, NULL, &w);
    if (address)
        xdr_put_opaque(&w, address, (uint32_t)strlen(address));
    else
        xdr_put_u32(&w, port);
    assert_false(w.failed);
    return w.at;
}

UNIT_TEST(answers)
{
    static const struct {
        uint32_t version, procedure;
        const char *address;
        uint32_t port;
        enum rpcbind_answer answer;
        uint16_t says;
    } cases[] = {
        {2, 3, NULL, 0, RPCBIND_NOT_REGISTERED, 0},
        {2, 3, NULL, 635, RPCBIND_REGISTERED, 635},
        {2, 3, NULL, 65536, RPCBIND_NO_ANSWER, 0},
        {2, 4, NULL, 0, RPCBIND_NO_ANSWER, 0},
        {3, 3, "", 0, RPCBIND_NOT_REGISTERED, 0},
        {4, 9, "", 0, RPCBIND_NOT_REGISTERED, 0},
        {4, 3, "::.2.123", 0, RPCBIND_REGISTERED, 635},
        {4, 3, "192.0.2.2.78.81", 0, RPCBIND_REGISTERED, 20049},
        {4, 3, "192.0.2.2.255.255", 0, RPCBIND_REGISTERED, 65535},
        {4, 3, "192.0.2.2.256.1", 0, RPCBIND_REGISTERED, 0}, /* these do not give a port */
        {4, 3, "192.0.2.2.1.256", 0, RPCBIND_REGISTERED, 0},
        {4, 3, "192.0.2.2.1.0001", 0, RPCBIND_REGISTERED, 0},
        {4, 3, "2.123", 0, RPCBIND_REGISTERED, 0},
        {4, 3, "rdma:20049", 0, RPCBIND_REGISTERED, 0},
        {4, 3, "1.2.3.4.5.", 0, RPCBIND_REGISTERED, 0},
        {4, 3, "1.2.3..5", 0, RPCBIND_REGISTERED, 0},
        {4, 3, "192.0.2.2.0.0", 0, RPCBIND_NO_ANSWER, 0},
        {4, 11, "", 0, RPCBIND_NO_ANSWER, 0},
        {3, 3, ".", 0, RPCBIND_NO_ANSWER, 0},
    };

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        uint8_t p[64];
        size_t n = reply_with(p, cases[i].address, cases[i].port);
        uint32_t xid = 0;
        uint16_t port = 1;

        assert_int_equal(rpcbind_decode_answer(cases[i].version, cases[i].procedure, p, n, &port), cases[i].answer);
        assert_int_equal(port, cases[i].says);
        assert_true(rpcbind_reply_xid(p, n, &xid));
        assert_int_equal(xid, 9);
        for (size_t cut = 0; cut < n; cut++)
            assert_int_equal(rpcbind_decode_answer(cases[i].version, cases[i].procedure, p, cut, &port),
                             RPCBIND_NO_ANSWER);
        p[23] = RPC_PROG_UNAVAIL;
        assert_int_equal(rpcbind_decode_answer(cases[i].version, cases[i].procedure, p, n, &port), RPCBIND_NO_ANSWER);
        p[7] = RPC_CALL;
        assert_false(rpcbind_reply_xid(p, n, &xid));
    }
}

UNIT_TEST(tcp_of_an_address_family)
{
    const struct rpcbind_lookup tcp = {.netid = (const uint8_t *)"tcp", .netid_len = 3};
    const struct rpcbind_lookup tcp6 = {.netid = (const uint8_t *)"tcp6", .netid_len = 4};
    const struct rpcbind_lookup udp = {.netid = (const uint8_t *)"udp", .netid_len = 3};

    assert_true(rpcbind_is_tcp(&tcp, 4) && rpcbind_is_tcp(&tcp6, 6));
    assert_false(rpcbind_is_tcp(&tcp, 6) || rpcbind_is_tcp(&tcp6, 4) || rpcbind_is_tcp(&udp, 4));
}

UNIT_TEST(transports)
{
    static const struct {
        uint32_t version, protocol;
        const char *netid;
        enum rpcbind_transport transport;
    } cases[] = {
        {2, 6, "", RPCBIND_FOR_TCP},       {2, 17, "", RPCBIND_FOR_UDP},       {2, 1, "rdma", RPCBIND_FOR_OTHERS},
        {3, 6, "rdma", RPCBIND_FOR_RDMA},  {4, 0, "rdma6", RPCBIND_FOR_RDMA6}, {4, 0, "tcp6", RPCBIND_FOR_TCP},
        {4, 17, "udp6", RPCBIND_FOR_UDP},  {4, 0, "udp", RPCBIND_FOR_UDP},     {4, 0, "rdma66", RPCBIND_FOR_OTHERS},
        {4, 0, "rdm", RPCBIND_FOR_OTHERS}, {4, 6, "", RPCBIND_FOR_OTHERS},
    };

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        const struct rpcbind_lookup lookup = {.version = cases[i].version,
                                              .protocol = cases[i].protocol,
                                              .netid = (const uint8_t *)cases[i].netid,
                                              .netid_len = (uint32_t)strlen(cases[i].netid)};

        assert_int_equal(rpcbind_transport(&lookup), cases[i].transport);
    }
}
