// The parts that problem and impact files share.
#pragma once

#include "carom/contact/problem.h"
#include "io/json_view.h"

namespace carom {

/// Bodies, contacts, rows and scales of a root that has matched its table of keys.
void read_problem_parts(const JsonView& root, ContactProblem& problem);

}  // namespace carom
