# A forbidden include must not build, an allowed one must. The project's own CMake files are configured on a copy that
# holds the headers (and the kernels, which CMake compiles by name); a probe with one include is then put into a module
# and that module is built.
file(REMOVE_RECURSE ${WORK_DIR})
file(COPY ${SOURCE_DIR}/CMakeLists.txt ${SOURCE_DIR}/cmake ${SOURCE_DIR}/include DESTINATION ${WORK_DIR}/copy)
file(COPY ${SOURCE_DIR}/src DESTINATION ${WORK_DIR}/copy FILES_MATCHING PATTERN "*.h" PATTERN "*_kernels.cpp")

# module, header, whether the module may include it
set(cases
  "contact carom/math/types.h allowed"
  "contact carom/contact/problem.h allowed"
  "contact carom/solvers/solver.h forbidden"
  "contact carom/dynamics/world.h forbidden"
  "contact carom/geometry/shape.h forbidden"
  "solvers carom/contact/problem.h allowed"
  "solvers carom/geometry/shape.h forbidden"
  "solvers carom/dynamics/world.h forbidden"
  "collision carom/geometry/shape.h allowed"
  "collision carom/contact/problem.h forbidden"
  "geometry carom/dynamics/body.h forbidden"
  "dynamics carom/geometry/shape.h allowed"
  "dynamics carom/solvers/solver.h allowed"
  "dynamics carom/io/scene.h forbidden"
  "base math/trig.h forbidden"
  "math base/thread_pool.h allowed"
  "solvers base/thread_pool.h allowed"
  "base carom/math/types.h forbidden")

foreach(module base math geometry collision contact solvers dynamics io study)
  file(WRITE ${WORK_DIR}/copy/src/${module}/probe.cpp "")
endforeach()
execute_process(
  COMMAND ${CMAKE_COMMAND} -S ${WORK_DIR}/copy -B ${WORK_DIR}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
          -DCAROM_BUILD_APPS=OFF -DCAROM_BUILD_TESTS=OFF -DCAROM_BUILD_EXAMPLES=OFF -DCAROM_BULLET=OFF
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(status)
  message(FATAL_ERROR "The copy does not configure:\n${output}")
endif()

foreach(case IN LISTS cases)
  string(REPLACE " " ";" case "${case}")
  list(GET case 0 module)
  list(GET case 1 header)
  list(GET case 2 verdict)
  file(WRITE ${WORK_DIR}/copy/src/${module}/probe.cpp "#include \"${header}\"\n")
  execute_process(
    COMMAND ${CMAKE_COMMAND} --build ${WORK_DIR}/build --target carom_${module}
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(verdict STREQUAL "allowed" AND status)
    message(FATAL_ERROR "${module} may include ${header}, but that does not build:\n${output}")
  elseif(verdict STREQUAL "forbidden" AND NOT status)
    message(FATAL_ERROR "${module} must not include ${header}, but that builds")
  elseif(verdict STREQUAL "forbidden" AND NOT output MATCHES "${header}[^\n]*(No such file|file not found)")
    message(FATAL_ERROR "${module} with ${header} fails for another reason than the include:\n${output}")
  endif()
  message(STATUS "${module} + ${header}: ${verdict}, as it should be")
  file(WRITE ${WORK_DIR}/copy/src/${module}/probe.cpp "")
endforeach()
