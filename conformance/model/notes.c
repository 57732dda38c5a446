// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/model/notes_internal.h"

#include "wire/rdmap.h"

#include <string.h>

enum { RING_FIRST = 4, RING = 32 };

struct notes {
    struct note *ring;
    unsigned size;  /* of the ring; grows to RING, because most connections of a large capture are short */
    uint64_t n;     /* events so far */
    unsigned after; /* how many of the coming events are wanted */
    GArray *kept;   /* struct note: wanted events that have left the ring */
};

struct notes *notes_new(void)
{
    struct notes *notes = g_new0(struct notes, 1);

    notes->kept = g_array_new(FALSE, FALSE, sizeof(struct note));
    return notes;
}

void notes_free(struct notes *notes)
{
    if (!notes)
        return;
    g_array_unref(notes->kept);
    g_free(notes->ring);
    g_free(notes);
}

static void keep_if_wanted(struct notes *notes, const struct note *note)
{
    if (note->wanted && notes->kept->len < NOTES_KEPT_MAX)
        g_array_append_vals(notes->kept, note, 1);
}

/* Until the ring is full for the first time, nothing in it has moved. */
static void notes_grow(struct notes *notes)
{
    notes->size = notes->size == 0 ? RING_FIRST : 2 * notes->size;
    notes->ring = g_renew(struct note, notes->ring, notes->size);
}

static struct note *ring_at(const struct notes *notes, uint64_t number)
{
    return &notes->ring[number % notes->size];
}

struct note *notes_add(struct notes *notes, enum note_kind kind, unsigned side, const struct place *place)
{
    struct note *note;

    if (notes->n == notes->size && notes->size < RING)
        notes_grow(notes);
    note = ring_at(notes, notes->n);
    if (notes->n >= RING)
        keep_if_wanted(notes, note);
    note->number = notes->n++;
    note->frame = place->frame;
    note->first_frame = place->first_frame != 0 ? place->first_frame : place->frame;
    note->time_ns = place->time_ns;
    note->offset = place->offset;
    note->length = 0;
    note->kind = kind;
    note->side = (uint8_t)(side & 1u);
    note->wanted = note->number < NOTES_START || notes->after > 0;
    note->what[0] = note->detail[0] = '\0';
    notes->after -= notes->after > 0;
    return note;
}

/* ---- finding them again ---- */

static uint64_t notes_oldest(const struct notes *notes)
{
    return notes->n > RING ? notes->n - RING : 0;
}

void notes_want(struct notes *notes, const struct finding *finding)
{
    for (uint64_t i = notes_oldest(notes); i < notes->n; i++) {
        struct note *note = ring_at(notes, i);

        if (i + NOTES_BEFORE + 1 >= notes->n || note->frame == finding->place.frame ||
            note->frame == finding->place.first_frame || note->frame == finding->related_frame)
            note->wanted = true;
    }
    notes->after = NOTES_AFTER;
}

GArray *notes_take(struct notes *notes)
{
    GArray *taken = notes->kept;

    for (uint64_t i = notes_oldest(notes); i < notes->n; i++) {
        keep_if_wanted(notes, ring_at(notes, i));
        ring_at(notes, i)->wanted = false;
    }
    notes->kept = g_array_new(FALSE, FALSE, sizeof(struct note));
    return taken;
}

/* ---- texts ---- */

void notes_append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    g_vsnprintf(text + used, (gulong)(size - used), format, arguments);
    va_end(arguments);
}

void notes_segment(struct notes *notes, const struct tcp_segment *segment, uint64_t offset)
{
    static const struct {
        uint8_t flag;
        const char *name;
    } flags[] = {{TCP_SYN, "SYN"}, {TCP_FIN, "FIN"}, {TCP_RST, "RST"}};
    struct place place = {.frame = segment->frame, .time_ns = segment->time_ns, .offset = offset};
    struct note *note;

    if (!(segment->flags & (TCP_SYN | TCP_FIN | TCP_RST)))
        return;
    note = notes_add(notes, NOTE_TCP, segment->side, &place);
    WHAT(note, "TCP");
    for (size_t i = 0; i < G_N_ELEMENTS(flags); i++)
        if (segment->flags & flags[i].flag)
            WHAT(note, " %s", flags[i].name);
    if (segment->flags & TCP_SYN && segment->flags & TCP_ACK)
        WHAT(note, ", ACK");
    if (segment->flags & TCP_SYN && segment->mss != 0)
        DETAIL(note, "MSS %u", segment->mss);
}

void notes_startup(struct notes *notes, const struct mpa_startup_event *event)
{
    static const struct {
        unsigned bit;
        const char *name;
    } rtr_types[] = {{MPA_RTR_SEND, " Send"}, {MPA_RTR_WRITE, " Write"}, {MPA_RTR_READ, " Read"}};
    const struct mpa_startup *frame = &event->frame;
    struct note *note = notes_add(notes, NOTE_STARTUP, event->place.side, &event->place);

    note->length = event->length;
    WHAT(note, "MPA %s, revision %u", frame->kind == MPA_REQUEST ? "Request" : "Reply", frame->revision);
    if (frame->flags & MPA_FLAG_R)
        WHAT(note, ", rejected");
    DETAIL(note, "Markers %s, CRC %s", frame->flags & MPA_FLAG_M ? "wanted" : "no",
           frame->flags & MPA_FLAG_C ? "on" : "off");
    if (frame->has_enhanced)
        DETAIL(note, ", IRD %u, ORD %u", frame->enhanced.ird, frame->enhanced.ord);
    if (frame->has_enhanced && frame->enhanced.peer_to_peer) {
        DETAIL(note, ", RTR");
        for (size_t i = 0; i < G_N_ELEMENTS(rtr_types); i++)
            if (frame->enhanced.rtr & rtr_types[i].bit)
                DETAIL(note, "%s", rtr_types[i].name);
    }
    DETAIL(note, ", %u octets of private data", frame->pd_length);
}

static void note_terminate(struct note *note, const struct ddp_segment *ddp)
{
    note->kind = NOTE_TERMINATE;
    if (ddp->payload_len >= 2)
        DETAIL(note, "layer %u, error type %u, code 0x%02x", ddp->payload[0] >> 4, ddp->payload[0] & 0xFu,
               ddp->payload[1]);
}

static void note_ddp(struct note *note, const struct ddp_segment *ddp)
{
    const struct rdmap_opcode_info *info = rdmap_opcode_info(ddp->opcode);
    struct rdmap_read_request read;

    if (info)
        WHAT(note, "%s", info->name);
    else
        WHAT(note, "RDMAP opcode %u", ddp->opcode);
    if (ddp->opcode == RDMAP_TERMINATE && !ddp->tagged) {
        note_terminate(note, ddp);
        return;
    }
    if (ddp->opcode == RDMAP_READ_REQUEST && !ddp->tagged && ddp->mo == 0 &&
        rdmap_read_request_decode(&read, ddp->payload, ddp->payload_len)) {
        DETAIL(note, "%u octets from STag 0x%x, TO 0x%" G_GINT64_MODIFIER "x", read.size, read.source_stag,
               read.source_to);
        return;
    }
    DETAIL(note, "%zu octets", ddp->payload_len);
    if (ddp->tagged)
        DETAIL(note, " to STag 0x%x, TO 0x%" G_GINT64_MODIFIER "x", ddp->stag, ddp->to);
    else if (ddp->qn == DDP_QN_SEND)
        DETAIL(note, ", MSN %u", ddp->msn);
    else
        DETAIL(note, ", queue %u, MSN %u", ddp->qn, ddp->msn);
    if (!ddp->tagged && ddp->mo > 0)
        DETAIL(note, ", MO %u", ddp->mo);
    if (!ddp->last)
        DETAIL(note, ", to be continued");
}

void notes_fpdu(struct notes *notes, const struct mpa_fpdu_event *event)
{
    struct note *note = notes_add(notes, NOTE_FPDU, event->place.side, &event->place);

    note->offset = event->fpdu.offset;
    note->length = event->fpdu.length;
    if (event->has_ddp)
        note_ddp(note, &event->ddp);
    else
        WHAT(note, "FPDU, ULPDU_Length %u", event->fpdu.ulpdu_length);
    if (event->fpdu.n_markers > 0)
        DETAIL(note, ", %u Marker%s", event->fpdu.n_markers, event->fpdu.n_markers == 1 ? "" : "s");
    if (event->crc == MPA_CRC_WRONG)
        DETAIL(note, ", CRC wrong");
}

void notes_skipped(struct notes *notes, unsigned side, uint64_t from, uint64_t to, const char *why,
                   const struct place *place)
{
    struct note *note = notes_add(notes, NOTE_SKIPPED, side, place);

    note->offset = from;
    note->length = to - from;
    WHAT(note, "%" G_GUINT64_FORMAT " octets not understood", to - from);
    DETAIL(note, "%s", why);
}

/* ---- upper layers ---- */

struct note *notes_find(struct notes *notes, unsigned side, const struct place *place)
{
    for (uint64_t i = notes->n; i-- > notes_oldest(notes);) {
        struct note *note = ring_at(notes, i);

        if (note->side == side && (note->kind == NOTE_FPDU || note->kind == NOTE_PART) && note->frame == place->frame &&
            place->offset >= note->offset && place->offset - note->offset < note->length)
            return note;
    }
    return NULL;
}

void notes_said(struct notes *notes, const struct ulp_said *said)
{
    struct note *note = notes_find(notes, said->send->side, &said->send->place);

    if (!note)
        return;
    note->what[0] = note->detail[0] = '\0';
    WHAT(note, "%s", said->kind->title);
    DETAIL(note, "%s", said->text);
}
