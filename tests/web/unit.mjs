// SPDX-License-Identifier: GPL-2.0-or-later
// node unit.mjs WASM: runs a unit test, with the surroundings that the page gives to the checker. There are no files.
// Ends with the exit status of the test; 134: the test trapped.
import fs from "node:fs";
import vm from "node:vm";

const Wasi = vm.runInThisContext(`${fs.readFileSync(new URL("../../web/page/wasi.js", import.meta.url), "utf8")}\nWasi`);
const wasi = new Wasi({ arguments: ["test"], open: () => null, written: (fd, octets) => fs.writeSync(fd, octets) });
try {
    process.exitCode = wasi.run(new WebAssembly.Module(fs.readFileSync(process.argv[2])));
} catch (error) {
    console.error(error);
    process.exitCode = 134;
}
