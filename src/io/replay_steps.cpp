#include "io/replay_steps.h"

#include <algorithm>
#include <limits>

#include "io/replay_bytes.h"

namespace carom::replay {
namespace {

/// More than a screen has columns, even when a plot is enlarged.
constexpr std::size_t kMostRows = 12'000;

}  // namespace

void StepTrack::add(const StepReport& report) {
  if (!report.finite) return;
  const std::array<double, kColumns.size()> row{
      report.time,
      static_cast<double>(report.contacts),
      static_cast<double>(report.active_contacts),
      static_cast<double>(report.frozen),
      1e3 * report.seconds.total,
      1e3 * report.seconds.detect,
      1e3 * (report.seconds.collisions + report.seconds.contacts + report.seconds.positions),
      report.kinetic_energy,
      report.potential_energy,
      report.max_penetration,
      report.residual_coulomb,
      report.residual_model,
      static_cast<double>(report.events),
      static_cast<double>(report.micro_events)};
  Row& stored = rows_.emplace_back();
  std::transform(row.begin(), row.end(), stored.begin(), [](double value) { return static_cast<float>(value); });
}

void StepTrack::finish(std::string& out) {
  const std::size_t bucket = std::max<std::size_t>(1, (2 * rows_.size() + kMostRows - 1) / kMostRows);
  std::array<std::vector<float>, kColumns.size()> columns;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    for (std::size_t begin = 0; begin < rows_.size(); begin += bucket) {
      const std::size_t end = std::min(begin + bucket, rows_.size());
      float low = std::numeric_limits<float>::infinity(), high = -low;
      for (std::size_t i = begin; i < end; ++i) {
        low = std::min(low, rows_[i][c]);
        high = std::max(high, rows_[i][c]);
      }
      columns[c].push_back(low);
      if (bucket > 1) columns[c].push_back(high);
    }
  }
  written_ = columns[0].size();
  std::string content;
  for (const std::vector<float>& column : columns) put_planes(content, std::span<const float>(column));
  append_section(out, "STEP", content);
}

float StepTrack::largest(std::string_view column) const {
  const auto c = static_cast<std::size_t>(std::find(kColumns.begin(), kColumns.end(), column) - kColumns.begin());
  float most = 0;
  for (const Row& row : rows_) most = std::max(most, row[c]);
  return most;
}

}  // namespace carom::replay
