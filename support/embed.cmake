# SPDX-License-Identifier: GPL-2.0-or-later
# cmake -DIN=FILE -DOUT=FILE.c -DNAME=identifier -P embed.cmake: a text file as a C string.
file(READ "${IN}" octets HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1, " octets "${octets}")
file(WRITE "${OUT}" "extern const char ${NAME}[];\nconst char ${NAME}[] = {${octets}0};\n")
