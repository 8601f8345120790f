// What a configuration needs of the host: variables that were passed in, and files of the operator.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include <paddock/config.h>

#include "base/outcome.h"

namespace paddock::config {

class Variables {
public:
    explicit Variables(const std::vector<std::string>& environment) : all_(environment) {}

    // Nothing if it is absent or empty.
    std::optional<std::string> find(std::string_view name) const;
    std::vector<std::string> names() const;

    // Of the XDG base directories: $`variable` if it is absolute, else `below` in the home. Empty:
    // there is no home either.
    std::string base_directory(std::string_view variable, std::string_view below) const;

private:
    const std::vector<std::string>& all_;
};

struct ConfigFile {
    std::string path;
    std::string text;
};

// The file that `source` or the environment names, or the one in the usual place; nothing if there
// is none there. Refused: what is no regular file, is owned by somebody else than root and the
// effective user, may be written by others, or is larger than limits::kConfigBytesMax.
tl::expected<std::optional<ConfigFile>, Problem> read_config_file(const std::string& named,
                                                                  const Variables& variables);

// The content of a file that holds one secret, without the line end after it.
Outcome<std::string> read_secret(const std::string& path);

// Does `path` lie in the tree of `directory`, wherever links lead? False if either does not exist.
bool is_below(const std::string& path, const std::string& directory);

}  // namespace paddock::config
