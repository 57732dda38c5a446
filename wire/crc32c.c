// SPDX-License-Identifier: GPL-2.0-or-later
/* The only file that uses ISA-L. */
#include "wire/crc32c.h"
#include "wire/crc32.h"

#ifdef IWARP_ISAL
#include <isa-l/crc.h>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>

__attribute__((target("avx"))) static void zero_upper(void)
{
    _mm256_zeroupper();
}

/*
 * ISA-L's vector code returns with the upper halves of the vector registers in use. On recent processors the next SSE
 * instruction then costs some hundred cycles, as much as the CRC of an FPDU.
 */
static void leave_vectors(void)
{
    if (__builtin_cpu_supports("avx"))
        zero_upper();
}
#else
static void leave_vectors(void)
{
}
#endif

uint32_t crc32c_extend(uint32_t crc, const void *data, size_t len)
{
    const uint8_t *p = data;

    /* crc32_iscsi() takes its length as an int and leaves presetting and complementing to the caller. */
    crc = ~crc;
    while (len > 0) {
        int step = len > 1 << 30 ? 1 << 30 : (int)len;
        crc = crc32_iscsi((unsigned char *)(uintptr_t)p, step, crc);
        p += step;
        len -= (size_t)step;
    }
    leave_vectors();
    return ~crc;
}

uint32_t crc32_extend(uint32_t crc, const void *data, size_t len)
{
    return crc32_gzip_refl(crc, data, len);
}
#else
uint32_t crc32c_extend(uint32_t crc, const void *data, size_t len)
{
    return crc32c_extend_plain(crc, data, len);
}

uint32_t crc32_extend(uint32_t crc, const void *data, size_t len)
{
    return crc32_extend_plain(crc, data, len);
}
#endif

uint32_t crc32c(const void *data, size_t len)
{
    return crc32c_extend(0, data, len);
}
