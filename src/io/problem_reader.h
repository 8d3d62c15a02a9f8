// The parts that problem and impact files share.
#pragma once

#include <string>

#include "carom/contact/problem.h"
#include "io/json_view.h"

namespace carom {

/// Bodies, contacts, rows and scales of a root that has matched its table of keys. Returns what a reader should know of
/// what was taken: normals that were not quite of unit length; else nothing.
std::string read_problem_parts(const JsonView& root, ContactProblem& problem);

}  // namespace carom
