// SPDX-License-Identifier: GPL-2.0-or-later
/* How the talker receives: the DUT's octets become start-up frames, FPDUs, FIN, RST, silence. */
#include "traffic-gen/tester/suite/talk/talk_internal.h"

#include "engine/terminate/terminate_layout.h"

#include <string.h>

/* ---- words ---- */

static void describe_frame(const struct mpa_startup *frame, GString *out)
{
    g_string_append_printf(out, "MPA %s Rev %u M%d C%d R%d S%d Res %x PD_Length %u",
                           frame->kind == MPA_REQUEST ? "Request" : "Reply", frame->revision,
                           !!(frame->flags & MPA_FLAG_M), !!(frame->flags & MPA_FLAG_C), !!(frame->flags & MPA_FLAG_R),
                           !!(frame->flags & MPA_FLAG_S), frame->flags & MPA_FLAGS_RES, frame->pd_length);
    if (frame->has_enhanced)
        g_string_append_printf(out, " A%d B%d C%d D%d IRD %u ORD %u", frame->enhanced.peer_to_peer,
                               !!(frame->enhanced.rtr & MPA_RTR_SEND), !!(frame->enhanced.rtr & MPA_RTR_WRITE),
                               !!(frame->enhanced.rtr & MPA_RTR_READ), frame->enhanced.ird, frame->enhanced.ord);
}

static void describe_terminate(const struct rdmap_terminate *terminate, GString *out)
{
    const char *name = rdmap_terminate_code_name(terminate->layer, terminate->etype, terminate->code);

    g_string_append_printf(out, "Terminate layer %u type %u code %u%s%s%s", terminate->layer, terminate->etype,
                           terminate->code, name ? " (" : "", name ? name : "", name ? ")" : "");
    if (terminate->has_ddp)
        g_string_append_printf(out, " about opcode %u MSN %u", terminate->ddp.opcode,
                               terminate->ddp.tagged ? 0 : terminate->ddp.msn);
}

static void describe_ddp(const struct ddp_segment *ddp, GString *out)
{
    const struct rdmap_opcode_info *info = rdmap_opcode_info(ddp->opcode);
    struct rdmap_read_request read;
    struct rdmap_terminate terminate;

    if (ddp->opcode == RDMAP_TERMINATE && !ddp->tagged &&
        rdmap_terminate_decode(&terminate, ddp->payload, ddp->payload_len) != RDMAP_TERMINATE_SHORT) {
        describe_terminate(&terminate, out);
        return;
    }
    if (info)
        g_string_append(out, info->name);
    else
        g_string_append_printf(out, "opcode %u", ddp->opcode);
    if (ddp->tagged)
        g_string_append_printf(out, " STag 0x%x TO 0x%" G_GINT64_MODIFIER "x", ddp->stag, ddp->to);
    else
        g_string_append_printf(out, " QN %u MSN %u MO %u", ddp->qn, ddp->msn, ddp->mo);
    if (ddp->opcode == RDMAP_READ_REQUEST && rdmap_read_request_decode(&read, ddp->payload, ddp->payload_len))
        g_string_append_printf(out, " of %u octets at STag 0x%x TO 0x%" G_GINT64_MODIFIER "x", read.size,
                               read.source_stag, read.source_to);
    else
        g_string_append_printf(out, ", %zu octets", ddp->payload_len);
    if (!ddp->last)
        g_string_append(out, ", not the last");
}

static void describe_fpdu(const struct mpa_fpdu *fpdu, bool crc_used, GString *out)
{
    struct ddp_segment ddp;

    g_string_append_printf(out, "FPDU of %u: ", fpdu->ulpdu_length);
    if (ddp_segment_decode(&ddp, fpdu->ulpdu, fpdu->ulpdu_length))
        describe_ddp(&ddp, out);
    else
        g_string_append(out, "no DDP header");
    if (fpdu->n_markers > 0)
        g_string_append_printf(out, ", %u Marker%s", fpdu->n_markers, fpdu->n_markers == 1 ? "" : "s");
    if (crc_used && fpdu->crc != fpdu->crc_computed)
        g_string_append(out, fpdu->crc == 0 ? ", CRC field zero (C = 1)" : ", CRC wrong");
}

void talk_caption(const struct talk *talk, bool ours, const uint8_t *p, size_t n, GString *out)
{
    const struct mpa_framing *framing;
    struct mpa_fpdu_scratch *scratch;
    uint64_t offset = ours ? talk->connection.out_offset : talk->connection.parsed_offset;
    struct mpa_startup frame;
    struct mpa_fpdu fpdu;
    size_t need;

    if (!talk->startup.operating) {
        if (mpa_startup_decode(&frame, &need, p, n) == MPA_STARTUP_OK && need <= n) {
            describe_frame(&frame, out);
            if (need < n)
                g_string_append_printf(out, ", and %zu octets after it", n - need);
        } else {
            g_string_append_printf(out, "%zu octets", n);
        }
        return;
    }
    framing = talk_framing(talk, ours);
    scratch = framing->markers ? g_new(struct mpa_fpdu_scratch, 1) : NULL;
    for (size_t at = 0; at < n; at += fpdu.length, offset += fpdu.length) {
        if (at > 0)
            g_string_append(out, "; ");
        if (mpa_fpdu_parse(&fpdu, &need, framing, true, offset, p + at, n - at, scratch) != MPA_FPDU_OK) {
            g_string_append_printf(out, "%zu octets", n - at);
            break;
        }
        describe_fpdu(&fpdu, talk_crc(talk), out);
    }
    g_free(scratch);
}

const char *talk_describe(struct talk *talk, const struct talk_heard *heard)
{
    GString *text = g_string_new(NULL);

    switch (heard->what) {
    case TALK_SILENCE:
        if (heard->n > 0)
            g_string_append_printf(text, "%zu octets, not a whole frame, then nothing", heard->n);
        else
            g_string_append(text, "nothing");
        break;
    case TALK_FRAME:
        describe_frame(&heard->frame, text);
        break;
    case TALK_FPDU:
        if (heard->is_terminate)
            describe_terminate(&heard->terminate, text);
        else
            describe_fpdu(&heard->fpdu, talk_crc(talk), text);
        if (heard->is_terminate && talk_crc(talk) && !heard->crc_good)
            g_string_append(text, " in an FPDU whose CRC field is zero (C = 1)");
        break;
    case TALK_GARBAGE:
        g_string_append_printf(text, "%zu octets that are no %s", heard->n,
                               talk->startup.operating ? "FPDU with a correct CRC" : "start-up frame");
        if (talk->startup.operating && heard->is_terminate) {
            g_string_append(text, ", but would be ");
            describe_terminate(&heard->terminate, text);
        }
        break;
    case TALK_FIN:
        g_string_append(text, "FIN");
        break;
    case TALK_RESET:
        g_string_append(text, "RST");
        break;
    }
    g_strlcpy(talk->transcript.description, text->str, sizeof talk->transcript.description);
    g_string_free(text, TRUE);
    return talk->transcript.description;
}

const char *talk_found(struct talk *talk)
{
    return talk_describe(talk, &talk->transcript.heard);
}

const char *talk_phrase(struct talk *talk, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    g_vsnprintf(talk->transcript.description, sizeof talk->transcript.description, format, args);
    va_end(args);
    return talk->transcript.description;
}

const struct rdmap_terminate *talk_terminate(const struct talk *talk)
{
    return talk->transcript.has_ended_by ? &talk->transcript.ended_by : NULL;
}

unsigned talk_fpdus(const struct talk *talk, unsigned *markers)
{
    *markers = talk->transcript.markers;
    return talk->transcript.fpdus;
}

/* ---- parsing ---- */

static size_t unparsed(const struct talk *talk)
{
    return talk->connection.in->len - talk->connection.parsed;
}

static void hear_report(struct talk *talk, enum talk_what what, size_t n)
{
    struct talk_heard *heard = &talk->transcript.heard;
    GString *caption = g_string_new(NULL);

    heard->what = what;
    heard->time_ns = talk_now();
    heard->octets = talk->connection.in->data + talk->connection.parsed;
    heard->n = n;
    talk_caption(talk, false, heard->octets, n, caption);
    talk_note(talk, false, heard->octets, n, caption->str);
    talk_note_answer(talk, caption->str);
    g_string_free(caption, TRUE);
    talk->connection.parsed += n;
    talk->connection.parsed_offset += n;
}

static bool parse_frame(struct talk *talk)
{
    enum mpa_startup_kind kind = talk_is_initiator(talk) ? MPA_REPLY : MPA_REQUEST;
    const uint8_t *p = talk->connection.in->data + talk->connection.parsed;
    size_t n = unparsed(talk), need;

    if (talk->startup.frame[WATCH_DUT].known || mpa_startup_key_matches(kind, p, n) < MIN(n, MPA_KEY_LEN)) {
        hear_report(talk, TALK_GARBAGE, n); /* before full operation nothing can follow the device's frame */
        return true;
    }
    if (mpa_startup_decode(&talk->transcript.heard.frame, &need, p, n) != MPA_STARTUP_OK)
        return false;
    hear_report(talk, TALK_FRAME, need);
    return true;
}

/*
 * Some devices lay out a Terminate differently; one Terminate that proves the layout explains all others. This mistake
 * is a separate finding (RDMAP-4.8-02): a case about the reason uses the intended reason.
 */
static void read_meaning(struct talk *talk)
{
    const struct ddp_segment *ddp = &talk->transcript.heard.ddp;
    struct rdmap_terminate *meant = &talk->transcript.heard.meant, word;
    struct terminate_layouts table = {0};
    const struct terminate_host host = {.layouts = &table};
    enum rdmap_terminate_status status = rdmap_terminate_decode(meant, ddp->payload, ddp->payload_len);
    const char *known = g_atomic_pointer_get(&talk->job.run->layout), *layout;

    rdmap_terminate_assume(known, &host);
    layout = rdmap_terminate_reread(meant, &status, ddp->payload, ddp->payload_len, &host);
    if (layout) {
        g_atomic_pointer_set(&talk->job.run->layout, layout);
    } else if (known && rdmap_terminate_meant(known, meant->layer, meant->etype, meant->code, &word)) {
        meant->layer = word.layer;
        meant->etype = word.etype;
    }
}

/* A CRC field of zero was not damaged in transit: the device left it out. The engine reports this (MPA-7.1.1-15). */
static bool lacks_crc(const struct talk *talk, const struct talk_heard *heard)
{
    return talk_crc(talk) && !heard->crc_good && heard->fpdu.crc == 0;
}

static bool hear_is_damaged(const struct talk *talk, const struct talk_heard *heard)
{
    return talk_crc(talk) && !heard->crc_good && !lacks_crc(talk, heard);
}

static bool parse_fpdu(struct talk *talk)
{
    struct talk_heard *heard = &talk->transcript.heard;
    size_t need;

    if (mpa_fpdu_parse(&heard->fpdu, &need, talk_framing(talk, false), true, talk->connection.parsed_offset,
                       talk->connection.in->data + talk->connection.parsed, unparsed(talk),
                       talk->transcript.scratch) != MPA_FPDU_OK)
        return false;
    heard->crc_good = heard->fpdu.crc == heard->fpdu.crc_computed;
    heard->has_ddp = ddp_segment_decode(&heard->ddp, heard->fpdu.ulpdu, heard->fpdu.ulpdu_length);
    heard->is_terminate =
        heard->has_ddp && !heard->ddp.tagged && heard->ddp.opcode == RDMAP_TERMINATE &&
        rdmap_terminate_decode(&heard->terminate, heard->ddp.payload, heard->ddp.payload_len) != RDMAP_TERMINATE_SHORT;
    talk->transcript.fpdus += !talk_crc(talk) || heard->crc_good;
    talk->transcript.markers += heard->fpdu.n_markers;
    if (heard->is_terminate) {
        read_meaning(talk);
        talk->transcript.ended_by = heard->meant;
        talk->transcript.has_ended_by = true;
    }
    hear_report(talk, hear_is_damaged(talk, heard) ? TALK_GARBAGE : TALK_FPDU, heard->fpdu.length);
    return true;
}

static void forget_parsed(struct talk *talk)
{
    /* Unread octets are moved, but not for each of many small FPDUs. */
    if (talk->connection.parsed == 0 || talk->connection.parsed < unparsed(talk))
        return;
    g_byte_array_remove_range(talk->connection.in, 0, (guint)talk->connection.parsed);
    talk->connection.parsed = 0;
}

static const struct talk_heard *hear_report_end(struct talk *talk, enum talk_what what)
{
    talk->transcript.heard.what = what;
    talk->transcript.heard.time_ns = talk_now();
    talk->transcript.heard.n = 0;
    if (what != TALK_SILENCE && !talk->connection.end_reported) {
        talk->connection.end_reported = true;
        talk_note(talk, false, NULL, 0, what == TALK_FIN ? "FIN" : "RST");
    }
    return &talk->transcript.heard;
}

static bool hear_is_over(const struct talk *talk)
{
    return talk->connection.dut_fin || talk->connection.dut_reset || talk->connection.fd < 0;
}

static const struct talk_heard *hear_report_over(struct talk *talk)
{
    if ((talk->connection.dut_fin || talk->connection.dut_reset) && unparsed(talk) > 0) {
        hear_report(talk, TALK_GARBAGE, unparsed(talk));
        return &talk->transcript.heard;
    }
    return hear_report_end(talk, talk->connection.dut_reset || talk->connection.fd < 0 ? TALK_RESET : TALK_FIN);
}

const struct talk_heard *talk_hear(struct talk *talk, int64_t ns)
{
    int64_t until = talk_now() + ns;

    talk->transcript.heard = (struct talk_heard){0};
    forget_parsed(talk);
    for (;;) {
        if (unparsed(talk) > 0 && (talk->startup.operating ? parse_fpdu(talk) : parse_frame(talk)))
            return &talk->transcript.heard;
        if (hear_is_over(talk))
            return hear_report_over(talk);
        if (!talk_receive(talk, until) && !hear_is_over(talk)) {
            hear_report_end(talk, TALK_SILENCE);
            talk->transcript.heard.n = unparsed(talk);
            return &talk->transcript.heard;
        }
    }
}

const struct talk_heard *talk_last(const struct talk *talk)
{
    return &talk->transcript.heard;
}

/* last: only the last segment of a message. */
static const struct talk_heard *hear_segment(struct talk *talk, enum rdmap_opcode opcode, bool last)
{
    int64_t until = talk_now() + talk_t_react(talk);

    for (;;) {
        const struct talk_heard *heard = talk_hear(talk, MAX(until - talk_now(), 0));

        if (heard->what != TALK_FPDU || heard->is_terminate)
            return NULL;
        if (heard->has_ddp && heard->ddp.opcode == opcode && (heard->ddp.last || !last))
            return heard;
    }
}

const struct talk_heard *talk_hear_opcode(struct talk *talk, enum rdmap_opcode opcode)
{
    return hear_segment(talk, opcode, true);
}

const struct talk_heard *talk_hear_segment(struct talk *talk, enum rdmap_opcode opcode)
{
    return hear_segment(talk, opcode, false);
}
