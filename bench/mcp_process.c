#define _GNU_SOURCE
#include "mcp_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char** environ;

static pid_t spawn(const char* directory, char* const words[], int input, int output) {
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0) return -1;
    posix_spawn_file_actions_addchdir_np(&actions, directory);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t process = -1;
    const int error = posix_spawnp(&process, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error == 0 ? process : -1;
}

pid_t process_start(const char* directory, char* const words[], int* input, int* output) {
    int to[2];
    int from[2];
    if (pipe2(to, O_CLOEXEC) != 0) return -1;
    if (pipe2(from, O_CLOEXEC) != 0) {
        close(to[0]);
        close(to[1]);
        return -1;
    }
    const pid_t process = spawn(directory, words, to[0], from[1]);
    close(to[0]);
    close(from[1]);
    *input = to[1];
    *output = from[0];
    if (process >= 0) return process;
    close(to[1]);
    close(from[0]);
    return -1;
}

void process_end(pid_t process) {
    kill(process, SIGTERM);
    waitpid(process, NULL, 0);
}

double process_cpu_us(pid_t process) {
    clockid_t clock;
    struct timespec used = {0};
    if (clock_getcpuclockid(process, &clock) == 0) clock_gettime(clock, &used);
    return (double)used.tv_sec * 1e6 + (double)used.tv_nsec / 1e3;
}

// The first number behind a key of one of the process's files in /proc, or 0.
static long number_in(pid_t process, const char* name, const char* format) {
    char path[64];
    char line[256];
    long number = 0;
    snprintf(path, sizeof path, "/proc/%d/%s", process, name);
    FILE* file = fopen(path, "r");
    if (file == NULL) return 0;
    while (number == 0 && fgets(line, sizeof line, file) != NULL) sscanf(line, format, &number);
    fclose(file);
    return number;
}

// Where the share may not be read, as of a child that has given up its rights, the pages of its
// program count for its parent.
static struct process_memory own_memory(pid_t process) {
    const long resident_kb = number_in(process, "status", "VmRSS: %ld");
    const long share_kb = number_in(process, "smaps_rollup", "Pss: %ld");
    const long own_kb = number_in(process, "status", "RssAnon: %ld");
    return (struct process_memory){(double)resident_kb / 1024,
                                   (double)(share_kb > 0 ? share_kb : own_kb) / 1024};
}

struct process_memory process_memory(pid_t process) {
    struct process_memory sum = own_memory(process);
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", process, process);
    FILE* file = fopen(path, "r");
    if (file == NULL) return sum;
    for (int child; fscanf(file, "%d", &child) == 1;) {
        const struct process_memory more = process_memory(child);
        sum.resident_mb += more.resident_mb;
        sum.share_mb += more.share_mb;
    }
    fclose(file);
    return sum;
}
