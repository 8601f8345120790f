// The floor on standard input and output, one message a line: mcp_floor_stdio DIRECTORY
// What came by one read is answered by one write.
#define _GNU_SOURCE
#include <string.h>
#include <unistd.h>

#include "mcp_floor.h"

#define INPUT_BYTES (64 << 10)
#define OUTPUT_BYTES (4 * FLOOR_ANSWER_MAX)

static char input[INPUT_BYTES];
static char output[OUTPUT_BYTES];

static int write_all(const char* bytes, size_t size) {
    while (size > 0) {
        const ssize_t written = write(STDOUT_FILENO, bytes, size);
        if (written <= 0) return -1;
        bytes += written;
        size -= (size_t)written;
    }
    return 0;
}

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    const int directory = floor_directory(argv[1]);
    size_t filled = 0;
    for (;;) {
        const ssize_t got = read(STDIN_FILENO, input + filled, sizeof input - filled);
        if (got <= 0) return got == 0 ? 0 : 1;
        filled += (size_t)got;
        size_t begin = 0;
        size_t answered = 0;
        for (char* end; (end = memchr(input + begin, '\n', filled - begin)) != NULL;) {
            const char* message = input + begin;
            const size_t size =
                floor_answer(directory, message, (size_t)(end - message), output + answered);
            if (size > 0) output[answered + size] = '\n';
            answered += size + (size > 0);
            begin = (size_t)(end + 1 - input);
            if (answered < sizeof output - FLOOR_ANSWER_MAX - 1) continue;
            if (write_all(output, answered) != 0) return 1;
            answered = 0;
        }
        if (write_all(output, answered) != 0) return 1;
        filled -= begin;
        memmove(input, input + begin, filled);
    }
}
