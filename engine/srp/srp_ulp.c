// SPDX-License-Identifier: GPL-2.0-or-later
/* Information units (INCITS 365-2002, SRP, section 6), big-endian. Logins are private data. */
#include "engine/srp/srp_ulp.h"

#include "engine/rdma/ulp_named.h"
#include "engine/rdma/ulp_signs.h"
#include "wire/invariant.h"
#include "wire/octets.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    TSK_MGMT = 0x01,
    CMD = 0x02,
    I_LOGOUT = 0x03,
    CRED_RSP = 0x41,
    AER_RSP = 0x42,
    T_LOGOUT = 0x80,
    CRED_REQ = 0x81,
    AER_REQ = 0x82,
    LOGIN_RSP = 0xC0,
    RSP = 0xC1,
    LOGIN_REJ = 0xC2,
};

enum {
    LOGIN_REQ_CM_SIZE = 56, /* as private data of the RDMA CM, which has less room */
    LOGIN_REQ_SIZE = 64,
    LOGIN_RSP_SIZE = 52,
    LOGIN_REJ_SIZE = 32,
    LOGIN_REASON = 0x00010000, /* reasons begin with this */
    FORMATS = 0x0006,          /* direct and indirect data buffer descriptors */
    IU_MIN = 64,
    IU_MAX = 1 << 20,
    CMD_SIZE = 48,
    RSP_SIZE = 36,
    RSP_FLAGS_VALID = 0x3F,
    RSP_HAS_RESPONSE = 0x01,
    RSP_HAS_SENSE = 0x02,
    FORMAT_NONE = 0,
    FORMAT_DIRECT = 1,
    FORMAT_INDIRECT = 2,
    FORMAT_IMMEDIATE = 3, /* Linux only */
    DIRECT_SIZE = 16,
};

enum { COMMANDS, RESPONSES };

static const struct ulp_count counts[] = {
    [COMMANDS] = {.one = "command", .many = "commands"},
    [RESPONSES] = {.one = "response", .many = "responses"},
    {.one = NULL},
};

/* ---- login ---- */

static bool terms_fit(uint32_t iu_length, uint16_t formats)
{
    return iu_length >= IU_MIN && iu_length <= IU_MAX && formats != 0 && !(formats & ~FORMATS);
}

static bool srp_ulp_is_request(const struct ulp_private_data *data)
{
    const uint8_t *p = data->p;

    if (data->n < LOGIN_REQ_CM_SIZE)
        return false;
    /* The target's port identifier is never zero. */
    if (p[11] == 0 && terms_fit(get_be32(p + 12), get_be16(p + 8)) && !ulp_all_zero(p + 32, 16) &&
        ulp_all_zero(p + 50, data->n - 50))
        return true;
    return data->n >= LOGIN_REQ_SIZE && ulp_all_zero(p, 8) && terms_fit(get_be32(p + 16), get_be16(p + 24)) &&
           !ulp_all_zero(p + 48, 16) && ulp_all_zero(p + LOGIN_REQ_SIZE, data->n - LOGIN_REQ_SIZE);
}

static bool srp_ulp_is_reply(const struct ulp_private_data *data)
{
    const uint8_t *p = data->p;

    if (data->n >= LOGIN_RSP_SIZE && p[0] == LOGIN_RSP)
        return terms_fit(get_be32(p + 16), get_be16(p + 24)) && terms_fit(get_be32(p + 20), get_be16(p + 24));
    return data->n >= LOGIN_REJ_SIZE && p[0] == LOGIN_REJ && (get_be32(p + 4) & 0xFFFF0000) == LOGIN_REASON;
}

/* ---- information units ---- */

/* Octets of a descriptor in that format; -1: unknown format. */
static int descriptor_size(unsigned format, unsigned n)
{
    switch (format) {
    case FORMAT_NONE:
        return 0;
    case FORMAT_DIRECT:
        return DIRECT_SIZE;
    case FORMAT_INDIRECT:
        return DIRECT_SIZE + 4 + DIRECT_SIZE * (int)n;
    case FORMAT_IMMEDIATE:
        return 4;
    default:
        return -1;
    }
}

static bool srp_ulp_is_command(const struct ulp_send *send)
{
    const uint8_t *p = send->p;
    int out, in;
    uint64_t length;

    if (send->n < CMD_SIZE || p[0] != CMD || !ulp_all_zero(p + 2, 3) || !ulp_all_zero(p + 16, 4))
        return false;
    out = descriptor_size(p[5] >> 4, p[6]);
    in = descriptor_size(p[5] & 0xF, p[7]);
    if (out < 0 || in < 0)
        return false;
    length = CMD_SIZE + (p[31] & ~3u) + (unsigned)out + (unsigned)in;
    INVARIANT(length >= CMD_SIZE);
    return p[5] >> 4 == FORMAT_IMMEDIATE ? send->length >= length : send->length == length;
}

static bool srp_ulp_is_response(const struct ulp_send *send)
{
    const uint8_t *p = send->p;

    if (send->n < RSP_SIZE || p[0] != RSP || (p[18] & ~RSP_FLAGS_VALID) || p[2] != 0 || p[3] != 0)
        return false;
    return send->length == RSP_SIZE + (p[18] & RSP_HAS_SENSE ? (uint64_t)get_be32(p + 28) : 0) +
                               (p[18] & RSP_HAS_RESPONSE ? (uint64_t)get_be32(p + 32) : 0);
}

/* The other units, which have a fixed size. */
static const struct unit {
    uint8_t type;
    uint8_t size;
    const char *name;
} units[] = {
    {TSK_MGMT, 64, "task management"},   {I_LOGOUT, 16, "initiator logout"},
    {CRED_RSP, 16, "credit response"},   {AER_RSP, 16, "asynchronous event response"},
    {T_LOGOUT, 16, "target logout"},     {CRED_REQ, 16, "credit request"},
    {AER_REQ, 36, "asynchronous event"},
};

static const struct unit *unit_of(const struct ulp_send *send)
{
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (send->n >= units[i].size && send->p[0] == units[i].type)
            return &units[i];
    return NULL;
}

static enum ulp_claim srp_ulp_claim_send(const struct ulp_signs *signs)
{
    if (!srp_ulp_is_command(signs->send) && !srp_ulp_is_response(signs->send))
        return unit_of(signs->send) ? ULP_POSSIBLE : ULP_NO;
    return ulp_signs_enough(signs, &srp_ulp) ? ULP_CERTAIN : ULP_POSSIBLE;
}

static enum ulp_claim srp_ulp_claim(const struct ulp_signs *signs)
{
    const struct ulp_private_data *request = ulp_signs_request(signs), *reply = ulp_signs_reply(signs);

    if ((request && !srp_ulp_is_request(request)) || (reply && !srp_ulp_is_reply(reply)))
        return ULP_NO;
    if (request || reply)
        return ULP_CERTAIN;
    return signs->send ? srp_ulp_claim_send(signs) : ULP_POSSIBLE;
}

/* ---- words ---- */

static bool srp_ulp_describe(void *state, const struct ulp_send *send, struct ulp_words *words)
{
    const struct unit *unit;

    (void)state;
    INVARIANT(send->n <= send->length);
    if (srp_ulp_is_command(send)) {
        words->counts_as = COMMANDS;
        snprintf(words->text, sizeof words->text, "command tag 0x%" PRIx64 " CDB 0x%02x%s", get_be64(send->p + 8),
                 send->p[32], send->p[5] >> 4 == FORMAT_IMMEDIATE ? " immediate data" : "");
        return true;
    }
    if (srp_ulp_is_response(send)) {
        words->counts_as = RESPONSES;
        snprintf(words->text, sizeof words->text, "response tag 0x%" PRIx64 " status 0x%02x", get_be64(send->p + 8),
                 send->p[19]);
        return true;
    }
    unit = unit_of(send);
    INVARIANT(!unit || send->n >= unit->size);
    words->counts_as = ULP_COUNTS_MAX; /* not among the counted units */
    snprintf(words->text, sizeof words->text, "%s", unit ? unit->name : "");
    return unit != NULL;
}

const struct ulp_kind srp_ulp = {
    .name = "srp", .title = "SRP", .claim = srp_ulp_claim, ULP_NAMED, .counts = counts, .describe = srp_ulp_describe};
