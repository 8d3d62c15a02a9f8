// The contact component: problem, solvers, measures. Links no geometry.
#pragma once

#include "carom/base/error.h"
#include "carom/contact/classify.h"
#include "carom/contact/impact.h"
#include "carom/contact/measures.h"
#include "carom/contact/operator.h"
#include "carom/contact/problem.h"
#include "carom/contact/solution.h"
#include "carom/solvers/solver.h"
