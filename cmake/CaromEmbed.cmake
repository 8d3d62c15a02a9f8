# Compiles text files into a module, so that the program finds them wherever it is installed.
#
#   carom_embed_texts(io scenes .scene.json)
#
# puts scenes/*.scene.json into the table `embedded_scenes()` that src/io/embedded_texts.h declares, sorted by name.
function(carom_embed_texts module folder suffix)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*${suffix})
  set(output ${PROJECT_BINARY_DIR}/generated/embedded_${folder}.cpp)
  set(script ${PROJECT_SOURCE_DIR}/cmake/embed_texts.cmake)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} "-DFILES=${files}" -DFOLDER=${folder} -DSUFFIX=${suffix} -DOUTPUT=${output} -P ${script}
    DEPENDS ${files} ${script}
    COMMENT "Embedding ${folder}"
    VERBATIM)
  set_source_files_properties(${output} PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
  target_sources(carom_${module} PRIVATE ${output})
endfunction()
