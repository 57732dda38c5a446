/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arguments and results of NFS by the names of their fields (wire/nfs_types.txt), for ends that send Calls and read the
 * results: traffic-gen/speak/say/nfs_messages.h with values instead of words.
 */
#ifndef IWARP_TRAFFIC_ENDS_STACK_NFS_FIELDS_H
#define IWARP_TRAFFIC_ENDS_STACK_NFS_FIELDS_H

#include "traffic-gen/ends/stack/xdr_out.h"
#include "traffic-gen/speak/say/nfs_messages.h"

/* Values of arguments; a value that a procedure does not use is ignored. */
struct nfs_fields {
    GArray *rows;
    /* Asked first: values that depend on the operation. NULL: none do. */
    bool (*special)(void *context, unsigned op, const char *name, struct nfs_given *given);
    void *context;
};

void nfs_fields_init(struct nfs_fields *fields);
void nfs_fields_clear(struct nfs_fields *fields);
void nfs_fields_number(struct nfs_fields *fields, const char *name, uint64_t value);
/* Borrowed, as are the names. */
void nfs_fields_octets(struct nfs_fields *fields, const char *name, const void *p, uint32_t n);
void nfs_fields_text(struct nfs_fields *fields, const char *name, const char *text);
/* An opaque of 8 octets: verifiers, cookies, owners. */
void nfs_fields_hyper(struct nfs_fields *fields, const char *name, uint64_t value);
/* state_seqid and stateid. */
void nfs_fields_stateid(struct nfs_fields *fields, const uint8_t stateid[16]);
bool nfs_fields_is_stateid(const char *name, const uint8_t stateid[16], struct nfs_given *given);

/* Appends the arguments of a procedure; words: like `ops` in struct nfs_options. */
void nfs_fields_put(const struct nfs_fields *fields, const struct nfs_template *procedure, const char *words,
                    struct xdr_out *out);

/* Fields found in results. */
struct nfs_results {
    const uint8_t *p; /* the message, borrowed */
    struct nfs_body body;
};

/* False: the results are malformed; fields found before the error are available. The caller clears in either case. */
bool nfs_results_read(struct nfs_results *results, const struct nfs_template *procedure, const char *words,
                      struct xdr *x);
/* The same for the arguments of one operation. */
bool nfs_results_read_operation(struct nfs_results *arguments, const struct nfs_template *operation, struct xdr *x);
void nfs_results_clear(struct nfs_results *results);
/* Fields of any operation. NULL: there is none of that name. */
const struct nfs_field *nfs_results_first(const struct nfs_results *results, const char *name);
const struct nfs_field *nfs_results_last(const struct nfs_results *results, const char *name);
/* Several fields of that name: the last one. */
uint64_t nfs_results_number(const struct nfs_results *results, const char *name, uint64_t otherwise);
const uint8_t *nfs_results_octets(const struct nfs_results *results, const char *name, uint32_t *n); /* NULL: none */
uint64_t nfs_results_hyper(const struct nfs_results *results, const char *name);
/* A handle, a session ... False: none, or longer than room. */
bool nfs_results_copy(const struct nfs_results *results, const char *name, uint8_t *p, uint32_t room, uint32_t *n);
/* The first stateid of a file, not of a delegation. */
bool nfs_results_stateid(const struct nfs_results *results, uint8_t stateid[16]);

#endif
