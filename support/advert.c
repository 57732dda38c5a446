// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/advert.h"

#include "wire/octets.h"

#include <string.h>

enum { MAGIC_LEN = 4, HEAD_LEN = 8, REGION_LEN = 16 };

static bool has_magic(const uint8_t *p, size_t n, const char *magic, const char *other)
{
    return n >= MAGIC_LEN && (memcmp(p, magic, MAGIC_LEN) == 0 || memcmp(p, other, MAGIC_LEN) == 0);
}

bool advert_decode(struct advert *out, const uint8_t *p, size_t n)
{
    uint32_t announced;

    if (!has_magic(p, n, "IWT1", "LAB1") || n < HEAD_LEN)
        return false;
    announced = get_be32(p + MAGIC_LEN);
    *out = (struct advert){0};
    for (size_t at = HEAD_LEN; out->n < announced && out->n < REGION_COUNT && n - at >= REGION_LEN; at += REGION_LEN) {
        struct advert_memory *region = &out->regions[out->n++];

        region->address = get_be64(p + at);
        region->stag = get_be32(p + at + 8);
        region->length = get_be32(p + at + 12);
    }
    return true;
}

bool advert_wish_decode(struct advert_wish *out, const uint8_t *p, size_t n)
{
    if (!has_magic(p, n, "IWTQ", "LABQ") || n < ADVERT_WISH_LEN)
        return false;
    out->receives = get_be32(p + 4);
    out->size = get_be32(p + 8);
    out->flags = get_be32(p + 12);
    return true;
}

size_t advert_encode(const struct advert *advert, uint8_t out[ADVERT_MAX])
{
    size_t at = HEAD_LEN;

    memcpy(out, "IWT1", MAGIC_LEN);
    put_be32(out + MAGIC_LEN, advert->n);
    for (unsigned i = 0; i < advert->n && i < REGION_COUNT; i++, at += REGION_LEN) {
        put_be64(out + at, advert->regions[i].address);
        put_be32(out + at + 8, advert->regions[i].stag);
        put_be32(out + at + 12, advert->regions[i].length);
    }
    return at;
}

size_t advert_wish_encode(const struct advert_wish *wish, bool lab, uint8_t out[ADVERT_WISH_LEN])
{
    memcpy(out, lab ? "LABQ" : "IWTQ", MAGIC_LEN);
    put_be32(out + 4, wish->receives);
    put_be32(out + 8, wish->size);
    put_be32(out + 12, wish->flags);
    return ADVERT_WISH_LEN;
}

bool advert_request_decode(struct advert_request *out, const uint8_t *p, size_t n)
{
    if (n != ADVERT_REQUEST_LEN || memcmp(p, "IWTO", MAGIC_LEN) != 0)
        return false;
    out->operation = get_be32(p + 4);
    out->address = get_be64(p + 8);
    out->stag = get_be32(p + 16);
    out->data = get_be64(p + 20);
    out->compare = get_be64(p + 28);
    return true;
}

void advert_request_encode(const struct advert_request *request, uint8_t out[ADVERT_REQUEST_LEN])
{
    memcpy(out, "IWTO", MAGIC_LEN);
    put_be32(out + 4, request->operation);
    put_be64(out + 8, request->address);
    put_be32(out + 16, request->stag);
    put_be64(out + 20, request->data);
    put_be64(out + 28, request->compare);
}
