// SPDX-License-Identifier: GPL-2.0-or-later
#include "wire/rdmap_terminate.h"

#include "wire/invariant.h"
#include "wire/octets.h"

#include <string.h>

enum {
    CONTROL_LEN = 4,
    SEGMENT_LENGTH_LEN = 2,
    BIT_M = 0x8000,
    BIT_D = 0x4000,
    BIT_R = 0x2000,
    RESERVED = 0x1FFF,
};

static const struct {
    uint8_t layer, etype;
    const char *name;
} etypes[] = {
    /* RFC 5040 Figure 9 */
    {0, 0, "Local Catastrophic Error"},
    {0, 1, "Remote Protection Error"},
    {0, 2, "Remote Operation Error"},
    /* RFC 5041 section 7.2 */
    {1, 0, "Local Catastrophic"},
    {1, 1, "Tagged Buffer Error"},
    {1, 2, "Untagged Buffer Error"},
    {1, 3, "Reserved for the LLP"},
    /* RFC 6581 section 8 */
    {2, 0, "MPA"},
};

static const struct {
    uint8_t layer, etype, code;
    const char *name;
} codes[] = {
    /* RFC 5040 Figure 9 */
    {0, 1, 0x00, "Invalid STag"},
    {0, 1, 0x01, "Base or bounds violation"},
    {0, 1, 0x02, "Access rights violation"},
    {0, 1, 0x03, "STag not associated with RDMAP Stream"},
    {0, 1, 0x04, "TO wrap"},
    {0, 1, 0x09, "STag cannot be Invalidated"},
    {0, 1, 0xFF, "Unspecified Error"},
    {0, 2, 0x05, "Invalid RDMAP version"},
    {0, 2, 0x06, "Unexpected OpCode"},
    {0, 2, 0x07, "Catastrophic error, localized to RDMAP Stream"},
    {0, 2, 0x08, "Catastrophic error, global"},
    {0, 2, 0x09, "STag cannot be Invalidated"},
    {0, 2, 0xFF, "Unspecified Error"},
    /* RFC 5041 section 7.2 */
    {1, 0, 0x00, "Local Catastrophic"},
    {1, 1, 0x00, "Invalid STag"},
    {1, 1, 0x01, "Base or bounds violation"},
    {1, 1, 0x02, "STag not associated with DDP Stream"},
    {1, 1, 0x03, "TO wrap"},
    {1, 1, 0x04, "Invalid DDP version"},
    {1, 2, 0x01, "Invalid QN"},
    {1, 2, 0x02, "Invalid MSN - no buffer available"},
    {1, 2, 0x03, "Invalid MSN - MSN range is not valid"},
    {1, 2, 0x04, "Invalid MO"},
    {1, 2, 0x05, "DDP Message too long for available buffer"},
    {1, 2, 0x06, "Invalid DDP version"},
    /* RFC 5044 section 8 */
    {2, 0, 0x01, "TCP connection closed, terminated, or lost"},
    {2, 0, 0x02, "MPA CRC mismatch"},
    {2, 0, 0x03, "MPA Marker and ULPDU Length mismatch"},
    {2, 0, 0x04, "Invalid MPA Request or Reply Frame"},
    /* RFC 6581 section 8 */
    {2, 0, 0x05, "Local catastrophic"},
    {2, 0, 0x06, "Insufficient IRD resources"},
    {2, 0, 0x07, "No matching RTR option"},
};

enum rdmap_terminate_status rdmap_terminate_decode(struct rdmap_terminate *out, const uint8_t *p, size_t n)
{
    size_t at = CONTROL_LEN;
    uint32_t control;

    if (n < CONTROL_LEN)
        return RDMAP_TERMINATE_SHORT;
    control = get_be32(p);
    *out = (struct rdmap_terminate){
        .layer = (uint8_t)(control >> 28),
        .etype = control >> 24 & 0x0F,
        .code = control >> 16 & 0xFF,
        .m = control & BIT_M,
        .d = control & BIT_D,
        .r = control & BIT_R,
        .reserved = control & RESERVED,
    };
    if (out->m || out->d) {
        if (n - at < SEGMENT_LENGTH_LEN)
            return RDMAP_TERMINATE_CUT;
        out->has_length = true;
        out->segment_length = get_be16(p + at);
        at += SEGMENT_LENGTH_LEN;
    }
    if (out->d) {
        struct ddp_segment ddp;

        if (!ddp_segment_decode(&ddp, p + at, n - at))
            return RDMAP_TERMINATE_CUT;
        ddp.payload = NULL;
        ddp.payload_len = 0;
        out->has_ddp = true;
        out->ddp = ddp;
        at += ddp.header_len;
    }
    if (out->r) {
        if (!rdmap_read_request_decode(&out->read, p + at, n - at))
            return RDMAP_TERMINATE_CUT;
        out->has_read = true;
        at += RDMAP_READ_REQUEST_LEN;
    }
    if (at < n) {
        out->trailing = p + at;
        out->trailing_len = n - at;
    }
    INVARIANT(at <= n && at + out->trailing_len == n);
    INVARIANT(out->has_ddp == out->d && out->has_read == out->r && out->has_length == (out->m || out->d));
    return RDMAP_TERMINATE_OK;
}

size_t rdmap_terminate_encode(const struct rdmap_terminate *terminate, uint8_t *out, size_t size)
{
    uint8_t header[RDMAP_TERMINATE_LEN_MAX];
    size_t n = CONTROL_LEN;
    uint32_t control = (terminate->layer & 0x0Fu) << 28 | (terminate->etype & 0x0Fu) << 24 |
                       (uint32_t)terminate->code << 16 | (terminate->reserved & RESERVED);

    control |= terminate->m ? BIT_M : 0;
    control |= terminate->d ? BIT_D : 0;
    control |= terminate->r ? BIT_R : 0;
    put_be32(header, control);
    if (terminate->has_length) {
        put_be16(header + n, terminate->segment_length);
        n += SEGMENT_LENGTH_LEN;
    }
    if (terminate->has_ddp)
        n += ddp_header_encode(&terminate->ddp, header + n, sizeof header - n);
    if (terminate->has_read)
        n += rdmap_read_request_encode(&terminate->read, header + n, sizeof header - n);
    if (size < n)
        return 0;
    memcpy(out, header, n);
    return n;
}

bool rdmap_terminate_echo(struct rdmap_terminate *terminate, const uint8_t *p, size_t n)
{
    struct ddp_segment ddp;

    if (!ddp_segment_decode(&ddp, p, n))
        return false;
    ddp.payload = NULL;
    ddp.payload_len = 0;
    terminate->ddp = ddp;
    terminate->m = terminate->d = terminate->has_length = terminate->has_ddp = true;
    terminate->segment_length = (uint16_t)n;
    return true;
}

const char *rdmap_terminate_etype_name(unsigned layer, unsigned etype)
{
    for (size_t i = 0; i < sizeof etypes / sizeof etypes[0]; i++)
        if (etypes[i].layer == layer && etypes[i].etype == etype)
            return etypes[i].name;
    return NULL;
}

const char *rdmap_terminate_code_name(unsigned layer, unsigned etype, unsigned code)
{
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (codes[i].layer == layer && codes[i].etype == etype && codes[i].code == code)
            return codes[i].name;
    return NULL;
}
