// SPDX-License-Identifier: GPL-2.0-or-later
#include "wire/tap_mark.h"

#include "wire/octets.h"

#include <string.h>

enum { VERSION = 1, BY_CLIENT = 0x08, FOUND = 0x04 };

static const uint8_t destination[4] = {0x02, 't', 'a', 'p'}, source[2] = {0x02, 'k'};

struct tap_mark tap_mark_decode(const uint8_t *p, size_t n)
{
    if (n < TAP_MARK_LEN || memcmp(p, destination, sizeof destination) != 0 ||
        memcmp(p + 6, source, sizeof source) != 0 || p[8] >> 4 < VERSION)
        return (struct tap_mark){.tapped = false};
    return (struct tap_mark){.tapped = true,
                             .by_client = p[8] & BY_CLIENT,
                             .found = p[8] & FOUND,
                             .left_out = p[9],
                             .source_port = get_be16(p + 10),
                             .destination_port = get_be16(p + 4)};
}

void tap_mark_encode(const struct tap_mark *mark, uint8_t *p)
{
    memcpy(p, destination, sizeof destination);
    put_be16(p + 4, mark->destination_port);
    memcpy(p + 6, source, sizeof source);
    p[8] = (uint8_t)(VERSION << 4 | (mark->by_client ? BY_CLIENT : 0) | (mark->found ? FOUND : 0));
    p[9] = mark->left_out;
    put_be16(p + 10, mark->source_port);
}
