// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whether the device has answered at all. A case waits for known answers, but a device may send anything; so each
 * verdict that says "no answer" checks all messages since the mark.
 */
#include "traffic-gen/tester/suite/talk/talk_internal.h"

void talk_mark(struct talk *talk, unsigned due)
{
    talk->transcript.due = due;
    talk->transcript.in_pieces = false;
    talk->transcript.answer[0] = '\0';
}

static unsigned answer_kind_of(const struct talk_heard *heard)
{
    if (heard->what != TALK_FPDU || !heard->has_ddp)
        return 0;
    if (heard->is_terminate)
        return DUE_TERMINATE;
    if (rdmap_is_send(heard->ddp.opcode))
        return DUE_SENDS;
    switch (heard->ddp.opcode) {
    case RDMAP_READ_RESPONSE:
        return DUE_READ_RESPONSES;
    case RDMAP_READ_REQUEST:
    case RDMAP_WRITE:
        return DUE_CHUNKS;
    default:
        return 0;
    }
}

void talk_note_answer(struct talk *talk, const char *caption)
{
    const unsigned kind = answer_kind_of(&talk->transcript.heard);

    if (kind == DUE_SENDS)
        talk->transcript.in_pieces = !talk->transcript.heard.ddp.last;
    if (!(kind & talk->transcript.due) && talk->transcript.answer[0] == '\0')
        g_strlcpy(talk->transcript.answer, caption, sizeof talk->transcript.answer);
}

bool talk_is_in_pieces(const struct talk *talk)
{
    return talk->transcript.in_pieces || talk->connection.in->len > talk->connection.parsed;
}

const char *talk_answer(struct talk *talk)
{
    if (talk->transcript.answer[0] == '\0' && talk_is_in_pieces(talk))
        g_snprintf(talk->transcript.answer, sizeof talk->transcript.answer, "a part of a message");
    return talk->transcript.answer[0] == '\0' ? NULL : talk->transcript.answer;
}

const char *talk_late_answer(struct talk *talk)
{
    int64_t until = talk_now() + talk_t_react(talk) / 2;
    enum talk_what what = talk->transcript.heard.what;

    while (what != TALK_SILENCE && what != TALK_FIN && what != TALK_RESET)
        what = talk_hear(talk, MAX(until - talk_now(), 0))->what;
    return talk_answer(talk);
}
