// A server of one tool in plain C: finds the id and the path in a message, opens beneath the
// directory, reads, escapes. No JSON is parsed, nothing is checked, bounded, remembered or
// filtered.
#pragma once

#include <stddef.h>

// No answer is longer.
#define FLOOR_ANSWER_MAX (64 << 10)

// Writes the answer to one message and returns its size; 0: none is due. Ends the process if the
// file cannot be read.
size_t floor_answer(int directory, const char* message, size_t size, char* answer);

// Opened for reading, or the process ends.
int floor_directory(const char* path);
