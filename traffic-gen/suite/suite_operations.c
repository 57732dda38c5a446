// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/suite/suite_operations.h"

#include "traffic-gen/suite/talk_internal.h"

static const uint8_t octets[1024] = "octets received in a case";

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
    out->payload_len = MIN(n, sizeof octets);
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

void operation_expect_end(struct talk *talk)
{
    const struct talk_heard *heard = operation_hear_end(talk, talk_t_close(talk));

    if (heard->what == TALK_FIN || heard->what == TALK_RESET)
        talk_passed_by_end(talk, "%s", talk_describe(talk, heard));
    else
        talk_failed(talk, "expected the device to close; found %s", talk_describe(talk, heard));
}

static bool begin(struct talk *talk, const struct refusal *refusal, bool wrong)
{
    const struct talk_wish wish = {.advert = {.receives = 0, .size = 4096}};

    return talk_start(talk, refusal->no_receives && wrong ? &wish : NULL) && refusal->say(talk, refusal->what, wrong);
}

/* An Initiator may still be sending its first messages. */
static size_t served_octets(const struct refusal *refusal)
{
    return refusal->served == RDMAP_SEND ? OPERATION_OCTETS : 0;
}

void operation_refusal(struct talk *talk, const struct refusal *refusal)
{
    struct talk_terminate expected = refusal->expected;

    expected.served = refusal->served;
    expected.served_octets = served_octets(refusal);
    expected.close_open = true;
    if (begin(talk, refusal, true))
        talk_expect_terminate(talk, &expected);
}

void operation_refused_for(struct talk *talk, const struct refusal *refusal)
{
    struct refusal another = *refusal;

    another.expected.other_open = true;
    operation_refusal(talk, &another);
}

void operation_refused(struct talk *talk, const struct refusal *refusal)
{
    const struct talk_terminate any = {
        .any_layer = true, .or_close = true, .served = refusal->served, .served_octets = served_octets(refusal)};
    g_autofree char *what = NULL;

    if (!begin(talk, refusal, true))
        return;
    talk_expect_terminate(talk, &any);
    if (!talk_has_passed(talk) || talk_last(talk)->is_terminate)
        return;
    what = g_strdup(talk_describe(talk, talk_last(talk)));
    if (!begin(talk, refusal, false) || !talk_life_good(talk_probe(talk)))
        talk_inconclusive(talk, "%s; with nothing wrong the device does not continue either", what);
    else
        talk_passed_by_end(talk, "%s; with nothing wrong the device continues", what);
}

bool operation_start_send(struct talk *talk, struct ddp_segment *out)
{
    if (!talk_start(talk, NULL))
        return false;
    *out = operation_send(talk);
    return true;
}
