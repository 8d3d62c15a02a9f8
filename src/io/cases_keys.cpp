#include "io/cases_keys.h"

namespace carom::cases_keys {
namespace {

constexpr bool kRequired = true;

constexpr KeySpec kCasesKeys[] = {
    {"schema", "cases_1", kRequired, "version of the format, always carom-cases-1"},
    {"description", "string", false, "one line for people"},
    {"units", "string", false, "for people; always SI, right-handed, z up"},
    {"count", "natural", false, "how many cases, for people"},
    {"cases", "list:case", kRequired, "the cases"},
};
constexpr KeySpec kCaseKeys[] = {
    {"id", "name", kRequired, "unique in the file"},
    {"kind", "name", kRequired, "which experiment it is"},
    {"title", "string", false, "one line for people"},
    {"seeds", "list:string", false, "where the claim comes from"},
    {"setup", "free_object", kRequired, "what is built; its keys belong to the kind"},
    {"dt", "positive", false, "s: the step of fixed-step suites"},
    {"expected", "free_object", false, "known values; without them only measured ones are printed"},
    {"measure", "note", false, "what is measured, for people"},
    {"score", "list:score", false, "what is compared; without it every measured value is printed"},
    {"formula", "note", false, "for people"},
    {"verify", "anything", false, "how the known values were found, for people"},
    {"notes", "note", false, "for people"},
};
constexpr KeySpec kScoreKeys[] = {
    {"key", "name", kRequired, "a dotted path into expected"},
    {"mode", "score_mode", kRequired, "how measured and expected are compared"},
    {"good", "non_negative", kRequired, "the tolerance"},
    {"by", "string", false, "what must produce it; default: any suite"},
};

}  // namespace

const ObjectSpec kCases{"cases", "Validation cases of Carom: experiments with known answers. SI units.", kCasesKeys};
const ObjectSpec kCase{"case", "One experiment.", kCaseKeys};
const ObjectSpec kScore{"score", "One value to compare.", kScoreKeys};

const std::vector<std::string>& mode_names() {
  static const std::vector<std::string> names{"rel", "abs", "relvec", "exact", "quat", "le", "jamb"};
  return names;
}

std::span<const ObjectSpec* const> all() {
  static constexpr const ObjectSpec* kAll[] = {&kCases, &kCase, &kScore};
  return kAll;
}

}  // namespace carom::cases_keys
