// SPDX-License-Identifier: GPL-2.0-or-later
// Runs the program, once for each message {arguments, files, outputs}. It answers with messages {progress}, {said} and, at the end,
// {status, reports} or {trouble}. The page ends this worker to cancel a run: nothing survives a run.
"use strict";

const WINDOW = 1 << 20;  // octets of a capture in memory
const UNPACKED_MOST = 8 * 2 ** 30;

let program;  // a promise of the module

async function load(packed) {
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return WebAssembly.compile(await new Response(stream).arrayBuffer());
}

// The content of a file that was compressed with gzip: the browser keeps it, on disk if it is large. If the compressed data are
// damaged or end too early, the content ends there, and lacks() is called.
async function unpacked(file, lacks) {
    const head = new Uint8Array(await file.slice(0, 2).arrayBuffer());
    let size = 0;
    if (head[0] !== 0x1f || head[1] !== 0x8b)
        return file;
    const pieces = file.stream().pipeThrough(new DecompressionStream("gzip")).getReader();
    const content = new ReadableStream({
        async pull(controller) {
            try {
                const { done, value } = await pieces.read();
                size += done ? 0 : value.length;
                if (size > UNPACKED_MOST)
                    controller.error(new Error("more than 8 GB when decompressed"));
                else if (done)
                    controller.close();
                else
                    controller.enqueue(value);
            } catch (error) {
                if (is_gone(error))
                    throw error;
                lacks();
                controller.close();
            }
        },
    });
    try {
        return await new Response(content).blob();
    } catch (error) {
        if (size > UNPACKED_MOST)
            throw new Error(`${file.name}: more than 8 GB when decompressed`);
        throw error;
    }
}

// The file was written or removed after the user had chosen it.
function is_gone(error) {
    return error.name === "NotReadableError" || error.name === "NotFoundError";
}

// For such a file the browser's own words speak of permissions.
function unreadable(file, error) {
    return is_gone(error)
        ? new Error(`${file.name}: changed or removed on disk after it was chosen: choose the file again`) : error;
}

// Reads a file in pieces, with the only reader that does not wait.
function reader(blob, name) {
    const from = new FileReaderSync();
    let start = 0, held = new Uint8Array(0);
    return {
        size: blob.size,
        read(at, octets) {
            let done = 0;
            while (done < octets.length && at + done < blob.size) {
                const wanted = at + done;
                if (wanted < start || wanted >= start + held.length) {
                    start = wanted;
                    try {
                        held = new Uint8Array(from.readAsArrayBuffer(blob.slice(start, start + WINDOW)));
                    } catch (error) {
                        throw unreadable({ name }, error);
                    }
                }
                const piece = held.subarray(wanted - start, wanted - start + octets.length - done);
                octets.set(piece, done);
                done += piece.length;
            }
            return done;
        },
    };
}

async function run(job) {
    const files = new Map();
    const decoder = new TextDecoder();
    let said = "", out = "", lacking = "";
    for (const { name, file } of job.files) {
        const content = await unpacked(file, () => {
            lacking += `${file.name} ends too early, or its compressed data are damaged: only what could be decompressed was checked\n`;
        }).catch((error) => { throw unreadable(file, error); });
        files.set(name.replace(/^\.\//, ""), reader(content, file.name));
    }
    const wasi = new Wasi({
        arguments: ["iwarp-check", ...job.arguments],
        open: (name) => files.get(name) || null,
        written(fd, octets) {
            const text = decoder.decode(octets);
            if (fd === 1) {
                out += text;
                return;
            }
            said += text;
            const percent = /(\d+)%[^%]*$/.exec(said);
            if (percent)
                postMessage({ progress: Number(percent[1]) });
            said = said.slice(said.lastIndexOf("\r") + 1);
        },
    });
    const status = wasi.run(await program);
    const reports = {};
    for (const name of job.outputs)
        reports[name] = new Blob(wasi.output(name) || []);
    postMessage({ status: lacking ? 2 : status, lacking: lacking !== "", out, said: lacking + said.replace(/^ +/, "").trim(), reports });
}

onmessage = async ({ data }) => {
    if (data.packed) {
        program = load(data.packed);
        return;
    }
    try {
        await run(data);
    } catch (error) {
        postMessage({ trouble: error instanceof WebAssembly.RuntimeError || error instanceof RangeError
            ? `The program ended early: ${error.message}. It may have needed more memory than a page can have.` : error.message });
    }
};
