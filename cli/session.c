/* SPDX-License-Identifier: MIT */
/* `susurration session ...`: flocks that live in Redis and are stepped by workers. */
#include "claim.h"
#include "outcome.h"
#include "output.h"
#include "remote.h"
#include "report.h"
#include "stored.h"
#include "timeline.h"

#include <stdio.h>
#include <string.h>

/* --- what a session looks like -------------------------------------------------------------------
 */

static json_t *session_json(const struct session *session) {
    struct mem_buffer text = {0};
    struct jot jot;
    jot_begin(&jot, &text);
    shape_session(&jot, NULL, session, &shape_exact);
    return output_parse(&text);
}

static void session_print(const struct session *session) {
    const struct sim *sim = &session->sim;
    printf("session %s\n", session->id);
    output_line("seed", "%u", session->seed);
    output_line("tick", "%u", sim->tick);
    for (size_t i = 0; i < sim->model->param_count; i++)
        output_line(sim->model->param[i].name, "%g", sim->params.value[i]);
    if (session->change_count > 0)
        output_line("changes", "%zu, the last at tick %u", session->change_count,
                    session->change[session->change_count - 1].tick);
    output_metrics_lines(&session->metrics);
    output_line("state hash", "%016llx", (unsigned long long)sim_hash(sim));
}

static void session_show(const struct args *args, const struct session *session) {
    if (args_flag(args, "json"))
        output_json(session_json(session));
    else
        session_print(session);
}

/* --- create, step, set ---------------------------------------------------------------------------
 */

/* Sends the job and shows the session that comes back. */
static int session_send(const struct args *args, struct remote *remote, struct job *job) {
    struct result result = {0};
    int code = remote_run(remote, job, &result);
    if (code != 0)
        return code;
    code = outcome_exit(&result);
    if (result.status == RESULT_OK && !result.session)
        code = report_infrastructure("a result without its session");
    else if (result.status == RESULT_OK)
        session_show(args, result.session);
    else if (args_flag(args, "json"))
        output_json(outcome_json(&result));
    else
        outcome_complain(&result);
    result_release(&result);
    return code;
}

/* The operand as the session that the job is about. */
static int session_operand(const struct args *args, char *session) {
    size_t length = strlen(args->operand);
    if (!job_id_is_legal(args->operand, length))
        return report_usage(args->command,
                            "a session's id is 1 to 64 characters of A-Z a-z 0-9 . _ -");
    memcpy(session, args->operand, length + 1);
    return 0;
}

static int session_create_run(const struct args *args) {
    struct job job;
    struct remote *remote = NULL;
    int code = claim_read(args, NULL, &job);
    if (code == 0)
        code = remote_open(&remote, args);
    if (code == 0) {
        code = session_send(args, remote, &job);
        remote_close(remote);
    }
    job_release(&job);
    return code;
}

static int session_step_run(const struct args *args) {
    struct job job;
    struct remote *remote = NULL;
    int code = claim_read(args, NULL, &job);
    if (code == 0)
        code = session_operand(args, job.session);
    if (code == 0)
        code = remote_open(&remote, args);
    if (code == 0) {
        code = session_send(args, remote, &job);
        remote_close(remote);
    }
    job_release(&job);
    return code;
}

/* The model is the session's own, so that is looked up first. */
static int session_set_run(const struct args *args) {
    char id[JOB_ID_MAX + 1];
    struct job job = {0};
    struct session session = {0};
    struct remote *remote;
    int code = session_operand(args, id);
    if (code == 0)
        code = remote_open(&remote, args);
    if (code != 0)
        return code;
    code = stored_session(remote, id, &session);
    if (code == 0)
        code = claim_read(args, session.sim.model, &job);
    if (code == 0 && job.params_set == 0)
        code = report_usage(args->command, "nothing to set: name a parameter, as in --%s VALUE",
                            session.sim.model->param[session.sim.model->param_count - 1].name);
    if (code == 0) {
        memcpy(job.session, id, sizeof id);
        code = session_send(args, remote, &job);
    }
    session_release(&session);
    job_release(&job);
    remote_close(remote);
    return code;
}

/* --- show, timeline ------------------------------------------------------------------------------
 */

/* Connects, reads the session that the operand names. Close and release after success. */
static int session_read(const struct args *args, struct remote **remote, struct session *session) {
    char id[JOB_ID_MAX + 1];
    *session = (struct session){0};
    int code = session_operand(args, id);
    if (code == 0)
        code = remote_open(remote, args);
    if (code != 0)
        return code;
    code = stored_session(*remote, id, session);
    if (code != 0) {
        session_release(session);
        remote_close(*remote);
    }
    return code;
}

static int session_show_run(const struct args *args) {
    struct remote *remote;
    struct session session;
    int code = session_read(args, &remote, &session);
    if (code != 0)
        return code;
    session_show(args, &session);
    session_release(&session);
    remote_close(remote);
    return 0;
}

static int session_timeline_run(const struct args *args) {
    struct remote *remote;
    struct session session;
    int code = session_read(args, &remote, &session);
    if (code != 0)
        return code;
    code = timeline_show(args, remote, session.id, session.sim.tick);
    session_release(&session);
    remote_close(remote);
    return code;
}

/* --- the commands --------------------------------------------------------------------------------
 */

static const struct option session_create_options[] = {
    {OPTION_ROW("seed", "N", FIELD, "seed of the flock; without it the worker draws one"),
     .field = "seed"},
    {0},
};
static const struct option_group session_create_group = {"Session", session_create_options};

const struct command command_session_create = {
    .name = "session create",
    .summary = "make a session at tick 0 and show it",
    .text = "A session lives for 24 hours after it was last touched.\n",
    .example = "susurration session create --seed 42 --birds 200\n",
    .kind = JOB_SESSION_CREATE,
    .params = true,
    .group = {&session_create_group, &claim_group_model, &option_group_redis, &option_group_output},
    .run = session_create_run,
};

static const struct option session_step_options[] = {
    {OPTION_ROW("ticks", "N", FIELD, "how far"), .preset = "1", .field = "ticks"},
    {OPTION_ROW("expect-tick", "TICK", FIELD, "only if the session is at that tick"),
     .field = "expect_tick"},
    {0},
};
static const struct option_group session_step_group = {"Step", session_step_options};

const struct command command_session_step = {
    .name = "session step",
    .operand = "ID",
    .summary = "advance a session and show it",
    .example = "susurration session step ID --ticks 100\n",
    .kind = JOB_SESSION_STEP,
    .group = {&session_step_group, &option_group_redis, &option_group_output},
    .run = session_step_run,
};

static const struct option session_set_options[] = {
    {OPTION_ROW("param", "NAME=VALUE", TEXT, "any parameter of the session's model by its name")},
    {0},
};
static const struct option_group session_set_group = {"Parameters", session_set_options};

const struct command command_session_set = {
    .name = "session set",
    .operand = "ID",
    .summary = "change parameters of a session from its tick on",
    .example = "susurration session set ID --cohesion 0.9 --separation 0.1\n",
    .kind = JOB_SESSION_PARAMS,
    .params = true,
    .group = {&session_set_group, &option_group_redis, &option_group_output},
    .run = session_set_run,
};

const struct command command_session_show = {
    .name = "session show",
    .operand = "ID",
    .summary = "show a session; with --json positions and velocities too",
    .example = "susurration session show ID\n",
    .kind = JOB_KINDS,
    .group = {&option_group_redis, &option_group_output},
    .run = session_show_run,
};

const struct command command_session_timeline = {
    .name = "session timeline",
    .operand = "ID",
    .summary = "the metrics of a session, a row a tick",
    .text = "The last 5,000 ticks are kept.\n",
    .example = "susurration session timeline ID\n"
               "susurration session timeline ID --from 0 --to 500 --json\n",
    .kind = JOB_KINDS,
    .group = {&timeline_group, &option_group_redis, &option_group_output},
    .run = session_timeline_run,
};
