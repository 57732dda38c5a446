// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A picture: a box for each state with its inputs and outputs, in columns by distance from the start; a curve leads
 * from a row to the next state. Transitions back, to the same state or to the end are only written.
 */
#include "traffic-gen/explore/learn/machine.h"

#include <string.h>

enum {
    LINE = 17,
    PAD = 10,
    BOX = 400,
    GAP_X = 90,
    GAP_Y = 30,
    MARGIN = 20,
    INPUT_X = 170,
    LINES_MAX = MACHINE_INPUTS_MAX
};

struct row {
    unsigned input, inputs; /* the first input, and how many */
};

struct box {
    unsigned column, x, y, rows;
    struct row row[LINES_MAX];
};

static bool svg_is_same(const struct machine *machine, unsigned state, unsigned a, unsigned b)
{
    return machine->edges[state][a].next == machine->edges[state][b].next &&
           machine->edges[state][a].output == machine->edges[state][b].output;
}

/* A line for each input, inputs with the same result together. */
static void svg_make_rows(const struct machine *machine, unsigned state, struct box *box)
{
    bool taken[MACHINE_INPUTS_MAX] = {false};

    for (unsigned i = 0; i < machine->n_inputs; i++) {
        unsigned first = box->rows;

        for (unsigned k = i; k < machine->n_inputs && !taken[i]; k++) {
            if (taken[k] || !svg_is_same(machine, state, i, k))
                continue;
            taken[k] = k > i;
            box->row[box->rows++].input = k;
        }
        if (box->rows > first)
            box->row[first].inputs = box->rows - first;
    }
}

static unsigned height(const struct machine *machine, unsigned state, const struct box *box)
{
    return (machine_is_over(machine, state) ? 1 : box->rows + 1) * LINE + 2 * PAD;
}

static void svg_place(const struct machine *machine, struct box *boxes, unsigned *width, unsigned *whole)
{
    unsigned bottom[WORD_MAX + 1];

    *width = *whole = 0;
    for (unsigned i = 0; i <= WORD_MAX; i++)
        bottom[i] = MARGIN;
    for (unsigned i = 0; i < machine->n_states; i++) {
        struct box *box = &boxes[i];

        svg_make_rows(machine, i, box);
        box->column = machine->access[i].n;
        box->x = MARGIN + box->column * (BOX + GAP_X);
        box->y = bottom[box->column];
        bottom[box->column] += height(machine, i, box) + GAP_Y;
        *width = MAX(*width, box->x + BOX + GAP_X);
        *whole = MAX(*whole, bottom[box->column]);
    }
}

static void text(FILE *out, unsigned x, unsigned y, const char *class, const char *words)
{
    g_autofree char *escaped = g_markup_escape_text(words, -1);

    fprintf(out, "<text x=\"%u\" y=\"%u\"%s%s%s>%s</text>\n", x, y, *class ? " class=\"" : "", class,
            *class ? "\"" : "", escaped);
}

/* The next state; "": the same. */
static char *svg_where(const struct machine *machine, unsigned state, const struct machine_edge *edge)
{
    if (edge->next == state)
        return g_strdup("");
    if (machine_is_over(machine, edge->next))
        return g_strdup(" \xE2\x97\xBE");
    return g_strdup_printf(" \xE2\x86\x92 %u", edge->next);
}

static void draw_rows(const struct machine *machine, unsigned state, const struct box *box, FILE *out)
{
    for (unsigned i = 0; i < box->rows; i++) {
        const struct machine_edge *edge = &machine->edges[state][box->row[i].input];
        g_autofree char *next = svg_where(machine, state, edge), *outcome = g_strconcat(edge->output, next, NULL);
        unsigned y = box->y + PAD + (i + 2) * LINE - 4;

        text(out, box->x + PAD, y, "", machine->inputs[box->row[i].input]);
        text(out, box->x + INPUT_X, y, strcmp(edge->output, "-") == 0 ? "quiet" : "", outcome);
    }
}

static void draw_box(const struct machine *machine, unsigned state, const struct box *box, FILE *out)
{
    bool over = machine_is_over(machine, state);
    g_autofree char *title = over ? g_strdup_printf("%u \xE2\x97\xBE the connection is over", state)
                                  : g_strdup_printf("%u%s", state, state == 0 ? " connected" : "");

    fprintf(out, "<rect x=\"%u\" y=\"%u\" width=\"%d\" height=\"%u\" rx=\"6\"/>\n", box->x, box->y, BOX,
            height(machine, state, box));
    text(out, box->x + PAD, box->y + PAD + LINE - 4, "title", title);
    if (!over)
        draw_rows(machine, state, box, out);
}

/* One curve for all rows with that result, from the middle row. */
static void draw_curve(const struct machine *machine, unsigned state, const struct box *boxes, unsigned first,
                       FILE *out)
{
    const struct box *box = &boxes[state];
    unsigned target = machine->edges[state][box->row[first].input].next;
    unsigned y = box->y + PAD + (first + 1) * LINE + box->row[first].inputs * LINE / 2;
    unsigned from = box->x + BOX, to = boxes[target].x, to_y = boxes[target].y + PAD + LINE / 2;
    bool forward = boxes[target].column > box->column;
    unsigned bend = forward ? from + GAP_X / 2 : from + GAP_X * 2 / 3;

    if (target == state || machine_is_over(machine, target))
        return;
    if (!forward)
        to += BOX;
    fprintf(out, "<path d=\"M%u %uC%u %u %u %u %u %u\" marker-end=\"url(#tip)\"/>\n", from, y, bend, y,
            forward ? to - GAP_X / 2 : bend, to_y, to, to_y);
}

void machine_svg(const struct machine *machine, FILE *out)
{
    g_autofree struct box *boxes = g_new0(struct box, machine->n_states);
    unsigned width, whole;

    svg_place(machine, boxes, &width, &whole);
    fprintf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %u %u\" width=\"%u\" height=\"%u\" role=\"img\">\n",
        width, whole, width, whole);
    g_autofree char *device = g_markup_escape_text(machine->device, -1);

    fprintf(out, "<title>%s: %u states</title>\n", device, machine->n_states);
    fputs("<style>rect{fill:#fff;stroke:#456;stroke-width:1.2}path{fill:none;stroke:#27a;stroke-width:1.4}"
          "text{font:12px monospace;fill:#123}.title{font-weight:bold}.quiet{fill:#789}</style>\n"
          "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" "
          "orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" style=\"fill:#27a;stroke:none\"/></marker></defs>\n",
          out);
    for (unsigned i = 0; i < machine->n_states; i++)
        draw_box(machine, i, &boxes[i], out);
    for (unsigned i = 0; i < machine->n_states; i++)
        for (unsigned k = 0; k < boxes[i].rows && !machine_is_over(machine, i); k++)
            if (boxes[i].row[k].inputs > 0)
                draw_curve(machine, i, boxes, k, out);
    fputs("</svg>\n", out);
}
