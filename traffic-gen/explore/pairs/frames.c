// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/explore/pairs/frames.h"

#include <string.h>

enum { RECEIVES = 64, RECEIVE_SIZE = 4096 };

const char *const frames_lengths[] = {"0", "8", "16", "256", "257", "508", "509", "512", "513"},
                  *const frames_cuts[] = {"whole", "key", "flags", "length", "data", "octets"};

size_t frames_cut(enum frames_cut cut, size_t data, size_t cuts[FRAMES_CUTS_MAX])
{
    static const size_t where[] = {
        [CUT_KEY] = 5, [CUT_FLAGS] = 17, [CUT_LENGTH] = 19, [CUT_DATA] = MPA_STARTUP_HEADER_LEN + 2};
    const size_t n = MPA_STARTUP_HEADER_LEN + data;

    if (cut == CUT_WHOLE)
        return 0;
    if (cut != CUT_OCTETS) {
        cuts[0] = where[cut];
        return 1;
    }
    for (size_t i = 1; i < n; i++)
        cuts[i - 1] = i;
    return n - 1;
}

void frames_fill(const struct talk_run *run, uint8_t *octets, size_t n)
{
    const struct advert_wish wish = {RECEIVES, RECEIVE_SIZE, ADVERT_ECHO};
    uint8_t words[ADVERT_WISH_LEN];

    memset(octets, 'x', n);
    if (run->terms.words == PRIVATE_DATA_ADVERT && n >= sizeof words) {
        advert_wish_encode(&wish, run->lab, words);
        memcpy(octets, words, sizeof words);
    }
}
