// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/tester/suite/cases/suite_mpa2.h"

#include "traffic-gen/speak/say/words.h"
#include "traffic-gen/tester/suite/expect/expect.h"
#include "traffic-gen/tester/suite/talk/talk_job.h"

#include <string.h>

enum { MARKER_TRIES = 64, RECEIVE_SIZE = 4096 };

static const int64_t pause_ns = 300 * INT64_C(1000000);

/* ---- the text of a row ---- */

/* The statements with the odd part, or with its replacement. The caller frees it. */
static char *rows_text_of(const char *says, bool odd)
{
    GString *text = g_string_new(NULL);
    char within = 0;

    for (; *says; says++) {
        if (strchr("([", *says))
            within = *says;
        else if (strchr(")]", *says))
            within = 0;
        else if (within == 0 || (within == '(') == odd)
            g_string_append_c(text, *says);
    }
    return g_string_free(text, FALSE);
}

/* The demands of the row's "with". */
struct start {
    struct talk_wish wish;
    bool crc, marker, first, frame, reads, empty_reads, try, settled, pause, may_reject, invalidate;
    enum bad_reply bad;
    uint8_t rtr; /* the type of RTR that has to be agreed; 0: none */
};

#define START(name, member, value)                                                                                     \
    {                                                                                                                  \
        name, offsetof(struct start, member), sizeof(((struct start *)NULL)->member), value                            \
    }

static const struct start_word {
    const char *name;
    size_t offset; /* of a member of struct start, */
    unsigned size, value;
} start_words[] = {
    START("no-crc", wish.no_crc, true),
    START("crc", wish.crc, true),
    START("markers", wish.markers, true),
    START("need-no-crc", wish.need_no_crc, true),
    START("need-crc", crc, true),
    START("pieces", wish.in_pieces, true),
    START("octets", wish.in_octets, true),
    START("late", wish.late, true),
    START("halves", wish.in_halves, true),
    START("marker", marker, true),
    START("first", first, true),
    START("only", wish.wait_only, true),
    START("frame", frame, true),
    START("revision-0", wish.revision_0, true),
    START("rev=1", wish.revision, 1),
    START("enhanced", wish.enhanced, true),
    START("rtr-send", rtr, MPA_RTR_SEND),
    START("rtr-write", rtr, MPA_RTR_WRITE),
    START("rtr-read", rtr, MPA_RTR_READ),
    START("bad-ord", bad, BAD_ORD),
    START("bad-rtr", bad, BAD_RTR),
    START("bad-model", bad, BAD_MODEL),
    START("receives=0", wish.advert.size, RECEIVE_SIZE),
    START("reject", wish.advert.flags, ADVERT_REJECT),
    START("reject-data", wish.advert.flags, ADVERT_REJECT_DATA),
    START("may-reject", may_reject, true),
    START("at-once", wish.at_once, true),
    START("pause", pause, true),
    START("settled", settled, true),
    START("reads", reads, true),
    START("empty-reads", empty_reads, true),
    START("try", try, true),
    START("invalidate", invalidate, true),
};

static bool read_start_word(struct start *start, const char *word, GString *frame)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(start_words); i++) {
        const struct words_place place = {(char *)start + start_words[i].offset, start_words[i].size};

        if (strcmp(start_words[i].name, word) == 0) {
            words_set(&place, start_words[i].value);
            return true;
        }
    }
    if (!g_str_has_prefix(word, "mpa"))
        return false;
    g_string_append_printf(frame, "%s ", word);
    return true;
}

/* Sets what follows from the words that were read. */
static void complete_start(struct start *start, const GString *frame)
{
    start->wish.need_markers = start->marker;
    start->wish.wait_only |= start->first;
    if (frame->len > 0)
        start->wish.frame = frame->str;
    if (start->rtr) {
        start->wish.enhanced = start->wish.wait_only = true;
        start->wish.data = (struct mpa_enhanced){.peer_to_peer = true, .rtr = start->rtr, .ird = READS, .ord = READS};
    }
    if (start->wish.enhanced)
        start->wish.revision = 2;
}

/* The words of "with", of which there may be none, and where the rest begins. */
static const char *read_start(const char *text, struct start *start, GString *frame)
{
    const char *end = strchr(text, ';');
    g_autofree char *with = NULL;
    g_auto(GStrv) words = NULL;

    text += strspn(text, " ");
    if (!g_str_has_prefix(text, "with "))
        return text;
    with = g_strndup(text, end ? (size_t)(end - text) : strlen(text));
    words = g_strsplit(with, " ", -1);
    for (unsigned i = 1; words[i]; i++) {
        if (*words[i] && !read_start_word(start, words[i], frame))
            return text; /* "with" cannot be said */
    }
    complete_start(start, frame);
    return end ? end + 1 : "";
}

/* ---- saying it ---- */

bool needs_crc(struct talk *talk)
{
    if (!talk_crc(talk))
        talk_not_applicable(talk, "CRC is not in use");
    return talk_crc(talk);
}

enum talk_sign needs_question(struct talk *talk)
{
    enum talk_sign sign = talk_usable_sign(talk);

    if (sign == SIGN_TCP)
        talk_not_applicable(talk, "the device's service has never answered a request");
    return sign;
}

bool reach_marker(struct talk *talk)
{
    const struct mpa_framing *framing = talk_framing(talk, true);
    const uint16_t n = DDP_TAGGED_HEADER_LEN;

    for (unsigned i = 0; i < MARKER_TRIES; i++) {
        uint64_t offset = talk_out_offset(talk);

        if (mpa_next_marker(framing, offset) != offset &&
            mpa_fpdu_octets(framing, offset, n) > (size_t)n + MPA_LENGTH_LEN + MPA_CRC_LEN)
            return true;
        talk_say(talk, "write");
    }
    talk_inconclusive(talk, "no FPDU came to contain a Marker");
    return false;
}

static bool asks(const struct suite_case *row)
{
    return row->says && (g_str_has_prefix(row->says, "ask") || strstr(row->says, " ask"));
}

/* "to-64": before the region, in memory that begins at Tagged Offset 0, would be a Tagged Offset that wraps. */
static bool can_lie_before(struct talk *talk, const char *text)
{
    const struct advert_memory *memory = strstr(text, "to-64") ? talk_region(talk, REGION_ALL) : NULL;

    if (!memory || memory->address >= TALK_MESSAGE)
        return true;
    talk_not_applicable(talk, "the device's memory begins at Tagged Offset %u: nothing lies before it",
                        (unsigned)memory->address);
    return false;
}

static bool say_rest(struct talk *talk, const struct suite_case *row, const char *text)
{
    if (!can_lie_before(talk, text))
        return false;
    talk_mark(talk, DUE_TERMINATE);
    return (!asks(row) || needs_question(talk) != SIGN_TCP) && talk_say(talk, "%s", text);
}

/* Sends our frame alone, when it is our turn. */
static bool say_frame_alone(struct talk *talk, const struct start *start)
{
    struct talk_wish wish = start->wish;
    g_autofree char *bad = NULL;
    const struct mpa_startup *request;

    if (!talk_open(talk))
        return false;
    if (!talk_is_initiator(talk)) {
        request = talk_hear_frame(talk);
        if (wish.enhanced && (!request || !request->has_enhanced)) {
            talk_not_applicable(talk, "the device's Request is not enhanced (RFC 6581)");
            return false;
        }
        if (start->bad) {
            bad = mpa2_bad_reply(talk, start->bad, &request->enhanced);
            wish.frame = bad;
        }
        if (start->bad && !bad)
            return false;
    }
    if (!talk_send_frame(talk, &wish))
        return false;
    if (!talk_is_initiator(talk))
        talk_begin_operation(talk); /* from now on the device can only send FPDUs */
    return true;
}

static bool is_rejected(struct talk *talk)
{
    const struct mpa_startup *theirs = talk_frame(talk, false);
    const bool rejected = theirs && theirs->flags & MPA_FLAG_R;

    if (rejected)
        talk_inconclusive(talk, "rejected, as the ULP may do: %s", talk_found(talk));
    return rejected;
}

static bool agrees_on_rtr(struct talk *talk, uint8_t type)
{
    const bool agrees = type == 0 || talk_frame(talk, false)->enhanced.rtr & type;

    if (!agrees)
        talk_not_applicable(talk, "the device does not accept an RTR of this type");
    return agrees;
}

static bool invalidate_first(struct talk *talk)
{
    if (!talk_say(talk, "send-inv region=all"))
        return false;
    if (talk_hear_opcode(talk, RDMAP_SEND))
        return true;
    talk_inconclusive(talk, "the device does not accept a Send with Invalidate of memory that it advertised: %s",
                      talk_found(talk));
    return false;
}

static bool needs_empty_reads(struct talk *talk)
{
    const bool reads = talk_usable_sign(talk) == SIGN_READ;

    if (!reads)
        talk_not_applicable(talk, "the device is not known to answer zero-length Reads");
    return reads;
}

static bool pause_first(struct talk *talk)
{
    talk_sleep(talk, pause_ns);
    return true;
}

/* Takes what was due from the device before the stimulus. */
static bool settle(struct talk *talk)
{
    talk_sleep(talk, talk_t_react(talk) / 8);
    while (talk_hear(talk, 0)->what == TALK_FPDU)
        ;
    return true;
}

/* Whether the start-up led to the state that the row demands. False: verdict is set. */
static bool suits(struct talk *talk, const struct suite_case *row, const struct start *start)
{
    return (!start->crc || needs_crc(talk)) && (!start->marker || reach_marker(talk)) &&
           agrees_on_rtr(talk, start->rtr) && (!start->reads || talk_needs_reads(talk)) &&
           (!start->empty_reads || needs_empty_reads(talk)) && (!start->try || row_try(talk, row)) &&
           (!start->invalidate || invalidate_first(talk)) && (!start->settled || settle(talk)) &&
           (!start->pause || pause_first(talk));
}

bool row_say(struct talk *talk, const struct suite_case *row, bool odd)
{
    g_autofree char *text = rows_text_of(row->says, odd);
    g_autoptr(GString) frame = g_string_new(NULL);
    struct start start = {0};
    const char *rest = read_start(text, &start, frame);
    bool odd_frame = start.wish.frame || start.wish.in_pieces || start.wish.in_octets || start.wish.late ||
                     start.wish.in_halves || start.wish.markers || start.wish.crc;

    if (start.frame)
        return say_frame_alone(talk, &start);
    if (!odd_frame && !talk_start(talk, &start.wish))
        return false;
    if (odd_frame && !expect_start_oddly(talk, &start.wish))
        return false;
    if (odd_frame && start.may_reject && is_rejected(talk))
        return false;
    if (odd_frame && (!talk_is_operating(talk) || !talk_is_open(talk)))
        return true;
    if (start.first && !talk_is_initiator(talk) && !talk_first_fpdu(talk))
        return odd_frame;
    return suits(talk, row, &start) && say_rest(talk, row, rest);
}

bool row_say_rest(struct talk *talk, const struct suite_case *row, bool odd)
{
    g_autofree char *text = rows_text_of(row->says, odd);
    g_autoptr(GString) frame = g_string_new(NULL);
    struct start start = {0};

    return say_rest(talk, row, read_start(text, &start, frame));
}

/* ---- what must be accepted ---- */

/* The message that came instead of the answer. */
static enum life life_of_last(const struct talk *talk)
{
    const struct talk_heard *heard = talk_last(talk);

    if (heard->what == TALK_FPDU)
        return LIFE_TERMINATE;
    return heard->what == TALK_SILENCE ? LIFE_MUTE : heard->what == TALK_GARBAGE ? LIFE_GARBAGE : LIFE_CLOSED;
}

enum life row_await(struct talk *talk, const struct suite_case *row)
{
    if (asks(row))
        return life_await(talk, talk_usable_sign(talk), talk_t_react(talk));
    return talk_hear_opcode(talk, (enum rdmap_opcode)row->served) ? LIFE_ANSWERS : life_of_last(talk);
}

/* The stimulus must be accepted: its answer is row->served, or if the row has none, the answer to "ask". */
void row_taken(struct talk *talk, const struct suite_case *row)
{
    /* Some devices sometimes lose what comes quickly. */
    const unsigned times = row->variant == EACH_TIME ? LIFE_AT_ONCE_TRIES : 1;

    for (unsigned i = 0; i < times && (i == 0 || talk_has_passed(talk)); i++)
        expect_taken(talk, row, row_say, row->served || asks(row) ? row_await : NULL);
}

/* ---- what must be refused ---- */

const struct talk_heard *hear_end(struct talk *talk, int64_t ns)
{
    int64_t until = talk_now() + ns;
    const struct talk_heard *heard;

    do {
        heard = talk_hear(talk, MAX(until - talk_now(), 0));
    } while (heard->what == TALK_FPDU && !heard->is_terminate);
    return heard;
}

/* An Initiator may still be sending its first messages. */
static size_t served_octets(const struct suite_case *row)
{
    return row->served == RDMAP_SEND ? TALK_MESSAGE : 0;
}

const char *read_reason(const char *text, struct expected_reason *reason)
{
    const char *rest = words_match(text, "%/%/%", &reason->layer, &reason->etype, &reason->code);

    if (rest)
        return rest;
    reason->code = EXPECTED_ANY;
    if ((rest = words_match(text, "%/%/*", &reason->layer, &reason->etype)))
        return rest;
    reason->etype = EXPECTED_ANY;
    return words_match(text, "%/*/*", &reason->layer);
}

/* The reasons that row->expected names: "Terminate 1/2/03 or 1/2/02, or a close". */
static unsigned read_reasons(const char *text, struct expected_reason *reason)
{
    static const char *const between[] = {", ", " or "};
    const char *next = words_match(text, "Terminate ");
    unsigned n = 0;

    while (next && n < EXPECTED_REASONS && (text = read_reason(next, &reason[n]))) {
        next = NULL;
        for (unsigned i = 0; !next && i < G_N_ELEMENTS(between); i++)
            next = words_match(text, between[i]);
        n++;
    }
    return n;
}

/* As row->expected says. */
static struct expected_terminate expectation(const struct suite_case *row)
{
    struct expected_terminate expected = {.or_close = strstr(row->expected, "or a close") != NULL,
                                          .served = (uint8_t)row->served,
                                          .served_octets = served_octets(row)};

    expected.reasons = read_reasons(row->expected, expected.reason);
    expected.close_open = !expected.or_close;
    return expected;
}

void expect_refusal(struct talk *talk, const struct suite_case *row)
{
    struct expected_terminate expected = expectation(row);

    expected.other_open = true;
    expect_terminate(talk, &expected);
}

void judge_refusal(struct talk *talk, const struct suite_case *row)
{
    struct expected_terminate expected = expectation(row);

    expected.other_open = true;
    expect_end(talk, &expected);
}

/* Whether the case first sends something without a fault, which the device has taken. */
static bool row_tries(const struct suite_case *row)
{
    return g_str_has_prefix(row->says, "with try") || g_str_has_prefix(row->says, "with invalidate");
}

/* The comparison: the device continues where nothing is wrong. */
static bool continues_unharmed(struct talk *talk, const struct suite_case *row)
{
    bool started;

    talk_wait_to_listen(talk);
    started = strpbrk(row->says, "([") ? row_say(talk, row, false) : talk_start(talk, NULL);
    return started && life_good(life_probe(talk));
}

void row_compare_refusal(struct talk *talk, const struct suite_case *row)
{
    const bool is_terminate = talk_last(talk)->is_terminate;
    g_autofree char *what = NULL;

    if (!talk_has_passed(talk) || row_tries(row))
        return;
    what = g_strdup(talk_actual(talk));
    if (!continues_unharmed(talk, row)) {
        talk_inconclusive(talk, "%s; with nothing wrong the device does not continue either", what);
        return;
    }
    talk_passed_by_end(talk, "%s; with nothing wrong the device continues", what);
    talk_job(talk)->result->mute = !is_terminate;
}

/*
 * The refusal must have a reason that row->expected names ("Terminate 1/1/00, or a close"). A refusal with another
 * reason may be about something else: the case is inconclusive, unless the rule is about the reason. A close counts as
 * a refusal only if the device continues when nothing is wrong.
 */
void row_refused(struct talk *talk, const struct suite_case *row)
{
    struct expected_terminate expected = expectation(row);

    expected.other_open = row->variant != REFUSAL_WITH_CODE;
    expected.silence_open = row->variant == REFUSAL_OR_SILENCE;
    if (!row_say(talk, row, true))
        return;
    expect_terminate(talk, &expected);
    row_compare_refusal(talk, row);
}
