// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/print/print.h"

#include <inttypes.h>

void print_part(const struct print_target *target, enum direction direction, const char *transport,
                const struct rdma_part *part)
{
    static const char *const names[] = {[RDMA_SEND] = "SEND",
                                        [RDMA_WRITE] = "WRITE",
                                        [RDMA_READ] = "READ",
                                        [RDMA_READ_RESPONSE] = "READ_RESP",
                                        [RDMA_OTHER] = "other"};
    uint64_t octets = part->kind == RDMA_READ ? part->length : part->offset + part->length;

    print_begin(target, direction, &part->place, transport);
    fprintf(target->out, "%s", names[part->kind]);
    if (part->memory_known)
        fprintf(target->out, " handle 0x%" PRIx32 " to %#" PRIx64, part->handle,
                part->kind == RDMA_READ ? part->address : part->address - part->offset);
    if (part->invalidates)
        fprintf(target->out, " inv 0x%" PRIx32, part->invalidated);
    fprintf(target->out, " %" PRIu64 " octets", octets);
    print_end(target);
}

void print_private_data(const struct print_target *target, enum direction direction, const char *transport,
                        const struct rdma_private_data *data)
{
    print_begin(target, direction, &data->place, transport);
    fputs(data->carrier, target->out);
    if (data->p)
        print_ulp_private_data(target->out, data->p, data->n);
    print_end(target);
}

void print_refusal(const struct print_target *target, enum direction direction, const char *transport,
                   const struct rdma_refusal *refusal)
{
    print_begin(target, direction, &refusal->place, transport);
    fputs(refusal->cause == RDMA_REFUSED_MEMORY       ? "NAK remote access error"
          : refusal->cause == RDMA_REFUSED_NO_RECEIVE ? "RNR NAK"
                                                      : "NAK",
          target->out);
    print_end(target);
}

void print_said(const struct print_target *target, enum direction direction, const struct ulp_said *said)
{
    print_begin(target, direction, &said->send->place, said->kind->name);
    fputs(said->text, target->out);
    print_end(target);
}
