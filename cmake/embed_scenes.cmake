# cmake -DSCENES=a.scene.json;b.scene.json -DOUTPUT=x.cpp -P embed_scenes.cmake
# Writes the table that src/io/embedded_scenes.h declares, sorted by name. One raw literal a line of the scene: the
# compiler joins them in a fraction of the time that an array of character codes would take.
list(SORT SCENES)
set(literals "")
set(entries "")
set(count 0)
foreach(scene IN LISTS SCENES)
  cmake_path(GET scene FILENAME name)
  string(REGEX REPLACE "\\.scene\\.json$" "" name "${name}")
  file(READ "${scene}" text)
  if(text MATCHES "\\)json\"")
    message(FATAL_ERROR "${scene} holds the sequence )json\", which would end a raw literal")
  endif()
  string(REPLACE "\n" "\n)json\"\n  R\"json(" text "${text}")
  string(APPEND literals "constexpr char kScene${count}[] =\n  R\"json(${text})json\";\n\n")
  string(APPEND entries "  {\"${name}\", kScene${count}, sizeof(kScene${count}) - 1},\n")
  math(EXPR count "${count} + 1")
endforeach()
if(count EQUAL 0)
  set(entries "  {nullptr, nullptr, 0},\n")
endif()
file(WRITE "${OUTPUT}" "// Generated from scenes/ by cmake/embed_scenes.cmake.
#include \"io/embedded_scenes.h\"

namespace carom::detail {

namespace {

${literals}}  // namespace

const EmbeddedScene kEmbeddedScenes[] = {
${entries}};
const std::size_t kEmbeddedSceneCount = ${count};

}  // namespace carom::detail
")
