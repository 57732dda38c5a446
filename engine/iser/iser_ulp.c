// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * iSER headers of 28 octets (RFC 7145 section 9); after a control-type header the iSCSI PDU (RFC 7143 section 11): a
 * Basic Header Segment of 48 octets, additional headers, data.
 */
#include "engine/iser/iser_ulp.h"

#include "engine/rdma/ulp_named.h"
#include "engine/rdma/ulp_signs.h"
#include "wire/invariant.h"
#include "wire/octets.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    HEADER_SIZE = 28,
    BHS_SIZE = 48,
    CONTROL = 1, /* the opcode, in the upper four bits */
    HELLO = 2,
    HELLO_REPLY = 3,
    WRITE_STAG_VALID = 0x08,
    READ_STAG_VALID = 0x04,
    CONTROL_RESERVED = 0x03,
    ISCSI_OPCODE = 0x3F,
    ISCSI_IMMEDIATE = 0x40,
    ISCSI_RESERVED = 0x80,
    SCSI_COMMAND = 0x01,
    LOGIN_REQUEST = 0x03,
    SCSI_RESPONSE = 0x21,
    CM_FLAGS = 0xC0, /* zero-based virtual addresses, Send with Invalidate: not supported */
    CM_SIZE = 4,
};

enum { COMMANDS, RESPONSES, OTHER_PDUS, HELLOS };

static const struct ulp_count counts[] = {
    [COMMANDS] = {.one = "SCSI command", .many = "SCSI commands"},
    [RESPONSES] = {.one = "SCSI response", .many = "SCSI responses"},
    [OTHER_PDUS] = {.one = "other PDU", .many = "other PDUs"},
    [HELLOS] = {.one = "Hello", .many = "Hellos"},
    {.one = NULL},
};

static const struct ulp_name names[] = {
    {0x00, "NOP-Out"},
    {SCSI_COMMAND, "SCSI Command"},
    {0x02, "Task Management Function Request"},
    {LOGIN_REQUEST, "Login Request"},
    {0x04, "Text Request"},
    {0x05, "SCSI Data-Out"},
    {0x06, "Logout Request"},
    {0x10, "SNACK Request"},
    {0x20, "NOP-In"},
    {SCSI_RESPONSE, "SCSI Response"},
    {0x22, "Task Management Function Response"},
    {0x23, "Login Response"},
    {0x24, "Text Response"},
    {0x25, "SCSI Data-In"},
    {0x26, "Logout Response"},
    {0x31, "R2T"},
    {0x32, "Asynchronous Message"},
    {0x3F, "Reject"},
    {0, NULL},
};

/* A handle is present if its flag is set. */
static bool memory_fits(const uint8_t *p)
{
    return ((p[0] & WRITE_STAG_VALID) || ulp_all_zero(p + 4, 12)) &&
           ((p[0] & READ_STAG_VALID) || ulp_all_zero(p + 16, 12));
}

/* The data are padded to four octets, but some senders omit the padding. */
static bool iser_ulp_length_fits(const uint8_t *bhs, uint64_t length)
{
    uint64_t data = get_be24(bhs + 5), exact = BHS_SIZE + 4u * (uint64_t)bhs[4] + data;

    return length == exact || length == exact + (-data & 3u);
}

static bool is_pdu(const struct ulp_send *send)
{
    const uint8_t *p = send->p;

    return send->n >= HEADER_SIZE + BHS_SIZE && p[0] >> 4 == CONTROL && !(p[0] & CONTROL_RESERVED) &&
           ulp_all_zero(p + 1, 3) && memory_fits(p) && !(p[HEADER_SIZE] & ISCSI_RESERVED) &&
           ulp_name(names, p[HEADER_SIZE] & ISCSI_OPCODE) &&
           iser_ulp_length_fits(p + HEADER_SIZE, send->length - HEADER_SIZE);
}

/* Checks the versions; the upper four bits have the greatest version: 1 for RFC 5046, 10 for RFC 7145. */
static bool is_hello(const struct ulp_send *send)
{
    const uint8_t *p = send->p;

    return send->n >= HEADER_SIZE && send->length == HEADER_SIZE && (p[0] >> 4 == HELLO || p[0] >> 4 == HELLO_REPLY) &&
           p[1] != 0 && p[1] >> 4 >= (p[1] & 0xF) && ulp_all_zero(p + 4, HEADER_SIZE - 4);
}

static bool is_login(const uint8_t *p)
{
    return p[0] == CONTROL << 4 && p[HEADER_SIZE] == (ISCSI_IMMEDIATE | LOGIN_REQUEST) && p[HEADER_SIZE + 2] == 0 &&
           p[HEADER_SIZE + 3] == 0;
}

static bool iser_ulp_is_private_data(const struct ulp_private_data *data)
{
    return data->n >= CM_SIZE && !(data->p[0] & ~CM_FLAGS) && ulp_all_zero(data->p + 1, data->n - 1);
}

/* The private data are almost all zeros, so they can only rule iSER out. */
static enum ulp_claim iser_ulp_claim(const struct ulp_signs *signs)
{
    const struct ulp_private_data *request = ulp_signs_request(signs), *reply = ulp_signs_reply(signs);

    if ((request && !iser_ulp_is_private_data(request)) || (reply && !iser_ulp_is_private_data(reply)))
        return ULP_NO;
    if (!signs->send)
        return ULP_POSSIBLE;
    if (is_hello(signs->send))
        return ULP_POSSIBLE;
    if (!is_pdu(signs->send))
        return ULP_NO;
    if (ulp_signs_opening(signs) && is_login(signs->send->p))
        return ULP_CERTAIN;
    return ulp_signs_enough(signs, &iser_ulp) ? ULP_CERTAIN : ULP_POSSIBLE;
}

/* ---- words ---- */

static int add_stag(char *text, int used, const char *name, bool valid, const uint8_t *p)
{
    if (!valid)
        return used;
    INVARIANT(used > 0 && used < ULP_TEXT_SIZE);
    return used + snprintf(text + used, ULP_TEXT_SIZE - (size_t)used, " %s STag 0x%" PRIx32, name, get_be32(p));
}

static void describe_pdu(const struct ulp_send *send, char text[ULP_TEXT_SIZE])
{
    const uint8_t *p = send->p, *bhs = p + HEADER_SIZE;
    uint8_t opcode = bhs[0] & ISCSI_OPCODE;
    int used = snprintf(text, ULP_TEXT_SIZE, "%s ITT 0x%" PRIx32, ulp_name(names, opcode), get_be32(bhs + 16));

    if (opcode == SCSI_COMMAND)
        used += snprintf(text + used, ULP_TEXT_SIZE - (size_t)used, " CDB 0x%02x %" PRIu32 " octets", bhs[32],
                         get_be32(bhs + 20));
    if (opcode == SCSI_RESPONSE)
        used += snprintf(text + used, ULP_TEXT_SIZE - (size_t)used, " status 0x%02x", bhs[3]);
    used = add_stag(text, used, "write", p[0] & WRITE_STAG_VALID, p + 4);
    used = add_stag(text, used, "read", p[0] & READ_STAG_VALID, p + 16);
    INVARIANT(used > 0 && used < ULP_TEXT_SIZE);
    if (get_be24(bhs + 5) > 0)
        snprintf(text + used, ULP_TEXT_SIZE - (size_t)used, " data %" PRIu32 " octets", get_be24(bhs + 5));
}

static bool iser_ulp_describe(void *state, const struct ulp_send *send, struct ulp_words *words)
{
    uint8_t opcode;

    (void)state;
    if (is_hello(send)) {
        words->counts_as = HELLOS;
        snprintf(words->text, sizeof words->text, "%s", send->p[0] >> 4 == HELLO ? "Hello" : "HelloReply");
        return true;
    }
    if (!is_pdu(send))
        return false;
    opcode = send->p[HEADER_SIZE] & ISCSI_OPCODE;
    words->counts_as = opcode == SCSI_COMMAND ? COMMANDS : opcode == SCSI_RESPONSE ? RESPONSES : OTHER_PDUS;
    INVARIANT(send->n >= HEADER_SIZE + BHS_SIZE);
    describe_pdu(send, words->text);
    return true;
}

const struct ulp_kind iser_ulp = {.name = "iser",
                                  .title = "iSER",
                                  .port = {3260},
                                  .claim = iser_ulp_claim,
                                  ULP_NAMED,
                                  .counts = counts,
                                  .describe = iser_ulp_describe};
