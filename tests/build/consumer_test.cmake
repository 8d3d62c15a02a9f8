# Builds and runs a small project that uses Carom: WAY=package finds an installed copy, WAY=subdirectory adds the sources.
# A file `expected.txt` in the project holds a regular expression that its output must match.
file(REMOVE_RECURSE ${WORK_DIR})

function(run what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  message(STATUS "${what}\n${output}")
  if(status)
    message(FATAL_ERROR "${what} failed with ${status}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

if(WAY STREQUAL "package")
  run("Installing" ${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/prefix)
  file(GLOB installed RELATIVE ${WORK_DIR}/prefix/include ${WORK_DIR}/prefix/include/*)
  if(NOT installed STREQUAL "carom")
    message(FATAL_ERROR "include/ should hold carom/ alone, but holds: ${installed}")
  endif()
  set(where -DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix -DCMAKE_BUILD_TYPE=Release)
else()
  # Without optimisation: what counts here is that it builds, and that is the quicker way.
  set(where -DCAROM_SOURCE_DIR=${SOURCE_DIR} -DCMAKE_BUILD_TYPE=Debug)
endif()

run("Configuring" ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/${CONSUMER} -B ${WORK_DIR}/build -G ${GENERATOR}
  -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} ${where})
run("Building" ${CMAKE_COMMAND} --build ${WORK_DIR}/build)
run("Running" ${WORK_DIR}/build/consumer)
set(expected_file ${CMAKE_CURRENT_LIST_DIR}/${CONSUMER}/expected.txt)
if(EXISTS ${expected_file})
  file(READ ${expected_file} expected)
  string(STRIP "${expected}" expected)
  if(NOT output MATCHES "${expected}")
    message(FATAL_ERROR "The output does not match ${expected_file}:\n${expected}")
  endif()
endif()
