/* SPDX-License-Identifier: MIT */
/* The texts of the codes, from the same list that numbers them. Any thread. */
#include "err.h"

#include <stddef.h>

static const char *const err_texts[] = {[ERR_NONE] = "no error",
#define ERR_CODE(code, text) [ERR_POSITION_##code] = (text),
                                        ERR_CODES(ERR_CODE)
#undef ERR_CODE
};

const char *err_text(int code) {
    const int count = (int)(sizeof err_texts / sizeof err_texts[0]);
    if (code > 0 || code <= -count)
        return "unknown error";
    return err_texts[-code];
}
