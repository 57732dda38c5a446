/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory for the many small things that a plugin keeps of each packet, of file scope and never freed by itself: one
 * after the other, as they are made. As blocks of Wireshark's allocator each would take 16 octets more, and 8 on
 * average for its size to be a multiple of 16; as arrays of each connection, what is not used of them.
 */
#ifndef IWARP_PLUGINS_COMMON_KEEP_H
#define IWARP_PLUGINS_COMMON_KEEP_H

#include <stddef.h>

/* Zeroed; aligned for pointers and numbers of 64 bits. */
void *keep_new(size_t size);
/* When a file is opened: what was kept of the previous one is gone. */
void keep_forget(void);

#endif
