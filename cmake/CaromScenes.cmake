# Compiles scenes/*.scene.json into a module, so that the program finds them wherever it is installed.
function(carom_embed_scenes module)
  file(GLOB scenes CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/scenes/*.scene.json)
  set(output ${PROJECT_BINARY_DIR}/generated/embedded_scenes.cpp)
  set(script ${PROJECT_SOURCE_DIR}/cmake/embed_scenes.cmake)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} "-DSCENES=${scenes}" -DOUTPUT=${output} -P ${script}
    DEPENDS ${scenes} ${script}
    COMMENT "Embedding the built-in scenes"
    VERBATIM)
  set_source_files_properties(${output} PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
  target_sources(carom_${module} PRIVATE ${output})
endfunction()
