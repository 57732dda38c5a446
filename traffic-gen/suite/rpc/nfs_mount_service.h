/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MOUNT over TCP for NFS version 3 clients under test. It has its own thread and tree; the root's file handle is that
 * of the cases' tree.
 */
#ifndef IWARP_TRAFFIC_SUITE_RPC_NFS_MOUNT_SERVICE_H
#define IWARP_TRAFFIC_SUITE_RPC_NFS_MOUNT_SERVICE_H

#include "traffic-gen/suite/rpc/nfs_run.h"

struct nfs_mount_service;

/* On run->host and the port of run->nfs. NULL with *why. *listening is the port. */
struct nfs_mount_service *nfs_mount_service_new(const struct talk_run *run, uint16_t *listening, char **why);
void nfs_mount_service_free(struct nfs_mount_service *service);

#endif
