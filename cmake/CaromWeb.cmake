# Builds the pages (replay, comparison) from the folder `web` and compiles them into a module, so that the program writes
# pages that need nothing else. Packages come from npm once, into web/node_modules, which all build folders share; after
# that no build touches the network until web/package-lock.json changes.
function(carom_embed_page module)
  if(NOT CAROM_WEB)
    # Under another name than the page's: switched on later, the page is built, whatever the times of the files say.
    set(output ${PROJECT_BINARY_DIR}/generated/no_replay_template.cpp)
    file(CONFIGURE OUTPUT ${output} @ONLY CONTENT
"#include \"io/replay_template.h\"
namespace carom::replay {
const std::string_view kPageTemplate;
const std::string_view kComparePageTemplate;
}  // namespace carom::replay
")
    target_sources(carom_${module} PRIVATE ${output})
    return()
  endif()
  if(NOT CAROM_NODE OR NOT CAROM_NPM)
    message(FATAL_ERROR "CAROM_WEB is ON, but node or npm was not found. Install node 18 or newer with npm (Debian: "
      "apt-get install nodejs npm), or set CAROM_WEB=OFF and do without the replay page.")
  endif()

  set(output ${PROJECT_BINARY_DIR}/generated/replay_template.cpp)
  set(web ${PROJECT_SOURCE_DIR}/web)
  set(packages ${PROJECT_BINARY_DIR}/generated/web_packages.stamp)
  set(install_script ${PROJECT_SOURCE_DIR}/cmake/install_web_packages.cmake)
  add_custom_command(
    OUTPUT ${packages}
    COMMAND ${CMAKE_COMMAND} -DWEB=${web} -DNPM=${CAROM_NPM} -DSTAMP=${packages} -P ${install_script}
    DEPENDS ${web}/package.json ${web}/package-lock.json ${install_script}
    COMMENT "Installing the packages of the replay page"
    VERBATIM)

  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${web}/src/*)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CAROM_NODE} ${web}/build.mjs ${output}
    DEPENDS ${packages} ${web}/build.mjs ${sources}
    COMMENT "Building the replay page"
    VERBATIM)
  set_source_files_properties(${output} PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
  target_sources(carom_${module} PRIVATE ${output})
endfunction()
