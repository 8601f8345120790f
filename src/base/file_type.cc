#include <paddock/handle.h>

namespace paddock {

std::string_view file_type_name(FileType type) noexcept {
    switch (type) {
        case FileType::kRegular: return "file";
        case FileType::kDirectory: return "directory";
        case FileType::kSymlink: return "symlink";
        case FileType::kFifo: return "fifo";
        case FileType::kSocket: return "socket";
        case FileType::kCharDevice: return "character device";
        case FileType::kBlockDevice: return "block device";
        case FileType::kUnknown: break;
    }
    return "unknown";
}

}  // namespace paddock
