// SPDX-License-Identifier: GPL-2.0-or-later
/* wire/ib_cm.c: InfiniBand Architecture Specification, chapter 12 and Annex A11. */
#include "wire/ib_cm.h"

#include "tests/proofs/proof.h"

void proof_ib_cm_decode(void)
{
    struct ib_cm cm;
    size_t n = any_size_to(IB_MAD_LEN + 4), consumer;
    const uint8_t *p = any_octets(n), *data;

    if (!ib_cm_decode(&cm, p, n))
        return;
    CLAIM(ib_cm_name(cm.attribute) && cm.private_len <= IB_CM_PRIVATE_MAX);
    CLAIM(cm.private_data >= p && cm.private_len <= n - (size_t)(cm.private_data - p));
    data = ib_cm_consumer_data(&cm, &consumer);
    CLAIM(data + consumer == cm.private_data + cm.private_len);
    FALSE_CLAIM(consumer == cm.private_len);
    FALSE_CLAIM(cm.private_len == 0);
}

void proof_ib_cm_encode(void)
{
    uint8_t data[4], out[IB_MAD_LEN];
    struct ib_cm cm = {.attribute = any_u8(),
                       .transaction = any_u64(),
                       .local_id = any_u32(),
                       .remote_id = any_u32(),
                       .service = any_u64(),
                       .qp = any_u32() & 0xFFFFFF,
                       .psn = any_u32() & 0xFFFFFF,
                       .responder_resources = any_u8(),
                       .initiator_depth = any_u8(),
                       .path_mtu = any_u8() & 15,
                       .subject = any_u8() & 3,
                       .reason = any_u16(),
                       .private_data = data,
                       .private_len = (uint8_t)any_size_to(sizeof data)},
                 read;
    size_t i = any_size();

    cm.path.rnr_retries = any_u8() & 7;
    cm.path.retries = any_u8() & 7;
    cm.path.guid = any_u64();
    for (unsigned k = 0; k < sizeof data; k++)
        data[k] = any_u8();
    if (ib_cm_encode(&cm, out, sizeof out) == 0) {
        CLAIM(!ib_cm_name(cm.attribute));
        return;
    }
    CLAIM(ib_cm_decode(&read, out, sizeof out));
    CLAIM(read.attribute == cm.attribute && read.transaction == cm.transaction && read.local_id == cm.local_id);
    if (cm.attribute == IB_CM_REQUEST || cm.attribute == IB_CM_REPLY) {
        CLAIM(read.qp == cm.qp && read.psn == cm.psn && read.path.guid == cm.path.guid);
        CLAIM(read.responder_resources == cm.responder_resources && read.initiator_depth == cm.initiator_depth);
        CLAIM(read.path.rnr_retries == cm.path.rnr_retries);
    }
    if (cm.attribute == IB_CM_REQUEST)
        CLAIM(read.service == cm.service && read.path_mtu == cm.path_mtu && read.path.retries == cm.path.retries);
    if (cm.attribute == IB_CM_REJECT)
        CLAIM(read.reason == cm.reason && read.subject == cm.subject && read.remote_id == cm.remote_id);
    ASSUME(i < cm.private_len);
    CLAIM(read.private_data[i] == data[i]);
    FALSE_CLAIM(cm.attribute != IB_CM_REQUEST);
    FALSE_CLAIM(cm.attribute != IB_CM_REJECT);
}

void proof_ib_ip_cm(void)
{
    struct ib_ip_cm header;
    size_t n = any_size_to(40), i = any_size();
    const uint8_t *p = any_octets(n);
    uint8_t out[IB_IP_CM_LEN];
    uint16_t port;
    uint64_t service = any_u64();

    CLAIM(IMPLIES(ib_service_is_ip(service, &port), ib_service_of_port(port) == service));
    CLAIM(ib_service_is_ip(ib_service_of_port((uint16_t)service), &port) && port == (uint16_t)service);
    CLAIM(ib_cm_timeout_ns(any_u8()) >= 0 && ib_cm_mtu(any_u8()) <= 4096);
    if (!ib_ip_cm_decode(&header, p, n))
        return;
    CLAIM(ib_ip_cm_encode(&header, out, sizeof out) == IB_IP_CM_LEN);
    ASSUME(i < IB_IP_CM_LEN && i != 1); /* the lower half of octet 1 is reserved */
    CLAIM(out[i] == p[i]);
    FALSE_CLAIM(header.ip_version == 4);
}
