/* SPDX-License-Identifier: MIT */
/* On the loop. */
#include "body.h"

#include "answer.h"
#include "json_job.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

static void body_refuse_name(struct request *request, const char *name, const char *const *names) {
    char shown[64], known[160] = "";
    text_printable(name, strlen(name), shown, sizeof shown);
    for (size_t used = 0; *names; names++, used = strlen(known))
        (void)snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", *names);
    answer_wrong(request, MHD_HTTP_BAD_REQUEST, "unknown_field", shown,
                 "%s is not known here; there are %s", shown, known);
}

static bool body_has_only(struct request *request, const json_t *body, const char *const *names) {
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)body, name, value) {
        const char *const *known = names;
        while (*known && strcmp(*known, name) != 0)
            known++;
        if (*known)
            continue;
        body_refuse_name(request, name, names);
        return false;
    }
    return true;
}

json_t *body_read(struct request *request, const char *const *names) {
    struct fault fault = {0};
    bool is_empty = request->body.size == 0;
    json_t *body = json_job_parse(is_empty ? "{}" : (const char *)request->body.data,
                                  is_empty ? 2 : request->body.size, &fault);
    if (!body) {
        answer_fault(request, &fault);
        return NULL;
    }
    if (!names || body_has_only(request, body, names))
        return body;
    json_decref(body);
    return NULL;
}

bool body_set(struct request *request, json_t *body, const char *name, json_t *value) {
    if (json_object_set_new(body, name, value) == 0)
        return true;
    answer_no_memory(request);
    return false;
}
