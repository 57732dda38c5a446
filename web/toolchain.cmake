# SPDX-License-Identifier: GPL-2.0-or-later
# WebAssembly with WASI, by clang, lld and wasi-libc of Debian.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
# No headers of the building machine except those in web/CMakeLists.txt; web/posix supplies what wasi-libc lacks.
set(CMAKE_C_FLAGS_INIT "--sysroot=/usr -Wno-unused-command-line-argument -nostdlibinc -isystem ${CMAKE_CURRENT_LIST_DIR}/posix -isystem /usr/include/wasm32-wasi")
# The stack is before all data: an overflow traps.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-z,stack-size=1048576,--stack-first")
# Tests are run by Node.
set(CMAKE_CROSSCOMPILING_EMULATOR node ${CMAKE_CURRENT_LIST_DIR}/../tests/web/unit.mjs)
