/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MOUNT over TCP for NFS version 3 clients under test. It has its own thread and tree; the root's file handle is that
 * of the cases' tree.
 */
#ifndef IWARP_TRAFFIC_SUITE_TALK_NFS_MOUNT_SERVICE_H
#define IWARP_TRAFFIC_SUITE_TALK_NFS_MOUNT_SERVICE_H

#include "traffic-gen/suite/talk/nfs_run.h"

struct nfs_mount_service;

/* NULL with *why. *listening is the port. */
struct nfs_mount_service *nfs_mount_service_new(const struct nfs_run *nfs, const char *host, const char *port,
                                                uint16_t *listening, char **why);
void nfs_mount_service_free(struct nfs_mount_service *service);

#endif
