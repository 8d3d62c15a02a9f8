#include "fast/patch_view.h"

namespace carom::fast {

PatchView view_patch(const Batches& batches, std::size_t place, const Vec3& probe_center) {
  const std::size_t lanes = batches.lanes;
  const float* lane = batches.batch(place / lanes) + place % lanes;
  const auto at = [&](std::size_t field) { return Real{lane[field * lanes]}; };
  const auto at3 = [&](std::size_t field) { return Vec3{at(field), at(field + 1), at(field + 2)}; };
  PatchView view;
  view.normal = at3(kNormal);
  view.tangent = at3(kTangent);
  view.across = cross(view.normal, view.tangent);
  view.center = probe_center + at3(kArm);
  for (std::size_t i = 0; i < Record::kMaxPoints; ++i) {
    view.x[i] = at(kX + i);
    view.y[i] = at(kY + i);
    view.gap[i] = at(kGap + i);
    view.impulse[i] = {at(kNormalSum + i), at(kTangentSum + i), at(kAcrossSum + i)};
  }
  return view;
}

}  // namespace carom::fast
