// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Suite rdmapx, the device as requester: a Send asks the device for an operation (support/advert.h) on our memory. A
 * device that echoes this Send does not understand the request.
 */
#include "support/advert.h"
#include "traffic-gen/tester/suite/cases/suite_rows.h"
#include "traffic-gen/tester/suite/expect/expect.h"
#include "wire/atomic.h"

#include <inttypes.h>
#include <string.h>

enum { IN_FLIGHT = 4 };

static const struct advert_request asks[] = {
    [FETCH_ADD] = {.operation = ADVERT_FETCH_ADD,
                   .stag = TALK_SINK_STAG,
                   .address = TALK_SINK_TO,
                   .data = UINT64_C(0x1122334455667788)},
    [CMP_SWAP] = {.operation = ADVERT_CMP_SWAP,
                  .stag = TALK_SINK_STAG,
                  .address = TALK_SINK_TO + 8,
                  .data = UINT64_C(0x1122334455667788),
                  .compare = UINT64_C(0x99AABBCCDDEEFF00)},
    [IMMEDIATE_SE] = {.operation = ADVERT_IMMEDIATE_SE, .data = UINT64_C(0x536F6C6963697421)}, /* "Solicit!" */
};

/* ---- asking ---- */

static bool ask_for(struct talk *talk, enum asked_for what)
{
    uint8_t words[ADVERT_REQUEST_LEN];

    advert_request_encode(&asks[what], words);
    return talk_say_octets(talk, words, sizeof words, "send");
}

static bool is_echo_of(const struct talk_heard *heard, enum asked_for what)
{
    uint8_t words[ADVERT_REQUEST_LEN];

    advert_request_encode(&asks[what], words);
    return heard->ddp.opcode == RDMAP_SEND && heard->ddp.payload_len == sizeof words &&
           memcmp(heard->ddp.payload, words, sizeof words) == 0;
}

/* What the device does. NULL: it does something else, and the verdict is set. */
static const struct talk_heard *hear_operation(struct talk *talk, enum asked_for what)
{
    enum rdmap_opcode opcode = what == IMMEDIATE_SE ? RDMAP_IMMEDIATE_SE : RDMAP_ATOMIC_REQUEST;
    int64_t until = talk_now() + talk_t_react(talk);
    const struct talk_heard *heard;

    while ((heard = talk_hear(talk, MAX(until - talk_now(), 0)))->what == TALK_FPDU && !heard->is_terminate) {
        if (heard->has_ddp && heard->ddp.opcode == opcode)
            return heard;
        if (heard->has_ddp && is_echo_of(heard, what)) {
            talk_not_applicable(talk, "the device's service performs no such operation when a Send asks for it: the "
                                      "Send is echoed");
            return NULL;
        }
    }
    talk_inconclusive(talk, "expected the operation that a Send asked for; found %s", talk_describe(talk, heard));
    return NULL;
}

/* RFC 6581 section 9.1: as many as the peer's IRD allows. */
static bool may_request(struct talk *talk)
{
    const struct mpa_startup *theirs = talk_frame(talk, false), *ours = talk_frame(talk, true);

    if (!theirs || !ours || !theirs->has_enhanced || !ours->has_enhanced ||
        (theirs->enhanced.ord != 0 && ours->enhanced.ird != 0))
        return true;
    talk_not_applicable(talk, "the start-up leaves the device no request at a time");
    return false;
}

/* An Atomic Request of the device. False: verdict is set. */
static bool hear_request(struct talk *talk, enum asked_for what, struct rdmap_atomic_request *request)
{
    const struct talk_heard *heard = hear_operation(talk, what);

    if (!heard)
        return false;
    if (heard->ddp.payload_len == RDMAP_ATOMIC_REQUEST_LEN &&
        rdmap_atomic_request_decode(request, heard->ddp.payload, heard->ddp.payload_len))
        return true;
    talk_failed(talk, "expected an Atomic Request of %d octets; found %s", RDMAP_ATOMIC_REQUEST_LEN,
                talk_describe(talk, heard));
    return false;
}

/* Carries the operation out on our word of memory, and answers; `words` may change the answer. */
static bool answer_request(struct talk *talk, const struct rdmap_atomic_request *request, uint64_t *word,
                           const char *words)
{
    const uint64_t original = *word;

    rdmap_atomic_apply(request, original, word);
    return talk_say(talk, "result id=%u orig=0x%" PRIx64 " %s", request->identifier, original, words);
}

/* Asks, hears, and answers rightly. */
static bool exchange_one(struct talk *talk, enum asked_for what, struct rdmap_atomic_request *request, uint64_t *word)
{
    return may_request(talk) && ask_for(talk, what) && hear_request(talk, what, request) &&
           answer_request(talk, request, word, "");
}

/* ---- what it sends ---- */

static char *requester_text_of(const struct rdmap_atomic_request *request)
{
    return g_strdup_printf("AOpCode %u, STag 0x%x, TO 0x%" PRIx64 ", 0x%016" PRIx64 " under 0x%016" PRIx64
                           ", compared with 0x%016" PRIx64 " under 0x%016" PRIx64,
                           request->opcode, request->stag, request->to, request->data, request->mask,
                           request->compare_data, request->compare_mask);
}

/* Compare Data and Compare Mask of a FetchAdd have rules of their own, which the engine judges. */
static struct rdmap_atomic_request expected_of(enum asked_for what, const struct rdmap_atomic_request *found)
{
    const struct advert_request *asked = &asks[what];
    const bool swap = what == CMP_SWAP;

    return (struct rdmap_atomic_request){.opcode = swap ? RDMAP_ATOMIC_CMP_SWAP : RDMAP_ATOMIC_FETCH_ADD,
                                         .stag = asked->stag,
                                         .to = asked->address,
                                         .data = asked->data,
                                         .mask = swap ? UINT64_MAX : 0,
                                         .compare_data = swap ? asked->compare : found->compare_data,
                                         .compare_mask = swap ? UINT64_MAX : found->compare_mask};
}

void requester_atomic_request(struct talk *talk, const struct suite_case *row)
{
    enum asked_for what = (enum asked_for)row->variant;
    g_autofree char *expected_text = NULL, *found_text = NULL;
    struct rdmap_atomic_request expected, found;
    uint64_t word = 0;

    if (!talk_start(talk, NULL) || !exchange_one(talk, what, &found, &word))
        return;
    expected = expected_of(what, &found);
    expected_text = requester_text_of(&expected);
    found_text = requester_text_of(&found);
    if (strcmp(found_text, expected_text) == 0)
        talk_passed(talk, "%s, as the device was to ask", found_text);
    else
        talk_failed(talk, "expected %s; found %s", expected_text, found_text);
}

void requester_immediate_se(struct talk *talk, const struct suite_case *row)
{
    const uint64_t asked = asks[IMMEDIATE_SE].data;
    const struct talk_heard *heard;
    uint64_t found;

    (void)row;
    if (!talk_start(talk, NULL) || !ask_for(talk, IMMEDIATE_SE) || !(heard = hear_operation(talk, IMMEDIATE_SE)))
        return;
    if (heard->ddp.payload_len != RDMAP_IMMEDIATE_LEN ||
        !rdmap_immediate_decode(&found, heard->ddp.payload, heard->ddp.payload_len))
        talk_failed(talk, "expected %d octets of Immediate Data; found %s", RDMAP_IMMEDIATE_LEN,
                    talk_describe(talk, heard));
    else if (found != asked)
        talk_failed(talk, "expected the Immediate Data 0x%016" PRIx64 "; found 0x%016" PRIx64, asked, found);
    else
        talk_passed(talk, "Immediate Data with Solicited Event of the eight octets that the device was to send");
}

/* ---- what it does about Responses ---- */

/* Atomic Requests that are open: at most `most`, and as many as the device sends before it waits. */
static unsigned collect(struct talk *talk, unsigned most, struct rdmap_atomic_request requests[IN_FLIGHT])
{
    const struct talk_heard *heard;
    unsigned n = 0;

    while (n < most && (heard = talk_hear_opcode(talk, RDMAP_ATOMIC_REQUEST)) &&
           rdmap_atomic_request_decode(&requests[n], heard->ddp.payload, heard->ddp.payload_len))
        n++;
    return n;
}

static bool lacks_buffer(const struct talk_heard *heard)
{
    const struct expected_reason no_buffer = {RDMAP_LAYER_DDP, 2, 2};

    return heard->is_terminate && expect_has_reason(&heard->meant, &no_buffer, 1);
}

static void fail_for_buffer(struct talk *talk)
{
    talk_failed(talk, "expected a buffer for the Response to each Atomic Request; found %s", talk_found(talk));
}

static void judge_missing(struct talk *talk, unsigned answered)
{
    if (lacks_buffer(talk_last(talk)))
        fail_for_buffer(talk);
    else
        talk_inconclusive(talk, "expected %u Atomic Requests; found %u, then %s", (unsigned)IN_FLIGHT, answered,
                          talk_found(talk));
}

/* The verdict after the Responses to all Atomic Requests. */
static void judge_buffers(struct talk *talk, unsigned widest)
{
    enum life life = life_probe(talk);

    if (life_good(life))
        talk_passed(talk, "%u Atomic Responses were taken, at most %u at once", IN_FLIGHT + 1U, widest);
    else if (life == LIFE_TERMINATE && lacks_buffer(talk_last(talk)))
        fail_for_buffer(talk);
    else
        talk_inconclusive(talk, "after the Responses to all Atomic Requests: %s", life_words(talk, life));
}

/* One operation alone, which shows whether the device understands the request; then several at once. */
void requester_responses(struct talk *talk, const struct suite_case *row)
{
    enum asked_for what = (enum asked_for)row->variant;
    struct rdmap_atomic_request requests[IN_FLIGHT];
    unsigned answered = 0, widest = 0, n;
    uint64_t word = 0;

    if (!talk_start(talk, NULL) || !exchange_one(talk, what, requests, &word))
        return;
    for (unsigned i = 0; i < IN_FLIGHT; i++)
        ask_for(talk, what);
    for (; answered < IN_FLIGHT && (n = collect(talk, IN_FLIGHT - answered, requests)) > 0; answered += n) {
        for (unsigned i = 0; i < n; i++)
            answer_request(talk, &requests[i], &word, "");
        widest = MAX(widest, n);
    }
    if (answered == IN_FLIGHT)
        judge_buffers(talk, widest);
    else
        judge_missing(talk, answered);
}

static const char *const faults[] = {[OTHER_IDENTIFIER] = "id+1", [TOO_LONG] = "grow=4"};

/* The device accepts a correct Response; then comes a wrong one. */
void requester_invalid_response(struct talk *talk, const struct suite_case *row)
{
    struct rdmap_atomic_request request;
    uint64_t word = 0;

    if (!talk_start(talk, NULL) || !exchange_one(talk, FETCH_ADD, &request, &word) || !ask_for(talk, FETCH_ADD) ||
        !hear_request(talk, FETCH_ADD, &request))
        return;
    talk_mark(talk, DUE_TERMINATE);
    if (answer_request(talk, &request, &word, faults[row->variant]))
        expect_refusal(talk, row);
}
