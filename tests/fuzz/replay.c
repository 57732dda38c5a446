// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs a fuzz target on the named files, for compilers and runs without libFuzzer. */
#include "tests/fuzz/fuzz.h"

enum { INPUT_MAX = 1 << 20 };

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        uint8_t *octets = malloc(INPUT_MAX), *exact;
        size_t n;

        if (!file || !octets) {
            perror(argv[i]);
            free(octets);
            return EXIT_FAILURE;
        }
        n = fread(octets, 1, INPUT_MAX, file);
        fclose(file);
        exact = realloc(octets, n > 0 ? n : 1); /* so that out-of-bounds reads are found */
        LLVMFuzzerTestOneInput(exact, n);
        free(exact);
    }
    printf("%d inputs\n", argc - 1);
    return EXIT_SUCCESS;
}
