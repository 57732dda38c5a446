// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/core/hash.h"

#include "wire/invariant.h"

#include <sys/random.h>

enum { GOLDEN = 0x1E3779B1, RANDOM = 0x00FFFFFE };

uint32_t hash_multiplier = 0x80000000u | GOLDEN;
uint64_t hash_seed = 1;

/* Near the golden ratio, so that consecutive numbers are spread out. */
__attribute__((constructor)) static void hash_choose(void)
{
    uint64_t random[2];

    if (getrandom(random, sizeof random, GRND_NONBLOCK) != sizeof random)
        return;
    hash_multiplier ^= (uint32_t)random[0] & RANDOM;
    hash_seed = random[1];
    INVARIANT(hash_multiplier & 1);
    INVARIANT(hash_multiplier >> 31); /* consecutive numbers are far apart */
}
