// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/report/text_table.h"

#include <string.h>

enum { BETWEEN = 2 };

struct text_table {
    const char *const *heads;
    unsigned columns;
    GPtrArray *cells; /* gchar *, row by row */
};

struct text_table *text_table_new(const char *const *heads, unsigned n)
{
    struct text_table *table = g_new(struct text_table, 1);

    *table = (struct text_table){heads, n, g_ptr_array_new_with_free_func(g_free)};
    return table;
}

void text_table_free(struct text_table *table)
{
    g_ptr_array_unref(table->cells);
    g_free(table);
}

void text_table_add(struct text_table *table, const char *cell)
{
    g_ptr_array_add(table->cells, g_strdup(cell));
}

void text_table_format(struct text_table *table, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_ptr_array_add(table->cells, g_strdup_vprintf(format, arguments));
    va_end(arguments);
}

const char *text_table_cell(const struct text_table *table, unsigned row, unsigned column)
{
    return g_ptr_array_index(table->cells, row * table->columns + column);
}

unsigned text_table_rows(const struct text_table *table)
{
    return table->cells->len / table->columns;
}

/* 0: the table is empty. */
static unsigned table_width_of(const struct text_table *table, unsigned column)
{
    glong width = g_utf8_strlen(table->heads[column], -1);
    bool any = column == 0;

    for (unsigned row = 0; row < text_table_rows(table); row++) {
        const char *cell = text_table_cell(table, row, column);

        width = MAX(width, g_utf8_strlen(cell, -1));
        any |= strcmp(cell, "-") != 0;
    }
    return any ? (unsigned)width : 0;
}

unsigned text_table_columns(const struct text_table *table)
{
    return table->columns;
}

const char *text_table_head(const struct text_table *table, unsigned column)
{
    return table->heads[column];
}

bool text_table_is_used(const struct text_table *table, unsigned column)
{
    return table_width_of(table, column) > 0;
}

static void add_cell(GString *line, const char *cell, unsigned width, bool figure)
{
    unsigned blanks = width - (unsigned)MIN((glong)width, g_utf8_strlen(cell, -1));

    if (figure)
        g_string_append_printf(line, "%*s%s", (int)(BETWEEN + blanks), "", cell);
    else
        g_string_append_printf(line, "%s%*s", cell, (int)blanks, "");
}

static void table_write_line(const struct text_table *table, const struct terminal *terminal, unsigned indent, int row,
                             unsigned from, unsigned to, const unsigned *widths)
{
    GString *line = g_string_new(NULL);
    struct terminal unwrapped = *terminal;

    unwrapped.columns = 0;
    for (unsigned column = 0; column < to; column++) {
        if ((column > 0 && column < from) || widths[column] == 0)
            continue;
        add_cell(line, row < 0 ? table->heads[column] : text_table_cell(table, (unsigned)row, column), widths[column],
                 column > 0);
    }
    g_strchomp(line->str);
    terminal_line(&unwrapped, indent, "%s", row < 0 ? terminal_styled(terminal, STYLE_DIM, line->str) : line->str);
    g_string_free(line, TRUE);
}

void text_table_write(const struct text_table *table, const struct terminal *terminal, unsigned indent)
{
    unsigned *widths = g_new(unsigned, table->columns);
    unsigned from = 1;

    for (unsigned column = 0; column < table->columns; column++)
        widths[column] = table_width_of(table, column);
    while (text_table_rows(table) > 0 && from < table->columns) {
        unsigned to = from, used = indent + widths[0];

        while (to < table->columns &&
               (to == from || terminal->columns == 0 || used + BETWEEN + widths[to] <= terminal->columns)) {
            used += widths[to] == 0 ? 0 : BETWEEN + widths[to];
            to++;
        }
        for (int row = -1; row < (int)text_table_rows(table); row++)
            table_write_line(table, terminal, indent, row, from, to, widths);
        from = to;
    }
    g_free(widths);
}
