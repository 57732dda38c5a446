// SPDX-License-Identifier: GPL-2.0-or-later
/* RPC-over-RDMA's questions to its upper layer. */
#include "engine/nfs/binding/binding.h"
#include "tests/unit/support/support.h"

UNIT_TEST(versions_of_programs)
{
    uint32_t low, high;

    assert_true(nfs_program_versions(NFS_PROGRAM, &low, &high));
    assert_int_equal(low, 2);
    assert_int_equal(high, 4);
    assert_true(nfs_program_versions(NFS_PROGRAM_NSM, &low, &high));
    assert_int_equal(low, 1);
    assert_int_equal(high, 1);
    assert_false(nfs_program_versions(1, &low, &high));
}

UNIT_TEST(what_programs_lack)
{
    static const struct {
        struct rpc_message call;
        bool reverse;
        enum nfs_lack lack;
        bool by_rfc;
    } calls[] = {
        {{.prog = NFS_PROGRAM, .vers = 3, .proc = 21}, false, NFS_LACKS_NOTHING, true},
        {{.prog = NFS_PROGRAM, .vers = 3, .proc = 22}, false, NFS_LACKS_PROCEDURE, true},
        {{.prog = NFS_PROGRAM, .vers = 5}, false, NFS_LACKS_VERSION, true},
        {{.prog = NFS_PROGRAM, .vers = 1}, false, NFS_LACKS_VERSION, true},
        {{.prog = NFS_PROGRAM_NLM, .vers = 4, .proc = 24}, false, NFS_LACKS_PROCEDURE, false},
        {{.prog = 1, .vers = 9, .proc = 99}, false, NFS_LACKS_NOTHING, false},
        {{.prog = NFS_PROGRAM_CALLBACK_FIRST, .vers = 1, .proc = 2}, true, NFS_LACKS_PROCEDURE, false},
        {{.prog = NFS_PROGRAM_CALLBACK_FIRST, .vers = 0}, true, NFS_LACKS_VERSION, false},
        {{.prog = NFS_PROGRAM_CALLBACK_FIRST, .vers = 0}, false, NFS_LACKS_NOTHING, false},
    };

    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        bool by_rfc;

        assert_int_equal(nfs_program_lacks(&calls[i].call, calls[i].reverse, &by_rfc), calls[i].lack);
        assert_int_equal(by_rfc, calls[i].by_rfc);
    }
}

UNIT_TEST(who_calls)
{
    assert_true(nfs_calls_back(&(struct rpc_message){.prog = NFS_PROGRAM_CALLBACK_LAST}));
    assert_false(nfs_calls_back(&(struct rpc_message){.prog = NFS_PROGRAM}));
    assert_true(nfs_calls_back(&(struct rpc_message){.prog = NFS_PROGRAM_NLM, .proc = 5}));
    assert_false(nfs_calls_back(&(struct rpc_message){.prog = NFS_PROGRAM_NLM, .proc = 9}));
    assert_false(nfs_calls_back(&(struct rpc_message){.prog = NFS_PROGRAM_NLM, .proc = 15}));
    assert_true(nfs_calls_back(&(struct rpc_message){.prog = NFS_PROGRAM_NSM, .proc = 6}));
}

/* tag "t", minorversion, and what follows */
UNIT_TEST(backchannel)
{
    uint8_t octets[] = {0, 0, 0, 1, 't', 0, 0, 0, 0, 0, 0, 1};
    const struct rpc_message call = {.prog = NFS_PROGRAM_CALLBACK_FIRST, .vers = 1, .proc = 1};
    uint32_t minor;

    assert_true(nfs_is_backchannel(&call, octets, sizeof octets, &minor));
    assert_int_equal(minor, 1);
    assert_false(nfs_is_backchannel(&call, octets, sizeof octets - 1, &minor));
    octets[11] = 0; /* version 4.0 has separate connections of the server */
    assert_false(nfs_is_backchannel(&call, octets, sizeof octets, &minor));
}

/* READ requests octets, as a procedure and in a COMPOUND. */
UNIT_TEST(results)
{
    const struct nfs_operation operations[] = {
        {.index = 0, .op = NFS_OP_PUTFH}, {.index = 1, .op = NFS_OP_READ}, {.index = 2, .op = NFS_OP_READLINK}};
    const struct nfs_value values[] = {{.mark = NFS_MARK_COUNT, .value = 4096, .op = NFS_OP_READ, .op_index = 1}};
    struct nfs_decoded compound = {.procedure = nfs_procedure_find(NFS_PROGRAM, 4, 1),
                                   .operations = operations,
                                   .n_operations = 3,
                                   .values = values,
                                   .n_values = 1};
    struct nfs_decoded getattr = {.procedure = nfs_procedure_find(NFS_PROGRAM, 3, 1)};
    uint64_t octets = 0;

    assert_int_equal(nfs_reducible_results(&compound), 2);
    assert_int_equal(nfs_reducible_results(&getattr), 0);
    assert_true(nfs_result_asked(&compound, 0, &octets));
    assert_int_equal(octets, 4096);
    assert_false(nfs_result_asked(&compound, 1, &octets)); /* a link has no length limit */
    assert_false(nfs_reduces_call(&compound));
    assert_int_equal(nfs_binding_rule(&(struct rpc_message){.prog = NFS_PROGRAM, .vers = 4}, &compound),
                     RULE_NFSULB_6_1_05);
    assert_int_equal(nfs_binding_rule(&(struct rpc_message){.prog = 1}, &(struct nfs_decoded){0}), RULE_COUNT);
}

UNIT_TEST(operations_of_minor_versions)
{
    assert_true(nfs_op_defined(NFS_OP_RENEW, 0, false));
    assert_false(nfs_op_defined(NFS_OP_SEQUENCE, 0, false));
    assert_true(nfs_op_defined(NFS_OP_READ_PLUS, 2, false));
    assert_false(nfs_op_defined(NFS_OP_READ_PLUS, 1, false));
    assert_false(nfs_op_defined(NFS_OP_READ_PLUS, 3, false));
    assert_false(nfs_op_withdrawn(NFS_OP_RENEW, 0));
    assert_true(nfs_op_withdrawn(NFS_OP_RENEW, 1));
    assert_true(nfs_op_needs_no_session(NFS_OP_EXCHANGE_ID, false));
    assert_false(nfs_op_needs_no_session(NFS_OP_READ, false));
    assert_true(nfs_compound_fails_whole(NFS_ERR_MINOR_VERS_MISMATCH));
    assert_false(nfs_compound_fails_whole(1));
}
