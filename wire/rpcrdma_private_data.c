// SPDX-License-Identifier: GPL-2.0-or-later
#include "wire/rpcrdma_private_data.h"

#include "wire/invariant.h"
#include "wire/octets.h"

static enum rpcrdma_private_data_status decode(struct rpcrdma_private_data *out, size_t offset, const uint8_t *p,
                                               size_t n)
{
    *out = (struct rpcrdma_private_data){.offset = offset};
    if (n < RPCRDMA_PD_LEN)
        return RPCRDMA_PD_TRUNCATED;
    out->version = p[4];
    out->flags = p[5];
    out->remote_invalidation = p[5] & RPCRDMA_PD_FLAG_R;
    out->send_size = (p[6] + 1u) * RPCRDMA_PD_SIZE_UNIT;
    out->receive_size = (p[7] + 1u) * RPCRDMA_PD_SIZE_UNIT;
    return out->version == RPCRDMA_PD_VERSION ? RPCRDMA_PD_OK : RPCRDMA_PD_BAD_VERSION;
}

enum rpcrdma_private_data_status rpcrdma_private_data_find(struct rpcrdma_private_data *out, const uint8_t *p, size_t n)
{
    enum rpcrdma_private_data_status first = RPCRDMA_PD_ABSENT;

    for (size_t i = 0; i + 4 <= n; i++) {
        struct rpcrdma_private_data found;
        enum rpcrdma_private_data_status status;

        if (get_be32(p + i) != RPCRDMA_PD_IDENTIFIER)
            continue;
        status = decode(&found, i, p + i, n - i);
        if (status == RPCRDMA_PD_OK || first == RPCRDMA_PD_ABSENT) {
            first = status;
            *out = found;
        }
        if (status == RPCRDMA_PD_OK)
            break;
    }
    INVARIANT(first == RPCRDMA_PD_ABSENT || (out->offset < n && n - out->offset >= 4));
    return first;
}

static uint8_t encode_size(uint32_t octets)
{
    if (octets < RPCRDMA_PD_SIZE_UNIT)
        return 0;
    if (octets > RPCRDMA_PD_SIZE_MAX)
        return UINT8_MAX;
    return (uint8_t)(octets / RPCRDMA_PD_SIZE_UNIT - 1);
}

size_t rpcrdma_private_data_encode(const struct rpcrdma_private_data *data, uint8_t *out, size_t size)
{
    if (size < RPCRDMA_PD_LEN)
        return 0;
    put_be32(out, RPCRDMA_PD_IDENTIFIER);
    out[4] = data->version;
    out[5] = (uint8_t)(data->flags | (data->remote_invalidation ? RPCRDMA_PD_FLAG_R : 0));
    out[6] = encode_size(data->send_size);
    out[7] = encode_size(data->receive_size);
    return RPCRDMA_PD_LEN;
}
