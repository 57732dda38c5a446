/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table for people. On a terminal that is too narrow, further columns follow below, with the first column repeated;
 * in a file or a pipe the table is not split.
 */
#ifndef IWARP_CONFORMANCE_REPORT_TEXT_TABLE_H
#define IWARP_CONFORMANCE_REPORT_TEXT_TABLE_H

#include "conformance/report/terminal.h"

struct text_table;

/* heads: n of them, static. The first column contains words, the others figures. */
struct text_table *text_table_new(const char *const *heads, unsigned n);
/* The next cell of the current row, or the first cell of the next row; copied. */
void text_table_add(struct text_table *table, const char *cell);
void text_table_format(struct text_table *table, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Prints nothing without rows. Columns that contain only "-" are omitted. */
void text_table_write(const struct text_table *table, const struct terminal *terminal, unsigned indent);
void text_table_free(struct text_table *table);

/* For other ways of writing the table. */
unsigned text_table_rows(const struct text_table *table);
unsigned text_table_columns(const struct text_table *table);
const char *text_table_head(const struct text_table *table, unsigned column);
const char *text_table_cell(const struct text_table *table, unsigned row, unsigned column);
/* False: the column contains only "-". */
bool text_table_is_used(const struct text_table *table, unsigned column);

#endif
