#include "search/found_files.h"

#include <gtest/gtest.h>

namespace paddock::search {
namespace {

using std::chrono::nanoseconds;

void add(FoundFiles& files, std::string_view path, int modified) {
    files.add(FileType::kRegular, nanoseconds(modified), [&](std::string& to) { to += path; });
}

std::string listed(const FoundFiles& files) {
    std::string text;
    for (std::size_t i = 0; i < files.size(); ++i) {
        text.append(files[i].path).append(" ");
    }
    return text;
}

TEST(FoundFiles, of_equal_times_the_first_stays_first_whenever_others_are_forgotten) {
    FoundFiles files;
    add(files, "a", 5);
    add(files, "b", 7);
    add(files, "c", 5);
    files.keep_newest(3);
    EXPECT_EQ(listed(files), "b a c ");
    files.keep_newest(2);
    EXPECT_EQ(listed(files), "b a ");
    add(files, "d", 5);
    add(files, "e", 7);
    files.keep_newest(3);
    EXPECT_EQ(listed(files), "b e a ");
    EXPECT_EQ(files[1].modified, nanoseconds(7));
}

TEST(FoundFiles, appended_ones_come_behind) {
    FoundFiles files;
    FoundFiles later;
    add(files, "a", 1);
    add(later, "bb", 1);
    add(later, "c", 1);
    files.append(FoundFiles(later), 1);
    files.append(FoundFiles(later), 0);
    add(files, "d", 1);
    EXPECT_EQ(listed(files), "a bb d ");
    files.append(std::move(later), 2);
    EXPECT_EQ(listed(files), "a bb d bb c ");
    files.keep_newest(4);
    EXPECT_EQ(listed(files), "a bb d bb ");
}

}  // namespace
}  // namespace paddock::search
