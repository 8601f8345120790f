# How everything is compiled: the standard, the warnings, the hardening, the sanitizers.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # What ccache asks for where headers are precompiled.
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_PCH_INSTANTIATE_TEMPLATES OFF)
  add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>
    "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>")
endif()

# Parsing the standard library is most of the time that a small source takes. The first target of a
# kind parses it, the others, compiled alike, take it from there: paddock_precompile(TARGET KIND HEADER...)
function(paddock_precompile target kind)
  if(NOT PADDOCK_PRECOMPILE)
    return()
  endif()
  # g++ 12 forgets that a precompiled header is the system's, and warns of its own std::string.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread
      -Wno-maybe-uninitialized)
  endif()
  get_property(first GLOBAL PROPERTY PADDOCK_PRECOMPILED_${kind})
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
    set_property(GLOBAL PROPERTY PADDOCK_PRECOMPILED_${kind} ${target})
  endif()
endfunction()
set(PADDOCK_STANDARD_HEADERS <algorithm> <chrono> <functional> <map> <memory> <optional> <string>
    <string_view> <vector> <tl/expected.hpp>)

add_library(paddock_settings INTERFACE)
target_compile_options(paddock_settings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Werror
  -fstack-protector-strong -fstack-clash-protection -ftrivial-auto-var-init=zero)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports it wrongly for any "literal" + std::string.
  target_compile_options(paddock_settings INTERFACE -Wno-restrict)
  # Sources are compiled several at a time (CMAKE_UNITY_BUILD), where a class that only one of them has
  # looks like one of a header.
  target_compile_options(paddock_settings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
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
  # Of UBSan, what AddressSanitizer sees too takes a fifth of the compile time; the preset asan has it.
  if(PADDOCK_FUZZ)
    target_compile_options(paddock_settings INTERFACE -fno-sanitize=alignment,null,object-size,vptr)
  endif()
else()
  # Needs optimisation, and hides what the sanitizers look for.
  target_compile_options(paddock_settings INTERFACE
    $<$<CONFIG:Release,RelWithDebInfo>:-U_FORTIFY_SOURCE> $<$<CONFIG:Release,RelWithDebInfo>:-D_FORTIFY_SOURCE=3>)
endif()
