// The ground on which an attack is tried: a workspace, and an outside full of decoys.
//
//   base/ws             the workspace
//   base/outside        decoys: whoever reads or changes one has got out
//   base/ws-evil        more decoys; its name begins like the workspace's
//
// Everything is made by the Ground itself and removed with it. Failures to do so throw
// std::system_error. The plain OS is used throughout: paddock is what is being tried.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <paddock/unique_fd.h>

namespace paddock::cli::prove {

// The content of outside/secret and ws-evil/secret, and the name of one more outside file.
inline constexpr std::string_view kSecret = "decoy-behind-the-fence";

class Ground {
public:
    explicit Ground(std::string base);
    ~Ground();
    Ground(const Ground&) = delete;
    Ground& operator=(const Ground&) = delete;

    std::string ws(std::string_view name = {}) const;
    std::string out(std::string_view name = {}) const;
    const std::string& base() const noexcept { return base_; }

    // Makes the entries, each written as one string; names are relative to the workspace, parents
    // are made:
    //   "d/"        a directory         "f=text"          a file
    //   "l->target" a link, verbatim    "p|"              a FIFO
    //   "f%4755"    sets the mode       "h&../outside/x"  a hard link
    // A leading "@" in a link's target stands for the absolute path of base; "f=@" is a file that
    // holds the secret.
    void plant(const std::vector<std::string_view>& tree) const;

    // Plants a tree again that lies below one directory of the workspace, while others exchange
    // names in there: the old one leaves, and the new one appears, by a single rename.
    void replant(const std::vector<std::string_view>& tree) const;

    // All that can be changed outside: names, kinds, modes, sizes, times and content.
    std::string outside() const;

    // outside/secret, open for reading.
    UniqueFd open_secret() const;

private:
    void plant_in(const std::string& directory, const std::vector<std::string_view>& tree) const;

    std::string base_;
};

}  // namespace paddock::cli::prove
