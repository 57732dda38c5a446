// SPDX-License-Identifier: GPL-2.0-or-later
/* SHA-256 (FIPS 180-4) and base64. */
#include <glib.h>

#include <string.h>

enum { BLOCK = 64, DIGEST = 32 };

struct _GChecksum {
    guint32 state[8];
    guint64 length;
    guint8 block[BLOCK];
};

static const guint32 rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static guint32 turn(guint32 x, unsigned n)
{
    return x >> n | x << (32 - n);
}

static void take_block(GChecksum *sum)
{
    guint32 w[64], s[8];

    for (unsigned i = 0; i < 16; i++) {
        const guint8 *p = sum->block + 4 * (gsize)i;

        w[i] = (guint32)p[0] << 24 | (guint32)p[1] << 16 | (guint32)p[2] << 8 | p[3];
    }
    for (unsigned i = 16; i < 64; i++)
        w[i] = w[i - 16] + w[i - 7] + (turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3) +
               (turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10);
    memcpy(s, sum->state, sizeof s);
    for (unsigned i = 0; i < 64; i++) {
        guint32 one = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) +
                      rounds[i] + w[i];
        guint32 two =
            (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));

        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += one;
        s[0] = one + two;
    }
    for (unsigned i = 0; i < 8; i++)
        sum->state[i] += s[i];
}

GChecksum *g_checksum_new(GChecksumType type)
{
    GChecksum *sum;

    if (type != G_CHECKSUM_SHA256)
        return NULL;
    sum = g_new0(GChecksum, 1);
    *sum = (GChecksum){
        .state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
    return sum;
}

void g_checksum_update(GChecksum *sum, const guchar *data, gssize n)
{
    gsize length = n < 0 ? strlen((const char *)data) : (gsize)n;

    for (gsize i = 0; i < length; i++) {
        sum->block[sum->length++ % BLOCK] = data[i];
        if (sum->length % BLOCK == 0)
            take_block(sum);
    }
}

void g_checksum_get_digest(GChecksum *sum, guint8 *digest, gsize *n)
{
    static const guchar one = 0x80, zero = 0;
    guint64 bits = sum->length * 8;

    g_checksum_update(sum, &one, 1);
    while (sum->length % BLOCK != BLOCK - 8)
        g_checksum_update(sum, &zero, 1);
    for (int i = 7; i >= 0; i--) {
        guchar octet = (guchar)(bits >> 8 * i);

        g_checksum_update(sum, &octet, 1);
    }
    for (gsize i = 0; i < DIGEST; i++)
        digest[i] = (guint8)(sum->state[i / 4] >> (24 - 8 * (i % 4)));
    *n = DIGEST;
}

void g_checksum_free(GChecksum *sum)
{
    g_free(sum);
}

gchar *g_compute_checksum_for_string(GChecksumType type, const gchar *text, gssize n)
{
    GString *hexadecimal = g_string_new(NULL);
    GChecksum *sum = g_checksum_new(type);
    guint8 digest[DIGEST];
    gsize length = sizeof digest;

    g_checksum_update(sum, (const guchar *)text, n);
    g_checksum_get_digest(sum, digest, &length);
    g_checksum_free(sum);
    for (gsize i = 0; i < length; i++)
        g_string_append_printf(hexadecimal, "%02x", digest[i]);
    return g_string_free(hexadecimal, FALSE);
}

gchar *g_base64_encode(const guchar *data, gsize n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    GString *text = g_string_new(NULL);

    for (gsize i = 0; i < n; i += 3) {
        guint32 three =
            (guint32)data[i] << 16 | (i + 1 < n ? (guint32)data[i + 1] << 8 : 0) | (i + 2 < n ? data[i + 2] : 0);

        for (unsigned k = 0; k < 4; k++)
            g_string_append_c(text, i + k <= n ? digits[three >> (18 - 6 * k) & 0x3F] : '=');
    }
    return g_string_free(text, FALSE);
}
