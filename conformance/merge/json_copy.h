/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values that were read, written again in the layout of reports. */
#ifndef IWARP_CONFORMANCE_MERGE_JSON_COPY_H
#define IWARP_CONFORMANCE_MERGE_JSON_COPY_H

#include "conformance/merge/json_source.h"
#include "support/json_writer.h"

/* name: as of json_writer.h. */
void json_copy(struct json_writer *writer, const char *name, struct json_view value);

#endif
