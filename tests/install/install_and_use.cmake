set(work ${BUILD_DIR}/install-test)
file(REMOVE_RECURSE ${work})
file(MAKE_DIRECTORY ${work}/notes)

function(must)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(code)
    message(FATAL_ERROR "${ARGN}\n${out}${err}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

set(flags "")
if(SANITIZE)
  set(flags "-fsanitize=${SANITIZE}")
endif()
must(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${work}/prefix)
foreach(file bin/paddock share/man/man1/paddock.1 share/bash-completion/completions/paddock
             share/zsh/site-functions/_paddock share/fish/vendor_completions.d/paddock.fish)
  if(NOT EXISTS ${work}/prefix/${file})
    message(FATAL_ERROR "${file} was not installed")
  endif()
endforeach()
must(${work}/prefix/bin/paddock --version)

must(${CMAKE_COMMAND} -S ${SOURCE_DIR}/examples -B ${work}/build -G Ninja
     -D CMAKE_PREFIX_PATH=${work}/prefix -D CMAKE_CXX_COMPILER=${CXX} "-DCMAKE_CXX_FLAGS=${flags}")
must(${CMAKE_COMMAND} --build ${work}/build)

must(${work}/build/notebook ${work}/notes today.txt "one line")
if(NOT out STREQUAL "one line\n")
  message(FATAL_ERROR "the example printed: ${out}")
endif()

execute_process(COMMAND ${work}/build/notebook ${work}/notes ../escaped.txt "gone"
  RESULT_VARIABLE code ERROR_VARIABLE err)
if(NOT code EQUAL 1 OR NOT err MATCHES "^path_escape: ")
  message(FATAL_ERROR "an escape was answered with ${code}: ${err}")
endif()
if(EXISTS ${work}/escaped.txt)
  message(FATAL_ERROR "the example wrote outside its directory")
endif()
file(REMOVE_RECURSE ${work})
