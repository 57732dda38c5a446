// SPDX-License-Identifier: GPL-2.0-or-later
/* The questions that ask a device for a sign of life, and their answers. */
#include "traffic-gen/speak/sim/random.h"
#include "traffic-gen/tester/suite/talk/talk_internal.h"
#include "wire/octets.h"

#include <string.h>

static const int64_t settle_guess = 300 * INT64_C(1000000);

static const char echo_words[] = "are you there?";

bool talk_can_ask(const struct talk *talk, enum talk_sign sign)
{
    switch (sign) {
    case SIGN_READ:
        return talk_dut_ird(talk) > 0;
    case SIGN_REGION:
        return talk_dut_ird(talk) > 0 && talk->startup.advert.n > REGION_ALL &&
               talk->startup.advert.regions[REGION_ALL].length > 0;
    case SIGN_ECHO:
        return true;
    case SIGN_RPC: /* for a server: a client must not be called before it asks for it (RFC 8167 section 6) */
        return talk_is_initiator(talk);
    default:
        return false;
    }
}

/* From the seed, and another one each time. Thread-safe. */
static uint32_t sign_draw_xid(struct talk_run *run)
{
    struct random_source random = {.state = run->seed ^ (uint64_t)g_atomic_int_add(&run->others, 1) << 16};

    return (uint32_t)random_next(&random);
}

const char *talk_question(struct talk *talk, enum talk_sign sign)
{
    switch (sign) {
    case SIGN_READ: /* STag and Tagged Offset are not checked (RFC 5040 section 7.2) */
        return "read";
    case SIGN_REGION:
        return "read region=all size=1";
    case SIGN_ECHO:
        talk->saying.given = (const uint8_t *)echo_words;
        talk->saying.given_n = sizeof echo_words;
        return "send";
    case SIGN_RPC:
        talk->saying.null_xid = sign_draw_xid(talk->job.run);
        rpc_null_send(talk->saying.null_call, talk->saying.null_xid);
        talk->saying.given = talk->saying.null_call;
        talk->saying.given_n = sizeof talk->saying.null_call;
        return "send";
    default:
        return "";
    }
}

bool talk_is_sign(const struct talk *talk, enum talk_sign sign, const struct talk_heard *heard)
{
    const struct ddp_segment *ddp = &heard->ddp;

    if (!heard->has_ddp)
        return false;
    switch (sign) {
    case SIGN_READ:
    case SIGN_REGION:
        return ddp->opcode == RDMAP_READ_RESPONSE && ddp->last;
    case SIGN_ECHO:
        return rdmap_is_send(ddp->opcode) && ddp->payload_len == sizeof echo_words &&
               memcmp(ddp->payload, echo_words, sizeof echo_words) == 0;
    case SIGN_RPC:
        return rdmap_is_send(ddp->opcode) && ddp->payload_len >= 4 && get_be32(ddp->payload) == talk->saying.null_xid;
    default:
        return true;
    }
}

enum talk_sign talk_usable_sign(const struct talk *talk)
{
    if (talk_can_ask(talk, talk->job.run->sign))
        return talk->job.run->sign;
    for (enum talk_sign sign = SIGN_READ; sign < SIGN_SPEAKS; sign++) {
        if (talk->job.run->signs & 1u << sign && talk_can_ask(talk, sign))
            return sign;
    }
    return SIGN_TCP;
}

bool talk_reads(const struct talk *talk)
{
    return talk->job.run->signs & (1u << SIGN_READ | 1u << SIGN_REGION) && talk_dut_ird(talk) > 0;
}

bool talk_needs_reads(struct talk *talk)
{
    if (!talk_reads(talk))
        talk_not_applicable(talk, "the device is not known to answer Reads");
    return talk_reads(talk);
}

bool talk_echoes(const struct talk *talk)
{
    return talk->job.run->signs & 1u << SIGN_ECHO;
}

int64_t talk_settle_time(const struct talk *talk)
{
    if (talk->job.run->t_settle > 0)
        return talk->job.run->t_settle;
    return g_atomic_int_get(&talk->job.run->late_first) ? settle_guess : 0;
}
