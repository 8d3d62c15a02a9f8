// What the solvers are timed on: contact problems of files, and of built-in scenes at a given time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "carom/contact/problem.h"

namespace carom::bench {

struct Subject {
  std::string name;
  ContactProblem problem;
  /// The problem of the step before, whose impulses are a warm start by contact id. Without one a warm start is the
  /// answer at velocities that are off by a tenth of what gravity adds in a step.
  std::optional<ContactProblem> previous;
};

/// `FILE.problem.json`, or `SCENE@SECONDS` for the contact stage of the step that begins then. Fails with a message.
Subject find_subject(const std::string& name);

/// The subject with bodies at rest frozen: those whose kinetic energy before forces, at velocity − gravity·dt, is less
/// than free fall gives in a step (H. Schmidl, V. Milenkovic 2004, eq. 15). Gravity is along the problem's `down`, or
/// −z.
Subject with_frozen_bodies(const Subject& subject);

}  // namespace carom::bench
