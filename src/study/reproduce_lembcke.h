// Sections of the report on Lembcke's survey that count iterations.
#pragma once

#include "study/reproduce.h"

namespace carom {

void make_lembcke_persistence(const SectionWork& work, ReportSection& section);
void make_lembcke_shock(const SectionWork& work, ReportSection& section);

}  // namespace carom
