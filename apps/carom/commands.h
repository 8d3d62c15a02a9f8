// The commands of the program: each adds itself to the parser, and sets the exit status when it is the one called.
#pragma once

namespace CLI {
class App;
}

namespace carom::program {

/// Exit statuses, as documented in `carom --help`.
inline constexpr int kSuccess = 0;
inline constexpr int kNotMet = 1;    ///< ran, but did not do all that was asked
inline constexpr int kBadInput = 2;  ///< bad file or bad usage
inline constexpr int kFailed = 3;    ///< the simulation itself failed

void add_run(CLI::App& app, int& status);
void add_info(CLI::App& app, int& status);
void add_export(CLI::App& app, int& status);
void add_solve(CLI::App& app, int& status);
void add_impact(CLI::App& app, int& status);
void add_compare(CLI::App& app, int& status);
void add_validate(CLI::App& app, int& status);
void add_reproduce(CLI::App& app, int& status);
void add_list(CLI::App& app);
void add_suites(CLI::App& app);
void add_solvers(CLI::App& app);
void add_schema(CLI::App& app);
void add_help(CLI::App& app);

}  // namespace carom::program
