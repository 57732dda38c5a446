// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/report/plot.h"

#include "conformance/stats/units.h"

#include <math.h>
#include <string.h>

enum {
    WIDTH = 360, /* size of the view box: about a pixel per unit on a phone */
    LEFT = 54,
    RIGHT = 352,
    TOP = 10,
    BOTTOM = 130,
    HEIGHT = 152,
    ROW = 19,
    NAMES = 132, /* for the names of ranges */
    TICKS_MAX = 12,
};

/* ---- scales ---- */

struct scale {
    double low, high; /* logarithms on a logarithmic scale */
    int from, to;     /* pixels */
    bool logarithmic;
};

static double plot_place(const struct scale *scale, double value)
{
    double at = scale->logarithmic ? log10(value < 1 ? 1 : value) : value;

    at = (at - scale->low) / (scale->high - scale->low);
    return scale->from + CLAMP(at, 0, 1) * (scale->to - scale->from);
}

static void number_text(enum plot_unit unit, double value, char text[UNITS_SIZE])
{
    switch (unit) {
    case PLOT_TIMES:
        units_time((uint64_t)value, text);
        break;
    case PLOT_OCTETS:
        units_octets((uint64_t)value, text);
        break;
    case PLOT_RATES:
        units_rate((uint64_t)value, 1000000000, text);
        break;
    case PLOT_NUMBERS:
        g_snprintf(text, UNITS_SIZE, "%.0f", value);
        break;
    }
}

/* Writes "1.00 ms" as "1 ms" on a scale. */
static void tick_text(enum plot_unit unit, double value, char text[UNITS_SIZE])
{
    char *point, *end;

    number_text(unit, value, text);
    point = strchr(text, '.');
    if (!point)
        return;
    end = point + 1 + strspn(point + 1, "0123456789");
    while (end[-1] == '0')
        memmove(end - 1, end, strlen(end) + 1), end--;
    if (end[-1] == '.')
        memmove(end - 1, end, strlen(end) + 1);
}

/* 1, 2 or 5 times a power of ten, so that at most four ticks fit. */
static double plot_step_of(double high)
{
    double step = pow(10, floor(log10(high > 0 ? high : 1)) - 1);

    for (unsigned i = 0; high / step > 4; i++)
        step *= i % 3 == 1 ? 2.5 : 2;
    return step;
}

/* ---- parts ---- */

static void plot_write_text(xmlTextWriter *writer, const char *class_name, double x, double y, const char *text)
{
    markup_begin(writer, "text", "class", class_name, NULL);
    markup_attribute(writer, "x", "%.1f", x);
    markup_attribute(writer, "y", "%.1f", y);
    markup_text(writer, text);
    markup_end(writer);
}

static void write_path(xmlTextWriter *writer, const char *class_name, const char *d)
{
    markup_begin(writer, "path", "class", class_name, "d", d, NULL);
    markup_end(writer);
}

static void write_box(xmlTextWriter *writer, const char *class_name, double x, double y, double width, double height)
{
    markup_begin(writer, "rect", "class", class_name, NULL);
    markup_attribute(writer, "x", "%.1f", x);
    markup_attribute(writer, "y", "%.1f", y);
    markup_attribute(writer, "width", "%.1f", MAX(width, 1));
    markup_attribute(writer, "height", "%.1f", MAX(height, 0));
    markup_end(writer);
}

static void begin_figure(xmlTextWriter *writer, const char *title, const char *label, unsigned height)
{
    markup_begin(writer, "figure", "class", "plot", NULL);
    markup_element(writer, "figcaption", NULL, "%s", title);
    markup_begin(writer, "svg", "xmlns", "http://www.w3.org/2000/svg", "role", "img", "aria-label", label, NULL);
    markup_attribute(writer, "viewBox", "0 0 %d %u", WIDTH, height);
}

static void end_figure(xmlTextWriter *writer)
{
    markup_end(writer);
    markup_end(writer);
}

/* The values of the ticks. */
static unsigned ticks_of(const struct scale *scale, double ticks[TICKS_MAX])
{
    unsigned n = 0;

    if (scale->logarithmic) {
        int every = 1 + (int)((scale->high - scale->low) / 6);

        for (int power = (int)ceil(scale->low); power <= scale->high + 1e-9 && n < TICKS_MAX; power += every)
            ticks[n++] = pow(10, power);
    } else {
        double step = plot_step_of(scale->high);

        for (; n * step <= scale->high * 1.0001 && n < TICKS_MAX; n++)
            ticks[n] = n * step;
    }
    return n;
}

static void write_rows_of_ticks(xmlTextWriter *writer, const struct scale *y, enum plot_unit unit)
{
    double ticks[TICKS_MAX];
    unsigned n = ticks_of(y, ticks);

    for (unsigned i = 0; i < n; i++) {
        g_autofree gchar *d = g_strdup_printf("M%d %.1fH%d", LEFT, plot_place(y, ticks[i]), RIGHT);
        char text[UNITS_SIZE];

        tick_text(unit, ticks[i], text);
        write_path(writer, "grid", d);
        plot_write_text(writer, "end", LEFT - 4, plot_place(y, ticks[i]) + 4, text);
    }
}

static void write_columns_of_ticks(xmlTextWriter *writer, const struct scale *x, enum plot_unit unit, int top,
                                   int bottom)
{
    double ticks[TICKS_MAX];
    unsigned n = ticks_of(x, ticks);

    for (unsigned i = 0; i < n; i++) {
        g_autofree gchar *d = g_strdup_printf("M%.1f %dV%d", plot_place(x, ticks[i]), top, bottom);
        char text[UNITS_SIZE];

        tick_text(unit, ticks[i], text);
        write_path(writer, "grid", d);
        plot_write_text(writer, plot_place(x, ticks[i]) > RIGHT - 20 ? "end" : "middle",
                        MIN(plot_place(x, ticks[i]), RIGHT), bottom + 14, text);
    }
}

/* ---- over time ---- */

static struct scale values_of(const struct plot *plot)
{
    double low = HUGE_VAL, high = 0;

    for (unsigned i = 0; i < plot->n_lines; i++) {
        for (unsigned bin = 0; bin < plot->bins; bin++) {
            double value = plot->lines[i].values[bin];

            high = MAX(high, value);
            low = value > 0 ? MIN(low, value) : low;
        }
    }
    if (plot->logarithmic && high > 0)
        return (struct scale){floor(log10(MAX(low, 1))), MAX(ceil(log10(MAX(high, 1))), floor(log10(MAX(low, 1))) + 1),
                              BOTTOM, TOP, true};
    return (struct scale){0, high, BOTTOM, TOP, false};
}

/* Steps: a value holds for the whole bin. */
static void plot_write_line(xmlTextWriter *writer, const struct plot *plot, unsigned line, const struct scale *y)
{
    const struct plot_line *l = &plot->lines[line];
    g_autofree gchar *class_name = g_strdup_printf("line%u", line);
    double width = (double)(RIGHT - LEFT) / plot->bins;
    GString *d = g_string_new(NULL), *area = g_string_new(NULL);
    bool open = false;

    for (unsigned bin = 0; bin < plot->bins; bin++) {
        double from = LEFT + bin * width, at = plot_place(y, l->values[bin]);

        if (l->values[bin] < 0) {
            open = false;
            continue;
        }
        g_string_append_printf(d, "%c%.1f %.1fH%.1f", open ? 'L' : 'M', from, at, from + width);
        if (l->filled)
            g_string_append_printf(area, "M%.1f %dV%.1fH%.1fV%dZ", from, BOTTOM, at, from + width, BOTTOM);
        open = true;
    }
    if (l->filled)
        write_path(writer, "area", area->str);
    write_path(writer, class_name, d->str);
    g_string_free(d, TRUE);
    g_string_free(area, TRUE);
}

static void write_legend(xmlTextWriter *writer, const struct plot *plot)
{
    markup_begin(writer, "p", "class", "legend", NULL);
    for (unsigned i = 0; i < plot->n_lines; i++) {
        g_autofree gchar *class_name = g_strdup_printf("line%u", i);

        markup_begin(writer, "span", NULL);
        markup_begin(writer, "svg", "xmlns", "http://www.w3.org/2000/svg", "class", "key", "viewBox", "0 0 24 8",
                     "aria-hidden", "true", "aria-label", plot->lines[i].name, NULL);
        write_path(writer, class_name, "M0 4H24");
        markup_end(writer);
        markup_format(writer, " %s", plot->lines[i].name);
        markup_end(writer);
    }
    markup_end(writer);
}

void plot_over_time(xmlTextWriter *writer, const struct plot *plot)
{
    struct scale y = values_of(plot);
    char end[UNITS_SIZE], most[UNITS_SIZE];
    g_autofree gchar *label = NULL;

    if (plot->bins == 0 || !(y.high > y.low) || y.high <= 0)
        return;
    number_text(plot->unit, y.logarithmic ? pow(10, y.high) : y.high, most);
    units_time(plot->span_ns, end);
    label = g_strdup_printf("%s, over %s, up to %s", plot->title, end, most);
    begin_figure(writer, plot->title, label, HEIGHT);
    write_rows_of_ticks(writer, &y, plot->unit);
    for (unsigned i = 0; i < plot->n_lines; i++)
        plot_write_line(writer, plot, i, &y);
    plot_write_text(writer, "start", LEFT, HEIGHT - 6, "0 s");
    plot_write_text(writer, "end", RIGHT, HEIGHT - 6, end);
    markup_end(writer);
    write_legend(writer, plot);
    markup_end(writer);
}

/* ---- on a logarithmic scale ---- */

static struct scale powers(double low, double high, int from)
{
    double least = floor(log10(MAX(low, 1)) + 1e-9), most = ceil(log10(MAX(high, 1)) - 1e-9);

    return (struct scale){least, MAX(most, least + 1), from, RIGHT, true};
}

void plot_ranges(xmlTextWriter *writer, const char *title, enum plot_unit unit, const struct plot_range *ranges,
                 unsigned n)
{
    double low = HUGE_VAL, high = 0;
    int bottom = TOP + (int)n * ROW;
    struct scale x;

    for (unsigned i = 0; i < n; i++) {
        low = MIN(low, ranges[i].low);
        high = MAX(high, ranges[i].end);
    }
    if (n == 0)
        return;
    x = powers(low, high, NAMES);
    begin_figure(writer, title, title, (unsigned)bottom + 22);
    write_columns_of_ticks(writer, &x, unit, TOP, bottom);
    for (unsigned i = 0; i < n; i++) {
        const struct plot_range *r = &ranges[i];
        double y = TOP + i * ROW + 3, height = ROW - 6;
        g_autofree gchar *whisker =
            g_strdup_printf("M%.1f %.1fH%.1f", plot_place(&x, r->high), y + height / 2, plot_place(&x, r->end));
        g_autofree gchar *mark = g_strdup_printf("M%.1f %.1fv%.1f", plot_place(&x, r->middle), y - 1, height + 2);

        plot_write_text(writer, "end", NAMES - 6, y + height - 3, r->name);
        write_path(writer, "whisker", whisker);
        write_box(writer, "range", plot_place(&x, r->low), y, plot_place(&x, r->high) - plot_place(&x, r->low), height);
        write_path(writer, "mark", mark);
    }
    end_figure(writer);
}

void plot_bars(xmlTextWriter *writer, const char *title, enum plot_unit unit, const struct plot_bar *bars, unsigned n)
{
    double low = HUGE_VAL, high = 0, sum = 0, tallest = 0;
    struct scale x, y;

    for (unsigned i = 0; i < n; i++) {
        low = MIN(low, bars[i].from);
        high = MAX(high, bars[i].to);
        sum += bars[i].height;
        tallest = MAX(tallest, bars[i].height);
    }
    if (n == 0 || sum <= 0)
        return;
    x = powers(low, high, LEFT);
    y = (struct scale){0, 100 * tallest / sum, BOTTOM, TOP, false};
    begin_figure(writer, title, title, HEIGHT);
    write_columns_of_ticks(writer, &x, unit, TOP, BOTTOM);
    for (unsigned i = 0; i < n; i++) {
        double from = plot_place(&x, bars[i].from), at = plot_place(&y, 100 * bars[i].height / sum);

        write_box(writer, "bar", from, at, plot_place(&x, bars[i].to) - from - 0.5, BOTTOM - at);
    }
    {
        char text[UNITS_SIZE];

        g_snprintf(text, sizeof text, "%.0f %%", y.high);
        plot_write_text(writer, "end", LEFT - 4, TOP + 4, text);
    }
    end_figure(writer);
}
