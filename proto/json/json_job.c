/* SPDX-License-Identifier: MIT */
/*
 * A document goes through msgpack: so there is one decoder of jobs, with one table of fields. Depth
 * is counted before jansson recurses. Any thread.
 */
#include "json_job.h"

#include "text.h"
#include "wire.h"
#include "wire_write.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static_assert(JSON_JOB_DEPTH_MAX <= WIRE_DEPTH_MAX, "what is parsed here can be written there");

/* The deepest nesting of brackets outside strings. */
static unsigned json_job_depth(const char *text, size_t size) {
    unsigned depth = 0, deepest = 0;
    bool quoted = false;
    for (size_t i = 0; i < size; i++) {
        char c = text[i];
        if (quoted && c == '\\')
            i++;
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && (c == '{' || c == '['))
            deepest = ++depth > deepest ? depth : deepest;
        else if (!quoted && (c == '}' || c == ']') && depth > 0)
            depth--;
    }
    return deepest;
}

json_t *json_job_parse(const void *text, size_t size, struct fault *fault) {
    char shown[128];
    json_error_t error;
    if (json_job_depth(text, size) > JSON_JOB_DEPTH_MAX) {
        fault_set(fault, FAULT_MALFORMED, "", "maps and lists are nested more than %u deep",
                  JSON_JOB_DEPTH_MAX);
        return NULL;
    }
    json_t *root = json_loadb(size ? text : "", size, JSON_REJECT_DUPLICATES, &error);
    if (json_is_object(root))
        return root;
    text_printable(error.text, root ? 0 : strlen(error.text), shown, sizeof shown);
    if (root)
        fault_set(fault, FAULT_MALFORMED, "", "the body must be a JSON object");
    else if (json_error_code(&error) == json_error_out_of_memory)
        fault_set(fault, FAULT_NO_MEMORY, "", "no memory for the body");
    else
        fault_set(fault, FAULT_MALFORMED, "", "the body is no JSON: line %d, column %d: %s",
                  error.line, error.column, shown);
    json_decref(root);
    return NULL;
}

/* --- parameters by name --------------------------------------------------------------------------
 */

static bool json_job_same(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool json_job_has_param(const struct model *model, const char *group, const char *name) {
    for (size_t p = 0; p < model->param_count; p++)
        if (json_job_same(model->param[p].group, group) && strcmp(model->param[p].name, name) == 0)
            return true;
    return false;
}

static bool json_job_has_group(const struct model *model, const char *group) {
    for (size_t p = 0; p < model->param_count; p++)
        if (json_job_same(model->param[p].group, group))
            return true;
    return false;
}

/* `path`: of the map that holds it. */
static int json_job_unknown(const struct model *model, const char *path, const char *name,
                            struct fault *fault) {
    char field[FAULT_FIELD_MAX + 1], shown[40];
    text_printable(name, strlen(name), shown, sizeof shown);
    (void)snprintf(field, sizeof field, "%.*s.%s", (int)(sizeof field - sizeof shown - 1), path,
                   shown);
    return fault_set(fault, FAULT_MALFORMED, field, "%s: the model %s has no such parameter", field,
                     model->name);
}

static int json_job_check_params(const struct model *model, const char *path, const json_t *params,
                                 struct fault *fault) {
    const char *name, *inner;
    json_t *value, *ignored;
    json_object_foreach((json_t *)params, name, value) {
        char group[FAULT_FIELD_MAX + 1];
        if (json_job_has_param(model, NULL, name))
            continue;
        if (!json_job_has_group(model, name))
            return json_job_unknown(model, path, name, fault);
        (void)snprintf(group, sizeof group, "%s.%s", path, name);
        json_object_foreach(value, inner, ignored) {
            if (!json_job_has_param(model, name, inner))
                return json_job_unknown(model, group, inner, fault);
        }
    }
    return 0;
}

/* The decoder tells of a model that is not known. */
static const struct model *json_job_model(const json_t *body) {
    const json_t *name = json_object_get(body, "model");
    if (json_is_string(name))
        return model_find(json_string_value(name), json_string_length(name));
    return model_at(MODEL_FLOCK);
}

static int json_job_check_names(const json_t *body, struct fault *fault) {
    const struct model *model = json_job_model(body);
    size_t index;
    json_t *change;
    if (!model)
        return 0;
    int code = json_job_check_params(model, "params", json_object_get(body, "params"), fault);
    json_array_foreach(json_object_get(body, "changes"), index, change) {
        char path[48];
        if (code != 0)
            break;
        (void)snprintf(path, sizeof path, "changes[%zu].params", index);
        code = json_job_check_params(model, path, json_object_get(change, "params"), fault);
    }
    return code;
}

/* --- to msgpack ----------------------------------------------------------------------------------
 */

static void json_job_write(struct wire_writer *writer, const char *key, const json_t *value);

static void json_job_write_members(struct wire_writer *writer, const json_t *map) {
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)map, key, value) {
        json_job_write(writer, key, value);
    }
}

static void json_job_write_list(struct wire_writer *writer, const char *key, const json_t *list) {
    size_t index;
    json_t *value;
    wire_write_list(writer, key, (uint32_t)json_array_size(list));
    json_array_foreach(list, index, value) {
        json_job_write(writer, NULL, value);
    }
}

static void json_job_write(struct wire_writer *writer, const char *key, const json_t *value) {
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        wire_write_open(writer, key);
        json_job_write_members(writer, value);
        wire_write_close(writer);
        break;
    case JSON_ARRAY:
        json_job_write_list(writer, key, value);
        break;
    case JSON_STRING:
        wire_write_text(writer, key, json_string_value(value));
        break;
    case JSON_INTEGER:
        wire_write_int(writer, key, json_integer_value(value));
        break;
    case JSON_REAL:
        wire_write_real(writer, key, json_real_value(value));
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        wire_write_bool(writer, key, json_is_true(value));
        break;
    case JSON_NULL:
        wire_write_nil(writer, key);
        break;
    }
}

int json_job_read(const json_t *body, struct job *job, struct fault *fault) {
    struct mem_buffer bytes = {0};
    struct wire_writer writer;
    *job = (struct job){0};
    if (json_job_check_names(body, fault) != 0)
        return -1;
    wire_write_begin(&writer, &bytes);
    json_job_write_members(&writer, body);
    int code = wire_write_end(&writer);
    if (code != 0)
        code = fault_set(fault, FAULT_NO_MEMORY, "", "no memory for the job");
    else
        code = wire_decode_job(bytes.data, bytes.size, "", job, fault);
    mem_buffer_release(&bytes);
    return code;
}
