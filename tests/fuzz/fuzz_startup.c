// SPDX-License-Identifier: GPL-2.0-or-later
/* Start-up frames and their private data: decoded frames are encoded to the same octets. */
#include "tests/fuzz/fuzz.h"
#include "wire/mpa_startup.h"
#include "wire/rpcrdma_private_data.h"

static void private_data(const uint8_t *p, size_t n)
{
    struct rpcrdma_private_data found;
    uint8_t back[RPCRDMA_PD_LEN];

    switch (rpcrdma_private_data_find(&found, p, n)) {
    case RPCRDMA_PD_OK:
        HOLDS(rpcrdma_private_data_encode(&found, back, sizeof back) == sizeof back);
        HOLDS(memcmp(back, p + found.offset, sizeof back) == 0);
        break;
    case RPCRDMA_PD_BAD_VERSION:
    case RPCRDMA_PD_TRUNCATED:
        HOLDS(found.offset + 4 <= n);
        break;
    case RPCRDMA_PD_ABSENT:
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t back[MPA_STARTUP_HEADER_LEN + UINT16_MAX];
    struct mpa_startup frame;
    size_t need;

    private_data(data, size);
    switch (mpa_startup_decode(&frame, &need, data, size)) {
    case MPA_STARTUP_OK:
        HOLDS(need <= size && need == MPA_STARTUP_HEADER_LEN + (size_t)frame.pd_length);
        HOLDS(mpa_startup_encode(&frame, back, need - 1) == 0);
        HOLDS(mpa_startup_encode(&frame, back, sizeof back) == need);
        HOLDS(memcmp(back, data, need) == 0);
        break;
    case MPA_STARTUP_MORE:
        HOLDS(need > size);
        break;
    case MPA_STARTUP_NO_KEY:
        HOLDS(size > 0 && need == MPA_STARTUP_HEADER_LEN);
        break;
    }
    return 0;
}
