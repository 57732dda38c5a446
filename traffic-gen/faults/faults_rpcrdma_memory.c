// SPDX-License-Identifier: GPL-2.0-or-later
/* Faults of RDMA operations on the memory that Calls offer: RFC 8166 sections 2.3.2, 3.1, 3.4.3, 3.4.5, 3.4.6, 8.1. */
#include "traffic-gen/faults/fault_rows.h"

#define FIRST                       "with rpcrdma; I call nfs3.null; R reply; "
#define MEMORY(id, summary, script) SCRIPT("rpcrdma", id, NULL, summary, FIRST script)
#define READ_CALL                   "I call nfs3.read count=4096 write; "
#define WRITE_CALL                  "I call nfs3.write len=4096 read; "
#define ASCENDING                                                                                                      \
    " write0.seg0.handle=0x100 write0.seg1.handle=0x200 write0.seg2.handle=0x300 write0.seg3.handle=0x400"             \
    " write0.seg4.handle=0x500 write0.seg5.handle=0x600 write0.seg6.handle=0x700 write0.seg7.handle=0x800"             \
    " write0.seg8.handle=0x900 write0.seg9.handle=0xA00 write0.seg10.handle=0xB00 write0.seg11.handle=0xC00"           \
    " write0.seg12.handle=0xD00 write0.seg13.handle=0xE00 write0.seg14.handle=0xF00 write0.seg15.handle=0x1000"        \
    " write0.seg16.handle=0x1100 write0.seg17.handle=0x1200 write0.seg18.handle=0x1300 write0.seg19.handle=0x1400"     \
    " write0.seg20.handle=0x1500 write0.seg21.handle=0x1600 write0.seg22.handle=0x1700 write0.seg23.handle=0x1800"     \
    " write0.seg24.handle=0x1900 write0.seg25.handle=0x1A00 write0.seg26.handle=0x1B00 write0.seg27.handle=0x1C00"     \
    " write0.seg28.handle=0x1D00 write0.seg29.handle=0x1E00 write0.seg30.handle=0x1F00 write0.seg31.handle=0x2000"
#define END "; I call nfs3.getattr; R reply"

static const struct fault faults[] = {
    /* Before and after the Reply */
    MEMORY("RPCR-2.3.2-02", "the RDMA Write of a READ comes after its Reply", READ_CALL "R reply late-write" END),
    MEMORY("RPCR-2.3.2-02/segments", "two segments are written after the Reply, the last one first",
           "I call nfs3.read count=4096 write=2048+2048; R reply late-write backward" END),
    MEMORY("RPCR-2.3.2-02/long", "a Long Reply is written after its Send",
           "I call nfs3.readdir count=8192 reply; R reply long late-write" END),
    MEMORY("RPCR-2.3.2-02/unused", "an RDMA Write after the Reply of a failed READ",
           READ_CALL "R reply status=5; R put write0.0 len=100" END),
    MEMORY("RPCR-2.3.2-03", "the Reply of a WRITE comes before the Read Response",
           WRITE_CALL "R pull no-answer; R reply early; I give" END),
    MEMORY("RPCR-2.3.2-03/long", "the Reply of a WRITE comes, and the Read Response 20 ms later",
           WRITE_CALL "R pull no-answer; R reply early wait-us=300; I give wait=20" END),
    MEMORY("RPCR-2.3.2-03/soon", "the Reply of a WRITE comes, and the Read Response 1 ms later",
           "I call nfs3.getattr; R reply; " WRITE_CALL
           "R pull no-answer; R reply early wait-us=300; I give wait=1" END),
    SCRIPT("rpcrdma", "RPCR-3.3.1-11", "MPA2-9.1-10", "four RDMA Reads at once from a client that serves two",
           "with rpcrdma irdI=2 ordR=4; I call nfs3.null; R reply; "
           "I call nfs3.write len=4000 read=1000+1000+1000+rest; R pull; R reply" END),
    MEMORY(
        "RPCR-3.4.5-06", "an RDMA Read of memory that the next Call offers",
        "I call nfs3.write len=4096 read; R pull; R reply; R read src=0x2C7A9300 srcto=0x5000 size=4096 sink=0x77A1;"
        "I answer; I call nfs3.write len=4096 read read0.handle=0x2C7A9300 read0.off=0x5000; R get read0; R reply" END),
    MEMORY("RPCR-3.4.5.1-02", "an RDMA Read of the WRITE's data after its Reply",
           WRITE_CALL "R pull; R reply; R get read0" END),
    SCRIPT("rpcrdma", "RPCR-3.4.5.1-02/error", "RPCR-4.5-12", "an RDMA Read after the RDMA_ERROR that answers its Call",
           FIRST WRITE_CALL "R error chunk; R get read0" END),
    SCRIPT("rpcrdma", "RPCR-4.4.1-01", "RPCR-2.3.2-02", "an RDMA Write 3 s after the Reply is accepted",
           FIRST READ_CALL "R reply; R put write0.0 back=0 len=100 wait=3000; I call nfs3.null; R reply" END),
    SCRIPT("rpcrdma", "RPCR-4.4.1-01/read", "RPCR-3.4.5.1-02", "an RDMA Read 3 s after the Reply is answered",
           FIRST WRITE_CALL "R pull; R reply; R get read0 back=0 wait=3000" END),
    SCRIPT("rpcrdma", "RPCR-4.4.1-01/exchange", "RPCR-2.3.2-02", "an RDMA Write after the next Reply is accepted",
           FIRST READ_CALL
           "R reply; I call nfs3.null; R reply; R put write0.0 back=1 len=100; I call nfs3.null; R reply" END),
    SCRIPT("rpcrdma", "RPCR-4.4.1-01+ok", "RPCR-2.3.2-02", "an RDMA Write 3 s after the Reply is refused",
           FIRST READ_CALL "R reply; R put write0.0 back=0 len=100 wait=3000; I term 1/1/00"),
    MEMORY("RPCR-3.4.5.1-01", "half of the data of a WRITE is read, all of it acknowledged",
           WRITE_CALL "R get read0 len=2048; R reply" END),
    MEMORY("RPCR-3.4.5.1-01/none", "a WRITE succeeds although none of its data was read", WRITE_CALL "R reply" END),
    MEMORY("RPCR-3.4.5.1-01/segment", "the second of three segments is not read",
           "I call nfs3.write len=6000 read=2000+2000+rest; R pull only=0; R get read2; R reply" END),
    MEMORY("RPCR-3.4.5.1-01/long", "a Long Call is answered although its second half was not read",
           "I call nfs3.setattr pz=60+rest; R pull only=0; R reply" END),
    /* The wrong side */
    MEMORY("RPCR-3.1-01", "the client sends an RDMA Read Request", "I read size=512; R answer" END),
    MEMORY("RPCR-3.1-01/refused", "the same, refused by the server",
           "I call nfs3.getattr; R reply; I read size=4096; R term 0/1/00"),
    SCRIPT("rpcrdma", "RPCR-4.3.1-04/read", "RPCR-4.3.1-03", "the client reads the Read list of a Reply",
           FIRST "I call nfs3.read count=2000; R reply read; I pull" END),
    MEMORY("RPCR-3.1-02", "the client sends an RDMA Write", "I write len=512" END),
    SCRIPT("rpcrdma", "RPCR-3.1-02/first", NULL, "the client sends an RDMA Write before its first Call",
           "with rpcrdma; I write len=512; I call nfs3.null; R reply" END),
    MEMORY("RPCR-3.1-02/call", "the client writes the data of a WRITE into the server's memory",
           "I write len=1400 to=0x10000; I call nfs3.write len=1400 read; R pull; R reply" END),
    /* Somewhere else */
    MEMORY("RPCR-3.4.3-01", "an RDMA Read over two segments of one STag and the gap between them",
           "I call nfs3.write len=2000 read=1000+rest read0.handle=0x51C70A00 read1.handle=0x51C70A00 read0.off=0x10000"
           " read1.off=0x10800; R get read0 len=3048; I term 0/1/01"),
    MEMORY("RPCR-3.4.3-02", "an RDMA Write for a READ goes to the STag of the READ before",
           READ_CALL "R reply; " READ_CALL "R put write0.0 back=1; R reply" END),
    MEMORY("RPCR-3.4.5-09", "an RDMA Read of twice the length that the read segment has",
           WRITE_CALL "R get read0 len=8192; I term 0/1/01"),
    MEMORY("RPCR-3.4.5-09/before", "an RDMA Read that begins four octets before the segment",
           WRITE_CALL "R get read0 to-4 len=4096; I term 0/1/01"),
    MEMORY("RPCR-3.4.5-09/stag", "an RDMA Read of an STag that no Call offers",
           WRITE_CALL "R get read0 stag+0x300; I term 0/1/00"),
    MEMORY("RPCR-3.4.5-09/write", "an RDMA Read of memory that is offered to be written",
           READ_CALL "R get write0.0; R reply" END),
    MEMORY("RPCR-3.4.5-10", "an RDMA Write of 100 octets into a read segment",
           WRITE_CALL "R pull; R put read0 len=100; R reply" END),
    MEMORY("RPCR-3.4.6-04", "an RDMA Write to an STag that no Call offers",
           READ_CALL "R put write0.0 stag+0x300; I term 1/1/00"),
    MEMORY("RPCR-3.4.6-04/idle", "an RDMA Write while no Call is outstanding", "R write stag=0x77C1A002 len=600" END),
    MEMORY("RPCR-3.4.6-04/early", "an RDMA Write to memory that the next Call offers",
           "R write stag=0x77C1A002 to=0x5000 len=4096; "
           "I call nfs3.read count=4096 write write0.seg0.handle=0x77C1A002 write0.seg0.off=0x5000; R reply" END),
    SCRIPT("rpcrdma", "RPCR-3.4.6-04/error", "RPCR-4.5-12", "an RDMA Write after the RDMA_ERROR that answers its Call",
           FIRST READ_CALL "R error chunk; R put write0.0 len=100" END),
    MEMORY("RPCR-3.4.6-05", "an RDMA Write four octets longer than the segment",
           "I call nfs3.read count=1000 write; R put write0.0 len=1004; I term 1/1/01"),
    MEMORY("RPCR-3.4.6-05/past", "an RDMA Write past the end of the Reply chunk",
           "I call nfs3.readdir reply=4096; R put reply.0 off=4000 len=200; I term 1/1/01"),
    MEMORY("RPCR-3.4.6-05/many", "the last segments of a long RDMA Write are out of bounds",
           "I call nfs3.read count=8192 write; R put write0.0 len=12000; I term 1/1/01"),
    /* Segments */
    MEMORY("RPCR-4.1.2-06", "the offset of a read segment with its low word first",
           WRITE_CALL "R pull; R reply; I call nfs3.write len=4096 read read0.handle=0x39A1C700"
                      " read0.off=0x01F0400000007F3A; R get read0 to=0x00007F3A01F04000; R reply" END),
    MEMORY("RPCR-4.1.2-06/length", "the length of a read segment after its offset",
           "I call nfs3.write len=4096 read read0.handle=0x39A1C700 read0.len=0x00007F3A read0.off=0x01F0400000001000;"
           "R get read0 to=0x00007F3A01F04000 len=4096; R reply" END),
    MEMORY("RPCR-4.1.2-07/length", "the length of a Write chunk's segment after its offset",
           "I call nfs3.read count=65536 write write0.seg0.handle=0x39A1C700 write0.seg0.len=0x00007F3A"
           " write0.seg0.off=0x01F0400000010000; R put write0.0 to=0x00007F3A01F04000 len=65536; R reply nowrite" END),
    MEMORY("RPCR-4.1.2-07", "the offset of a Write chunk's segment with its low word first",
           "I call nfs3.read count=4096 write write0.seg0.handle=0x39A1C700 write0.seg0.off=0x01F0400000007F3A;"
           "R put write0.0 to=0x00007F3A01F04000; R reply nowrite" END),
    MEMORY("RPCR-4.1.2-07/reply", "the same in the Reply chunk",
           "I call nfs3.readdir reply=8192 reply.seg0.handle=0x39A1C700 reply.seg0.off=0x01F0400000007F3A;"
           "R put reply.0 to=0x00007F3A01F04000 len=1200; R reply" END),
    MEMORY("RPCR-4.1.2-17", "a segment of 8192 octets that begins 4096 octets below 2^64",
           "I call nfs3.read count=8192 write write0.seg0.off=0xFFFFFFFFFFFFF000; R reply status=5" END),
    MEMORY("RPCR-8.1.2-01", "32 STags in ascending order",
           "I call nfs3.read count=8192 write=256+256+256+256+256+256+256+256+256+256+256+256+256+256+256+256+256+256"
           "+256+256+256+256+256+256+256+256+256+256+256+256+256+256" ASCENDING "; R reply" END),
    MEMORY("RPCR-8.1.2-02", "every READ offers the same memory",
           "I call nfs3.read count=512 write stag=0x10027701 write0.seg0.off=0x8000; R reply;"
           "I call nfs3.read count=512 write stag=0x10027701 write0.seg0.off=0x8000; R reply;"
           "I call nfs3.read count=512 write stag=0x10027701 write0.seg0.off=0x8000; R reply;"
           "I call nfs3.read count=512 write stag=0x10027701 write0.seg0.off=0x8000; R reply" END),
    /* Send with Invalidate */
    MEMORY(
        "CMPD-4.1-02", "a Reply invalidates the STag of another outstanding Call",
        READ_CALL
        "I call nfs3.read count=100 write write0.seg0.handle=0x5B17C201; R reply inv=0x5B17C201; R reply status=5" END),
    MEMORY("CMPD-4.1-02/none", "a Reply invalidates an STag although its Call has no chunks",
           "I call nfs3.getattr; R reply inv=0x5B17C201" END),
    MEMORY("CMPD-4.1-02/shared", "a Reply invalidates an STag that another outstanding Call offers as well",
           "I call nfs3.read count=100 write stag=0x5B17C201; I call nfs3.read count=100 write stag=0x5B17C201"
           " write0.seg0.off+0x1000; R reply inv=0x5B17C201; R reply status=5" END),
    /* Refused */
    MEMORY("RPCR-3.4.3-03", "the client refuses an RDMA Write within a segment that it offers",
           READ_CALL "R put write0.0; I term 1/1/01"),
    MEMORY("RPCR-3.4.3-03/read", "the client refuses an RDMA Read within a segment that it offers",
           WRITE_CALL "R pull no-answer; I term 0/1/00"),
    MEMORY(
        "RPCR-3.4.3-03+ok", "the last octets of all segments are written and read",
        "I call nfs3.read count=8192 write=4096+4096; R reply; I call nfs3.write len=4095 read; R pull; R reply" END),
    /* RFC 5666 */
    MEMORY("RPCR0-3.5-01", "the client reads the Read chunk of a Reply, and goes on without RDMA_DONE",
           "I call nfs3.read count=2000; R reply read; I pull" END),
    MEMORY("RPCR0-3.5-01/close", "the client reads the Read chunk of a Reply, and closes the connection",
           "I call nfs3.read count=2000; R reply read; I pull; I fin; R fin"),
    MEMORY("RPCR0-3.8-01", "the client reads beyond the Read list of a Reply",
           "I call nfs3.read count=2000; R reply read read0.handle=0x31C70A00 read0.off=0x10000;"
           "I read src=0x31C70A00 srcto=0x10000 size=2100; R answer; I done" END),
};

const struct fault_table rpcrdma_memory_faults = {faults, sizeof faults / sizeof faults[0]};
