/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory of file scope for the many small items that a plugin keeps of each packet, never freed one by one. They are
 * packed in order of creation. As separate blocks of Wireshark's allocator each item would take 16 octets more, and 8
 * on average to align its size to 16; arrays for each connection would waste their unused part.
 */
#ifndef IWARP_PLUGINS_COMMON_KEEP_H
#define IWARP_PLUGINS_COMMON_KEEP_H

#include <stddef.h>

/* Zeroed; aligned for pointers and numbers of 64 bits. */
void *keep_new(size_t size);
/* Called when a file is opened: the memory for the previous file is gone. */
void keep_forget(void);

#endif
