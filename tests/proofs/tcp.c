// SPDX-License-Identifier: GPL-2.0-or-later
/* engine/tcp: sequence numbers of 32 bits as offsets of 64 bits, and pieces that wait in their order. */
#include "engine/tcp/tcp_pair.c"

#include "tests/proofs/proof.h"

/* Every offset that is less than 2^31 away from the next one is found, however often the numbers have wrapped. */
void proof_tcp_unwrap(void)
{
    struct side side = {.facts = {.isn = any_u32(), .next = any_u64()}};
    int64_t offset = (int64_t)any_u64(), ahead, found;

    ASSUME(side.facts.next < UINT64_C(1) << 62 && offset > -(INT64_C(1) << 31) && offset < INT64_C(1) << 62);
    ahead = offset - (int64_t)side.facts.next;
    ASSUME(ahead >= INT32_MIN && ahead <= INT32_MAX);
    found = unwrap(&side, side.facts.isn + (uint32_t)offset);
    CLAIM(found == offset);
    CLAIM(not_negative(found) == (found < 0 ? 0 : (uint64_t)found));
    FALSE_CLAIM(found >= 0);
    FALSE_CLAIM(found < INT64_C(1) << 32);
}
