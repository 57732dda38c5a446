// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/support/support.h"
#include "wire/ib_cm.h"

/* ConnectRequest of Linux's NFS/RDMA client over soft RoCE, from port 0xb9c0 of 10.1.1.2 to 10.1.1.1:20049. */
static const char request[] = "0107020300000000000000023bee303a00100000000000003a30ee3b00000000"
                              "0000000001064e51505400fffe0c000200000000000000000000128000000000"
                              "000000a010f79fa6ffff30f0ffffffff00000000000000000000ffff0a010102"
                              "00000000000000000000ffff0a0101016cc91000004000980000000000000000"
                              "0000000000000000000000000000000000000000000000000000000000000000"
                              "000000000040b9c00000000000000000000000000a0101020000000000000000"
                              "000000000a010101f6ab0e180101030300000000000000000000000000000000"
                              "0000000000000000000000000000000000000000000000000000000000000000";

UNIT_TEST(request_of_linux)
{
    uint8_t octets[IB_MAD_LEN];
    struct ib_cm cm;
    struct ib_ip_cm ip;
    const uint8_t *consumer;
    uint16_t port;
    size_t n;

    n = octets_of(request, octets, sizeof octets);
    assert_int_equal(n, IB_MAD_LEN);
    assert_true(ib_cm_decode(&cm, octets, n));
    assert_string_equal(ib_cm_name(cm.attribute), "ConnectRequest");
    assert_int_equal(cm.local_id, 0x3a30ee3b);
    assert_true(ib_service_is_ip(cm.service, &port));
    assert_int_equal(port, 20049);
    assert_int_equal(cm.qp, 0x12);
    assert_int_equal(cm.responder_resources, 0x80);
    assert_int_equal(cm.psn, 0x10f79f);
    assert_int_equal(ib_cm_mtu(cm.path_mtu), 1024);
    assert_true(ib_ip_cm_decode(&ip, cm.private_data, cm.private_len));
    assert_int_equal(ip.ip_version, 4);
    assert_int_equal(ip.source_port, 0xb9c0);
    assert_memory_equal(ip.destination + 12, "\x0a\x01\x01\x01", 4);
    consumer = ib_cm_consumer_data(&cm, &n);
    assert_int_equal(n, 56);
    assert_memory_equal(consumer, "\xf6\xab\x0e\x18\x01\x01\x03\x03", 8);
    /* Cut by the snap length: decoded as far as captured. */
    assert_true(ib_cm_decode(&cm, octets, IB_MAD_LEN - 1));
    assert_int_equal(cm.private_len, 91);
    assert_true(ib_cm_decode(&cm, octets, IB_MAD_HEADER_LEN + 140));
    assert_int_equal(cm.private_len, 0);
    assert_int_equal(cm.qp, 0x12);
    assert_false(ib_cm_decode(&cm, octets, IB_MAD_HEADER_LEN + 139));
    octets[1] = 3; /* subnet administration */
    assert_false(ib_cm_decode(&cm, octets, IB_MAD_LEN));
}

UNIT_TEST(a_reject_that_is_cut)
{
    const struct ib_cm said = {.attribute = IB_CM_REJECT, .local_id = 7, .remote_id = 9, .reason = 28};
    uint8_t octets[IB_MAD_LEN];
    struct ib_cm cm;

    assert_int_equal(ib_cm_encode(&said, octets, sizeof octets), IB_MAD_LEN);
    for (size_t n = 0; n <= sizeof octets; n++) {
        assert_int_equal(ib_cm_decode_cut_reject(&cm, octets, n), n >= 18 && n < IB_MAD_HEADER_LEN + 84);
        if (n < 18 || n >= IB_MAD_HEADER_LEN + 84)
            continue;
        assert_int_equal(cm.local_id, n < IB_MAD_HEADER_LEN + 4 ? 0 : 7);
        assert_int_equal(cm.remote_id, n < IB_MAD_HEADER_LEN + 8 ? 0 : 9);
        assert_int_equal(cm.reason, n < IB_MAD_HEADER_LEN + 12 ? 0 : 28);
    }
}

UNIT_TEST(what_is_encoded_is_decoded)
{
    static const struct {
        uint8_t attribute, room;
    } messages[] = {{IB_CM_REQUEST, 92},          {IB_CM_MRA, 222},   {IB_CM_REJECT, 148},
                    {IB_CM_REPLY, 196},           {IB_CM_READY, 224}, {IB_CM_DISCONNECT_REQUEST, 220},
                    {IB_CM_DISCONNECT_REPLY, 224}};
    uint8_t octets[IB_MAD_LEN], data[IB_CM_PRIVATE_MAX + 1];

    memset(data, 0xA5, sizeof data);
    for (unsigned i = 0; i < ARRAY_LENGTH(messages); i++) {
        uint8_t attribute = messages[i].attribute;
        struct ib_cm cm = {.attribute = attribute,
                           .transaction = 7,
                           .local_id = 1,
                           .remote_id = 2,
                           .service = ib_service_of_port(20049),
                           .qp = 0x123456,
                           .psn = 0x654321,
                           .responder_resources = 9,
                           .initiator_depth = 8,
                           .path_mtu = 3,
                           .subject = 2,
                           .reason = IB_CM_REJECT_CONSUMER,
                           .private_data = data,
                           .private_len = 8},
                     again;

        assert_int_equal(ib_cm_encode(&cm, octets, sizeof octets), IB_MAD_LEN);
        assert_true(ib_cm_decode(&again, octets, sizeof octets));
        assert_int_equal(again.attribute, attribute);
        assert_true(again.transaction == 7);
        assert_int_equal(again.local_id, 1);
        assert_int_equal(again.remote_id, attribute == IB_CM_REQUEST ? 0 : 2);
        assert_int_equal(again.private_len, messages[i].room);
        assert_memory_equal(again.private_data, data, 8);
        assert_int_equal(again.private_data[8], 0);
        if (attribute == IB_CM_REQUEST || attribute == IB_CM_REPLY) {
            assert_int_equal(again.qp, 0x123456);
            assert_int_equal(again.psn, 0x654321);
            assert_int_equal(again.responder_resources, 9);
            assert_int_equal(again.initiator_depth, 8);
        }
        if (attribute == IB_CM_REJECT)
            assert_int_equal(again.reason, IB_CM_REJECT_CONSUMER);
        cm.private_len = messages[i].room;
        assert_int_equal(ib_cm_encode(&cm, octets, sizeof octets), IB_MAD_LEN);
        assert_int_equal(ib_cm_encode(&cm, octets, IB_MAD_LEN - 1), 0);
        cm.private_len++;
        assert_int_equal(ib_cm_encode(&cm, octets, sizeof octets), 0);
    }
    assert_int_equal(ib_cm_encode(&(struct ib_cm){.attribute = 0x17}, octets, sizeof octets), 0);
    assert_null(ib_cm_name(0x17));
}

/* clang's sanitizer sees an address that is computed before the length is compared. */
UNIT_TEST(no_octets)
{
    struct ib_cm cm = {.attribute = IB_CM_READY};

    assert_int_equal(ib_cm_encode(&cm, NULL, 0), 0);
    assert_false(ib_cm_decode(&cm, NULL, 0));
}

UNIT_TEST(ip_addressing)
{
    struct ib_ip_cm header = {.ip_version = 6, .source_port = 700, .source = {0xfd, 1}, .destination = {0xfd, 2}},
                    again;
    uint8_t octets[IB_IP_CM_LEN];
    uint16_t port;

    assert_int_equal(ib_ip_cm_encode(&header, octets, sizeof octets), IB_IP_CM_LEN);
    assert_true(ib_ip_cm_decode(&again, octets, sizeof octets));
    assert_int_equal(again.ip_version, 6);
    assert_int_equal(again.source_port, 700);
    assert_memory_equal(again.source, header.source, sizeof header.source);
    assert_memory_equal(again.destination, header.destination, sizeof header.destination);
    assert_false(ib_ip_cm_decode(&again, octets, sizeof octets - 1));
    octets[1] = 0x50;
    assert_false(ib_ip_cm_decode(&again, octets, sizeof octets));
    assert_false(ib_service_is_ip(UINT64_C(0x01110000) | 20049, &port)); /* UDP: SIDR */
    assert_int_equal(ib_cm_mtu(0), 0);
    assert_int_equal(ib_cm_mtu(5), 4096);
    assert_int_equal(ib_cm_mtu(6), 0);
}
