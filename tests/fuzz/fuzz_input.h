/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An input read octet by octet; 0 after its end. */
#ifndef IWARP_TESTS_FUZZ_FUZZ_INPUT_H
#define IWARP_TESTS_FUZZ_FUZZ_INPUT_H

#include "tests/fuzz/fuzz.h"

struct input {
    const uint8_t *p;
    size_t n;
};

static inline unsigned take(struct input *input)
{
    if (input->n == 0)
        return 0;
    input->n--;
    return *input->p++;
}

#endif
