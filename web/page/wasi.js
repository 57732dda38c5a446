// SPDX-License-Identifier: GPL-2.0-or-later
// The program's environment, WASI (preview 1): files of one folder, clocks, random numbers. The program has access to nothing else.
// For the worker of the page, and for tests with Node.
"use strict";

const WASI_ERRNO = { badf: 8, inval: 28, io: 29, noent: 44, spipe: 70 };
const WASI_KIND = { unknown: 0, folder: 3, file: 4 };

class WasiExit extends Error {
    constructor(status) {
        super(`exit ${status}`);
        this.status = status;
    }
}

// A file that is read: read(at, octets) fills octets up to the end of the file, and returns their number.
// A file that is written is a list of pieces.
class Wasi {
    // options: arguments, environment; open(name): a file {size, read} or null; written(fd, octets): standard output (1) and error (2)
    constructor(options) {
        this.options = options;
        this.outputs = new Map();  // name: {pieces, size}
        this.fds = [{ kind: "input" }, { kind: "output" }, { kind: "output" }, { kind: "folder" }];
        this.encoder = new TextEncoder();
        this.decoder = new TextDecoder();
    }

    get view() {
        return new DataView(this.memory.buffer);
    }

    octets(at, n) {
        return new Uint8Array(this.memory.buffer, at, n);
    }

    // Runs the program, and returns its exit status. Traps are thrown.
    run(module) {
        const calls = {};
        for (const name of Object.getOwnPropertyNames(Wasi.prototype))
            if (/^(args|environ|clock|fd|path|poll|proc|random)_/.test(name))
                calls[name] = this[name].bind(this);
        const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: calls });
        this.memory = instance.exports.memory;
        try {
            instance.exports._start();
        } catch (error) {
            if (error instanceof WasiExit)
                return error.status;
            throw error;
        }
        return 0;
    }

    // The written contents of a file: pieces for a Blob; null: there is no such file.
    output(name) {
        const output = this.outputs.get(name);
        return output ? output.pieces : null;
    }

    // ---- texts ----

    put_sizes(texts, n, size) {
        this.view.setUint32(n, texts.length, true);
        this.view.setUint32(size, texts.reduce((sum, text) => sum + this.encoder.encode(text).length + 1, 0), true);
        return 0;
    }

    put_texts(texts, pointers, at) {
        for (const text of texts) {
            const octets = this.encoder.encode(text);
            this.view.setUint32(pointers, at, true);
            this.octets(at, octets.length + 1).set([...octets, 0]);
            pointers += 4;
            at += octets.length + 1;
        }
        return 0;
    }

    environment() {
        return Object.entries(this.options.environment || {}).map(([name, value]) => `${name}=${value}`);
    }

    args_sizes_get(n, size) { return this.put_sizes(this.options.arguments, n, size); }
    args_get(pointers, at) { return this.put_texts(this.options.arguments, pointers, at); }
    environ_sizes_get(n, size) { return this.put_sizes(this.environment(), n, size); }
    environ_get(pointers, at) { return this.put_texts(this.environment(), pointers, at); }

    // ---- clocks, random numbers, the end ----

    clock_time_get(clock, precision, out) {
        const ms = clock === 0 ? Date.now() : performance.now();
        this.view.setBigUint64(out, BigInt(Math.round(ms * 1e6)), true);
        return 0;
    }

    random_get(at, n) {
        for (let done = 0; done < n; done += 65536)
            crypto.getRandomValues(this.octets(at + done, Math.min(65536, n - done)));
        return 0;
    }

    // Never waits.
    poll_oneoff(subscriptions, events, n, out) {
        this.view.setUint32(out, 0, true);
        return WASI_ERRNO.inval;
    }

    proc_exit(status) { throw new WasiExit(status); }

    // ---- folder ----

    fd_prestat_get(fd, out) {
        if (fd !== 3)
            return WASI_ERRNO.badf;
        this.view.setUint32(out, 0, true);
        this.view.setUint32(out + 4, 1, true);
        return 0;
    }

    fd_prestat_dir_name(fd, at, n) {
        if (fd !== 3 || n < 1)
            return WASI_ERRNO.badf;
        this.octets(at, 1)[0] = "/".charCodeAt(0);
        return 0;
    }

    name(at, n) {
        return this.decoder.decode(this.octets(at, n).slice()).replace(/^(\.?\/)+/, "");
    }

    find(name) {
        const output = this.outputs.get(name);
        return output ? { kind: "file", output } : this.input(name);
    }

    input(name) {
        const input = this.options.open(name);
        return input ? { kind: "file", input, id: name } : null;
    }

    path_open(fd, lookup, at, n, flags, rights, inherited, modes, out) {
        const name = this.name(at, n), create = flags & 1, truncate = flags & 8;
        let file = this.find(name);
        if (create && truncate && !(file && file.input)) {
            const output = { pieces: [], size: 0 };
            this.outputs.set(name, output);
            file = { kind: "file", output };
        }
        if (!file)
            return WASI_ERRNO.noent;
        file.at = 0;
        this.view.setUint32(out, this.fds.push(file) - 1, true);
        return 0;
    }

    path_filestat_get(fd, lookup, at, n, out) {
        const name = this.name(at, n), file = name === "" || name === "." ? { kind: "folder" } : this.find(name);
        if (!file)
            return WASI_ERRNO.noent;
        return this.put_status(file, out, name);
    }

    // ---- files ----

    put_status(file, out, name) {
        const size = file.input ? file.input.size : file.output ? file.output.size : 0;
        let id = 0;
        for (const c of name || "")
            id = (id * 31 + c.codePointAt(0)) >>> 0;
        this.octets(out, 64).fill(0);
        this.view.setBigUint64(out + 8, BigInt(id), true);
        this.view.setUint8(out + 16, WASI_KIND[file.kind] || WASI_KIND.unknown);
        this.view.setBigUint64(out + 32, BigInt(size), true);
        return 0;
    }

    fd_filestat_get(fd, out) {
        return this.fds[fd] ? this.put_status(this.fds[fd], out, this.fds[fd].id) : WASI_ERRNO.badf;
    }

    fd_fdstat_get(fd, out) {
        if (!this.fds[fd])
            return WASI_ERRNO.badf;
        this.octets(out, 24).fill(0);
        this.view.setUint8(out, WASI_KIND[this.fds[fd].kind] || WASI_KIND.unknown);
        this.view.setBigUint64(out + 8, 0xFFFFFFFFn, true);
        this.view.setBigUint64(out + 16, 0xFFFFFFFFn, true);
        return 0;
    }

    fd_fdstat_set_flags(fd) {
        return this.fds[fd] ? 0 : WASI_ERRNO.badf;
    }

    fd_close(fd) {
        if (!this.fds[fd])
            return WASI_ERRNO.badf;
        this.fds[fd] = undefined;
        while (this.fds.length > 4 && !this.fds[this.fds.length - 1])
            this.fds.pop();
        return 0;
    }

    fd_seek(fd, offset, whence, out) {
        const file = this.fds[fd];
        if (!file || !file.input)
            return file ? WASI_ERRNO.spipe : WASI_ERRNO.badf;
        const at = Number(offset) + [0, file.at, file.input.size][whence];
        if (!(at >= 0))
            return WASI_ERRNO.inval;
        file.at = at;
        this.view.setBigUint64(out, BigInt(at), true);
        return 0;
    }

    // Each of the n pieces of memory in a list.
    * pieces(list, n) {
        for (let i = 0; i < n; i++)
            yield this.octets(this.view.getUint32(list + 8 * i, true), this.view.getUint32(list + 8 * i + 4, true));
    }

    read_at(file, list, n, at, out) {
        let all = 0;
        for (const piece of this.pieces(list, n)) {
            const got = file.input ? file.input.read(at + all, piece) : 0;
            all += got;
            if (got < piece.length)
                break;
        }
        this.view.setUint32(out, all, true);
        return all;
    }

    fd_read(fd, list, n, out) {
        const file = this.fds[fd];
        if (!file)
            return WASI_ERRNO.badf;
        file.at = (file.at || 0) + this.read_at(file, list, n, file.at || 0, out);
        return 0;
    }

    fd_pread(fd, list, n, offset, out) {
        if (!this.fds[fd])
            return WASI_ERRNO.badf;
        this.read_at(this.fds[fd], list, n, Number(offset), out);
        return 0;
    }

    fd_write(fd, list, n, out) {
        const file = this.fds[fd];
        let all = 0;
        if (!file || file.kind === "folder" || file.input)
            return WASI_ERRNO.badf;
        for (const piece of this.pieces(list, n)) {
            const copy = piece.slice();
            if (file.output) {
                file.output.pieces.push(copy);
                file.output.size += copy.length;
            } else {
                this.options.written(fd, copy);
            }
            all += copy.length;
        }
        this.view.setUint32(out, all, true);
        return 0;
    }
}
