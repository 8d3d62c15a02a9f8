// Prints measurements as a table, and as one JSON line each.
#pragma once

#include <iosfwd>
#include <span>
#include <string>

#include "measure.h"

namespace carom::bench {

/// The machine and the code that the figures belong to.
struct Circumstances {
  std::string commit, compiler, cpu, date;
};
Circumstances circumstances();

void print_header(std::ostream& out, const Circumstances& where);
/// One row an engine; the ratio is to Bullet's time where Bullet ran. A time is never printed without its error.
void print_rows(std::ostream& out, std::span<const Measurement> results);
/// One and more threads of Carom on the same scene, with the speed-up over the first.
void print_scaling(std::ostream& out, std::span<const Measurement> results);
void write_json_lines(std::ostream& out, std::span<const Measurement> results, const Circumstances& where);

}  // namespace carom::bench
