# SPDX-License-Identifier: MIT
# cmake -DFROM=functions.lua -DTO=functions_text.c -DNAME=queue_library -P embed.cmake: a file as a C array, NAME_text with a
# zero behind it, NAME_size and NAME_tag, which tells its contents apart from any other's.
file(READ ${FROM} hex HEX)
file(SHA256 ${FROM} hash)
string(SUBSTRING ${hash} 0 16 tag)
string(LENGTH "${hex}" size)
math(EXPR size "${size} / 2")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
file(WRITE ${TO} "#include <stddef.h>
extern const unsigned char ${NAME}_text[];
extern const size_t ${NAME}_size;
extern const char ${NAME}_tag[];
const size_t ${NAME}_size = ${size};
const char ${NAME}_tag[] = \"${tag}\";
const unsigned char ${NAME}_text[] = {
${bytes}0};
")
