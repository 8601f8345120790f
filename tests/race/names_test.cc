// Renaming, copying and holding on to files whose names change meanwhile.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

#include "race/naive.h"
#include "race/race.h"

namespace paddock::testing {
namespace {

std::string content_of(int fd) {
    std::array<char, 64> buffer;
    const ssize_t size = ::pread(fd, buffer.data(), buffer.size(), 0);
    return std::string(buffer.data(), size < 0 ? 0 : static_cast<std::size_t>(size));
}

ATTACK_F(Race, RACE_27, rename_into_a_directory_that_becomes_an_outward_link) {
    tree({"ROOT/f=inside", "ROOT/d/", "ROOT/l->@/OUT"});
    const Root root = this->root();
    const UniqueFd top = hold(ws());
    const UniqueFd d = hold(ws("d"));
    const auto back = [&] { return ::renameat(d.get(), "f", top.get(), "f") == 0; };
    attack(exchange(ws("d"), ws("l")));
    repeat([&] {
        if (!count(root.rename("f", "d/f"))) return;
        // And out of it again: the outside has no "f", so only the inside one can be found.
        if (!count(root.rename("d/f", "f"))) note_outside(!back());
    });
    verdict({Code::kPathEscape});
    control([&] {
        if (naive::rename(ws(), ws("f"), ws("d/f"))) back();
        return os_exists(out("f"));
    });
}

ATTACK_F(Race, RACE_32, copy_of_a_file_that_becomes_another_one) {
    constexpr std::size_t kBytes = 16384;
    tree({"ROOT/l->@/OUT/large"});
    os_write(ws("f"), std::string(kBytes, 'a'));
    os_write(ws("g"), std::string(kBytes, 'b'));
    os_write(out("large"), std::string(kBytes, 'x'));
    const auto is_whole = [&](const std::optional<std::string>& copy) {
        return copy == std::string(kBytes, 'a') || copy == std::string(kBytes, 'b');
    };
    const Root root = this->root();
    const auto other = exchange(ws("f"), ws("g"));
    const auto link = exchange(ws("f"), ws("l"));
    attack([=] { return other() && link(); });
    // Each copy waits for the disk, which no option of copy_file prevents.
    constexpr std::uint64_t kFewerRounds = 20;
    repeat(
        [&] {
            if (count(root.copy_file("f", "copy", true)))
                note_outside(!is_whole(os_read(ws("copy"))));
        },
        kFewerRounds);
    verdict({Code::kPathEscape});
    control([&] {
        if (!naive::looks_inside(ws(), ws("f"))) return false;
        return os_read(ws("f")) == std::string(kBytes, 'x');
    });
}

ATTACK_F(Race, RACE_33, read_of_a_file_that_becomes_a_fifo) {
    tree({"ROOT/f=inside", "ROOT/p|"});
    const Root root = this->root();
    attack(exchange(ws("f"), ws("p")));
    repeat([&] {
        const auto content = root.read_file("f");
        if (count(content)) note_outside(*content != "inside");
        count(root.open_file("f", {.write = true, .mode = {}}));
    });
    verdict({Code::kNotRegularFile});
    // A reader without O_NONBLOCK would wait for ever where this one finds a FIFO.
    control([&] {
        struct stat found {};
        if (::lstat(ws("f").c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return false;
        const UniqueFd file(::open(ws("f").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
        return ::fstat(file.get(), &found) == 0 && S_ISFIFO(found.st_mode);
    });
}

ATTACK_F(Race, RACE_35, handle_whose_name_goes_to_something_else) {
    tree({"ROOT/d/f=inside", "ROOT/l->@/OUT", "OUT/f=outside"});
    const Root root = this->root();
    attack(exchange(ws("d"), ws("l")));
    repeat([&] {
        auto directory = root.open_directory("d");
        if (count(directory)) {
            const auto again = Root::adopt(std::move(*directory).release(), options_under_test());
            ASSERT_TRUE(again.has_value());
            const auto content = again->read_file("f");
            if (count(content)) note_outside(*content != "inside");
        }
        const auto file = root.open_file("d/f");
        if (count(file)) note_outside(content_of(file->fd()) != "inside");
    });
    verdict({Code::kPathEscape});
    control([&] {
        const UniqueFd first(::open(ws("d").c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
        struct stat found {};
        if (::fstat(first.get(), &found) != 0 || !S_ISDIR(found.st_mode)) return false;
        return os_read(ws("d/f")) == "outside";
    });
}

}  // namespace
}  // namespace paddock::testing
