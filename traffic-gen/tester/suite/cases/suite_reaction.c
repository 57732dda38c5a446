// SPDX-License-Identifier: GPL-2.0-or-later
/* Verdicts by the lines of a case, `fail fpdu !echo: TEXT` and others, with the conditions of suite_words.def. */
#include "traffic-gen/tester/suite/cases/suite_rows.h"
#include "traffic-gen/tester/suite/expect/expect.h"
#include "traffic-gen/tester/suite/talk/talk_job.h"

/* ---- lines ---- */

static char *line_replace(const char *text, const char *name, const char *value)
{
    g_auto(GStrv) parts = g_strsplit(text, name, -1);

    return g_strjoinv(value, parts);
}

/* The text with {found} and {answer} replaced; the caller frees the text. */
static char *line_text(struct talk *talk, const char *text, const char *found)
{
    const char *answer = talk_answer(talk);
    g_autofree char *with_answer = line_replace(text, "{answer}", answer ? answer : "");

    return line_replace(with_answer, "{found}", found);
}

static bool has_reason(const struct reaction *reaction, const char *text)
{
    struct expected_reason reason;

    return reaction->is_terminate && read_reason(text, &reason) && expect_has_reason(&reaction->meant, &reason, 1);
}

/* Whether, without the odd part of the statements, the device answers (if the case hears answers) or continues. */
static bool continues_without(struct talk *talk, const struct suite_case *row)
{
    const bool answers = row->variant == HEAR_ANSWER || row->variant == HEAR_PATIENT_ANSWER;

    talk_wait_to_listen(talk);
    if (!row_say(talk, row, false))
        return false;
    return answers ? row_await(talk, row) == LIFE_ANSWERS : life_good(life_probe(talk));
}

/* Facts that take time or another connection are found out only when a line asks for them. */
static bool learn(struct talk *talk, const struct suite_case *row, unsigned fact)
{
    switch (fact) {
    case WHEN_LATE:
        return talk_late_answer(talk);
    case WHEN_PLAIN:
        return continues_without(talk, row);
    case WHEN_USUAL:
        return talk_start(talk, NULL);
    case WHEN_REFUSES_MARKERS:
        return life_refuses_markers(talk);
    default:
        return false;
    }
}

static bool line_holds(struct talk *talk, const struct suite_case *row, const struct suite_verdict *line,
                       const struct reaction *reaction)
{
    const unsigned asked = (line->when | line->unless) & (WHEN_LATE | WHEN_PLAIN | WHEN_USUAL | WHEN_REFUSES_MARKERS);

    if (line->when & ~asked & ~reaction->facts || line->unless & ~asked & reaction->facts ||
        (line->reason && !has_reason(reaction, line->reason)) ||
        (line->no_reason && has_reason(reaction, line->no_reason)))
        return false;
    return !asked || learn(talk, row, asked) == ((line->when & asked) != 0);
}

static void give_verdict(struct talk *talk, enum suite_verdict_kind kind, const char *text)
{
    switch (kind) {
    case VERDICT_PASS:
        talk_passed(talk, "%s", text);
        break;
    case VERDICT_ENDS:
    case VERDICT_REFUSES:
        talk_passed_by_end(talk, "%s", text);
        break;
    case VERDICT_FAIL:
        talk_failed(talk, "%s", text);
        break;
    case VERDICT_UNCLEAR:
        talk_inconclusive(talk, "%s", text);
        break;
    case VERDICT_SKIP:
        talk_not_applicable(talk, "%s", text);
        break;
    }
}

const struct suite_verdict *verdict_by_lines(struct talk *talk, const struct suite_case *row,
                                             const struct reaction *reaction)
{
    const struct suite_verdict *line = row->verdicts;
    g_autofree char *text = NULL;

    while (line && line->text && !line_holds(talk, row, line, reaction))
        line++;
    if (!line || !line->text)
        return NULL;
    text = line_text(talk, line->text, reaction->found);
    give_verdict(talk, line->kind, text);
    return line;
}

/* ---- what the device does ---- */

/* An FPDU with a wrong CRC is garbage. */
static bool reaction_is_terminate(const struct talk_heard *heard)
{
    return heard->what == TALK_FPDU && heard->is_terminate;
}

static unsigned facts_of(struct talk *talk, enum life life)
{
    const struct talk_heard heard = *talk_last(talk);
    const struct mpa_startup *theirs = talk_frame(talk, false);
    const bool is_frame = heard.what == TALK_FRAME, is_message = heard.what == TALK_FPDU && heard.has_ddp;
    const struct {
        enum when fact;
        bool holds;
    } facts[] = {
        {WHEN_CLOSED, heard.what == TALK_FIN || heard.what == TALK_RESET},
        {WHEN_RESET, heard.what == TALK_RESET},
        {WHEN_SILENT, heard.what == TALK_SILENCE},
        {WHEN_OCTETS, heard.n > 0},
        {WHEN_GARBAGE, heard.what == TALK_GARBAGE},
        {WHEN_FRAME, is_frame},
        {WHEN_REJECTS, is_frame && heard.frame.flags & MPA_FLAG_R},
        {WHEN_M, is_frame && heard.frame.flags & MPA_FLAG_M},
        {WHEN_S, is_frame && heard.frame.flags & MPA_FLAG_S},
        {WHEN_ENHANCED, is_frame && heard.frame.has_enhanced},
        {WHEN_REVISION_0, is_frame && heard.frame.revision == 0},
        {WHEN_FPDU, heard.what == TALK_FPDU && !heard.is_terminate},
        {WHEN_VERSION_0, is_message && heard.ddp.dv == 0 && heard.ddp.rv == 0},
        {WHEN_ECHO, is_message && heard.ddp.opcode == RDMAP_SEND && talk_echoes_message(&heard.ddp)},
        {WHEN_TERMINATE, reaction_is_terminate(&heard)},
        {WHEN_D, heard.meant.d},
        {WHEN_R, heard.meant.r},
        {WHEN_OPEN, talk_is_open(talk)},
        {WHEN_SAID, talk_answer(talk) != NULL},
        {WHEN_ANSWERS, life == LIFE_ANSWERS},
        {WHEN_STAYS, life == LIFE_STAYS},
        {WHEN_ECHOES, talk_echoes(talk)},
        {WHEN_C, theirs && theirs->flags & MPA_FLAG_C},
        {WHEN_DEFAULT, talk_job(talk)->run->vouched_default},
    };
    unsigned set = 0;

    for (unsigned i = 0; i < G_N_ELEMENTS(facts); i++)
        set |= facts[i].holds ? facts[i].fact : 0;
    return set;
}

/* Hears the first thing that is not a Terminate. */
static void hear_beyond_terminate(struct talk *talk)
{
    while (reaction_is_terminate(talk_hear(talk, talk_t_close(talk))))
        ;
}

/* After a Terminate of the start-up, hears what comes next. */
static unsigned hear_after_terminate(struct talk *talk)
{
    static const struct expected_reason of_startup = {RDMAP_LAYER_LLP, 0, EXPECTED_ANY};
    const struct talk_heard *heard = talk_hear(talk, talk_t_close(talk));

    if (!reaction_is_terminate(heard) || !expect_has_reason(&heard->meant, &of_startup, 1))
        return 0;
    talk_hear(talk, talk_t_close(talk));
    return WHEN_AFTER;
}

/* Hears a Reply, and after a Reply with another revision than 0, what comes next. */
static unsigned hear_named_revision(struct talk *talk)
{
    const struct mpa_startup *reply = talk_hear_frame(talk);

    if (!reply || reply->revision == 0)
        return 0;
    talk_hear(talk, talk_t_close(talk));
    return WHEN_NAMED;
}

/* Waits twice, as a device may be slow. */
static enum life await_patiently(struct talk *talk, const struct suite_case *row)
{
    enum life life = row_await(talk, row);

    return life == LIFE_MUTE ? row_await(talk, row) : life;
}

static enum life hear_reaction(struct talk *talk, const struct suite_case *row, unsigned *facts)
{
    switch ((enum hear)row->variant) {
    case HEAR_NEXT:
        talk_hear(talk, talk_t_close(talk));
        break;
    case HEAR_SOON:
        talk_hear(talk, talk_t_react(talk));
        break;
    case HEAR_REFUSAL:
        hear_end(talk, talk_t_react(talk));
        break;
    case HEAR_END:
        hear_end(talk, talk_t_close(talk));
        break;
    case HEAR_BEYOND_TERMINATE:
        hear_beyond_terminate(talk);
        break;
    case HEAR_AFTER_TERMINATE:
        *facts |= hear_after_terminate(talk);
        break;
    case HEAR_FRAME:
        talk_hear_frame(talk);
        break;
    case HEAR_NAMED_REVISION:
        *facts |= hear_named_revision(talk);
        break;
    case HEAR_ANSWER:
        return row_await(talk, row);
    case HEAR_PATIENT_ANSWER:
        return await_patiently(talk, row);
    case HEAR_LIFE:
        return life_probe(talk);
    case HEAR_NOTHING:
        break;
    }
    return LIFE_NOT_STARTED;
}

void row_reaction(struct talk *talk, const struct suite_case *row)
{
    const struct suite_verdict *line;
    struct reaction reaction = {0};
    g_autofree char *found = NULL;
    enum life life;

    if (!row_say(talk, row, true))
        return;
    life = hear_reaction(talk, row, &reaction.facts);
    found = g_strdup(row->variant == HEAR_LIFE ? life_words(talk, life) : talk_found(talk));
    reaction.found = found;
    reaction.facts |= facts_of(talk, life);
    reaction.is_terminate = reaction_is_terminate(talk_last(talk));
    reaction.meant = talk_last(talk)->meant;
    line = verdict_by_lines(talk, row, &reaction);
    if (line && line->kind == VERDICT_REFUSES)
        row_compare_refusal(talk, row);
}
