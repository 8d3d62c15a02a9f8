// Made-up impacts, for tests of what is written about them.
#pragma once

#include "io/frame.h"
#include "support/random.h"

namespace carom::test {

/// `count` impacts in the step that ends at `time`, evenly spread over its `dt`, of bodies below `bodies`.
inline StepEvents make_step_events(Random& random, Real time, Real dt, int count, int bodies) {
  StepEvents step;
  step.time = time;
  for (int i = 0; i < count; ++i) {
    FrameEvent event;
    event.time = time - dt * (1 - (i + 1.0) / count);
    event.a = random.integer(0, bodies - 1);
    event.b = (event.a + random.integer(1, bodies - 1)) % bodies;
    event.kind = static_cast<EventKind>(random.integer(0, 2));
    event.point = random.vector(3);
    event.normal = random.unit();
    event.impulse = random.uniform(0.1, 2) * event.normal + random.vector(0.05);
    event.approach = random.uniform(0, 5);
    event.energy_loss = random.uniform(-0.1, 1);
    event.mode_count = static_cast<std::uint8_t>(random.integer(0, 5));
    for (std::size_t k = 0; k < event.mode_count; ++k) event.modes[k] = static_cast<ImpactMode>(random.integer(0, 5));
    step.events.push_back(event);
  }
  return step;
}

}  // namespace carom::test
