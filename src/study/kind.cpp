#include "study/kind.h"

#include <algorithm>

namespace carom {

const std::vector<KindInfo>& kind_registry() {
  static const std::vector<KindInfo> registry = [] {
    std::vector<KindInfo> all;
    for (const auto& kinds :
         {impact_kinds(), office_toy_kinds(), free_kinds(), slope_kinds(), pile_kinds(), ball_kinds(), hit_kinds(),
          qp_kinds(), lcp_kinds(), lean_kinds(), hourglass_kinds(), freezing_kinds(), top_kinds(), tip_kinds()})
      all.insert(all.end(), kinds.begin(), kinds.end());
    return all;
  }();
  return registry;
}

const KindInfo* find_kind(std::string_view name) {
  const auto& all = kind_registry();
  const auto found = std::ranges::find(all, name, &KindInfo::name);
  return found != all.end() ? &*found : nullptr;
}

JsonView need(const JsonView& view, std::string_view key) {
  if (auto found = view.find(key)) return *found;
  view.missing(key, "what the kind of case needs");
  return view;
}

}  // namespace carom
