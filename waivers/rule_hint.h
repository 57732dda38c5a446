/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "Did you mean" for ids of rules, which are too many to list in a message. */
#ifndef IWARP_WAIVERS_RULE_HINT_H
#define IWARP_WAIVERS_RULE_HINT_H

/* What follows an id that no rule has: see closest_hint(). g_free() it. */
char *rule_hint(const char *id, const char *otherwise);

#endif
