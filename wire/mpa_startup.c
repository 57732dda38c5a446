// SPDX-License-Identifier: GPL-2.0-or-later
#include "wire/mpa_startup.h"

#include "wire/invariant.h"
#include "wire/octets.h"

#include <string.h>

/* RFC 5044 section 7.1.1, by enum mpa_startup_kind. */
static const char keys[2][MPA_KEY_LEN + 1] = {"MPA ID Req Frame", "MPA ID Rep Frame"};

enum {
    ENHANCED_CONTROL_HIGH = 0x8000, /* A in the IRD word, C in the ORD word */
    ENHANCED_CONTROL_LOW = 0x4000,  /* B in the IRD word, D in the ORD word */
    ENHANCED_VALUE = 0x3FFF,
};

unsigned mpa_startup_key_matches(enum mpa_startup_kind kind, const uint8_t *p, size_t n)
{
    unsigned matches = 0;

    for (size_t i = 0; i < n && i < MPA_KEY_LEN; i++)
        matches += p[i] == (uint8_t)keys[kind][i];
    return matches;
}

static bool begins_key(enum mpa_startup_kind kind, const uint8_t *p, size_t n)
{
    return mpa_startup_key_matches(kind, p, n) == (n < MPA_KEY_LEN ? n : MPA_KEY_LEN);
}

/* RFC 6581 section 9.2: the control flags share the words with IRD and ORD. */
static struct mpa_enhanced decode_enhanced(const uint8_t *p)
{
    uint16_t ird = get_be16(p), ord = get_be16(p + 2);

    return (struct mpa_enhanced){
        .peer_to_peer = ird & ENHANCED_CONTROL_HIGH,
        .rtr = (uint8_t)((ird & ENHANCED_CONTROL_LOW ? MPA_RTR_SEND : 0) |
                         (ord & ENHANCED_CONTROL_HIGH ? MPA_RTR_WRITE : 0) |
                         (ord & ENHANCED_CONTROL_LOW ? MPA_RTR_READ : 0)),
        .ird = ird & ENHANCED_VALUE,
        .ord = ord & ENHANCED_VALUE,
    };
}

static void encode_enhanced(const struct mpa_enhanced *enhanced, uint8_t *p)
{
    unsigned ird = enhanced->ird & ENHANCED_VALUE, ord = enhanced->ord & ENHANCED_VALUE;

    ird |= enhanced->peer_to_peer ? ENHANCED_CONTROL_HIGH : 0;
    ird |= enhanced->rtr & MPA_RTR_SEND ? ENHANCED_CONTROL_LOW : 0;
    ord |= enhanced->rtr & MPA_RTR_WRITE ? ENHANCED_CONTROL_HIGH : 0;
    ord |= enhanced->rtr & MPA_RTR_READ ? ENHANCED_CONTROL_LOW : 0;
    put_be16(p, (uint16_t)ird);
    put_be16(p + 2, (uint16_t)ord);
}

enum mpa_startup_status mpa_startup_decode(struct mpa_startup *out, size_t *need, const uint8_t *p, size_t n)
{
    enum mpa_startup_kind kind;

    *need = MPA_STARTUP_HEADER_LEN;
    if (begins_key(MPA_REQUEST, p, n))
        kind = MPA_REQUEST;
    else if (begins_key(MPA_REPLY, p, n))
        kind = MPA_REPLY;
    else
        return MPA_STARTUP_NO_KEY;
    if (n < MPA_STARTUP_HEADER_LEN)
        return MPA_STARTUP_MORE;

    *out = (struct mpa_startup){
        .kind = kind,
        .flags = p[16],
        .revision = p[17],
        .pd_length = get_be16(p + 18),
    };
    *need = MPA_STARTUP_HEADER_LEN + (size_t)out->pd_length;
    if (n < *need)
        return MPA_STARTUP_MORE;
    if (out->pd_length == 0)
        return MPA_STARTUP_OK;

    out->private_data = p + MPA_STARTUP_HEADER_LEN;
    out->ulp_data = out->private_data;
    out->ulp_length = out->pd_length;
    if (out->revision >= 2 && out->flags & MPA_FLAG_S && out->pd_length >= MPA_ENHANCED_LEN) {
        out->has_enhanced = true;
        out->enhanced = decode_enhanced(out->private_data);
        out->ulp_data += MPA_ENHANCED_LEN;
        out->ulp_length -= MPA_ENHANCED_LEN;
    }
    if (out->ulp_length == 0)
        out->ulp_data = NULL;
    INVARIANT(out->ulp_length <= out->pd_length && *need <= n);
    return MPA_STARTUP_OK;
}

static size_t enhanced_octets(const struct mpa_startup *frame)
{
    return frame->has_enhanced && frame->flags & MPA_FLAG_S ? MPA_ENHANCED_LEN : 0;
}

size_t mpa_startup_encode(const struct mpa_startup *frame, uint8_t *out, size_t size)
{
    size_t enhanced = enhanced_octets(frame);
    size_t total = MPA_STARTUP_HEADER_LEN + enhanced + frame->ulp_length;

    if (size < total)
        return 0;
    memcpy(out, keys[frame->kind], MPA_KEY_LEN);
    out[16] = frame->flags;
    out[17] = frame->revision;
    put_be16(out + 18, frame->pd_length);
    if (enhanced > 0)
        encode_enhanced(&frame->enhanced, out + MPA_STARTUP_HEADER_LEN);
    if (frame->ulp_length > 0)
        memcpy(out + MPA_STARTUP_HEADER_LEN + enhanced, frame->ulp_data, frame->ulp_length);
    return total;
}

void mpa_startup_fix_length(struct mpa_startup *frame)
{
    frame->pd_length = (uint16_t)(enhanced_octets(frame) + frame->ulp_length);
}
