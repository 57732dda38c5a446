/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table for people. On a terminal too narrow for all columns it goes on below, with the first column again; into a
 * file or a pipe it goes as it is.
 */
#ifndef IWARP_CONFORMANCE_REPORT_TEXT_TABLE_H
#define IWARP_CONFORMANCE_REPORT_TEXT_TABLE_H

#include "conformance/report/terminal.h"

struct text_table;

/* heads: n of them, static. The first column is of words, the others are of figures. */
struct text_table *text_table_new(const char *const *heads, unsigned n);
/* The next cell of the current row, or the first one of the next; copied. */
void text_table_add(struct text_table *table, const char *cell);
void text_table_format(struct text_table *table, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Nothing if it has no rows. Columns in which nothing but "-" is are left out. */
void text_table_write(const struct text_table *table, const struct terminal *terminal, unsigned indent);
void text_table_free(struct text_table *table);

/* For those who write it in another way. */
unsigned text_table_rows(const struct text_table *table);
unsigned text_table_columns(const struct text_table *table);
const char *text_table_head(const struct text_table *table, unsigned column);
const char *text_table_cell(const struct text_table *table, unsigned row, unsigned column);
/* False: nothing but "-" is in the column. */
bool text_table_is_used(const struct text_table *table, unsigned column);

#endif
