// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/say/nfs_attributes.h"

#include "traffic-gen/say/nfs_messages.h"
#include "wire/octets.h"

#include <string.h>

/* Octets of the value of each attribute of RFC 8881 that has a fixed length and is worth asking for; 0: see below. */
static const uint8_t attribute_size[76] = {
    [1] = 4,  [2] = 4,  [3] = 8,  [4] = 8,   [5] = 4,   [6] = 4,   [7] = 4,   [8] = 16, [9] = 4,  [10] = 4, [11] = 4,
    [13] = 4, [14] = 4, [15] = 4, [16] = 4,  [17] = 4,  [18] = 4,  [20] = 8,  [21] = 8, [22] = 8, [23] = 8, [26] = 4,
    [27] = 8, [28] = 4, [29] = 4, [30] = 8,  [31] = 8,  [33] = 4,  [34] = 4,  [35] = 4, [41] = 8, [42] = 8, [43] = 8,
    [44] = 8, [45] = 8, [46] = 4, [47] = 12, [51] = 12, [52] = 12, [53] = 12, [55] = 8, [65] = 4,
};

enum { ATTR_TYPE = 1, ATTR_ACL = 12, ATTR_FILEHANDLE = 19, ATTR_OWNER = 36, ATTR_GROUP = 37 };

static void put_u32(GByteArray *octets, uint32_t v)
{
    uint8_t word[4];

    put_be32(word, v);
    g_byte_array_append(octets, word, sizeof word);
}

/* p NULL: a pattern. */
static void put_opaque(GByteArray *octets, const void *p, uint32_t n)
{
    guint at = octets->len + 4;

    put_u32(octets, n);
    g_byte_array_set_size(octets, at + (guint)xdr_padded(n));
    memset(octets->data + at, 0, xdr_padded(n));
    if (p)
        memcpy(octets->data + at, p, n);
    else
        nfs_fill(octets->data + at, n, 1);
}

static void put_string(GByteArray *octets, const char *text)
{
    put_opaque(octets, text, (uint32_t)strlen(text));
}

static void put_acl(GByteArray *octets, uint32_t aces)
{
    put_u32(octets, aces);
    for (uint32_t i = 0; i < aces; i++) {
        put_u32(octets, 0);
        put_u32(octets, 0);
        put_u32(octets, 0x001601E7);
        put_string(octets, i == 0 ? "OWNER@" : i % 2 ? "EVERYONE@" : "GROUP@");
    }
}

/* An attribute without a value in the table would shift the next ones: there is none in the templates. */
static void put_attribute(GByteArray *octets, unsigned bit, uint32_t aces)
{
    switch (bit) {
    case 0: /* supported_attrs */
        put_u32(octets, 2);
        put_u32(octets, 0xFDFFBFFF);
        put_u32(octets, 0x00B0BE3A);
        break;
    case ATTR_TYPE:
        put_u32(octets, 1);
        break;
    case ATTR_ACL:
        put_acl(octets, aces);
        break;
    case ATTR_FILEHANDLE:
        put_opaque(octets, NULL, 28);
        break;
    case ATTR_OWNER:
    case ATTR_GROUP:
        put_string(octets, "root@example.org");
        break;
    default:
        for (unsigned i = 0; bit < G_N_ELEMENTS(attribute_size) && i < attribute_size[bit] / 4u; i++)
            put_u32(octets, i + 1u == attribute_size[bit] / 4u ? bit * 3 : 0);
        break;
    }
}

void nfs_attributes_put(GByteArray *octets, const uint32_t mask[NFS_MASKS], uint32_t aces)
{
    for (unsigned bit = 0; bit < 32 * NFS_MASKS; bit++) {
        if (mask[bit / 32] >> bit % 32 & 1)
            put_attribute(octets, bit, aces);
    }
}
