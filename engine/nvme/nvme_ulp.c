// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Capsules (NVMe Base Specification 2.0 section 3.3.2, NVMe RDMA Transport Specification 1.0 section 3): a command is a
 * submission queue entry of 64 octets, followed by data if its SGL says so; a response is a completion queue entry of
 * 16. All fields are little-endian.
 */
#include "engine/nvme/nvme_ulp.h"

#include "engine/rdma/ulp_named.h"
#include "engine/rdma/ulp_signs.h"
#include "wire/invariant.h"
#include "wire/octets.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    PRIVATE_DATA_SIZE = 32, /* in request and reply */
    RECORD_FORMAT = 0,
    COMMAND_SIZE = 64,
    COMPLETION_SIZE = 16,
    FLAGS_RESERVED = 0x3C,
    FLAGS_SGL = 0x40, /* PSDT 01b */
    FLAGS_PSDT = 0xC0,
    SGL_OFFSET = 0x01, /* a data block in the capsule */
    SGL_KEYED = 0x40,
    SGL_KEYED_INVALIDATE = 0x4F,
    OPCODE_FABRICS = 0x7F,
    FABRICS_CONNECT = 0x01,
};

enum { COMMANDS, COMPLETIONS };

static const struct ulp_count counts[] = {
    [COMMANDS] = {.one = "command", .many = "commands"},
    [COMPLETIONS] = {.one = "completion", .many = "completions"},
    {.one = NULL},
};

static const struct ulp_name admin_names[] = {
    {0x00, "Delete I/O Submission Queue"},
    {0x01, "Create I/O Submission Queue"},
    {0x02, "Get Log Page"},
    {0x04, "Delete I/O Completion Queue"},
    {0x05, "Create I/O Completion Queue"},
    {0x06, "Identify"},
    {0x08, "Abort"},
    {0x09, "Set Features"},
    {0x0A, "Get Features"},
    {0x0C, "Asynchronous Event Request"},
    {0x0D, "Namespace Management"},
    {0x10, "Firmware Commit"},
    {0x11, "Firmware Image Download"},
    {0x15, "Namespace Attachment"},
    {0x18, "Keep Alive"},
    {0x80, "Format NVM"},
    {0x81, "Security Send"},
    {0x82, "Security Receive"},
    {0x84, "Sanitize"},
    {0, NULL},
};

static const struct ulp_name io_names[] = {
    {0x00, "Flush"},
    {0x01, "Write"},
    {0x02, "Read"},
    {0x04, "Write Uncorrectable"},
    {0x05, "Compare"},
    {0x08, "Write Zeroes"},
    {0x09, "Dataset Management"},
    {0x0C, "Verify"},
    {0x0D, "Reservation Register"},
    {0x0E, "Reservation Report"},
    {0x11, "Reservation Acquire"},
    {0x15, "Reservation Release"},
    {0x19, "Copy"},
    {0, NULL},
};

static const struct ulp_name fabrics_names[] = {
    {0x00, "Property Set"},
    {0x01, "Connect"},
    {0x04, "Property Get"},
    {0x05, "Authentication Send"},
    {0x06, "Authentication Receive"},
    {0x08, "Disconnect"},
    {0, NULL},
};

/* The names of commands depend on the queue. */
struct queue {
    bool known;
    uint16_t id; /* 0: admin */
};

/* ---- private data (NVMe RDMA Transport Specification section 3.3.2) ---- */

static bool nvme_ulp_is_request(const struct ulp_private_data *data)
{
    const uint8_t *p = data->p;
    bool admin;

    if (data->n < PRIVATE_DATA_SIZE || get_le16(p) != RECORD_FORMAT)
        return false;
    admin = get_le16(p + 2) == 0;
    return get_le16(p + 4) > 0 && get_le16(p + 6) > 0 && (!admin || get_le16(p + 8) == 0) &&
           ulp_all_zero(p + 10, data->n - 10);
}

static bool nvme_ulp_is_reply(const struct ulp_private_data *data)
{
    return data->n >= PRIVATE_DATA_SIZE && get_le16(data->p) == RECORD_FORMAT && get_le16(data->p + 2) > 0 &&
           ulp_all_zero(data->p + 4, data->n - 4);
}

/* ---- capsules ---- */

static uint32_t data_length(const uint8_t *p)
{
    return p[39] == SGL_OFFSET ? get_le32(p + 32) : get_le24(p + 32);
}

static bool nvme_ulp_is_command(const struct ulp_send *send)
{
    const uint8_t *p = send->p;

    if (send->n < COMMAND_SIZE || (p[1] & FLAGS_RESERVED) || (p[1] & FLAGS_PSDT) != FLAGS_SGL)
        return false;
    switch (p[39]) {
    case SGL_OFFSET:
        return send->length == COMMAND_SIZE + (uint64_t)get_le32(p + 32);
    case SGL_KEYED:
    case SGL_KEYED_INVALIDATE:
        return send->length == COMMAND_SIZE;
    default:
        return p[0] == OPCODE_FABRICS && send->length == COMMAND_SIZE && ulp_all_zero(p + 24, 16);
    }
}

/* The Phase Tag is reserved in capsules. */
static bool is_completion(const struct ulp_send *send)
{
    return send->n >= COMPLETION_SIZE && send->length == COMPLETION_SIZE && !(send->p[14] & 1);
}

static bool is_connect(const uint8_t *p)
{
    return p[0] == OPCODE_FABRICS && p[4] == FABRICS_CONNECT && get_le16(p + 40) == 0 && data_length(p) == 1024;
}

static enum ulp_claim nvme_ulp_claim_send(const struct ulp_signs *signs)
{
    if (is_completion(signs->send))
        return ULP_POSSIBLE;
    if (!nvme_ulp_is_command(signs->send))
        return ULP_NO;
    if (ulp_signs_opening(signs) && is_connect(signs->send->p))
        return ULP_CERTAIN;
    return ulp_signs_enough(signs, &nvme_ulp) ? ULP_CERTAIN : ULP_POSSIBLE;
}

static enum ulp_claim nvme_ulp_claim(const struct ulp_signs *signs)
{
    const struct ulp_private_data *request = ulp_signs_request(signs), *reply = ulp_signs_reply(signs);

    if ((request && !nvme_ulp_is_request(request)) || (reply && !nvme_ulp_is_reply(reply)))
        return ULP_NO;
    if (signs->send)
        return nvme_ulp_claim_send(signs);
    return request && ulp_signs_port(signs, &nvme_ulp) ? ULP_CERTAIN : ULP_POSSIBLE;
}

/* ---- words ---- */

static void nvme_ulp_learn(void *state, unsigned side, const struct ulp_private_data *data)
{
    struct queue *queue = state;

    (void)side;
    if (queue->known || !data->p || !nvme_ulp_is_request(data))
        return;
    queue->known = true;
    queue->id = get_le16(data->p + 2);
    INVARIANT(queue->known && data->n >= PRIVATE_DATA_SIZE);
}

static const char *nvme_ulp_name_of(const struct queue *queue, const uint8_t *p)
{
    if (p[0] == OPCODE_FABRICS)
        return ulp_name(fabrics_names, p[4]);
    if (!queue->known)
        return NULL;
    return ulp_name(queue->id == 0 ? admin_names : io_names, p[0]);
}

static void describe_command(struct queue *queue, const struct ulp_send *send, char text[ULP_TEXT_SIZE])
{
    const uint8_t *p = send->p;
    const char *name;
    int used;

    if (is_connect(p)) {
        queue->known = true;
        queue->id = get_le16(p + 42);
    }
    INVARIANT(send->n >= COMMAND_SIZE);
    name = nvme_ulp_name_of(queue, p);
    used = name ? snprintf(text, ULP_TEXT_SIZE, "command %s", name)
                : snprintf(text, ULP_TEXT_SIZE, "command opcode 0x%02x", p[0]);
    INVARIANT(used > 0 && used < ULP_TEXT_SIZE);
    snprintf(text + used, ULP_TEXT_SIZE - (size_t)used, " cid 0x%04x%s %" PRIu32 " octets", get_le16(p + 2),
             p[39] == SGL_OFFSET ? " in capsule" : "", data_length(p));
}

static bool nvme_ulp_describe(void *state, const struct ulp_send *send, struct ulp_words *words)
{
    if (is_completion(send)) {
        words->counts_as = COMPLETIONS;
        snprintf(words->text, sizeof words->text, "completion cid 0x%04x status 0x%04x", get_le16(send->p + 12),
                 get_le16(send->p + 14) >> 1);
        return true;
    }
    if (!nvme_ulp_is_command(send))
        return false;
    words->counts_as = COMMANDS;
    describe_command(state, send, words->text);
    return true;
}

const struct ulp_kind nvme_ulp = {.name = "nvme",
                                  .title = "NVMe over RDMA",
                                  .port = {4420},
                                  .claim = nvme_ulp_claim,
                                  ULP_NAMED,
                                  .counts = counts,
                                  .state_size = sizeof(struct queue),
                                  .learn = nvme_ulp_learn,
                                  .describe = nvme_ulp_describe};
