# What users link: carom::<name>, a library made of whole modules, with the public headers of those modules.
#
#   carom_component(carom MODULES geometry io USES contact LINKS fmt::fmt)
#
# LINKS are libraries that the objects need; their headers never appear in ours.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

function(carom_component name)
  cmake_parse_arguments(ARG "" "" "MODULES;USES;LINKS" ${ARGN})
  set(target carom_component_${name})
  set(objects ${ARG_MODULES})
  list(TRANSFORM objects REPLACE "(.+)" "$<TARGET_OBJECTS:carom_\\1>")
  add_library(${target} ${objects})
  add_library(carom::${name} ALIAS ${target})

  set(headers ${PROJECT_SOURCE_DIR}/include/carom/${name}.h)
  foreach(module IN LISTS ARG_MODULES)
    file(GLOB module_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/carom/${module}/*.h)
    list(APPEND headers ${module_headers})
  endforeach()
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${headers})
  target_compile_features(${target} PUBLIC cxx_std_20)

  list(TRANSFORM ARG_USES REPLACE "(.+)" "carom_component_\\1")
  target_link_libraries(${target} PUBLIC ${ARG_USES} PRIVATE ${ARG_LINKS})
  string(REGEX REPLACE "^carom_carom$" "carom" output carom_${name})
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${name}
    OUTPUT_NAME ${output}
    LINKER_LANGUAGE CXX
    INSTALL_RPATH "$ORIGIN"
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    VERIFY_INTERFACE_HEADER_SETS ${CAROM_BUILD_TESTS})
  set_property(GLOBAL APPEND PROPERTY CAROM_COMPONENTS ${name})
endfunction()

# One export file a component, so that find_package(carom COMPONENTS contact) asks only for what `contact` needs.
function(carom_install_components)
  if(NOT CAROM_INSTALL)
    return()
  endif()
  set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/carom)
  get_property(components GLOBAL PROPERTY CAROM_COMPONENTS)
  foreach(name IN LISTS components)
    install(TARGETS carom_component_${name} EXPORT carom-${name} FILE_SET HEADERS)
    install(EXPORT carom-${name} NAMESPACE carom:: DESTINATION ${package_dir} FILE carom-${name}-targets.cmake)
  endforeach()
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/carom-config.cmake.in
    ${PROJECT_BINARY_DIR}/carom-config.cmake INSTALL_DESTINATION ${package_dir})
  # Before 1.0 a minor version may change the interface.
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/carom-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/carom-config.cmake ${PROJECT_BINARY_DIR}/carom-config-version.cmake
    DESTINATION ${package_dir})
endfunction()
