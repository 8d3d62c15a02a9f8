// The scenes that the build compiles into the library: the table is generated from the folder `scenes`.
#pragma once

#include <cstddef>

namespace carom::detail {

struct EmbeddedScene {
  const char* name;
  const char* data;
  std::size_t size;
};

extern const EmbeddedScene kEmbeddedScenes[];
extern const std::size_t kEmbeddedSceneCount;

}  // namespace carom::detail
