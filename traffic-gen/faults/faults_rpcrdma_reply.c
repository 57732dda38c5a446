// SPDX-License-Identifier: GPL-2.0-or-later
/* Faults of Replies: chunks returned, what is in them, how long it is: RFC 8166 sections 3.4.6, 3.5.3, 4.3; RFC 8267.
 */
#include "traffic-gen/faults/fault_rows.h"

#define FIRST                      "with rpcrdma; I call nfs3.null; R reply; "
#define REPLY(id, summary, script) SCRIPT("rpcrdma", id, NULL, summary, FIRST script END)
#define READ_CALL                  "I call nfs3.read count=4096 write; "
#define TWO_SEGMENTS               "I call nfs3.read count=8192 write=4096+4096; "
#define DIR_CALL                   "I call nfs3.readdir count=8192 reply=8192; "
#define OF41                       "I call nfs41.compound ops=sequence,putfh,"
#define SESSION                                                                                                        \
    "with nfs; I call nfs41.compound ops=exchange_id; R reply; I call nfs41.compound ops=create_session; R reply; "
#define REPLY41(id, summary, script) SCRIPT("nfs41", id, NULL, summary, SESSION script)
#define END                          "; I call nfs3.getattr; R reply"

/* More Write chunks than a server has to take (RFC 8267 section 6.4.2). */
#define CHUNKS41(id, summary, script) SCRIPT("nfs41", id, "NFSULB-6.4.2-02", summary, SESSION script)
#define CHUNKS40(id, summary, script) SCRIPT("nfs40", id, "NFSULB-6.4.2-02", summary, FIRST script END)
/* A Reply chunk that would not have been needed (section 4.3.3). */
#define SPARE(id, summary, script) SCRIPT("rpcrdma", id, "RPCR-4.3.3-02", summary, FIRST script END)

static const struct fault faults[] = {
    /* Lists */
    REPLY("RPCR-3.1-03", "a Reply with a Write chunk of the server's, where none was offered",
          "I call nfs3.getattr; R reply list=1"),
    REPLY("RPCR-4.3.1-03", "a READ's data is offered in a Read list", "I call nfs3.read count=2000; R reply read"),
    CHUNKS40("RPCR-4.3.2-01", "one of two Write chunks is missing in the Reply",
             "I call nfs40.compound ops=putfh,read:100,read:100 write=100/100; R reply status=5 results=2 list=1"),
    REPLY("RPCR-4.3.2-01/more", "a Write chunk more than the Call has", READ_CALL "R reply list=2"),
    CHUNKS40("RPCR-4.3.2-01/order", "two Write chunks change places in the Reply",
             "I call nfs40.compound ops=putfh,read:100,read:100 write=100/100; R reply swap"),
    REPLY("RPCR-4.3.2.3-01", "a READ without Write list is answered with one",
          "I call nfs3.read count=100; R reply list=1"),
    REPLY("RPCR-4.3.2.3-03", "an empty Write chunk is returned with a segment",
          "I call nfs40.compound ops=putfh,read:100 write=-; R reply segs=1 write0.seg0.len=0"),
    CHUNKS40("RPCR-4.3.2.3-03/missing", "an empty Write chunk among others is missing in the Reply",
             "I call nfs40.compound ops=putfh,read:100,readlink,read:100 write=100/-/100; R reply drop-empty"),
    REPLY("RPCR-3.4.6-06", "one of two segments of a Write chunk is missing in the Reply",
          TWO_SEGMENTS "R reply len=4000 segs=1"),
    REPLY("RPCR-3.4.6-06/failed", "the Write chunk of a failed NFSv3 READ is returned without segments",
          TWO_SEGMENTS "R reply status=5 empty"),
    REPLY("RPCR-3.4.6-07", "a returned segment has handle and offset 0",
          READ_CALL "R reply write0.seg0.handle=0 write0.seg0.off=0"),
    REPLY("RPCR-3.4.6-07/offset", "the offset of a returned segment points past the data",
          READ_CALL "R reply len=1000 write0.seg0.off+1000"),
    /* Lengths */
    REPLY("RPCR-3.4.6-08", "100 octets are read, the segment's length stays as it was",
          READ_CALL "R reply len=100 write0.seg0.len=4096"),
    REPLY("RPCR-3.4.6-08/more", "a returned segment is longer than the one offered",
          READ_CALL "R reply write0.seg0.len=4100"),
    REPLY("RPCR-3.4.6-10", "4096 octets are returned in the second of two segments",
          TWO_SEGMENTS "R put write0.1; R reply nowrite len=4096 write0.seg0.len=0 write0.seg1.len=4096"),
    REPLY("RPCR-3.4.6-10/half", "both segments are half filled",
          TWO_SEGMENTS "R put write0.0 len=2048; R put write0.1 len=2048; R reply nowrite len=4096 write0.seg0.len=2048"
                       " write0.seg1.len=2048"),
    REPLY("RPCR-3.4.6-10/hole", "the data is written 64 octets into the segment",
          READ_CALL "R put write0.0 off=64 len=1000; R reply nowrite len=1000"),
    REPLY("RPCR-3.4.6-11", "4096 octets are RDMA Written, 2048 returned",
          READ_CALL "R put write0.0; R reply nowrite len=2048"),
    REPLY("RPCR-3.4.6-11/fewer", "half of what is returned is RDMA Written",
          READ_CALL "R put write0.0 len=2048; R reply nowrite"),
    REPLY("RPCR-3.4.6-11/none", "4096 octets are RDMA Written, none returned", READ_CALL "R reply write0.seg0.len=0"),
    REPLY("RPCR-3.4.1-02", "a READ returns 4096 octets in a Write chunk that nothing is written to",
          READ_CALL "R reply nowrite"),
    REPLY("RPCR-3.4.1-02/inline", "a READ without Write list whose data is nowhere",
          "I call nfs3.read count=2000; R reply lose=0"),
    REPLY("RPCR-3.4.6.2-02", "the roundup of five octets is RDMA Written, too",
          "I call nfs3.read count=100 write; R put write0.0 len=8; R reply nowrite len=5"),
    REPLY("RPCR-3.4.6.2-02/returned", "the roundup is RDMA Written and returned",
          "I call nfs3.read count=100 write; R reply len=97 pad"),
    REPLY("RPCR-3.4.6.2-03", "five octets are returned with a length of eight",
          "I call nfs3.read count=100 write; R reply len=5 write0.seg0.len=8"),
    REPLY("RPCR-3.4.6.2-03/fewer", "the length returned is less than the result's",
          READ_CALL "R put write0.0 len=3000; R reply nowrite len=4000 write0.seg0.len=3000"),
    /* What is in which chunk */
    REPLY("RPCR-4.3.2-03", "a READ's data comes inline although a Write chunk was offered",
          "I call nfs3.read count=1000 write; R reply inline"),
    REPLY("RPCR-4.3.2-03/no-list", "the same without a Write list in the Reply",
          "I call nfs3.read count=1000 write; R reply inline list=0"),
    SPARE("RPCR-3.5.3-10", "a READ's data comes in the Reply chunk although a Write chunk was offered",
          "I call nfs3.read count=8192 write reply=16384; R reply inline long"),
    REPLY("RPCR-4.3.2.2-01", "a failed READ returns 1000 octets of data",
          READ_CALL "R put write0.0 len=1000; R reply status=5 write0.seg0.len=1000"),
    REPLY("RPCR-4.3.2.2-03", "a failed READ returns the lengths as they were offered",
          TWO_SEGMENTS "R reply status=5 write0.seg0.len=4096 write0.seg1.len=4096"),
    REPLY("RPCR-4.3.2.2-03/segment", "a failed READ returns the length of one segment as it was offered",
          TWO_SEGMENTS "R reply status=5 write0.seg1.len=4096"),
    CHUNKS41("RPCR-4.3.2.1-02", "two READs' data in the Write chunks of each other",
             OF41 "read:4096,read:4096 write=4096/4096; R put write0.0 len=200; R put write1.0 len=100; R reply"
                  " op2.len=100 op3.len=200 nowrite write0.seg0.len=200 write1.seg0.len=100"),
    CHUNKS41("RPCR-3.4.6-09", "two READs' data in one Write chunk",
             OF41 "read:1000,read:1000 write=4096/1000; R reply join"),
    CHUNKS41("RPCR-3.4.6-09/spread", "one READ's data in two Write chunks",
             OF41 "read:2000,readlink write=2000/2000; R reply spread op3.status=5 only=1"),
    CHUNKS41("RPCR-4.3.2.3-02", "a link's text in the next Write chunk, its own being empty",
             OF41 "read:100,readlink,read:100 write=100/-/1024; R reply skip-empty only=2"),
    CHUNKS41("NFSULB-6.4.1-02", "a READ's data in the second Write chunk, the first unused",
             OF41 "read:1000,readlink write=1000/1000; R reply first=1 op3.status=5"),
    REPLY41("NFSULB-6.4.1-03", "a READ's data inline although a Write chunk was offered",
            OF41 "read:1000 write; R reply inline"),
    CHUNKS41("NFSULB-6.4.1-04", "a link's text, with an empty Write chunk, is nowhere",
             OF41 "read:100,readlink write=100/-; R reply lose=1"),
    REPLY41("NFSULB-6.4.1-05", "a failed READ returns the lengths as they were offered",
            OF41 "read:8192 write=2048+2048+2048+2048; R reply status=5 write0.seg0.len=2048 write0.seg1.len=2048"
                 " write0.seg2.len=2048 write0.seg3.len=2048"),
    REPLY41("NFSULB-6.4.1-06", "a second READ's data in the only Write chunk, after that of the first",
            OF41 "read:1000,read:1000 write=4096; R reply join"),
    REPLY41("NFSULB-6.4.1-06/lost", "a second READ's data, without Write chunk, is nowhere",
            OF41 "read:1000,read:1000 write=1000; R reply lose=1"),
    CHUNKS41("NFSULB-6.4.3-01", "with an empty second Write chunk, the third result comes inline",
             OF41 "read:100,readlink,read:100 write=100/-/100; R reply only=2"),
    /* Reply chunk */
    REPLY("RPCR-3.5.3-12", "a Long Reply to a Call without Reply chunk", "I call nfs3.getattr; R reply long"),
    REPLY("RPCR-3.5.3-12/invented", "a Long Reply in a Reply chunk that was not offered",
          "I call nfs3.getattr; R reply long reply-segs=1"),
    REPLY("RPCR-3.5.3-14", "an inline Reply returns 120 octets in the Reply chunk",
          DIR_CALL "R reply reply.seg0.len=120"),
    REPLY("RPCR-4.2.4-05", "a Long Reply whose Reply chunk has length 0",
          DIR_CALL "R reply long nowrite reply.seg0.len=0"),
    SPARE("RPCR-4.2.4-05/absent", "a Long Reply with a Write list and without Reply chunk",
          "I call nfs3.read count=4096 write reply=1024; R reply long nowrite status=5 no-reply-chunk"),
    REPLY("RPCR-4.3.3-04", "the Reply chunk of a Long Reply has another STag",
          DIR_CALL "R reply long reply.seg0.handle+1"),
    REPLY("RPCR-4.3.3-04/segments", "the Reply chunk of a Long Reply has one segment of two",
          "I call nfs3.readdir count=8192 reply=4096+4096; R reply long reply-segs=1"),
    REPLY("RPCR-4.3.3-05", "a Long Reply of fewer octets than its Reply chunk's length says",
          DIR_CALL "R reply long entries=20 reply.seg0.len=8192"),
    REPLY("RPCR-4.3.3-05/fewer", "a Long Reply of more octets than its Reply chunk's length says",
          DIR_CALL "R reply long entries=20 reply.seg0.len-100"),
    REPLY("RPCR-4.3.3-05/more", "the Reply chunk is returned longer than it was offered",
          DIR_CALL "R reply long reply.seg0.len=8200"),
    REPLY("RPCR-4.3.3-06", "a Reply with a Reply chunk that was not offered",
          "I call nfs3.getattr; R reply reply-segs=1 reply.seg0.len=0"),
    REPLY("RPCR-4.3.3-07", "a Long Reply is written 64 octets into the Reply chunk",
          DIR_CALL "R put reply.0 off=64 len=400; R reply long nowrite reply.seg0.len=400"),
    REPLY("RPCR-4.2.1-02", "the RPC Reply in the Reply chunk has another XID",
          DIR_CALL "R reply long rpc.xid=0x11223344"),
    /* RFC 5666, RFC 5667 */
    REPLY("RPCR0-3N-02", "a failed NFSv4 READ returns its Write chunk without segments",
          "I call nfs40.compound ops=putfh,read:4096 write; R reply status=5 empty"),
    REPLY("RPCR0-5N-05", "a READ with a Write chunk of length 0 is answered with an error",
          "I call nfs3.read count=1000 write=0; R reply accept=5"),
};

const struct fault_table rpcrdma_reply_faults = {faults, sizeof faults / sizeof faults[0]};
