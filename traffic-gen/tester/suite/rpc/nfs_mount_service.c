// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/tester/suite/rpc/nfs_run.h"

#include "traffic-gen/live/play/rpc_tcp.h"

enum { TREE_OCTETS = 4096, TREE_NODES = 1 };

struct nfs_mount_service {
    struct nfs_tree *tree;
    struct nfs_server *server;
    struct live_loop *loop;
    GThread *thread;
};

static gpointer service_serve(gpointer data)
{
    struct nfs_mount_service *service = data;

    live_run(service->loop, INT64_MAX);
    return NULL;
}

struct nfs_mount_service *nfs_mount_service_new(const struct talk_run *run, uint16_t *listening, char **why)
{
    struct nfs_mount_service *service = g_new0(struct nfs_mount_service, 1);
    struct live_listener *listener;
    GError *error = NULL;

    service->tree = nfs_tree_new(nfs_tree_real_time, NULL, TREE_OCTETS, TREE_NODES);
    /* File handles are drawn from the seed. */
    service->server = nfs_server_new(
        &(struct nfs_server_options){.tree = service->tree, .now = nfs_tree_real_time, .seed = run->seed});
    service->loop = live_loop_new();
    listener = rpc_tcp_serve(service->loop, run->host, run->nfs->mount_port, service->server, &error);
    if (!listener) {
        *why = g_strdup(error->message);
        g_error_free(error);
        nfs_mount_service_free(service);
        return NULL;
    }
    *listening = live_listener_port(listener);
    service->thread = g_thread_new("MOUNT", service_serve, service);
    return service;
}

void nfs_mount_service_free(struct nfs_mount_service *service)
{
    if (!service)
        return;
    if (service->thread) {
        live_stop(service->loop);
        g_thread_join(service->thread);
    }
    live_loop_free(service->loop);
    nfs_server_free(service->server);
    nfs_tree_free(service->tree);
    g_free(service);
}
