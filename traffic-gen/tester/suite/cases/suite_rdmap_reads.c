// SPDX-License-Identifier: GPL-2.0-or-later
/* Suite rdmap, several Reads at once: the answer to each Read, and one Read more than the device agreed to. */
#include "traffic-gen/tester/suite/cases/suite_look.h"
#include "traffic-gen/tester/suite/expect/expect.h"
#include "traffic-gen/tester/suite/talk/talk_job.h"

#include <string.h>

enum { SINK_STEP = 64 };

/* ---- without octets ---- */

/* Several Reads in a row, in one segment as many as the device serves at once; each is answered, in order. */
enum { EMPTY_READS = 4 };

static unsigned at_once_max(const struct talk *talk)
{
    return CLAMP(talk_dut_ird(talk), 1, EMPTY_READS);
}

static void say_empty_reads(struct talk *talk, unsigned from, unsigned to)
{
    talk_say(talk, "cork");
    for (unsigned i = from; i < to; i++)
        talk_say(talk, "read sinkto+%u", i * SINK_STEP);
    talk_say(talk, "uncork");
}

static bool say_several(struct talk *talk, const struct suite_case *row, bool odd)
{
    (void)row;
    if (!talk_start(talk, NULL))
        return false;
    say_empty_reads(talk, 0, odd ? at_once_max(talk) : 1);
    return true;
}

void rdmap_reads_in_a_row(struct talk *talk, const struct suite_case *row)
{
    const struct talk_heard *heard;
    unsigned asked;

    expect_taken(talk, row, say_several, row_await);
    if (!talk_has_passed(talk))
        return;
    asked = at_once_max(talk);
    for (unsigned i = 0; i < EMPTY_READS; i++) {
        if (i > 0 && life_await(talk, SIGN_READ, talk_t_react(talk)) != LIFE_ANSWERS) {
            talk_show(talk, SHOWN_LOST);
            talk_failed(talk, "only %u of %u consecutive zero-length Reads were answered, then %s", i,
                        (unsigned)EMPTY_READS, talk_found(talk));
            return;
        }
        heard = talk_last(talk);
        if (heard->ddp.to != TALK_SINK_TO + i * SINK_STEP || heard->ddp.payload_len > 0) {
            if (heard->ddp.to > TALK_SINK_TO + i * SINK_STEP && heard->ddp.to < TALK_SINK_TO + EMPTY_READS * SINK_STEP)
                talk_show(talk, SHOWN_LOST); /* the Response before it did not come */
            talk_failed(talk, "expected a zero-length Read Response to TO 0x%x; found %s", TALK_SINK_TO + i * SINK_STEP,
                        talk_describe(talk, heard));
            return;
        }
        if (asked < EMPTY_READS) {
            say_empty_reads(talk, asked, asked + 1);
            asked++;
        }
    }
    talk_passed(talk, "%u consecutive zero-length Reads were answered, in order", (unsigned)EMPTY_READS);
}

/* ---- different lengths, one after the other ---- */

static const unsigned lengths[] = {64, 0, 8, 0};

/* All segments of the next Read Response. False: no Response came, or not the one that is due; verdict is set. */
static bool hear_length(struct talk *talk, unsigned i)
{
    const struct talk_heard *heard = talk_hear_opcode(talk, RDMAP_READ_RESPONSE);

    if (!heard && i == 0)
        talk_inconclusive(talk, "expected a Read Response; found %s", talk_found(talk));
    else if (!heard)
        talk_failed(talk, "%u Reads at once were answered, then expected another Read Response; found %s", i,
                    talk_found(talk));
    else if (heard->ddp.payload_len != lengths[i] || heard->ddp.to != TALK_SINK_TO + i * SINK_STEP)
        talk_failed(talk, "expected a Read Response of %u octets to TO 0x%x, as Read %u asked for; found %s",
                    lengths[i], TALK_SINK_TO + i * SINK_STEP, i + 1, talk_describe(talk, heard));
    else
        return true;
    return false;
}

void rdmap_reads_different_lengths(struct talk *talk, const struct suite_case *row)
{
    unsigned n;

    (void)row;
    if (!talk_start(talk, NULL))
        return;
    n = MIN(talk_dut_ird(talk), G_N_ELEMENTS(lengths));
    if (n < 2) {
        talk_not_applicable(talk, "the device serves one Read at a time");
        return;
    }
    talk_say(talk, "cork");
    for (unsigned i = 0; i < n; i++) {
        const char *source = lengths[i] ? " region=all" : "";

        if (!talk_say(talk, "read%s size=%u sinkto+%u", source, lengths[i], i * SINK_STEP))
            return;
    }
    talk_say(talk, "uncork");
    for (unsigned i = 0; i < n; i++)
        if (!hear_length(talk, i))
            return;
    talk_passed(talk, "%u Reads of different lengths at once were answered with as many octets each", n);
}

/* ---- one Read too many ---- */

enum {
    WINDOW = 4096, /* less than any of the Responses */
    SEGMENT = 1000,
    READS_MAX = 128,
    RESPONSES_MAX = 2 << 20, /* of all together */
    WIDE = 1 << 20,
};

/*
 * A Write that follows the Reads in the stream has been placed, as another connection finds: so the device has taken
 * all of them. All Reads are still open: a Read is outstanding until its last octet is acknowledged (RFC 6581
 * section 4.1), and our window is too small for any whole Response.
 */
static bool has_taken_all(struct talk *talk, const uint8_t before[TALK_MESSAGE])
{
    uint8_t now[TALK_MESSAGE];
    struct talk *other = talk_begin_job(talk_job(talk)->run, NULL, 1, NULL);
    bool taken;

    taken = look_at(other, LOOK_READS, now) && memcmp(now, before, TALK_MESSAGE) != 0;
    talk_end_job(other);
    return taken;
}

/* Reads that were answered before something else came; *longest: octets of the longest FPDU. */
static unsigned count_answers(struct talk *talk, unsigned most, size_t *longest)
{
    unsigned answered = 0;

    while (answered < most) {
        const struct talk_heard *heard = talk_hear(talk, talk_t_react(talk));

        if (heard->what != TALK_FPDU || heard->is_terminate)
            break;
        *longest = MAX(*longest, heard->fpdu.length);
        answered += heard->has_ddp && heard->ddp.opcode == RDMAP_READ_RESPONSE && heard->ddp.last;
    }
    return answered;
}

/*
 * An FPDU fits into a segment of the device's TCP (RFC 5044 section 4.5): an FPDU longer than the MSS of our SYN was
 * sent to a host in between, which acknowledges octets before they reach us.
 */
static void judge_answers(struct talk *talk, const struct suite_case *row, unsigned limit, bool taken)
{
    size_t longest = 0;
    unsigned answered = count_answers(talk, limit + 1, &longest);

    if (answered == limit + 1 && taken && longest > SEGMENT)
        talk_inconclusive(
            talk,
            "%u Reads at once were answered, where %u were agreed, but not over one TCP connection: FPDUs "
            "of %zu octets do not fit the MSS of our SYN, so somebody in between takes what we do not",
            answered, limit, longest);
    else if (answered == limit + 1 && taken)
        talk_failed(talk,
                    "expected no more than %u Reads at once, as agreed; found %u outstanding, all answered: a Write "
                    "behind them was placed before any of them was over",
                    limit, answered);
    else if (answered == limit + 1)
        talk_inconclusive(talk,
                          "%u Reads at once were answered, where %u were agreed: a device that takes a Read only when "
                          "another one is over keeps to that, and no Write behind them shows that it does not",
                          answered, limit);
    else if (talk_last(talk)->is_terminate || !talk_is_open(talk))
        judge_refusal(talk, row);
    else
        talk_inconclusive(talk, "%u of %u Reads were answered, then %s", answered, limit + 1, talk_found(talk));
}

void rdmap_reads_one_too_many(struct talk *talk, const struct suite_case *row)
{
    const struct talk_wish wish = {.revision = 2, .enhanced = true};
    const struct advert_memory *region;
    uint8_t before[TALK_MESSAGE];
    bool shared = look_prepare(talk, LOOK_READS, before);
    unsigned limit, size;

    talk_for_next(talk)->mss = SEGMENT;
    talk_set_window(talk, WINDOW);
    if (!talk_start(talk, &wish) || !(region = talk_region(talk, REGION_ALL)))
        return;
    limit = talk_frame(talk, false)->enhanced.ird;
    size = MIN(region->length, RESPONSES_MAX / (limit + 1));
    if (limit == 0 || limit > READS_MAX || size < 2 * WINDOW) {
        talk_not_applicable(talk, "the Reply says IRD %u, and the memory has %u octets: that cannot be exceeded here",
                            limit, region->length);
        return;
    }
    talk_say(talk, "cork; %u* read region=all size=%u", limit + 1, size);
    if (shared)
        talk_say(talk, "write region=shared to+%u", (unsigned)LOOK_READS);
    talk_say(talk, "uncork");
    g_usleep((gulong)(talk_t_react(talk) / 1000)); /* without reading what comes */
    shared = shared && has_taken_all(talk, before);
    talk_set_window(talk, WIDE);
    judge_answers(talk, row, limit, shared);
}
