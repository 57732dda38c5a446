// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/explore/pairs/exchange.h"
#include "traffic-gen/tester/suite/expect/life.h"
#include "traffic-gen/tester/suite/talk/talk_job.h"

enum {
    READS_AT_ONCE = 16,
    OCTETS = 1024 /* spans two Markers */,
    SLOTS = 16 /* for the device's memory, which all connections may share */
};

static uint32_t next(uint32_t drawn)
{
    return drawn * UINT32_C(1664525) + UINT32_C(1013904223); /* Knuth, volume 2, section 3.3.4 */
}

void exchange_draw(uint32_t drawn, uint8_t *octets, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        drawn = next(drawn);
        octets[i] = (uint8_t)(drawn >> 24);
    }
}

/* Makes different octets on each connection. */
static uint32_t exchange_port_of(const struct talk *talk)
{
    const GArray *ports = talk_job(talk)->result->ports;

    return g_array_index(ports, guint, ports->len - 1);
}

/* Collects all octets of a message from its segments. False: another message came, or none. */
static bool hear_message(struct talk *talk, enum rdmap_opcode opcode, GByteArray *out, struct exchange_sink *begins)
{
    const struct talk_heard *heard;

    while ((heard = talk_hear_segment(talk, opcode))) {
        if (out->len == 0)
            *begins = (struct exchange_sink){heard->ddp.stag, heard->ddp.to};
        g_byte_array_append(out, heard->ddp.payload, (guint)heard->ddp.payload_len);
        if (heard->ddp.last)
            return true;
    }
    return false;
}

static bool exchange_judge_sink(struct talk *talk, const struct exchange_sink *sink, const struct exchange_sink *found,
                                const char *what)
{
    if (sink && sink->stag != found->stag)
        pairs_failed(talk, RULE_RDMAP_4_4_03, "expected %s to STag 0x%x; found 0x%x", what, sink->stag, found->stag);
    else if (sink && sink->to != found->to)
        pairs_failed(talk, RULE_RDMAP_4_4_04,
                     "expected %s to Tagged Offset 0x%" G_GINT64_MODIFIER "x; found 0x%" G_GINT64_MODIFIER "x", what,
                     sink->to, found->to);
    else
        return true;
    return false;
}

static bool exchange_judge_octets(struct talk *talk, const GByteArray *came, const uint8_t *octets, size_t n,
                                  const char *what)
{
    size_t at = 0;

    if (came->len != n) {
        pairs_failed(talk, RULE_RDMAP_4_4_08, "expected %s of %zu octets; found %u", what, n, came->len);
        return false;
    }
    while (octets && at < n && came->data[at] == octets[at])
        at++;
    if (!octets || at == n)
        return true;
    pairs_failed(talk, RULE_DDP_5_2_05,
                 "expected %s with the octets that were sent; found 0x%02x instead of 0x%02x at %zu", what,
                 came->data[at], octets[at], at);
    return false;
}

bool exchange_hear(struct talk *talk, enum rdmap_opcode opcode, const uint8_t *octets, size_t n, const char *what,
                   const struct exchange_sink *sink, enum rule_id rule)
{
    g_autoptr(GByteArray) came = g_byte_array_new();
    struct exchange_sink begins = {0};

    if (hear_message(talk, opcode, came, &begins))
        return exchange_judge_sink(talk, sink, &begins, what) && exchange_judge_octets(talk, came, octets, n, what);
    pairs_failed(talk, rule, "expected %s; found %s", what, talk_found(talk));
    return false;
}

static bool exchange_echo(struct talk *talk, const uint8_t *octets, size_t n, const char *words, enum rule_id rule)
{
    return talk_say_octets(talk, octets, n, "send %s", words) &&
           exchange_hear(talk, RDMAP_SEND, octets, n, "the echo of a Send", NULL, rule);
}

static bool exchange_write_and_read(struct talk *talk, const uint8_t *octets, size_t n, const char *words,
                                    enum rule_id rule)
{
    size_t at = exchange_port_of(talk) % SLOTS * n;

    return talk_say_octets(talk, octets, n, "write region=all to+%zu %s", at, words) &&
           talk_say(talk, "read region=all srcto+%zu size=%zu", at, n) &&
           exchange_hear(talk, RDMAP_READ_RESPONSE, octets, n, "an answer to the Read of what was written", NULL, rule);
}

static bool exchange_octets(struct talk *talk, const struct exchange *may, const char *words, enum rule_id rule,
                            const char **what)
{
    uint8_t octets[OCTETS];
    const bool regions = may->reads && talk_advert(talk)->n > REGION_ALL &&
                         talk_advert(talk)->regions[REGION_ALL].length >= SLOTS * OCTETS;

    exchange_draw(exchange_port_of(talk), octets, OCTETS);
    *what = may->echo && regions ? "octets echoed, and others written and read back"
            : may->echo          ? "octets echoed"
            : regions            ? "octets written and read back"
                                 : NULL;
    return (!may->echo || exchange_echo(talk, octets, OCTETS, words, rule)) &&
           (!regions || exchange_write_and_read(talk, octets, OCTETS, words, rule));
}

static bool exchange_reads(struct talk *talk, unsigned n, enum rule_id rule)
{
    const unsigned reads = MIN(n, READS_AT_ONCE);
    unsigned answered = 0;

    if (reads == 0)
        return true;
    if (!talk_say(talk, "cork; %u* read; uncork", reads))
        return false;
    while (answered < reads && talk_hear_opcode(talk, RDMAP_READ_RESPONSE))
        answered++;
    if (answered < reads)
        pairs_failed(talk, rule, "expected %u Reads at once answered; found %u, then %s", reads, answered,
                     talk_found(talk));
    return answered == reads;
}

static bool exchange_goes_on(struct talk *talk, enum rule_id rule)
{
    enum life life = life_probe(talk);

    if (life_good(life))
        return true;
    pairs_failed(talk, rule, "expected the device to continue; found %s", life_words(talk, life));
    return false;
}

const struct talk_heard *exchange_hear_end(struct talk *talk, enum rdmap_opcode answer)
{
    int64_t until = talk_now() + talk_t_react(talk);
    const struct talk_heard *heard;

    do {
        heard = talk_hear(talk, MAX(until - talk_now(), 0));
    } while (heard->what == TALK_FPDU && !heard->is_terminate && heard->ddp.opcode != answer);
    return heard;
}

bool exchange_is_refusal(const struct talk_heard *heard)
{
    return heard->what == TALK_FIN || heard->what == TALK_RESET || (heard->what == TALK_FPDU && heard->is_terminate);
}

void exchange_pass_refusal(struct talk *talk, unsigned flags, const char *what)
{
    const bool is_close = talk_last(talk)->what != TALK_FRAME;
    g_autofree char *found = g_strdup(talk_found(talk));

    if (flags & MPA_FLAG_M && life_refuses_markers(talk))
        talk_inconclusive(talk, "%s: %s; but the device refuses M = 1 alone", what, found);
    else if (is_close)
        talk_passed_by_end(talk, "%s: %s", what, found);
    else
        talk_passed(talk, "%s: %s", what, found);
}

static bool exchange_bad_crc(struct talk *talk, const struct exchange *may)
{
    const struct talk_heard *heard;

    if (!talk_say(talk, "%s mpa@-1^1", may->reads ? "read" : "write"))
        return false;
    heard = exchange_hear_end(talk, RDMAP_READ_RESPONSE);
    if (heard->is_terminate && heard->meant.layer != RDMAP_LAYER_LLP)
        talk_inconclusive(talk, "an FPDU with a wrong CRC is refused, but not by MPA: %s", talk_describe(talk, heard));
    else if (exchange_is_refusal(heard))
        return true;
    else
        pairs_failed(talk, RULE_MPA_7_1_1_16, "expected an FPDU with a wrong CRC refused, as CRC is in use; found %s",
                     talk_describe(talk, heard));
    return false;
}

/* A description of the octets exchanged; NULL: the verdict is set. */
static const char *exchange_what(struct talk *talk, const struct exchange *may, enum rule_id rule)
{
    /* Neither end asked for CRC: the CRC field is ignored (RFC 5044 section 7.1.1). */
    const bool crc = talk_crc(talk);
    const char *what;

    if (!exchange_octets(talk, may, crc ? "" : "mpa@-1^1", crc ? rule : RULE_MPA_4_1_11, &what) ||
        (may->reads && !exchange_reads(talk, may->at_once, may->ird_rule)))
        return NULL;
    if (what)
        return what;
    if (may->no_ord) /* the question may be a Read */
        return "neither echo nor Reads, by which octets could come back";
    return exchange_goes_on(talk, rule) ? "the device continues" : NULL;
}

void exchange_by_terms(struct talk *talk, const struct exchange *may, enum rule_id rule, const char *accepted)
{
    const char *what = exchange_what(talk, may, rule);

    if (what && (!talk_crc(talk) || exchange_bad_crc(talk, may)))
        talk_passed(talk, "%s; %s; %s", accepted, what,
                    talk_crc(talk) ? "with CRC, and a wrong one is refused" : "without CRC");
}
