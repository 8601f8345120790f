// A configuration of any bytes, and files of agents of any bytes. What is loaded prints as TOML
// again and is confined unless it says otherwise; what is spliced into a file can be set again
// without a change, and taken out again.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "config/load.h"
#include "config/toml.h"
#include "json/splice.h"

namespace {

using namespace paddock;

const std::vector<std::string> kEntry{"servers", "p"};

void check_load(const std::string& text) {
    const config::Source source{.environment = {"HOME=/nonexistent"}, .make_directories = false};
    const auto loaded = config::load_from(source, config::ConfigFile{"/nonexistent/c.toml", text});
    if (!loaded) {
        PADDOCK_CHECK(!loaded.error().empty());
        return;
    }
    for (const config::Item& item : loaded->items) {
        PADDOCK_CHECK(!config::parse_toml("x = " + item.value).wrong);
        PADDOCK_CHECK(item.is_default == (item.from == "default"));
    }
    const bool speaks_of_it = text.find("allow_outside") != text.npos ||
                              text.find('\\') != text.npos;  // an escape in a quoted key
    PADDOCK_CHECK(!loaded->workspace.unconfined || speaks_of_it);
}

void check_toml(const std::string& text) {
    const std::vector<config::TomlEntry> entries{{"command", "\"p\""}, {"args", "[\"a\"]"}};
    const auto set = config::set_entries(text, kEntry, entries);
    if (!set) return;
    PADDOCK_CHECK(config::set_entries(*set, kEntry, entries) == *set);
    const auto removed = config::remove_table(*set, kEntry);
    if (removed) PADDOCK_CHECK(config::remove_table(*removed, kEntry) == *removed);
}

void check_json(const std::string& text) {
    const auto set = json::set_member(text, kEntry, json::Object{{"command", "p"}});
    if (!set) return;
    PADDOCK_CHECK(json::set_member(*set, kEntry, json::Object{{"command", "p"}}).has_value());
    const auto removed = json::remove_member(*set, kEntry);
    PADDOCK_CHECK(removed.has_value());
    PADDOCK_CHECK(json::remove_member(*removed, kEntry) == *removed);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    check_load(text);
    check_toml(text);
    check_json(text);
    return 0;
}
