/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arguments and results of NFS and its auxiliary programs, made from text templates, which the build compiles from
 * wire/nfs_types.txt. A template is a list of words, each one XDR item:
 *
 *   NAME=VALUE       32 bits                     NAME:8=VALUE   64 bits
 *   NAME:b=VALUE     0 or 1
 *   NAME:o=N         opaque of N octets          NAME:f=N       the same of fixed length, without a count
 *   NAME:d=N         opaque, DDP-eligible        NAME:s=TEXT    string
 *   NAME:l=N         text of a symbolic link of N octets, DDP-eligible
 *   NAME:v=VALUE     nothing; a value to refer to
 *   NAME:a=N         the attribute values for the fields mask0, mask1, mask2, as an opaque; N entries of an ACL
 *   (NAME=N ... )    a group N times; (?FIELD=VALUE ... ) once if the field has that value; (ok ... ) once if the
 *                    field status is 0, (bad ... ) once if it is not
 *
 * VALUE is a number, N/M (N in the first repetition of the group, M in later ones), or $FIELD (an earlier field of this
 * message, or an argument of its Call). # in a word is the number of earlier repetitions of the group. The caller may
 * set each field by name.
 */
#ifndef IWARP_TRAFFIC_SPEAK_SAY_NFS_MESSAGES_H
#define IWARP_TRAFFIC_SPEAK_SAY_NFS_MESSAGES_H

#include "wire/xdr.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum { NFS_FIELD_MAX = 24, NFS_OPERATIONS_MAX = 64 };

struct nfs_template {
    const char *name;          /* "nfs3.read"; for an operation "read" */
    uint32_t program, version; /* for operations: 0 */
    uint32_t number;           /* of the procedure or operation */
    const char *main;          /* the field that a bare value in `ops` sets */
    const char *arguments, *results;
};

/* Finds a procedure by its full name; `compound` procedures have no arguments of their own. NULL: unknown. */
const struct nfs_template *nfs_procedure_template(const char *name);
const struct nfs_template *nfs_operation_template(const char *name, bool callback);
const struct nfs_template *nfs_operation_numbered(uint32_t number, bool callback);
/* All templates by index; NULL past the end. */
const struct nfs_template *nfs_procedure_template_at(unsigned index);
const struct nfs_template *nfs_operation_template_at(unsigned index, bool callback);
/* The description of an attribute's value (version 4) by its bit; "": not described. */
const char *nfs_attribute_template(unsigned bit);

/* A field as it was written. */
struct nfs_field {
    char name[NFS_FIELD_MAX];
    unsigned op;
    size_t at;     /* offset in the body's octets: of the first octet, or of the count for items of variable length */
    unsigned size; /* 4 or 8; 0: the field has no place */
    uint64_t value;
};

/* An item of variable length. */
struct nfs_body_item {
    char name[NFS_FIELD_MAX];
    unsigned op;
    size_t at; /* offset of the contents */
    uint32_t length;
    bool eligible;
};

struct nfs_body {
    GByteArray *octets;
    GArray *fields;                                     /* of struct nfs_field */
    GArray *items;                                      /* of struct nfs_body_item */
    const struct nfs_template *ops[NFS_OPERATIONS_MAX]; /* of a COMPOUND */
    unsigned n_ops;
    unsigned seed; /* for the contents of items */
};

/* The value of a number, or p[0..n), the contents of an opaque. */
struct nfs_given {
    uint64_t value;
    const void *p;
    uint32_t n;
};

struct nfs_options {
    /* The text that the caller wants for a field, or NULL. */
    const char *(*option)(void *context, unsigned op, const char *name);
    /* The same as a value, if neither option() nor `ops` sets the field; false: the default. May be NULL. */
    bool (*given)(void *context, unsigned op, const char *name, struct nfs_given *given);
    uint32_t (*sequence)(void *context, unsigned slot); /* the next number of this slot; NULL: 1 */
    void *context;
    const char
        *ops; /* for a COMPOUND "sequence,putfh,read:8192"; for other procedures their parameters: "8192:offset=1" */
    unsigned seed;
};

void nfs_body_init(struct nfs_body *body);
void nfs_body_clear(struct nfs_body *body);

/* Both return NULL, or the word that could not be understood. */
const char *nfs_build_arguments(const struct nfs_template *procedure, const struct nfs_options *options,
                                struct nfs_body *out);
/* n_ops limits the results of a COMPOUND. */
const char *nfs_build_results(const struct nfs_template *procedure, const struct nfs_body *call,
                              const struct nfs_options *options, unsigned n_ops, struct nfs_body *out);

/*
 * The inverse: finds the fields and items of results. ops: those of the Call; the results may end earlier, with an
 * operation that failed. NULL, or the template's word where the results do not match.
 */
const char *nfs_read_results(const struct nfs_template *procedure, const char *ops, struct xdr *results,
                             struct nfs_body *out);

/*
 * The same for an operation's arguments after its number, when serving the peer's COMPOUNDs. out->n_ops counts the
 * operations.
 */
const char *nfs_read_operation(const struct nfs_template *operation, struct xdr *arguments, struct nfs_body *out);

/* The last field of that name; NULL: none. */
const struct nfs_field *nfs_field_find(const struct nfs_body *body, unsigned op, const char *name);

/* The pattern that fills items: depends on the seed and the place. */
void nfs_fill(uint8_t *p, size_t n, unsigned seed);

#endif
