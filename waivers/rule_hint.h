/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "Did you mean" for rule ids, which are too many to list in a message. */
#ifndef IWARP_WAIVERS_RULE_HINT_H
#define IWARP_WAIVERS_RULE_HINT_H

/* Text to append to an unknown id: see closest_hint(). g_free() it. */
char *rule_hint(const char *id, const char *otherwise);

#endif
