# cmake -DFILES=a.scene.json;b.scene.json -DFOLDER=scenes -DSUFFIX=.scene.json -DOUTPUT=x.cpp -P embed_texts.cmake
# Writes the function embedded_<folder>() that src/io/embedded_texts.h declares. One raw literal a line of the file: the
# compiler joins them in a fraction of the time that an array of character codes would take.
list(SORT FILES)
set(literals "")
set(entries "")
set(count 0)
foreach(file IN LISTS FILES)
  cmake_path(GET file FILENAME name)
  string(LENGTH "${name}" length)
  string(LENGTH "${SUFFIX}" suffix_length)
  math(EXPR length "${length} - ${suffix_length}")
  string(SUBSTRING "${name}" 0 ${length} name)
  file(READ "${file}" text)
  if(text MATCHES "\\)json\"")
    message(FATAL_ERROR "${file} holds the sequence )json\", which would end a raw literal")
  endif()
  string(REPLACE "\n" "\n)json\"\n  R\"json(" text "${text}")
  string(APPEND literals "constexpr char kText${count}[] =\n  R\"json(${text})json\";\n\n")
  string(APPEND entries "    {\"${name}\", {kText${count}, sizeof(kText${count}) - 1}},\n")
  math(EXPR count "${count} + 1")
endforeach()
if(count EQUAL 0)
  set(body "  return {};")
else()
  set(body "  static constexpr EmbeddedText kTexts[] = {\n${entries}  };\n  return kTexts;")
endif()
file(WRITE "${OUTPUT}" "// Generated from ${FOLDER}/ by cmake/embed_texts.cmake.
#include \"io/embedded_texts.h\"

namespace carom::detail {

namespace {

${literals}}  // namespace

std::span<const EmbeddedText> embedded_${FOLDER}() {
${body}
}

}  // namespace carom::detail
")
