/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files that write notes. */
#ifndef IWARP_CONFORMANCE_MODEL_NOTES_INTERNAL_H
#define IWARP_CONFORMANCE_MODEL_NOTES_INTERNAL_H

#include "conformance/model/notes.h"

/* A new event without texts and octets, for the caller to fill in before the next event. */
struct note *notes_add(struct notes *notes, enum note_kind kind, unsigned side, const struct place *place);

/* The event of the FPDU or packet at this place; NULL: no longer kept. */
struct note *notes_find(struct notes *notes, unsigned side, const struct place *place);

/* Appends to a text, as far as there is room. */
void notes_append(char *text, size_t size, const char *format, ...) G_GNUC_PRINTF(3, 4);
#define WHAT(note, ...)   notes_append((note)->what, NOTE_WHAT_SIZE, __VA_ARGS__)
#define DETAIL(note, ...) notes_append((note)->detail, NOTE_DETAIL_SIZE, __VA_ARGS__)

#endif
