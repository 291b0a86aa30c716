/* SPDX-License-Identifier: MIT */
#include "notify.h"

#include "suite.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* A socket like systemd's, in the abstract namespace. */
static int listen_at(const char *name) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    size_t length = strlen(name);
    memcpy(address.sun_path, name, length);
    address.sun_path[0] = '\0';
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&address,
                          (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length)),
                     0);
    setenv("NOTIFY_SOCKET", name, 1);
    return fd;
}

static int listen_here(void) {
    char name[64];
    (void)snprintf(name, sizeof name, "@susurration-test-%d", (int)getpid());
    return listen_at(name);
}

static void expect(int fd, const char *want) {
    char got[128] = "";
    ssize_t size = recv(fd, got, sizeof got - 1, MSG_DONTWAIT);
    ck_assert_int_eq(size, (ssize_t)strlen(want));
    ck_assert_str_eq(got, want);
}

START_TEST(notify_sends_a_datagram) {
    int fd = listen_here();
    notify_send("READY=1\nSTATUS=running");
    expect(fd, "READY=1\nSTATUS=running");
    close(fd);
}
END_TEST

/* Nobody there, nonsense, too long: nothing happens. */
START_TEST(notify_needs_a_socket) {
    char longer[300];
    unsetenv("NOTIFY_SOCKET");
    notify_send("READY=1");
    memset(longer, '/', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    const char *paths[] = {"", "/", "relative", "/nowhere/at/all", longer};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        setenv("NOTIFY_SOCKET", paths[i], 1);
        notify_send("READY=1");
    }
}
END_TEST

static void run_once(void) {
    uv_loop_t loop;
    uv_timer_t timer;
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    notify_watch(&timer, &loop);
    if (uv_is_active((uv_handle_t *)&timer)) {
        uv_ref((uv_handle_t *)&timer);
        uv_run(&loop, UV_RUN_ONCE);
    }
    uv_close((uv_handle_t *)&timer, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
}

START_TEST(notify_watchdog_only_for_this_process) {
    char pid[16], none[8];
    int fd = listen_here();
    unsetenv("WATCHDOG_PID");
    unsetenv("WATCHDOG_USEC");
    run_once();
    ck_assert_int_lt(recv(fd, none, sizeof none, MSG_DONTWAIT), 0);
    setenv("WATCHDOG_USEC", "4000", 1);
    run_once();
    expect(fd, "WATCHDOG=1");
    setenv("WATCHDOG_PID", "1", 1);
    run_once();
    ck_assert_int_lt(recv(fd, none, sizeof none, MSG_DONTWAIT), 0);
    (void)snprintf(pid, sizeof pid, "%d", (int)getpid());
    setenv("WATCHDOG_PID", pid, 1);
    run_once();
    expect(fd, "WATCHDOG=1");
    setenv("WATCHDOG_USEC", "soon", 1);
    run_once();
    ck_assert_int_lt(recv(fd, none, sizeof none, MSG_DONTWAIT), 0);
    close(fd);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_test(tests, notify_sends_a_datagram);
    tcase_add_test(tests, notify_needs_a_socket);
    tcase_add_test(tests, notify_watchdog_only_for_this_process);
}

int main(void) {
    return suite_run("notify", add, 10);
}
