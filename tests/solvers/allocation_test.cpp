// No memory is asked for per iteration: a solver that iterates longer allocates no more often.
#include <atomic>
#include <cstdlib>
#include <new>

#include "solvers/solving.h"
#include "support/slow_build.h"

namespace {
std::atomic<long> allocations{0};
}

#if !CAROM_SLOW_BUILD  // sanitizers have operators of their own
void* operator new(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  const auto align = static_cast<std::size_t>(alignment);
  if (void* memory = std::aligned_alloc(align, (size + align - 1) / align * align)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
#endif

namespace carom {
namespace {

long allocations_of(const ContactProblem& problem, const char* name, double iterations, test::Words words) {
  const auto solver = test::make_solver(name, {{"tolerance", 0}, {"iterations", iterations}}, words);
  ContactSolution solution;
  solver->solve(problem, {}, solution);  // takes the memory that it keeps
  const long before = allocations.load();
  solver->solve(problem, {}, solution);
  return allocations.load() - before;
}

struct Method {
  const char* name;
  test::Words words;
};

TEST(Allocations, DoNotDependOnTheNumberOfIterations) {
#if CAROM_SLOW_BUILD
  GTEST_SKIP() << "allocations are not counted in this build";
#endif
  test::Random random(3);
  const ContactProblem problem = test::random_problem(random, 400, 10);
  const Method methods[] = {{"sequential", {}},
                            {"qp", {{"cone", "pyramid"}}},
                            {"qp", {{"cone", "exact"}}},
                            {"exact", {}},
                            {"lcp", {{"method", "pgs"}}}};
  for (const Method& method : methods) {
    const long few = allocations_of(problem, method.name, 2000, method.words);
    const long many = allocations_of(problem, method.name, 20000, method.words);
    // A stage that only the longer run comes to may take its memory, once.
    EXPECT_LE(many, few + 10) << method.name;
    RecordProperty(method.name, static_cast<int>(few));
  }
}

TEST(Allocations, ASecondCallNeedsNone) {
#if CAROM_SLOW_BUILD
  GTEST_SKIP() << "allocations are not counted in this build";
#endif
  // 80 contacts at rest: beyond what goes by dense matrices.
  const ContactProblem problem = test::cube_stack(20, 0.5);
  for (const char* name : {"sequential", "pairwise", "pq", "qp", "exact"}) {
    const auto solver = test::make_solver(name);
    ContactSolution solution;
    solver->solve(problem, {}, solution);
    const long before = allocations.load();
    solver->solve(problem, {}, solution);
    EXPECT_EQ(allocations.load() - before, 0) << name;
  }
}

}  // namespace
}  // namespace carom
