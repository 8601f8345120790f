// What a handle has lost, no operation through it and nothing made from it regains.
#include <functional>

#include "escape/in_memory.h"
#include "escape/operations.h"
#include "testing/jail.h"

namespace paddock::testing {
namespace {

using Weaken = std::function<Root(const Root&)>;

class Attenuation : public InMemory {
protected:
    // A directory of its own for an operation, with something for each to work on.
    std::string make_scene() {
        const std::string scene = std::to_string(++scenes_);
        tree({"ROOT/" + scene + "/f=first", "ROOT/" + scene + "/old=text",
              "ROOT/" + scene + "/dir/"});
        return scene;
    }

    // The path at which the operation has its effect on a handle that has lost nothing.
    std::string_view working_path(const Operation& operation) {
        for (const std::string_view path : {"new", "old", "dir"}) {
            if (operation.effect == Effect::kChange && path == "new") continue;
            if (!operation.run(*root().sub_root(make_scene()), path)) return path;
        }
        ADD_FAILURE() << operation.name << " has no effect anywhere";
        return "old";
    }

    // What works on the whole handle is refused by the weakened one and by one below it.
    void expect_lost(Effect effect, const Weaken& weaken) {
        for (const Operation& operation : having(effect)) {
            SCOPED_TRACE(operation.name);
            const std::string_view path = working_path(operation);
            const std::string scene = make_scene();
            const Unchanged watch(ws(scene));
            for (const Root& weak :
                 {weaken(*root().sub_root(scene)), *weaken(root()).sub_root(scene)}) {
                const auto error = operation.run(weak, path);
                EXPECT_EQ(error ? code_name(error->code) : "ok", code_name(Code::kReadOnly));
            }
        }
    }

    void expect_kept(Effect effect, const Weaken& weaken) {
        for (const Operation& operation : having(effect)) {
            for (const char* path : {"new", "old", "dir"}) {
                SCOPED_TRACE(std::string(operation.name) + " " + path);
                const auto whole = operation.run(*root().sub_root(make_scene()), path);
                const auto weak = operation.run(weaken(*root().sub_root(make_scene())), path);
                EXPECT_EQ(whole ? whole->message() : "ok", weak ? weak->message() : "ok");
            }
        }
    }

private:
    int scenes_ = 0;
};

TEST_F(Attenuation, read_only_changes_nothing_and_still_looks) {
    for (const Weaken& weaken :
         {Weaken([](const Root& whole) { return whole.read_only(); }),
          Weaken([](const Root& whole) { return whole.read_only().without_create(); }),
          Weaken([](const Root& whole) { return whole.without_create().read_only(); })}) {
        expect_lost(Effect::kChange, weaken);
        expect_lost(Effect::kCreate, weaken);
        expect_kept(Effect::kNone, weaken);
    }
}

TEST_F(Attenuation, without_create_makes_no_name_and_still_changes) {
    const Weaken weaken = [](const Root& whole) { return whole.without_create(); };
    expect_lost(Effect::kCreate, weaken);
    expect_kept(Effect::kChange, weaken);
    expect_kept(Effect::kNone, weaken);
}

TEST_F(Attenuation, without_create_overwrites_what_exists) {
    tree({"ROOT/f=first", "ROOT/old=text"});
    const Root jail = root().without_create();
    const Status written = jail.write_file("old", "new");
    if (!written && written.error().code == Code::kNotAvailable) {
        GTEST_SKIP() << written.error().message();
    }
    EXPECT_OK(written);
    EXPECT_EQ(os_read(ws("old")), "new");
    EXPECT_OK(jail.append_file("old", " text"));
    EXPECT_EQ(os_read(ws("old")), "new text");
    EXPECT_OK(jail.copy_file("f", "old", true));
    EXPECT_EQ(os_read(ws("old")), "first");
    EXPECT_OK(jail.create("old"));
    EXPECT_EQ(os_list(ws()), (std::vector<std::string>{"f", "old"}));
}

}  // namespace
}  // namespace paddock::testing
