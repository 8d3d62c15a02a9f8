// Everything that Carom offers.
#pragma once

#include "carom/contact.h"
#include "carom/dynamics/world.h"
#include "carom/geometry/shape.h"
#include "carom/io/cases_file.h"
#include "carom/io/impact_file.h"
#include "carom/io/problem_file.h"
#include "carom/io/scene.h"
#include "carom/io/schema.h"
