// The server as a process.
#pragma once

#include <sys/types.h>

// In `directory`, with pipes for what it reads and writes; what it says on standard error is lost.
// The process, or -1.
pid_t process_start(const char* directory, char* const words[], int* input, int* output);
void process_end(pid_t process);  // and waits for that

double process_cpu_us(pid_t process);

// Of it and its descendants; 0 if that cannot be told. What several have in common counts for each
// of them in resident_mb, and once in share_mb.
struct process_memory {
    double resident_mb;
    double share_mb;
};
struct process_memory process_memory(pid_t process);
