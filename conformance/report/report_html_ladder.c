// SPDX-License-Identifier: GPL-2.0-or-later
/* Ladder diagrams: the Initiator's line on the left, the Responder's on the right, an arrow for each event. */
#include "conformance/print/print.h"
#include "conformance/report/report_html.h"

#include <inttypes.h>
#include <string.h>

/* Units of the drawing; a phone shows the full width. */
enum {
    WIDTH = 440,
    LEFT = 66,
    RIGHT = 432,
    MIDDLE = (LEFT + RIGHT) / 2,
    HEAD = 26,
    ROW = 36,
    LINE = 12,
    GAP = 22,
    DETAIL_CHARS = 62, /* in one line */
    WHAT_CHARS = 52,   /* likewise; longer texts are set smaller */
    ROWS_MAX = 16,
};

struct row {
    const struct note *note; /* NULL: a gap, or the finding itself if nothing was noted there */
    uint64_t gap;            /* events left out; 0: none */
    bool own;                /* the finding itself */
    const char *mark;        /* the class of the findings there; NULL: none */
    gchar *rules;            /* their rules: "MPA-4.1-05, MPA-8-02" */
};

struct ladder {
    struct html_page *page;
    const struct report_connection *connection;
    const struct report_finding *finding; /* NULL: around the start */
    struct row rows[ROWS_MAX * 2];
    unsigned n;
    unsigned y;
};

static const struct note *note_at(const struct ladder *ladder, guint i)
{
    return &g_array_index(ladder->connection->notes, struct note, i);
}

/* ---- choice of events ---- */

static enum direction ladder_direction_of(const struct ladder *ladder, const struct note *note)
{
    return note->side == ladder->connection->initiator_side ? DIR_TO_RESPONDER : DIR_TO_INITIATOR;
}

/* The event of the finding, by frame and direction, and by octets if there are several. -1: not noted. */
static gssize ladder_find_event(const struct ladder *ladder, const struct report_finding *finding)
{
    gssize found = -1;

    for (guint i = 0; i < ladder->connection->notes->len; i++) {
        const struct note *note = note_at(ladder, i);

        if (note->frame != finding->frame || ladder_direction_of(ladder, note) != finding->direction)
            continue;
        if (finding->offset >= note->offset && finding->offset - note->offset < MAX(note->length, 1))
            return (gssize)i;
        if (found < 0)
            found = (gssize)i;
    }
    return found;
}

static void ladder_add_row(struct ladder *ladder, guint i)
{
    const struct note *note = note_at(ladder, i), *last = NULL;

    for (unsigned row = ladder->n; row-- > 0 && !last;)
        last = ladder->rows[row].note;
    if (last && note->number > last->number + 1)
        ladder->rows[ladder->n++] = (struct row){.gap = note->number - last->number - 1};
    ladder->rows[ladder->n++] = (struct row){.note = note};
}

static void add_own_row(struct ladder *ladder)
{
    ladder->rows[ladder->n++] = (struct row){.own = true,
                                             .mark = finding_class(ladder->finding),
                                             .rules = g_strdup(rule_catalogue[ladder->finding->rule].id)};
}

/* Nothing was noted at the finding: it gets a row between the events before and after. */
static void choose_without_event(struct ladder *ladder)
{
    guint first_after = 0;
    bool placed = false;

    while (first_after < ladder->connection->notes->len &&
           note_at(ladder, first_after)->frame <= ladder->finding->frame)
        first_after++;
    for (guint i = first_after > 4 ? first_after - 4 : 0; i < ladder->connection->notes->len && i < first_after + 2;
         i++) {
        if (i == first_after) {
            add_own_row(ladder);
            placed = true;
        }
        ladder_add_row(ladder, i);
    }
    if (!placed)
        add_own_row(ladder);
}

static void choose_around(struct ladder *ladder, guint event)
{
    guint from = event > NOTES_BEFORE ? event - NOTES_BEFORE : 0;
    guint to = MIN(event + NOTES_AFTER, ladder->connection->notes->len - 1);

    /* The finding's other frame, if it is further back. */
    for (guint i = 0; i < from && ladder->finding->related_frame != 0; i++) {
        if (note_at(ladder, i)->frame == ladder->finding->related_frame) {
            ladder_add_row(ladder, i);
            break;
        }
    }
    for (guint i = from; i <= to; i++)
        ladder_add_row(ladder, i);
}

/* ---- findings at the events ---- */

static struct row *ladder_row_of(struct ladder *ladder, const struct note *note)
{
    for (unsigned i = 0; i < ladder->n; i++)
        if (ladder->rows[i].note == note)
            return &ladder->rows[i];
    return NULL;
}

static void mark_row(struct row *row, const struct report_finding *finding)
{
    const char *id = rule_catalogue[finding->rule].id;
    gchar *rules;

    if (!row->rules || !finding->waiver)
        row->mark = row->rules && strcmp(row->mark, "error") == 0 ? row->mark : finding_class(finding);
    if (row->rules && strstr(row->rules, id))
        return;
    rules = row->rules ? g_strconcat(row->rules, ", ", id, NULL) : g_strdup(id);
    g_free(row->rules);
    row->rules = rules;
}

/* All findings at the drawn events, not only the finding of this ladder. */
static void mark_rows(struct ladder *ladder)
{
    const GArray *findings = ladder->connection->findings;
    uint32_t first = UINT32_MAX, last = 0;

    for (unsigned i = 0; i < ladder->n; i++) {
        if (!ladder->rows[i].note)
            continue;
        first = MIN(first, ladder->rows[i].note->frame);
        last = MAX(last, ladder->rows[i].note->frame);
    }
    for (guint i = 0; i < findings->len; i++) {
        const struct report_finding *finding = &g_array_index(findings, struct report_finding, i);
        gssize event = finding->frame < first || finding->frame > last ? -1 : ladder_find_event(ladder, finding);
        struct row *row = event < 0 ? NULL : ladder_row_of(ladder, note_at(ladder, (guint)event));

        if (!row)
            continue;
        mark_row(row, finding);
        g_hash_table_insert(ladder->page->drawn, (gpointer)row->note, GUINT_TO_POINTER(ladder->page->ladders));
    }
}

/* ---- the drawing ---- */

static void begin_at(xmlTextWriter *writer, const char *name, const char *class_name, unsigned x, unsigned y)
{
    markup_begin(writer, name, "class", class_name, NULL);
    markup_attribute(writer, "x", "%u", x);
    markup_attribute(writer, "y", "%u", y);
}

static void text_at(struct ladder *ladder, const char *class_name, unsigned x, unsigned y, const char *text)
{
    begin_at(ladder->page->writer, "text", class_name, x, y);
    markup_text(ladder->page->writer, text);
    markup_end(ladder->page->writer);
}

static void draw_path(struct ladder *ladder, const char *class_name, const char *format, ...) G_GNUC_PRINTF(3, 4);

static void draw_path(struct ladder *ladder, const char *class_name, const char *format, ...)
{
    va_list arguments;

    markup_begin(ladder->page->writer, "path", "class", class_name, NULL);
    va_start(arguments, format);
    xmlTextWriterWriteVFormatAttribute(ladder->page->writer, BAD_CAST "d", format, arguments);
    va_end(arguments);
    markup_end(ladder->page->writer);
}

static void draw_arrow(struct ladder *ladder, enum direction direction, unsigned y)
{
    if (direction == DIR_TO_RESPONDER) {
        draw_path(ladder, "arrow", "M%d %uH%d", LEFT, y, RIGHT - 7);
        draw_path(ladder, "head", "M%d %ul-8-4v8z", RIGHT, y);
    } else {
        draw_path(ladder, "arrow", "M%d %uH%d", RIGHT, y, LEFT + 7);
        draw_path(ladder, "head", "M%d %ul8-4v8z", LEFT, y);
    }
}

/* Where to break a line that is too long: after the last comma that fits. */
static size_t break_detail(const char *detail)
{
    size_t at = 0;

    if (strlen(detail) <= DETAIL_CHARS)
        return 0;
    for (size_t i = 0; i < DETAIL_CHARS; i++)
        if (detail[i] == ',' && detail[i + 1] == ' ')
            at = i + 1;
    return at;
}

/* Returns the number of lines used. */
static unsigned draw_detail(struct ladder *ladder, const char *detail, unsigned y)
{
    size_t cut = break_detail(detail);
    char first[NOTE_DETAIL_SIZE];

    if (*detail == '\0')
        return 0;
    if (cut == 0) {
        text_at(ladder, "detail", MIDDLE, y, detail);
        return 1;
    }
    g_strlcpy(first, detail, MIN(cut + 1, sizeof first));
    text_at(ladder, "detail", MIDDLE, y, first);
    text_at(ladder, "detail", MIDDLE, y + LINE, detail + cut + 1);
    return 2;
}

struct event {
    const char *class_name, *what, *detail;
    uint32_t frame;
    int64_t time_ns;
    enum direction direction;
};

static struct event event_of(const struct ladder *ladder, const struct row *row)
{
    static const char *const classes[] = {
        [NOTE_TCP] = "tcp",   [NOTE_STARTUP] = "startup",     [NOTE_FPDU] = "fpdu",
        [NOTE_PART] = "fpdu", [NOTE_TERMINATE] = "terminate", [NOTE_SKIPPED] = "skipped"};
    const struct report_finding *finding = ladder->finding;

    if (row->own)
        return (struct event){"own", "", "", finding->frame, finding->time_ns, finding->direction};
    return (struct event){classes[row->note->kind], row->note->what,    row->note->detail,
                          row->note->frame,         row->note->time_ns, ladder_direction_of(ladder, row->note)};
}

static void draw_row(struct ladder *ladder, const struct row *row)
{
    struct event event = event_of(ladder, row);
    xmlTextWriter *writer = ladder->page->writer;
    unsigned y = ladder->y + ROW - LINE, lines;
    char number[16], time[PRINT_TIME_SIZE];
    gchar *classes =
        g_strdup_printf("%s%s%s", event.class_name, row->mark ? " marked " : "", row->mark ? row->mark : "");

    markup_begin(writer, "g", "class", classes, NULL);
    g_free(classes);
    lines = 1 + (break_detail(event.detail) > 0) + (row->mark != NULL);
    if (row->mark) {
        begin_at(writer, "rect", "mark", 0, ladder->y + 4);
        markup_attribute(writer, "width", "%d", WIDTH);
        markup_attribute(writer, "height", "%u", ROW - LINE + lines * LINE);
        markup_attribute(writer, "rx", "4");
        markup_end(writer);
    }
    g_snprintf(number, sizeof number, "%" PRIu32, event.frame);
    text_at(ladder, "frame", 4, y - 2, number);
    text_at(ladder, "time", 4, y + 9, print_time(event.time_ns, ladder->page->at->capture->start_ns, time));
    draw_arrow(ladder, event.direction, y);
    text_at(ladder, strlen(event.what) > WHAT_CHARS ? "what long" : "what", MIDDLE, y - 5, event.what);
    draw_detail(ladder, event.detail, y + LINE);
    if (row->mark)
        text_at(ladder, "rule", MIDDLE, y + lines * LINE + 1, row->rules);
    markup_end(writer);
    ladder->y += ROW - LINE + lines * LINE;
}

static void ladder_draw_gap(struct ladder *ladder, uint64_t events)
{
    gchar *text = g_strdup_printf("\342\213\256 %" PRIu64 " more event%s", events, plural(events));

    text_at(ladder, "gap", MIDDLE, ladder->y + GAP - 7, text);
    ladder->y += GAP;
    g_free(text);
}

static unsigned height_of(const struct ladder *ladder)
{
    unsigned height = HEAD + LINE;

    for (unsigned i = 0; i < ladder->n; i++) {
        const struct row *row = &ladder->rows[i];
        unsigned lines = 1 + (row->mark != NULL) + (row->note && break_detail(row->note->detail) > 0);

        height += row->gap > 0 ? (unsigned)GAP : ROW - LINE + lines * LINE;
    }
    return height;
}

static void ladder_draw(struct ladder *ladder)
{
    xmlTextWriter *writer = ladder->page->writer;
    unsigned height = height_of(ladder);
    g_autofree gchar *id = NULL;
    gchar *label;

    if (ladder->finding)
        label = g_strdup_printf("Ladder diagram around frame %" PRIu32 ", rule %s", ladder->finding->frame,
                                rule_catalogue[ladder->finding->rule].id);
    else
        label = g_strdup_printf("Ladder diagram of the start of connection %" PRIu32, ladder->connection->id);
    id = html_ladder_id(ladder->page, ladder->page->ladders);
    markup_begin(writer, "svg", "xmlns", "http://www.w3.org/2000/svg", "class", "ladder", "id", id, "role", "group",
                 "aria-label", label, NULL);
    g_free(label);
    markup_attribute(writer, "viewBox", "0 0 %d %u", WIDTH, height);
    text_at(ladder, "role", LEFT - 4, HEAD - 12, "Initiator");
    text_at(ladder, "role end", RIGHT + 4, HEAD - 12, "Responder");
    ladder->y = HEAD;
    for (unsigned i = 0; i < ladder->n; i++) {
        if (ladder->rows[i].gap > 0)
            ladder_draw_gap(ladder, ladder->rows[i].gap);
        else
            draw_row(ladder, &ladder->rows[i]);
    }
    draw_path(ladder, "life", "M%d %dV%uM%d %dV%u", LEFT, HEAD - 6, height, RIGHT, HEAD - 6, height);
    markup_end(writer);
}

gchar *html_ladder_id(const struct html_page *page, unsigned number)
{
    char id[HTML_ID_SIZE];

    return g_strdup_printf("%s-ladder-%u", html_entry_id(page->at, id), number);
}

bool html_write_ladder(struct html_page *page, const struct report_finding *finding, unsigned *drawn)
{
    const struct report_connection *connection = page->at->connection;
    struct ladder ladder = {.page = page, .connection = connection, .finding = finding};
    gssize event = -1;

    *drawn = 0;
    if (!connection->notes || connection->notes->len == 0)
        return false;
    if (finding)
        event = ladder_find_event(&ladder, finding);
    if (event >= 0)
        *drawn = GPOINTER_TO_UINT(g_hash_table_lookup(page->drawn, note_at(&ladder, (guint)event)));
    if (*drawn > 0 || page->ladders >= HTML_LADDERS)
        return false;
    if (!finding) {
        for (guint i = 0; i < ladder.connection->notes->len && ladder.n < NOTES_START; i++) {
            if (note_at(&ladder, i)->number >= NOTES_START)
                break;
            ladder_add_row(&ladder, i);
        }
    } else if (event < 0)
        choose_without_event(&ladder);
    else
        choose_around(&ladder, (guint)event);
    if (ladder.n == 0)
        return false;
    page->ladders++;
    if (finding)
        mark_rows(&ladder);
    ladder_draw(&ladder);
    for (unsigned i = 0; i < ladder.n; i++)
        g_free(ladder.rows[i].rules);
    return true;
}
