# One target a module. A module sees its own headers and those of the modules it names, and no others: each module's
# headers are reached through an include root of its own, which holds nothing else.
#
#   carom_module(contact USES math LIBRARIES Eigen3::Eigen)
#
# builds src/contact/*.cpp into the object library carom_contact, whose headers are "contact/x.h" (internal) and
# "carom/contact/x.h" (public). LIBRARIES are for the module's own sources; EXPOSES also for those of its users.
function(carom_module name)
  cmake_parse_arguments(ARG "" "" "USES;LIBRARIES;EXPOSES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.h)
  set(root ${PROJECT_BINARY_DIR}/include_roots/${name})
  file(MAKE_DIRECTORY ${root}/carom)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/${name} ${root}/${name} SYMBOLIC)
  if(EXISTS ${PROJECT_SOURCE_DIR}/include/carom/${name})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/include/carom/${name} ${root}/carom/${name} SYMBOLIC)
  endif()

  add_library(carom_${name} OBJECT ${sources} ${headers})
  set_target_properties(carom_${name} PROPERTIES CAROM_USES "${ARG_USES}" LINKER_LANGUAGE CXX)
  target_include_directories(carom_${name} PUBLIC ${root})
  list(TRANSFORM ARG_USES PREPEND carom_)
  target_link_libraries(carom_${name} PUBLIC ${ARG_USES} ${ARG_EXPOSES} carom_flags PRIVATE ${ARG_LIBRARIES} carom_warnings)
endfunction()

# The module and everything it uses, directly or not. An object library hands on include paths but not objects, so whoever
# links a module has to name all of these.
function(carom_module_closure result name)
  get_target_property(uses carom_${name} CAROM_USES)
  set(closure ${name})
  foreach(used IN LISTS uses)
    carom_module_closure(nested ${used})
    list(APPEND closure ${nested})
  endforeach()
  list(REMOVE_DUPLICATES closure)
  set(${result} ${closure} PARENT_SCOPE)
endfunction()

# For what stands above the library (the program, the benchmark, long tests): the public interface and the module `study`,
# whose own needs are met by carom::carom. Internal headers of other modules stay out of reach.
function(carom_link_study target)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:carom_study>)
  target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/include_roots/study)
  target_link_libraries(${target} PRIVATE carom::carom nlohmann_json::nlohmann_json fmt::fmt carom_flags carom_warnings)
endfunction()
