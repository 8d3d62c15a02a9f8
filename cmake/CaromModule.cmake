# One target a module. A module sees its own headers and those of the modules it names, and no others: each module's
# headers are reached through an include root of its own, which holds nothing else.
#
#   carom_module(contact USES math)
#
# builds src/contact/*.cpp into the object library carom_contact, whose headers are "contact/x.h" (internal) and
# "carom/contact/x.h" (public).
function(carom_module name)
  cmake_parse_arguments(ARG "" "" "USES;LIBRARIES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  set(root ${PROJECT_BINARY_DIR}/include_roots/${name})
  file(MAKE_DIRECTORY ${root}/carom)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/${name} ${root}/${name} SYMBOLIC)
  if(EXISTS ${PROJECT_SOURCE_DIR}/include/carom/${name})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/include/carom/${name} ${root}/carom/${name} SYMBOLIC)
  endif()

  add_library(carom_${name} OBJECT ${sources})
  target_include_directories(carom_${name} PUBLIC ${root})
  foreach(used IN LISTS ARG_USES)
    target_link_libraries(carom_${name} PUBLIC carom_${used})
  endforeach()
  target_link_libraries(carom_${name} PUBLIC carom_flags PRIVATE ${ARG_LIBRARIES})
endfunction()
