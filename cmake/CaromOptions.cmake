# Options, and the compiler flags that go with them. Extras are on only where Carom is the project being built, so that
# a project that adds Carom as a subdirectory gets the library and nothing else.
option(BUILD_SHARED_LIBS "Build shared libraries" OFF)
option(CAROM_BUILD_APPS "Build the program `carom`" ${PROJECT_IS_TOP_LEVEL})
option(CAROM_BUILD_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})
option(CAROM_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(CAROM_BUILD_BENCH "Build the benchmark against other engines" OFF)
option(CAROM_BULLET "Build the plug-in for Bullet where Bullet is installed" ${PROJECT_IS_TOP_LEVEL})
option(CAROM_INSTALL "Make rules for installing" ${PROJECT_IS_TOP_LEVEL})
# The replay page is built by node; where there is none, Carom is built without it unless it is asked for.
find_program(CAROM_NODE NAMES node nodejs)
find_program(CAROM_NPM npm)
set(web_by_default OFF)
if(PROJECT_IS_TOP_LEVEL AND CAROM_NODE AND CAROM_NPM AND EXISTS ${PROJECT_SOURCE_DIR}/web)
  set(web_by_default ON)
endif()
option(CAROM_WEB "Build the replay page that `carom run --html` writes; needs node and npm" ${web_by_default})
option(CAROM_WARNINGS_AS_ERRORS "Fail on any warning; our presets set it, yours need not" OFF)
set(CAROM_SANITIZE "" CACHE STRING "Sanitizers to build with: `address;undefined` or `thread`")

if(PROJECT_IS_TOP_LEVEL)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
  endif()
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

  # A faster compiler cache and linker where they are there; without them everything still builds.
  find_program(CAROM_CCACHE ccache)
  if(CAROM_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CAROM_CCACHE})
  endif()
  find_program(CAROM_MOLD mold)
  if(CAROM_MOLD)
    include(CheckCXXCompilerFlag)
    set(CMAKE_REQUIRED_LINK_OPTIONS -fuse-ld=mold)
    check_cxx_compiler_flag("" CAROM_LINKS_WITH_MOLD)
    unset(CMAKE_REQUIRED_LINK_OPTIONS)
    if(CAROM_LINKS_WITH_MOLD)
      add_link_options(-fuse-ld=mold)
    endif()
  endif()
endif()

# Every target, so that a static library can go into somebody's shared one.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_EXTENSIONS OFF)
# Modules compile side by side: an object needs the headers of the modules below, not their objects.
set(CMAKE_OPTIMIZE_DEPENDENCIES ON)

# Flags that the numbers depend on. No fast-math, no contraction of a·b + c, the platform's baseline instruction set, and
# Eigen without vectorisation, so that a run repeats bit for bit on every machine.
add_library(carom_flags INTERFACE)
target_compile_features(carom_flags INTERFACE cxx_std_20)
target_compile_options(carom_flags INTERFACE -ffp-contract=off)
target_compile_definitions(carom_flags INTERFACE EIGEN_DONT_VECTORIZE)

# Left off: -Wconversion objects to every index between signed and unsigned; missing-field-initializers to designated
# initialisers of structs whose other members have defaults; g++ 12's -Wrestrict to sums of strings (its bug 105651).
add_library(carom_warnings INTERFACE)
target_compile_options(carom_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast -Wcast-qual -Wcast-align
  -Wextra-semi -Wfloat-conversion -Wformat=2 -Wimplicit-fallthrough -Wnull-dereference -Wundef -Wunused
  -Wno-missing-field-initializers
  $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond -Wduplicated-branches -Wlogical-op -Wno-restrict>
  $<$<BOOL:${CAROM_WARNINGS_AS_ERRORS}>:-Werror>)
if(CAROM_SANITIZE STREQUAL "thread")
  # In code that g++ has instrumented it no longer sees what checks have ruled out, and reports the standard library.
  target_compile_options(carom_warnings INTERFACE -Wno-null-dereference)
endif()

if(CAROM_SANITIZE)
  list(JOIN CAROM_SANITIZE "," sanitizers)
  set(CAROM_SANITIZE_FLAGS -fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_compile_options(${CAROM_SANITIZE_FLAGS})
  add_link_options(${CAROM_SANITIZE_FLAGS})
endif()
