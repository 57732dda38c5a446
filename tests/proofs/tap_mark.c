// SPDX-License-Identifier: GPL-2.0-or-later
/* wire/tap_mark.c */
#include "wire/tap_mark.h"

#include "tests/proofs/proof.h"

void proof_tap_mark(void)
{
    size_t n = any_size_to(20), i = any_size();
    const uint8_t *p = any_octets(n);
    struct tap_mark mark = tap_mark_decode(p, n), again;
    uint8_t out[TAP_MARK_LEN];

    CLAIM(IMPLIES(mark.tapped, n >= TAP_MARK_LEN));
    if (!mark.tapped)
        return;
    tap_mark_encode(&mark, out);
    again = tap_mark_decode(out, sizeof out);
    CLAIM(again.tapped && again.by_client == mark.by_client && again.found == mark.found);
    CLAIM(again.source_port == mark.source_port && again.destination_port == mark.destination_port);
    ASSUME(i < TAP_MARK_LEN && i != 8 && i != 9); /* version and reserved bits may be later ones */
    CLAIM(out[i] == p[i]);
    FALSE_CLAIM(!mark.found);
}
