// SPDX-License-Identifier: GPL-2.0-or-later
/* RDMAP headers after the DDP header, and links between segments of an operation: RFC 5040 section 4, RFC 7306. */
#include "plugins/ddp_rdmap/rdmap_plugin.h"

#include "wire/atomic.h"

/* One row of a header of fixed length. */
struct row {
    int *field;
    uint8_t at, length; /* in the DDP payload */
};

static const struct row read_rows[] = {
    {&rdmap_hf.sink_stag, 0, 4},    {&rdmap_hf.sink_to, 4, 8},    {&rdmap_hf.read_size, 12, 4},
    {&rdmap_hf.source_stag, 16, 4}, {&rdmap_hf.source_to, 20, 8},
};

static const struct row immediate_rows[] = {{&rdmap_hf.immediate, 0, 8}};

static const struct row atomic_request_rows[] = {
    {&rdmap_hf.atomic_reserved, 0, 4}, {&rdmap_hf.atomic_opcode, 0, 4},   {&rdmap_hf.atomic_identifier, 4, 4},
    {&rdmap_hf.atomic_stag, 8, 4},     {&rdmap_hf.atomic_to, 12, 8},      {&rdmap_hf.atomic_data, 20, 8},
    {&rdmap_hf.atomic_mask, 28, 8},    {&rdmap_hf.atomic_compare, 36, 8}, {&rdmap_hf.atomic_compare_mask, 44, 8},
};

static const struct row atomic_response_rows[] = {{&rdmap_hf.atomic_identifier, 0, 4},
                                                  {&rdmap_hf.atomic_original, 4, 8}};

static const struct header {
    const struct row *rows;
    unsigned n;
} headers[] = {
    [RDMAP_READ_REQUEST] = {read_rows, array_length(read_rows)},
    [RDMAP_IMMEDIATE] = {immediate_rows, array_length(immediate_rows)},
    [RDMAP_IMMEDIATE_SE] = {immediate_rows, array_length(immediate_rows)},
    [RDMAP_ATOMIC_REQUEST] = {atomic_request_rows, array_length(atomic_request_rows)},
    [RDMAP_ATOMIC_RESPONSE] = {atomic_response_rows, array_length(atomic_response_rows)},
};

static void draw_header(struct rdmap_canvas *canvas)
{
    const struct ddp_segment *ddp = canvas->ddp;
    const struct rdmap_seg *seg = canvas->seg;
    const struct header *header;

    if (!canvas->fields || ddp->opcode >= array_length(headers))
        return;
    header = &headers[ddp->opcode];
    for (unsigned i = 0; i < header->n; i++) {
        const struct row *row = &header->rows[i];
        const struct rdmap_stag_life *life = NULL;
        bool octets = row->field == &rdmap_hf.immediate;
        proto_item *item;

        if ((size_t)row->at + row->length > ddp->payload_len)
            return; /* the rules report a header that is too short */
        item = proto_tree_add_item(canvas->rdmap_tree, *row->field, canvas->tvb, ddp->header_len + row->at, row->length,
                                   octets ? ENC_NA : ENC_BIG_ENDIAN);
        if (seg && (row->field == &rdmap_hf.sink_stag || row->field == &rdmap_hf.atomic_stag))
            life = seg->stag;
        else if (seg && row->field == &rdmap_hf.source_stag)
            life = seg->more->source;
        if (life)
            rdmap_draw_stag_life(canvas, proto_item_add_subtree(item, rdmap_ett.stag), life);
    }
}

/* ---- Info column ---- */

static void operation_say_read(struct rdmap_canvas *canvas)
{
    struct rdmap_read_request read;

    if (!rdmap_read_request_decode(&read, canvas->ddp->payload, canvas->ddp->payload_len))
        return;
    rdmap_say(canvas, ", %u octets from STag 0x%08x, TO 0x%" PRIx64 " to STag 0x%08x, TO 0x%" PRIx64, read.size,
              read.source_stag, read.source_to, read.sink_stag, read.sink_to);
    proto_item_append_text(canvas->rdmap_item, ", %u octets from STag 0x%08x to STag 0x%08x", read.size,
                           read.source_stag, read.sink_stag);
}

static void say_atomic(struct rdmap_canvas *canvas)
{
    struct rdmap_atomic_request atomic;
    const char *name;

    if (!rdmap_atomic_request_decode(&atomic, canvas->ddp->payload, canvas->ddp->payload_len))
        return;
    name = rdmap_atomic_name(atomic.opcode);
    rdmap_say(canvas, ", %s, STag 0x%08x, TO 0x%" PRIx64, name ? name : "(unassigned)", atomic.stag, atomic.to);
    proto_item_append_text(canvas->rdmap_item, ", %s, STag 0x%08x, TO 0x%" PRIx64, name ? name : "unassigned operation",
                           atomic.stag, atomic.to);
}

static void say_immediate(struct rdmap_canvas *canvas)
{
    uint64_t data;

    if (!rdmap_immediate_decode(&data, canvas->ddp->payload, canvas->ddp->payload_len))
        return;
    rdmap_say(canvas, ", MSN %u, 0x%016" PRIx64, canvas->ddp->msn, data);
    proto_item_append_text(canvas->rdmap_item, " 0x%016" PRIx64, data);
}

static void say_original(struct rdmap_canvas *canvas)
{
    struct rdmap_atomic_response response;

    if (!rdmap_atomic_response_decode(&response, canvas->ddp->payload, canvas->ddp->payload_len))
        return;
    rdmap_say(canvas, ", original value 0x%" PRIx64, response.original);
    proto_item_append_text(canvas->rdmap_item, ", original value 0x%" PRIx64, response.original);
}

/* ---- requests and answers ---- */

static void draw_after(struct rdmap_canvas *canvas, const struct rdmap_op *op)
{
    if (!op->atomic || !op->atomic->atomic_after_known)
        return;
    proto_item_set_generated(
        proto_tree_add_uint64(canvas->rdmap_tree, rdmap_hf.atomic_after, canvas->tvb, 0, 0, op->atomic->atomic_after));
}

static void draw_request(struct rdmap_canvas *canvas, const struct rdmap_op *op)
{
    if (op->answer_frame == 0)
        return;
    rdmap_link(canvas->rdmap_tree, rdmap_hf.response_in, canvas->tvb, op->answer_frame);
    if (op->atomic && op->atomic->atomic_after_known) {
        proto_item_set_generated(proto_tree_add_uint64(canvas->rdmap_tree, rdmap_hf.atomic_original, canvas->tvb, 0, 0,
                                                       op->atomic->atomic_response.original));
        draw_after(canvas, op);
    }
}

static void draw_response(struct rdmap_canvas *canvas, const struct rdmap_op *op)
{
    rdmap_link(canvas->rdmap_tree, rdmap_hf.response_to, canvas->tvb, op->frame);
    if (canvas->ddp->last)
        rdmap_duration(canvas->rdmap_tree, rdmap_hf.time, canvas->tvb, canvas->passed->place.time_ns - op->time_ns);
    if (op->atomic && op->atomic->atomic_after_known) {
        const char *name = rdmap_atomic_name(op->atomic->atomic.opcode);

        draw_after(canvas, op);
        proto_item_append_text(canvas->rdmap_item, ", after %s 0x%" PRIx64, name ? name : "it",
                               op->atomic->atomic_after);
        rdmap_say(canvas, ", after %s 0x%" PRIx64, name ? name : "it", op->atomic->atomic_after);
    }
}

static void operation_draw_links(struct rdmap_canvas *canvas)
{
    const struct rdmap_seg *seg = canvas->seg;
    uint64_t operation = seg ? rdmap_seg_operation(seg) : 0;

    if (operation == 0)
        return;
    proto_item_set_generated(
        proto_tree_add_uint64(canvas->rdmap_tree, rdmap_hf.operation, canvas->tvb, 0, 0, operation));
    switch (canvas->ddp->opcode) {
    case RDMAP_READ_REQUEST:
    case RDMAP_ATOMIC_REQUEST:
        if (seg->answerable)
            draw_request(canvas, seg->op);
        break;
    case RDMAP_READ_RESPONSE:
    case RDMAP_ATOMIC_RESPONSE:
        if (seg->answerable)
            draw_response(canvas, seg->op);
        break;
    case RDMAP_IMMEDIATE:
    case RDMAP_IMMEDIATE_SE:
        rdmap_link(canvas->rdmap_tree, rdmap_hf.after_write, canvas->tvb, seg->more->after_write);
        break;
    default:
        break;
    }
}

void rdmap_draw_operation(struct rdmap_canvas *canvas)
{
    /*
     * A faulty segment may have an opcode in the wrong buffer model: then the part after its header is not what the
     * opcode implies.
     */
    if (!canvas->info || canvas->info->tagged != canvas->ddp->tagged)
        return;
    draw_header(canvas);
    if (!canvas->info->ulp_data && canvas->ddp->lacking > 0)
        rdmap_say(canvas, ", MSN %u [header cut]", canvas->ddp->msn);
    switch (canvas->ddp->opcode) {
    case RDMAP_READ_REQUEST:
        operation_say_read(canvas);
        break;
    case RDMAP_ATOMIC_REQUEST:
        say_atomic(canvas);
        break;
    case RDMAP_ATOMIC_RESPONSE:
        say_original(canvas);
        break;
    case RDMAP_IMMEDIATE:
    case RDMAP_IMMEDIATE_SE:
        say_immediate(canvas);
        break;
    case RDMAP_TERMINATE:
        rdmap_draw_terminate(canvas);
        break;
    default:
        break;
    }
    operation_draw_links(canvas);
}
