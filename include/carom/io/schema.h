// JSON Schemas (draft 2020-12) of the files that Carom reads, generated from the tables that the readers check against.
#pragma once

#include <string>

namespace carom {

std::string scene_schema();
std::string problem_schema();
std::string impact_schema();
std::string cases_schema();

}  // namespace carom
