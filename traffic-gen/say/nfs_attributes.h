/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of NFSv4 attributes (RFC 8881 section 5) for messages that are made. */
#ifndef IWARP_TRAFFIC_SAY_NFS_ATTRIBUTES_H
#define IWARP_TRAFFIC_SAY_NFS_ATTRIBUTES_H

#include <glib.h>
#include <stdint.h>

enum { NFS_MASKS = 3 };

/* Appends those that the words of the bitmap announce. aces: entries of an ACL. */
void nfs_attributes_put(GByteArray *octets, const uint32_t mask[NFS_MASKS], uint32_t aces);

#endif
