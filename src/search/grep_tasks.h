// The tasks of a grep: some files of a directory, one file, a part of a large one.
#pragma once

#include <memory>
#include <string>

#include <paddock/handle.h>

#include "search/ordered_work.h"
#include "search/tree_walk.h"

namespace paddock::search {

class GrepRun;

std::unique_ptr<Task> batch_task(GrepRun& run, Batch batch);
std::unique_ptr<Task> file_task(GrepRun& run, Handle file, std::string path);

// Appends one task for each part of the file.
void add_part_tasks(GrepRun& run, Handle file, std::string path, Task::List& tasks);

}  // namespace paddock::search
