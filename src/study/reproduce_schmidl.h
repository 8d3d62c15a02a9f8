// Sections of the report on Schmidl and Milenkovic's contact suite.
#pragma once

#include "study/reproduce.h"

namespace carom {

// Freezing measured: Table 1 and Fig. 6.
void make_schmidl_table(const SectionWork& work, ReportSection& section);

// A few balls: Figs. 3, 4 and 5.
void make_schmidl_office_toy(const SectionWork& work, ReportSection& section);
void make_schmidl_unstable(const SectionWork& work, ReportSection& section);
void make_schmidl_revival(const SectionWork& work, ReportSection& section);

// The limit of bounces c_b in a frozen pile.
void make_schmidl_bounces(const SectionWork& work, ReportSection& section);

}  // namespace carom
