// A case's setup as kinds see it, with what is complained of it.
#pragma once

#include <string>

#include "study/kind.h"

namespace carom {

struct CaseSetup {
  explicit CaseSetup(const std::string& text) : document(parse_json(text, "setup").value()) {}
  KindInput input(Real dt = 0.01) { return {"T-1", JsonView(document, error), dt, suite}; }

  JsonDocument document;
  std::string error;
  std::string suite = "sequential";
};

/// What a kind measures; empty where the setup is complained of. Requires a kind of the registry.
inline Measurements measure(const std::string& kind, CaseSetup& setup, Real dt) {
  Measurements out;
  find_kind(kind)->measure(setup.input(dt), out);
  return out;
}

}  // namespace carom
