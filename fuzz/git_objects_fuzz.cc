// Bytes as an index, a delta, a loose object or a pack of git. Nothing crashes, costs more than its
// budget or yields an object over the bound.
#include <stdlib.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "base/check.h"
#include "git/objects.h"
#include "testing/git_pack.h"

namespace {

using namespace paddock;
using namespace paddock::git;

constexpr std::uint64_t kBudget = std::uint64_t{8} << 20;
constexpr unsigned kObjects = 8;

// The directory of objects that every run writes anew.
class Store {
public:
    Store() {
        const char* parent = std::getenv("TMPDIR");
        path_ = std::string(parent != nullptr ? parent : "/tmp") + "/paddock-fuzz-XXXXXX";
        PADDOCK_CHECK(mkdtemp(path_.data()) != nullptr);
        std::filesystem::create_directories(path_ + "/objects/pack");
        std::filesystem::create_directories(path_ + "/objects/00");
    }
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;
    ~Store() { std::filesystem::remove_all(path_); }

    // The first object of these is the loose one.
    void read(std::string_view loose, const testing::ForgedPack& forged) const {
        write("00/" + std::string(38, '0'), loose);
        write("pack/p.pack", forged.pack);
        write("pack/p.idx", forged.index);
        const Root root = Root::open(path_).value().linkless();
        WorkBudget budget(kBudget);
        ObjectStore objects(root, "objects", budget);
        for (unsigned i = 0; i < kObjects; ++i) {
            const auto content = objects.blob({0, static_cast<std::uint8_t>(i)});
            PADDOCK_CHECK(!content || content->size() <= kObjectBytesMax);
        }
    }

private:
    void write(const std::string& name, std::string_view bytes) const {
        std::ofstream(path_ + "/objects/" + name, std::ios::binary) << bytes;
    }

    std::string path_;
};

std::string_view take(std::string_view& bytes, std::size_t size) {
    const std::string_view taken = bytes.substr(0, size);
    bytes.remove_prefix(taken.size());
    return taken;
}

unsigned take_byte(std::string_view& bytes) {
    const std::string_view taken = take(bytes, 1);
    return taken.empty() ? 0 : static_cast<std::uint8_t>(taken.front());
}

void read_index(std::string_view bytes) {
    WorkBudget budget(kBudget);
    const auto index = Index::parse(bytes, budget);
    if (!index) return;
    PADDOCK_CHECK(budget.left() <= kBudget);
    (void)index->find("a");
    (void)index->find(bytes.substr(bytes.size() / 2));
}

void read_loose(const Store& store, std::string_view bytes) {
    const bool is_stream = take_byte(bytes) % 2 == 0;
    store.read(is_stream ? testing::deflated(bytes) : std::string(bytes), {});
}

// Objects of any type, deltas of the one before by offset or of any by id; then a few bytes of the
// two files are changed.
void read_pack(const Store& store, std::string_view bytes) {
    std::vector<testing::PackedObject> objects;
    const unsigned changes = take_byte(bytes) % 4;
    std::string_view changed = take(bytes, changes * std::size_t{4});
    for (unsigned i = 0; i < kObjects && !bytes.empty(); ++i) {
        testing::PackedObject object{.id = {0, static_cast<std::uint8_t>(i)}};
        object.type = take_byte(bytes) % 8;
        if (object.type == 6) object.base = take(bytes, 2);
        if (object.type == 7) {
            object.base = std::string(20, '\0');
            object.base[1] = static_cast<char>(take_byte(bytes) % kObjects);
        }
        object.content = take(bytes, take_byte(bytes));
        objects.push_back(std::move(object));
    }
    auto forged = testing::forge_pack(objects);
    while (!changed.empty()) {
        std::string& file = take_byte(changed) % 2 == 0 ? forged.index : forged.pack;
        const std::size_t at = (take_byte(changed) << 8U | take_byte(changed)) % file.size();
        file[at] = static_cast<char>(take_byte(changed));
    }
    store.read({}, forged);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Store store;
    std::string_view bytes(reinterpret_cast<const char*>(data), size);
    switch (take_byte(bytes) % 4) {
        case 0: read_index(bytes); break;
        case 1: {
            const std::string_view base = take(bytes, take_byte(bytes));
            const auto built = apply_delta(base, bytes);
            PADDOCK_CHECK(!built || built->size() <= kObjectBytesMax);
            break;
        }
        case 2: read_loose(store, bytes); break;
        default: read_pack(store, bytes);
    }
    return 0;
}
