// A file that holds what an experiment ran, or what came of it.
#pragma once

#include <string>

namespace carom {

struct Artifact {
  std::string name, text;
};

}  // namespace carom
