// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/guests/rpcrdma/rpcrdma_procedure.h"
#include "conformance/guests/rpcrdma/rpcrdma_taps.h"
#include "conformance/model/notes_internal.h"

static void notes_note_operations(struct note *note, const struct rpcrdma_transaction *transaction)
{
    const struct rpcrdma_body *body = &transaction->open->call_body;

    for (unsigned i = 0; i < body->n_operations; i++) {
        const char *name = nfs_op_name(body->operations[i].op, transaction->reverse);

        WHAT(note, "%s%s", i == 0 ? ": " : ", ", name ? name : "?");
        if (strlen(note->what) == NOTE_WHAT_SIZE - 1) {
            memcpy(note->what + NOTE_WHAT_SIZE - 4, "...", 4);
            return;
        }
    }
}

static void notes_note_procedure(struct note *note, const struct rpcrdma_message *message)
{
    const struct rpcrdma_transaction *transaction = message->transaction;
    char label[PROCEDURE_LABEL_SIZE];

    if (!transaction || !transaction->request.known)
        return;
    procedure_label(transaction->request.program, transaction->request.version, transaction->request.procedure, label);
    WHAT(note, " %s", label);
    if (message->kind == RPCRDMA_KIND_CALL && transaction->open->call_body.walked)
        notes_note_operations(note, transaction);
}

static void notes_note_chunks(struct note *note, const struct rpcrdma_header *header)
{
    if (header->proc > RPCRDMA_MSGP || header->status != RPCRDMA_OK)
        return;
    if (header->read.n > 0)
        DETAIL(note, ", %u Read segment%s", header->read.n, header->read.n == 1 ? "" : "s");
    if (header->write.n > 0)
        DETAIL(note, ", %u Write chunk%s", header->write.n, header->write.n == 1 ? "" : "s");
    if (header->has_reply)
        DETAIL(note, ", Reply chunk");
}

void rpcrdma_note(struct notes *notes, const struct rpcrdma_message *message)
{
    static const char *const kinds[] = {[RPCRDMA_KIND_UNKNOWN] = "Message",
                                        [RPCRDMA_KIND_CALL] = "Call",
                                        [RPCRDMA_KIND_REPLY] = "Reply to",
                                        [RPCRDMA_KIND_ERROR] = "Error for"};
    struct note *note = notes_find(notes, message->side, &message->place);
    const struct rpcrdma_header *header = &message->header;

    if (!note || message->n < RPCRDMA_FIXED_LEN)
        return;
    note->what[0] = note->detail[0] = '\0';
    WHAT(note, "%s", kinds[message->kind]);
    notes_note_procedure(note, message);
    if (header->proc <= RPCRDMA_ERROR)
        DETAIL(note, "%s", rpcrdma_proc_name(header->proc));
    else
        DETAIL(note, "RDMA type %u", header->proc);
    if (header->proc == RPCRDMA_ERROR && header->status == RPCRDMA_OK)
        DETAIL(note, " %s", rpcrdma_err_name(header->err));
    DETAIL(note, ", XID 0x%x, credit %u", header->xid, header->credit);
    notes_note_chunks(note, header);
    DETAIL(note, ", %u octets%s", message->n, message->invalidates ? ", invalidating" : "");
}
