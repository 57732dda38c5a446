// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/print/print_record.h"

#include "engine/packet/decap.h"
#include "support/json_writer.h"
#include "support/utc.h"
#include "wire/rdmap.h"

#include <glib.h>

static void record_add_number(struct json_writer *writer, const char *name, struct print_number number)
{
    if (number.known)
        json_number(writer, name, (int64_t)number.value);
    else
        json_null(writer, name);
}

void print_record(const struct print_target *target, const struct print_record *record)
{
    const struct place *place = record->place;
    g_autofree gchar *time = utc_text(place->time_ns, 9);
    struct json_writer json, *writer = &json;
    bool to_initiator = record->direction == DIR_TO_INITIATOR;
    char source[ENDPOINT_TEXT_SIZE], destination[ENDPOINT_TEXT_SIZE];

    json_writer_begin(writer, target->out, 0);
    json_begin_object_line(writer, NULL);
    json_string(writer, "type", record->type);
    json_string(writer, "capture", target->file);
    json_number(writer, "connection", target->connection);
    json_number(writer, "frame", place->frame);
    json_string(writer, "time", time);
    json_double(writer, "seconds", (double)(int64_t)((uint64_t)place->time_ns - (uint64_t)target->start_ns) / 1e9);
    json_string(writer, "direction", to_initiator ? "responder-to-initiator" : "initiator-to-responder");
    endpoint_text(to_initiator ? target->responder : target->initiator, source);
    endpoint_text(to_initiator ? target->initiator : target->responder, destination);
    json_string(writer, "source", source);
    json_string(writer, "destination", destination);
    json_string(writer, "layer", record->layer);
    json_string(writer, "operation", record->operation);
    json_string(writer, "operations", record->operations);
    record_add_number(writer, "xid", record->xid);
    record_add_number(writer, "octets", record->octets);
    record_add_number(writer, "octets_read", record->read);
    record_add_number(writer, "octets_write", record->write);
    record_add_number(writer, "octets_reply", record->reply);
    if (record->latency_ns.known)
        json_double(writer, "latency", (double)record->latency_ns.value / 1e9);
    else
        json_null(writer, "latency");
    json_string(writer, "status", record->status);
    json_string(writer, "rule", record->rule);
    json_string(writer, "severity", record->severity);
    json_string(writer, "text", record->text);
    json_end_object(writer);
    json_writer_end(writer);
}

void print_record_startup(const struct print_target *target, enum direction direction,
                          const struct mpa_startup_event *event)
{
    print_record(target, &(struct print_record){.type = "message",
                                                .layer = "mpa",
                                                .operation = event->frame.kind == MPA_REQUEST ? "MPA-REQ" : "MPA-REP",
                                                .direction = direction,
                                                .place = &event->place});
}

void print_record_fpdu(const struct print_target *target, enum direction direction, const struct mpa_fpdu_event *event,
                       uint64_t octets)
{
    const struct rdmap_opcode_info *info = rdmap_opcode_info(event->ddp.opcode);
    struct rdmap_read_request request;

    if (event->ddp.opcode == RDMAP_READ_REQUEST &&
        rdmap_read_request_decode(&request, event->ddp.payload, event->ddp.payload_len))
        octets = request.size;
    print_record(target, &(struct print_record){.type = "message",
                                                .layer = "rdmap",
                                                .operation = info ? info->token : "other",
                                                .direction = direction,
                                                .place = &event->place,
                                                .octets = {true, octets}});
}

void print_record_part(const struct print_target *target, enum direction direction, const char *transport,
                       const struct rdma_part *part)
{
    /* The names are those of iWARP, so that one query fits both. */
    static const char *const names[] = {[RDMA_SEND] = "SEND",
                                        [RDMA_WRITE] = "WRITE",
                                        [RDMA_READ] = "READ-REQ",
                                        [RDMA_READ_RESPONSE] = "READ-RESP",
                                        [RDMA_OTHER] = "other"};
    uint64_t octets = part->kind == RDMA_READ ? part->length : part->offset + part->length;

    print_record(target, &(struct print_record){.type = "message",
                                                .layer = transport,
                                                .operation = part->invalidates ? "SEND-INV" : names[part->kind],
                                                .direction = direction,
                                                .place = &part->place,
                                                .octets = {true, octets}});
}
