#include "field.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "carom/dynamics/suite.h"
#include "study/scene_lookup.h"

namespace carom::bench {
namespace {

/// The suites for everyday use.
constexpr const char* kMainSuites[] = {"fast", "sequential", "exact"};

/// A suite of Carom, and the largest number of moving bodies that it is meant for.
struct SuiteLimit {
  const char* name;
  std::size_t most_bodies;
};
constexpr SuiteLimit kSuiteLimits[] = {{"schmidl", 1000}, {"bender", 500},   {"guendelman", 1000},
                                       {"lcp", 20},       {"penalty", 1000}, {"mirtich", 100}};
constexpr std::size_t kFewBodies = 50;  // a second thread has nothing to do below

std::size_t count_dynamic(const Scene& scene) {
  return static_cast<std::size_t>(
      std::ranges::count_if(scene.bodies, [](const SceneBody& body) { return body.def.type == BodyType::Dynamic; }));
}

bool is_main(const std::string& suite) { return std::ranges::find(kMainSuites, suite) != std::end(kMainSuites); }

bool can_freeze(const std::string& suite) {
  return std::ranges::any_of(find_suite(suite)->options,
                             [](const OptionSpec& spec) { return spec.name == "freezing"; });
}

bool suits(const std::string& suite, std::size_t bodies) {
  return std::ranges::none_of(
      kSuiteLimits, [&](const SuiteLimit& limit) { return limit.name == suite && bodies > limit.most_bodies; });
}

Contender carom(const std::string& suite, int threads, const std::vector<std::string>& shown,
                std::vector<std::string> set) {
  std::string variant = fmt::format("{} {}", threads, threads == 1 ? "thread" : "threads");
  for (const std::string& entry : shown) variant += ", " + entry;
  return {"Carom " + suite, CAROM_VERSION,
          variant,          "",
          threads,          [suite, threads, set = std::move(set)] { return make_carom(suite, threads, set); }};
}

void add_all_of_carom(const Scene& scene, const Field& field, std::vector<Contender>& out) {
  const std::size_t bodies = count_dynamic(scene);
  for (const std::string& suite : field.suites) {
    if (!suits(suite, bodies)) continue;
    for (const int threads : field.threads)
      if (threads == field.threads.front() || (is_main(suite) && bodies >= kFewBodies))
        out.push_back(carom(suite, threads, {}, field.set));
    if (!field.freezing || !is_main(suite) || !can_freeze(suite) || squared_norm(scene.gravity) == 0) continue;
    std::vector<std::string> set = field.set;
    set.emplace_back("freezing=true");
    out.push_back(carom(suite, field.threads.front(), {"freezing"}, set));
  }
}

void add_carom(const Scene& scene, const Field& field, const EngineChoice& choice, std::vector<Contender>& out) {
  if (choice.variant.empty()) return add_all_of_carom(scene, field, out);
  std::vector<std::string> set = field.set, shown = choice.set;
  set.insert(set.end(), choice.set.begin(), choice.set.end());
  shown.insert(shown.end(), choice.environment.begin(), choice.environment.end());
  out.push_back(carom(choice.variant, field.threads.front(), shown, set));
  out.back().environment = choice.environment;
}

Contender contender(const Peer& peer, Effort effort, const std::string& variant) {
  return {peer.engine, peer.version, variant, "", 1, [peer, effort] { return peer.make(effort); }};
}

void add_peer(const Peer& peer, const Field& field, const EngineChoice& choice, std::vector<Contender>& out) {
  const auto is_wanted = [&](const std::string& variant, const std::string& effort) {
    if (!choice.variant.empty()) return choice.variant == variant;
    return std::ranges::find(field.efforts, effort) != field.efforts.end();
  };
  if (is_wanted("default", "default")) out.push_back(contender(peer, Effort::Default, "default"));
  if (is_wanted(peer.accurate, "accurate")) out.push_back(contender(peer, Effort::Accurate, peer.accurate));
  if (peer.name == "bullet" && is_wanted("two-directions", "two-directions"))
    out.push_back(contender(peer, Effort::TwoDirections, "two-directions"));
}

const Peer* find_peer(const std::vector<Peer>& all, const std::string& name) {
  const auto found = std::ranges::find(all, name, &Peer::name);
  return found != all.end() ? &*found : nullptr;
}

std::string joined(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ", ")); }

[[noreturn]] void refuse(const std::string& entry, const std::string& why) {
  fail(fmt::format("engine \"{}\": {}", entry, why));
}

void require_variant(const std::string& entry, const EngineChoice& choice, const Peer& peer) {
  std::vector<std::string> variants{"default", peer.accurate};
  if (peer.name == "bullet") variants.emplace_back("two-directions");
  if (!choice.variant.empty() && std::ranges::find(variants, choice.variant) == variants.end())
    refuse(entry, fmt::format("{} has the settings {}", peer.engine, joined(variants)));
  if (!choice.set.empty() || !choice.environment.empty()) refuse(entry, "only a suite of Carom takes settings");
}

bool is_environment(const std::string& setting) {
  return std::isupper(static_cast<unsigned char>(setting.front())) != 0;
}

/// What is wrong with these options of a suite; empty if nothing is.
std::string refusal_of(Scene scene, const std::string& suite, const std::vector<std::string>& set) {
  if (std::string refusal = choose_suite(scene, suite); !refusal.empty()) return refusal;
  const Result<Options> options = choose_options(scene, set);
  return options ? "" : options.message();
}

}  // namespace

std::vector<std::string> all_suites() {
  std::vector<std::string> names;
  for (const char* name : kMainSuites)
    if (find_suite(name) != nullptr) names.emplace_back(name);
  for (const SuiteInfo& suite : suite_registry())
    if (!is_main(suite.name)) names.push_back(suite.name);
  return names;
}

std::vector<std::string> quick_suites() {
  std::vector<std::string> names = all_suites();
  std::erase_if(names, [](const std::string& name) { return !is_main(name) && name != "schmidl"; });
  return names;
}

std::vector<std::string> all_engines() {
  std::vector<std::string> names{"carom"};
  for (const Peer& peer : peers()) names.push_back(peer.name);
  return names;
}

std::vector<std::string> docs_engines() {
  std::vector<std::string> names = all_engines();
  names.front() = "carom-" + all_suites().front();
  return names;
}

EngineChoice parse_choice(const std::string& entry) {
  EngineChoice choice;
  std::size_t end = std::min(entry.find(':'), entry.size());
  const std::string head = entry.substr(0, end);
  const std::size_t dash = head.find('-');
  choice.name = head.substr(0, dash);
  if (dash != std::string::npos) choice.variant = head.substr(dash + 1);
  while (end < entry.size()) {
    const std::size_t start = end + 1;
    end = std::min(entry.find(':', start), entry.size());
    const std::string setting = entry.substr(start, end - start);
    const std::size_t equals = setting.find('=');
    if (equals == 0 || equals == std::string::npos)
      refuse(entry, fmt::format("found \"{}\", expected key=value", setting));
    (is_environment(setting) ? choice.environment : choice.set).push_back(setting);
  }
  const std::vector<Peer> all = peers();
  if (choice.name == "carom") {
    if (choice.variant.empty() && !(choice.set.empty() && choice.environment.empty()))
      refuse(entry, "settings are for one suite: carom-SUITE:key=value");
    if (!choice.variant.empty() && find_suite(choice.variant) == nullptr)
      refuse(entry, "Carom has the suites " + joined(all_suites()));
  } else if (const Peer* peer = find_peer(all, choice.name)) {
    require_variant(entry, choice, *peer);
  } else {
    refuse(entry, "there are " + joined(all_engines()));
  }
  return choice;
}

void require_known(const Field& field, const Scene& scene) {
  std::vector<std::string> refusals;
  bool is_set_taken = field.set.empty();
  const auto try_suite = [&](const std::string& suite) {
    const std::string refusal = refusal_of(scene, suite, field.set);
    if (refusal.empty())
      is_set_taken = true;
    else
      refusals.push_back(refusal);
  };
  for (const std::string& entry : field.engines) {
    const EngineChoice choice = parse_choice(entry);
    if (choice.name != "carom") continue;
    if (choice.variant.empty()) {
      for (const std::string& suite : field.suites) try_suite(suite);
    } else {
      try_suite(choice.variant);
      if (const std::string refusal = refusal_of(scene, choice.variant, choice.set); !refusal.empty())
        refuse(entry, refusal);
    }
  }
  if (!is_set_taken && !refusals.empty()) fail("--set: " + refusals.front());
}

std::vector<Contender> contenders_for(const Scene& scene, const Field& field) {
  const std::vector<Peer> all = peers();
  std::vector<Contender> contenders;
  for (const std::string& entry : field.engines) {
    const EngineChoice choice = parse_choice(entry);
    const Peer* peer = find_peer(all, choice.name);
    if (peer == nullptr)
      add_carom(scene, field, choice, contenders);
    else if (peer->make != nullptr)
      add_peer(*peer, field, choice, contenders);
  }
  return contenders;
}

std::vector<Peer> missing_engines(const Field& field) {
  std::vector<Peer> missing = peers();
  std::erase_if(missing, [&](const Peer& peer) {
    return peer.make != nullptr || std::ranges::none_of(field.engines, [&](const std::string& entry) {
             return parse_choice(entry).name == peer.name;
           });
  });
  return missing;
}

}  // namespace carom::bench
