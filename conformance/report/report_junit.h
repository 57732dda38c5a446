/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The properties of a test suite in the JUnit report. */
#ifndef IWARP_CONFORMANCE_REPORT_REPORT_JUNIT_H
#define IWARP_CONFORMANCE_REPORT_REPORT_JUNIT_H

#include "support/markup.h"

#include <stdbool.h>
#include <stdint.h>

void junit_property(xmlTextWriter *writer, const char *name, const char *value);
/* "not known" unless `known`. */
void junit_property_number(xmlTextWriter *writer, const char *name, bool known, uint64_t value);

#endif
