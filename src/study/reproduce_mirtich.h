// Sections of the report on Mirtich and Canny's impulse-based simulation.
#pragma once

#include <vector>

#include "carom/dynamics/world.h"
#include "study/reproduce.h"

namespace carom {

/// Dynamic bodies, in the order of the scene.
std::vector<BodyHandle> moving_bodies(const World& world);

// Inside one impact: Figs. 3, 5, 6 and 7.
void make_mirtich_phases(const SectionWork& work, ReportSection& section);
void make_mirtich_slips(const SectionWork& work, ReportSection& section);
void make_mirtich_rod(const SectionWork& work, ReportSection& section);
void make_mirtich_paths(const SectionWork& work, ReportSection& section);

// Simulations: Figs. 1, 8, 9, 10 and 11.
void make_mirtich_terrain(const SectionWork& work, ReportSection& section);
void make_mirtich_coins(const SectionWork& work, ReportSection& section);
void make_mirtich_bowling(const SectionWork& work, ReportSection& section);
void make_mirtich_marbles(const SectionWork& work, ReportSection& section);
void make_mirtich_platter(const SectionWork& work, ReportSection& section);

}  // namespace carom
