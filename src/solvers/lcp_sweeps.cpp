#include "solvers/lcp_sweeps.h"

#include "solvers/lcp_contact.h"

namespace carom {

void PyramidSweeps::start(const ConeSystem& system, std::span<const Vec3> impulses, int memory) {
  system_ = &system;
  impulses_.assign(impulses.begin(), impulses.end());
  for (std::size_t i = 0; i < impulses_.size(); ++i)
    impulses_[i] = project_on_pyramid(impulses_[i], system.contacts[i].mu);
  restart(memory);
}

void PyramidSweeps::restart(int memory) {
  memory_ = memory;
  carried_ = false;
  system_->velocities_after(impulses_, velocities_);
  if (memory_ == 0) return;
  metric_.clear();
  for (const ConeContact& c : system_->contacts) metric_.insert(metric_.end(), 3, 1 / c.rho);
  begin_.resize(3 * impulses_.size() + 6 * velocities_.size());
  end_.resize(begin_.size());
  acceleration_.start(metric_, begin_.size(), memory_);
  gather(begin_);
}

void PyramidSweeps::sweep() {
  if (carried_) accelerate();
  sweep_pyramids(*system_, impulses_, velocities_);
  carried_ = memory_ > 0;
}

/// From the last sweep's end to where acceleration wants the next one to begin.
void PyramidSweeps::accelerate() {
  gather(end_);
  acceleration_.next(begin_, end_, nullptr);
  std::size_t k = 0;
  for (Vec3& j : impulses_) j = {begin_[k], begin_[k + 1], begin_[k + 2]}, k += 3;
  for (Vec6& v : velocities_)
    for (Real& x : v) x = begin_[k++];
}

void PyramidSweeps::gather(std::vector<Real>& x) const {
  std::size_t k = 0;
  for (const Vec3& j : impulses_) x[k] = j.x, x[k + 1] = j.y, x[k + 2] = j.z, k += 3;
  for (const Vec6& v : velocities_)
    for (const Real component : v) x[k++] = component;
}

Real PyramidSweeps::residual() {
  // Velocities anew from the impulses: acceleration carries them along, and rounding adds up.
  system_->velocities_after(impulses_, fresh_);
  return pyramid_residual(*system_, impulses_, fresh_);
}

}  // namespace carom
