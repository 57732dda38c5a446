/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values that were read, written again in the layout of reports. */
#ifndef IWARP_CONFORMANCE_MERGE_JSON_COPY_H
#define IWARP_CONFORMANCE_MERGE_JSON_COPY_H

#include "conformance/merge/json_source.h"
#include "conformance/report/json_writer.h"

/* name: as of json_writer.h. */
void json_copy(struct json_writer *writer, const char *name, struct json_view value);
/* An object of an array, without the members of these names, which end with NULL. */
void json_copy_without(struct json_writer *writer, struct json_view object, const char *const *names);

#endif
