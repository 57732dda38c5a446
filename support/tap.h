/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * TAP 14 (testanything.org) that readers of the kernel's KTAP accept as well: no subtests, and results are explained in
 * YAML blocks, which KTAP readers skip.
 */
#ifndef IWARP_SUPPORT_TAP_H
#define IWARP_SUPPORT_TAP_H

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

struct tap {
    FILE *out;
    unsigned number; /* of the last test point */
};

/* n test points will follow. */
void tap_begin(struct tap *tap, FILE *out, unsigned n);
/* A test point. directive: "SKIP" or "TODO", with its reason; or NULL. */
void tap_point(struct tap *tap, bool ok, const char *description, const char *directive, const char *reason);
/* After a test point: n pairs of key and value, ended by NULL. */
void tap_yaml(const struct tap *tap, const char *key, ...) G_GNUC_NULL_TERMINATED;
void tap_comment(const struct tap *tap, const char *text);

#endif
