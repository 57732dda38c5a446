// SPDX-License-Identifier: GPL-2.0-or-later
/* wire/rpcbind.c: RFC 1833. */
#include "wire/rpcbind.h"

#include "tests/proofs/proof.h"

void proof_rpcbind_decode(void)
{
    struct rpcbind_lookup lookup;
    size_t n = any_size_to(88);
    const uint8_t *p = any_octets_to(n, 88);
    enum rpcbind_question question = rpcbind_decode(&lookup, p, n);

    CLAIM(IMPLIES(question == RPCBIND_LOOKUP, lookup.version >= 2 && lookup.version <= 4));
    CLAIM(IMPLIES(question == RPCBIND_LOOKUP && lookup.netid_len > 0,
                  lookup.netid >= p && lookup.netid_len <= n - (size_t)(lookup.netid - p)));
    if (question == RPCBIND_LOOKUP)
        CLAIM(IMPLIES(rpcbind_is_rdma(&lookup), lookup.version > RPCBIND_PORTMAPPER));
    CLAIM(rpcbind_name(lookup.version, lookup.procedure) != NULL);
    FALSE_CLAIM(question != RPCBIND_DUMP);
    FALSE_CLAIM(question != RPCBIND_LOOKUP || lookup.netid_len == 0);
}

void proof_rpcbind_record(void)
{
    size_t n = any_size_to(40), before = n, length;
    const uint8_t *start = any_octets_to(n, 40), *p = start, *record = rpcbind_next_record(&p, &n, &length);

    CLAIM(p + n == start + before);
    CLAIM(IMPLIES(before > 0, n < before)); /* so a loop over records ends */
    CLAIM(IMPLIES(record, record + length == p));
    FALSE_CLAIM(!record);
}

void proof_rpcbind_answer(void)
{
    size_t n = any_size_to(48);
    const uint8_t *p = any_octets_to(n, 48);
    uint16_t port;
    uint32_t version = any_u32(), procedure = any_u32(), xid;
    enum rpcbind_answer answer = rpcbind_decode_answer(version, procedure, p, n, &port);

    CLAIM(IMPLIES(answer != RPCBIND_REGISTERED, port == 0));
    CLAIM(IMPLIES(answer != RPCBIND_NO_ANSWER, rpcbind_reply_xid(p, n, &xid)));
    FALSE_CLAIM(answer != RPCBIND_REGISTERED || version == RPCBIND_PORTMAPPER || port == 0);
}
