// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/test/suite_operations.h"

#include "traffic-gen/test/talk_internal.h"

static const uint8_t octets[1024] = "octets of a test";

struct ddp_segment operation_send(struct talk *talk)
{
    struct ddp_segment segment = talk_segment(talk, RDMAP_SEND);

    segment.payload = octets;
    segment.payload_len = OPERATION_OCTETS;
    return segment;
}

bool operation_write(struct talk *talk, struct ddp_segment *out, enum advert_region region, int64_t at, size_t n)
{
    const struct advert_memory *memory = talk_region(talk, region);

    if (!memory)
        return false;
    *out = talk_segment(talk, RDMAP_WRITE);
    out->stag = memory->stag;
    out->to = memory->address + (uint64_t)at;
    out->payload = octets;
    out->payload_len = MIN(n, sizeof(octets));
    return true;
}

void operation_read(struct talk *talk, struct ddp_segment *out, uint8_t *payload, uint32_t stag, uint64_t to,
                    uint32_t size)
{
    const struct rdmap_read_request request = {
        .sink_stag = TALK_SINK_STAG, .sink_to = TALK_SINK_TO, .size = size, .source_stag = stag, .source_to = to};

    *out = talk_segment(talk, RDMAP_READ_REQUEST);
    out->payload = payload;
    out->payload_len = rdmap_read_request_encode(&request, payload, RDMAP_READ_REQUEST_LEN);
}

const struct talk_heard *operation_hear_end(struct talk *talk, int64_t ns)
{
    int64_t until = talk_now() + ns;
    const struct talk_heard *heard;

    do {
        heard = talk_hear(talk, MAX(until - talk_now(), 0));
    } while (heard->what == TALK_FPDU && !heard->is_terminate);
    return heard;
}

void operation_expect_refusal(struct talk *talk)
{
    int64_t until = talk_now() + talk_t_react(talk);
    g_autofree char *passed_over = NULL;
    const struct talk_heard *heard;

    while ((heard = talk_hear(talk, MAX(until - talk_now(), 0)))->what == TALK_FPDU && !heard->is_terminate) {
        g_free(passed_over);
        passed_over = g_strdup(talk_describe(talk, heard));
    }
    if (heard->what == TALK_FPDU || heard->what == TALK_FIN || heard->what == TALK_RESET)
        talk_passed(talk, "%s", talk_describe(talk, heard));
    else
        talk_failed(talk, "expected a Terminate, or a close; found %s%s%s within %.1f s",
                    passed_over ? passed_over : "", passed_over ? ", and then " : "", talk_describe(talk, heard),
                    (double)talk_t_react(talk) / 1e9);
}

void operation_expect_end(struct talk *talk)
{
    const struct talk_heard *heard = operation_hear_end(talk, talk_t_close(talk));

    if (heard->what == TALK_FIN || heard->what == TALK_RESET)
        talk_passed(talk, "%s", talk_describe(talk, heard));
    else
        talk_failed(talk, "expected that the device closes, found %s", talk_describe(talk, heard));
}

void operation_refusal(struct talk *talk, const struct refusal *refusal)
{
    const struct talk_wish wish = {.advert = {.receives = 0, .size = 4096}};

    if (refusal->no_receives ? !talk_start(talk, &wish) : !talk_start(talk, NULL))
        return;
    refusal->say(talk, refusal->what);
    if (talk->result->actual) /* a region that it needs is not there */
        return;
    if (refusal->refused)
        operation_expect_refusal(talk);
    else
        talk_expect_terminate(talk, &refusal->expected);
}

void operation_refused(struct talk *talk, const struct refusal *refusal)
{
    struct refusal any = *refusal;

    any.refused = true;
    operation_refusal(talk, &any);
}
