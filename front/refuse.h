/* SPDX-License-Identifier: MIT */
#pragma once
#include "result.h"

struct request;

/* Answers with what is wrong with a result that is not `ok`. */
void refuse_result(struct request *request, const struct result *result);
