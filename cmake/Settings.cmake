# How everything is compiled: the standard, the warnings, the hardening, the sanitizers.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

add_library(paddock_settings INTERFACE)
target_compile_options(paddock_settings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Werror
  -fstack-protector-strong -fstack-clash-protection -ftrivial-auto-var-init=zero)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports it wrongly for any "literal" + std::string.
  target_compile_options(paddock_settings INTERFACE -Wno-restrict)
endif()
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  target_compile_options(paddock_settings INTERFACE -fcf-protection=full)
endif()
target_compile_definitions(paddock_settings INTERFACE _GLIBCXX_ASSERTIONS)
target_link_options(paddock_settings INTERFACE -Wl,-z,relro,-z,now,-z,noexecstack)

if(PADDOCK_SANITIZE)
  target_compile_options(paddock_settings INTERFACE
    -fsanitize=${PADDOCK_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(paddock_settings INTERFACE -fsanitize=${PADDOCK_SANITIZE})
else()
  # Needs optimisation, and hides what the sanitizers look for.
  target_compile_options(paddock_settings INTERFACE
    $<$<CONFIG:Release,RelWithDebInfo>:-U_FORTIFY_SOURCE> $<$<CONFIG:Release,RelWithDebInfo>:-D_FORTIFY_SOURCE=3>)
endif()
