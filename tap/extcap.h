/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Wireshark asks of a program that captures: extcap(4). All answers go to the standard output. */
#ifndef IWARP_TAP_EXTCAP_H
#define IWARP_TAP_EXTCAP_H

#include <stdbool.h>

void extcap_say_interfaces(void);
bool extcap_is_interface(const char *name);
void extcap_say_link_type(void);
/* The options of iwarp-tap in Wireshark's dialog. */
void extcap_say_dialog(void);

#endif
