// SPDX-License-Identifier: GPL-2.0-or-later
/* wire/mpa_startup.c: RFC 5044 section 7.1.1, RFC 6581 section 9. */
#include "wire/mpa_startup.h"

#include "tests/proofs/proof.h"

enum { MOST = MPA_STARTUP_HEADER_LEN + MPA_PRIVATE_DATA_MAX + 40 };

void proof_mpa_startup_decode(void)
{
    struct mpa_startup frame;
    size_t n = any_size_to(MOST), need = any_size();
    const uint8_t *p = any_octets(n);
    enum mpa_startup_status status = mpa_startup_decode(&frame, &need, p, n);

    CLAIM(IMPLIES(status == MPA_STARTUP_OK, n >= need && need == MPA_STARTUP_HEADER_LEN + (size_t)frame.pd_length));
    CLAIM(IMPLIES(status == MPA_STARTUP_MORE, n < need));
    if (status == MPA_STARTUP_OK) {
        size_t i = any_size(), enhanced = frame.has_enhanced ? MPA_ENHANCED_LEN : 0;
        uint8_t *again = any_octets(need);

        CLAIM(frame.has_enhanced == (frame.revision >= 2 && frame.flags & MPA_FLAG_S && frame.pd_length >= 4));
        CLAIM((size_t)frame.ulp_length + enhanced == frame.pd_length);
        CLAIM((frame.ulp_data == NULL) == (frame.ulp_length == 0));
        CLAIM(IMPLIES(frame.ulp_data, frame.ulp_data == p + MPA_STARTUP_HEADER_LEN + enhanced));
        CLAIM(mpa_startup_encode(&frame, again, need) == need);
        ASSUME(i < need);
        CLAIM(again[i] == p[i]);
        FALSE_CLAIM(!frame.has_enhanced);
        FALSE_CLAIM(frame.pd_length <= MPA_PRIVATE_DATA_MAX);
    }
    FALSE_CLAIM(status != MPA_STARTUP_MORE || need == MPA_STARTUP_HEADER_LEN);
}

void proof_mpa_startup_encode(void)
{
    struct mpa_startup frame = {.kind = any_bool() ? MPA_REPLY : MPA_REQUEST,
                                .flags = any_u8(),
                                .revision = any_u8(),
                                .has_enhanced = any_bool(),
                                .enhanced = {any_bool(), any_u8() & 7, any_u16() & 0x3FFF, any_u16() & 0x3FFF},
                                .ulp_length = (uint16_t)any_size_to(64)},
                       read;
    size_t size = any_size_to(100), need, n;
    uint8_t *out = any_octets(size);

    frame.ulp_data = any_octets(frame.ulp_length);
    mpa_startup_fix_length(&frame);
    n = mpa_startup_encode(&frame, out, size);
    CLAIM(n <= size && (n > 0) == (size >= MPA_STARTUP_HEADER_LEN + (size_t)frame.pd_length));
    if (n == 0)
        return;
    CLAIM(mpa_startup_decode(&read, &need, out, n) == MPA_STARTUP_OK && need == n);
    CLAIM(read.kind == frame.kind && read.flags == frame.flags && read.revision == frame.revision);
    CLAIM(read.pd_length == frame.pd_length);
    if (frame.revision >= 2 && frame.has_enhanced && frame.flags & MPA_FLAG_S) {
        CLAIM(read.has_enhanced && read.enhanced.peer_to_peer == frame.enhanced.peer_to_peer);
        CLAIM(read.enhanced.rtr == frame.enhanced.rtr);
        CLAIM(read.enhanced.ird == frame.enhanced.ird && read.enhanced.ord == frame.enhanced.ord);
        CLAIM(read.ulp_length == frame.ulp_length);
        if (read.ulp_length > 0) {
            size_t i = any_size_to(read.ulp_length - 1u);

            CLAIM(read.ulp_data[i] == frame.ulp_data[i]);
        }
        FALSE_CLAIM(read.ulp_length == 0);
    }
}
