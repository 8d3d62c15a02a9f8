// Sections of the report on Lin's slides.
#pragma once

#include "study/reproduce.h"

namespace carom {

void make_lin_order(const SectionWork& work, ReportSection& section);
void make_lin_pivoting(const SectionWork& work, ReportSection& section);
void make_lin_laws(const SectionWork& work, ReportSection& section);
void make_lin_energies(const SectionWork& work, ReportSection& section);
void make_lin_ramp(const SectionWork& work, ReportSection& section);
void make_lin_books(const SectionWork& work, ReportSection& section);

}  // namespace carom
