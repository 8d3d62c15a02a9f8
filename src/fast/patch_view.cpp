#include "fast/patch_view.h"

namespace carom::fast {

PatchView view_patch(const Batches& batches, std::size_t place, const Record& record, const BodyView& probe) {
  const std::size_t lanes = batches.lanes;
  const float* lane = batches.batch(place / lanes) + place % lanes;
  const auto at = [&](std::size_t field) { return Real{lane[field * lanes]}; };
  const auto at3 = [&](std::size_t field) { return Vec3{at(field), at(field + 1), at(field + 2)}; };
  PatchView view;
  view.normal = at3(kNormal);
  view.tangent = at3(kTangent);
  view.across = cross(view.normal, view.tangent);
  // The centre as the kernels choose it: the mean over the points across, and the middle of the deepest gap.
  Real least = 0;
  Vec3 arm;
  for (std::size_t i = 0; i < Record::kMaxPoints; ++i) {
    view.x[i] = at(kX + i);
    view.y[i] = at(kY + i);
    view.gap[i] = at(kGap + i);
    view.impulse[i] = {at(kNormalSum + i), at(kTangentSum + i), at(kAcrossSum + i)};
    if (i > 0 && view.gap[i] >= least) continue;
    least = view.gap[i];
    const std::array<float, 4>& local = record.arms[i];
    const Vec3 r = probe.rotation * Vec3{local[0], local[1], local[2]} - Real{record.round} * view.normal;
    arm = r - view.x[i] * view.tangent - view.y[i] * view.across - 0.5 * least * view.normal;
  }
  view.center = probe.center + arm;
  return view;
}

}  // namespace carom::fast
