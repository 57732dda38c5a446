// SPDX-License-Identifier: GPL-2.0-or-later
// node run.mjs WASI.JS WASM: runs the checker of the web page, with the surroundings that the page gives it, once for each line of
// standard input, which is JSON: {"arguments": [...], "environment": {...}, "files": {NAME: PATH}, "outputs": {NAME: PATH}}; the
// outputs "1" and "2" are standard output and error. Writes a line for each: the exit status, or why
// there is none, and the octets of memory at the end.
import fs from "node:fs";
import readline from "node:readline";
import vm from "node:vm";

const Wasi = vm.runInThisContext(`${fs.readFileSync(process.argv[2], "utf8")}\nWasi`);
const module = new WebAssembly.Module(fs.readFileSync(process.argv[3]));

function open(path) {
    const fd = fs.openSync(path);
    return { fd, size: fs.fstatSync(fd).size, read: (at, octets) => fs.readSync(fd, octets, 0, octets.length, at) };
}

function run(job) {
    const said = { 1: [], 2: [] };
    const files = Object.entries(job.files).map(([name, path]) => [name, open(path)]);
    const opened = new Map(files);
    const wasi = new Wasi({
        arguments: ["iwarp-check", ...job.arguments], environment: job.environment, open: (name) => opened.get(name) || null,
        written: (fd, octets) => said[fd].push(octets),
    });
    let status;
    try {
        status = wasi.run(module);
    } catch (error) {
        status = String(error);
    }
    for (const [name, path] of Object.entries(job.outputs))
        fs.writeFileSync(path, Buffer.concat(said[name] || wasi.output(name) || []));
    for (const [, file] of files)
        fs.closeSync(file.fd);
    return [status, wasi.memory.buffer.byteLength];
}

for await (const line of readline.createInterface({ input: process.stdin }))
    console.log(JSON.stringify(run(JSON.parse(line))));
