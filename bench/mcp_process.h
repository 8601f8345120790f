// The server as a process.
#pragma once

#include <sys/types.h>

// In `directory`, with pipes for what it reads and writes; what it says on standard error is lost.
// The process, or -1.
pid_t process_start(const char* directory, char* const words[], int* input, int* output);
void process_end(pid_t process);  // and waits for that

double process_cpu_us(pid_t process);
// Of it and its descendants; 0 if that cannot be told.
double process_resident_mb(pid_t process);
