/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of RPC procedures for people: "NFS3 WRITE". */
#ifndef IWARP_CONFORMANCE_GUESTS_RPCRDMA_RPCRDMA_PROCEDURE_H
#define IWARP_CONFORMANCE_GUESTS_RPCRDMA_RPCRDMA_PROCEDURE_H

#include <stdbool.h>
#include <stdint.h>

enum { PROCEDURE_LABEL_SIZE = 80 };

/* False: the name is unknown, and the label contains numbers. */
bool procedure_label(uint32_t program, uint32_t version, uint32_t procedure, char label[PROCEDURE_LABEL_SIZE]);

#endif
