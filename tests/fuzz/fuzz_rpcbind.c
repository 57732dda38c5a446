// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Messages to and from port 111, as a datagram and as the records of a TCP segment. A decoded question is encoded to
 * the same octets.
 */
#include "tests/fuzz/fuzz.h"
#include "wire/rpcbind.h"

static void asked(const struct rpcbind_lookup *lookup)
{
    uint8_t *p = malloc(100 + xdr_padded(lookup->netid_len));
    struct xdr_writer w = {.p = p, .size = 100 + xdr_padded(lookup->netid_len)};
    struct rpcbind_lookup again;

    rpcbind_encode(lookup, 1, &w);
    HOLDS(!w.failed && rpcbind_decode(&again, p, w.at) == RPCBIND_LOOKUP);
    HOLDS(again.version == lookup->version && again.procedure == lookup->procedure);
    HOLDS(again.program == lookup->program && again.program_version == lookup->program_version);
    HOLDS(again.protocol == lookup->protocol && rpcbind_is_rdma(&again) == rpcbind_is_rdma(lookup));
    free(p);
}

static void message(const uint8_t *p, size_t n)
{
    struct rpcbind_lookup lookup;
    uint32_t xid;
    uint16_t port;

    if (rpcbind_decode(&lookup, p, n) == RPCBIND_LOOKUP)
        asked(&lookup);
    for (uint32_t version = 2; version <= 4; version++)
        for (uint32_t procedure = 0; procedure < 13; procedure++)
            HOLDS(rpcbind_decode_answer(version, procedure, p, n, &port) == RPCBIND_NO_ANSWER ||
                  rpcbind_reply_xid(p, n, &xid));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *p = data;
    size_t n = size;

    message(data, size);
    while (n > 0) {
        size_t before = n, length;
        const uint8_t *record = rpcbind_next_record(&p, &n, &length);

        if (record)
            message(record, length);
        HOLDS(n < before && p + n == data + size);
    }
    return 0;
}
