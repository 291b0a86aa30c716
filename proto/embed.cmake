# SPDX-License-Identifier: MIT
# cmake -DFROM=functions.lua -DTO=functions_text.c -P embed.cmake: a file as a C array.
file(READ ${FROM} hex HEX)
string(LENGTH "${hex}" size)
math(EXPR size "${size} / 2")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
file(WRITE ${TO} "#include <stddef.h>
extern const char queue_library_text[];
extern const size_t queue_library_size;
const size_t queue_library_size = ${size};
const char queue_library_text[] = {
${bytes}0};
")
