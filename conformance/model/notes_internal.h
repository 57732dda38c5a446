/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the files that write notes do it. */
#ifndef IWARP_CONFORMANCE_MODEL_NOTES_INTERNAL_H
#define IWARP_CONFORMANCE_MODEL_NOTES_INTERNAL_H

#include "conformance/model/notes.h"

/* A new event without texts and octets. It is the caller's to fill in until the next one. */
struct note *notes_add(struct notes *notes, enum note_kind kind, unsigned side, const struct place *place);

/* That of the FPDU or packet at this place; NULL: it is not kept any more. */
struct note *notes_find(struct notes *notes, unsigned side, const struct place *place);

/* Adds to a text, as far as there is room. */
void notes_append(char *text, size_t size, const char *format, ...) G_GNUC_PRINTF(3, 4);
#define WHAT(note, ...)   notes_append((note)->what, NOTE_WHAT_SIZE, __VA_ARGS__)
#define DETAIL(note, ...) notes_append((note)->detail, NOTE_DETAIL_SIZE, __VA_ARGS__)

#endif
