// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Messages of SMB Direct (MS-SMBD section 2.2), little-endian: a negotiation with one message from each side, then data
 * transfers.
 */
#include "engine/smb_direct/smb_direct_ulp.h"

#include "engine/rdma/ulp_named.h"
#include "engine/rdma/ulp_signs.h"
#include "wire/invariant.h"
#include "wire/octets.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    VERSION = 0x0100,
    REQUEST_SIZE = 20,
    RESPONSE_SIZE = 32,
    DATA_HEADER_SIZE = 20,
    DATA_OFFSET = 24, /* the data begin at a multiple of 8 */
    RESPONSE_REQUESTED = 1,
    RECEIVE_SIZE_MIN = 128,           /* section 3.1.5.2 */
    FRAGMENTED_SIZE_MIN = 128 * 1024, /* likewise */
    IRD_ORD_SIZE = 8,
    IRD_ORD_MAX = 0xFFFF,
};

enum { NEGOTIATES, TRANSFERS };

static const struct ulp_count counts[] = {
    [NEGOTIATES] = {.one = "Negotiate", .many = "Negotiates"},
    [TRANSFERS] = {.one = "data transfer", .many = "data transfers"},
    {.one = NULL},
};

/* On iWARP: IRD and ORD, in the byte order of the sender's processor. */
static bool direct_ulp_is_private_data(const struct ulp_private_data *data)
{
    const uint8_t *p = data->p;

    if (data->n < IRD_ORD_SIZE || !ulp_all_zero(p + IRD_ORD_SIZE, data->n - IRD_ORD_SIZE))
        return false;
    return (get_le32(p) <= IRD_ORD_MAX && get_le32(p + 4) <= IRD_ORD_MAX) ||
           (get_be32(p) <= IRD_ORD_MAX && get_be32(p + 4) <= IRD_ORD_MAX);
}

static bool direct_ulp_is_request(const struct ulp_send *send)
{
    const uint8_t *p = send->p;

    return send->n >= REQUEST_SIZE && send->length == REQUEST_SIZE && get_le16(p) == VERSION &&
           get_le16(p + 2) == VERSION && get_le16(p + 4) == 0 && get_le16(p + 6) > 0 &&
           get_le32(p + 12) >= RECEIVE_SIZE_MIN && get_le32(p + 16) >= FRAGMENTED_SIZE_MIN;
}

static bool direct_ulp_is_response(const struct ulp_send *send)
{
    const uint8_t *p = send->p;

    return send->n >= RESPONSE_SIZE && send->length == RESPONSE_SIZE && get_le16(p) == VERSION &&
           get_le16(p + 2) == VERSION && get_le16(p + 6) == 0 && (get_le16(p + 4) == VERSION || get_le32(p + 12) != 0);
}

static bool is_transfer(const struct ulp_send *send)
{
    const uint8_t *p = send->p;
    uint32_t offset, length;

    if (send->n < DATA_HEADER_SIZE || (get_le16(p + 4) & ~RESPONSE_REQUESTED) || get_le16(p + 6) != 0)
        return false;
    offset = get_le32(p + 12);
    length = get_le32(p + 16);
    if (length == 0)
        return offset == 0 && get_le32(p + 8) == 0 && send->length <= DATA_OFFSET;
    return offset >= DATA_OFFSET && offset % 8 == 0 && send->length == (uint64_t)offset + length;
}

/* A plain, encrypted or compressed SMB2 packet begins at the data offset. */
static bool has_smb(const struct ulp_send *send)
{
    uint32_t offset = get_le32(send->p + 12);

    return get_le32(send->p + 16) >= 4 && send->n >= 4 && offset <= send->n - 4 && send->p[offset] >= 0xFC &&
           memcmp(send->p + offset + 1, "SMB", 3) == 0;
}

static enum ulp_claim direct_ulp_claim_send(const struct ulp_signs *signs)
{
    const struct ulp_send *send = signs->send;

    if (direct_ulp_is_request(send))
        return ulp_signs_opening(signs) ? ULP_CERTAIN : ULP_POSSIBLE;
    if (direct_ulp_is_response(send))
        return ULP_POSSIBLE;
    if (!is_transfer(send))
        return ULP_NO;
    return has_smb(send) && ulp_signs_enough(signs, &smb_direct_ulp) ? ULP_CERTAIN : ULP_POSSIBLE;
}

static enum ulp_claim direct_ulp_claim(const struct ulp_signs *signs)
{
    const struct ulp_private_data *request = ulp_signs_request(signs), *reply = ulp_signs_reply(signs);

    /* Small numbers may mean anything, so they can only rule SMB Direct out. */
    if ((request && !direct_ulp_is_private_data(request)) || (reply && !direct_ulp_is_private_data(reply)))
        return ULP_NO;
    return signs->send ? direct_ulp_claim_send(signs) : ULP_POSSIBLE;
}

/* ---- words ---- */

static void describe_transfer(const struct ulp_send *send, char text[ULP_TEXT_SIZE])
{
    const uint8_t *p = send->p;

    snprintf(text, ULP_TEXT_SIZE, "data %" PRIu32 " octets, remaining %" PRIu32 ", credits asked %u granted %u%s%s",
             get_le32(p + 16), get_le32(p + 8), get_le16(p), get_le16(p + 2),
             get_le16(p + 4) & RESPONSE_REQUESTED ? ", response requested" : "", has_smb(send) ? ", SMB2" : "");
}

static bool direct_ulp_describe(void *state, const struct ulp_send *send, struct ulp_words *words)
{
    const uint8_t *p = send->p;

    (void)state;
    INVARIANT(send->n <= send->length);
    words->counts_as = NEGOTIATES;
    if (direct_ulp_is_request(send)) {
        snprintf(words->text, sizeof words->text, "Negotiate Request credits %u send %" PRIu32 " receive %" PRIu32,
                 get_le16(p + 6), get_le32(p + 8), get_le32(p + 12));
    } else if (direct_ulp_is_response(send)) {
        snprintf(words->text, sizeof words->text,
                 "Negotiate Response credits asked %u granted %u status 0x%08" PRIx32 " read/write %" PRIu32,
                 get_le16(p + 8), get_le16(p + 10), get_le32(p + 12), get_le32(p + 16));
    } else if (is_transfer(send)) {
        words->counts_as = TRANSFERS;
        INVARIANT(send->n >= DATA_HEADER_SIZE);
        describe_transfer(send, words->text);
    } else {
        return false;
    }
    return true;
}

const struct ulp_kind smb_direct_ulp = {.name = "smb_direct",
                                        .title = "SMB Direct",
                                        .port = {5445},
                                        .claim = direct_ulp_claim,
                                        ULP_NAMED,
                                        .counts = counts,
                                        .describe = direct_ulp_describe};
