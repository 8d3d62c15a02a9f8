#include "io/recording_chunks.h"

#include <nlohmann/json.hpp>

#include "base/bytes.h"
#include "io/suite_message.h"

namespace carom {
namespace {

using Json = nlohmann::ordered_json;

/// From JSON that may lack anything.
template <class T, class Read>
Result<T> read_json(const std::string& content, Read&& read) {
  try {
    return read(Json::parse(content));
  } catch (const Json::exception& error) {
    return Result<T>::failure(std::string("found no such JSON object as expected: ") + error.what());
  }
}

OptionValue option_value(const Json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_string()) return value.get<std::string>();
  return value.get<double>();
}

Result<RecordingHeader> read_header(const Json& json) {
  using Failure = Result<RecordingHeader>;
  const auto suite = json.at("suite").get<std::string>();
  if (const std::string refusal = suite_message(suite); !refusal.empty()) return Failure::failure(refusal);
  Result<Scene> scene = parse_scene(json.at("scene").get<std::string>(), "scene of the recording", ".", suite);
  if (!scene) return Failure::failure(scene.message());
  RecordingHeader header;
  header.scene = scene.value();
  header.scene.name = json.at("name").get<std::string>();
  header.version = json.at("version").get<std::string>();
  if (suite != header.scene.suite) {
    header.scene.suite = suite;
    header.scene.options.clear();
  }
  header.scene.suite_reason = json.value("suite_reason", "");
  header.options = scene_options(header.scene);
  for (const auto& [name, value] : json.at("options").items()) {
    const std::string refusal = header.options.set(name, option_value(value));
    if (!refusal.empty()) return Failure::failure(refusal);
  }
  header.dt = json.at("dt").get<Real>();
  header.duration = json.at("duration").get<Real>();
  header.every = json.at("every").get<Real>();
  header.contacts = json.at("contacts").get<bool>();
  header.events = json.value("events", false);
  if (!(header.dt > 0)) return Failure::failure("found a step that is not positive");
  return header;
}

}  // namespace

std::string encode_header(const RecordingHeader& header) {
  Json options = Json::object();
  for (const OptionSpec& spec : header.options.specs())
    std::visit([&](const auto& value) { options[spec.name] = value; }, header.options.value_of(spec.name));
  const Json json = {{"carom_recording", 1},
                     {"version", header.version},
                     {"name", header.scene.name},
                     {"suite", header.scene.suite},
                     {"suite_reason", header.scene.suite_reason},
                     {"options", options},
                     {"dt", header.dt},
                     {"duration", header.duration},
                     {"every", header.every},
                     {"contacts", header.contacts},
                     {"events", header.events},
                     {"scene", header.scene.json}};
  return json.dump();
}

Result<RecordingHeader> decode_header(const std::string& content) {
  return read_json<RecordingHeader>(content, read_header);
}

std::string encode_snapshot(const World& world, std::int64_t step) {
  ByteWriter out;
  out.put(step);
  out.put(world.time());
  out.put_raw(world.save());
  return out.take();
}

Result<RecordedSnapshot> decode_snapshot(std::string_view content) {
  ByteReader in(content);
  RecordedSnapshot snapshot;
  snapshot.step = in.get<std::int64_t>();
  snapshot.time = in.get<Real>();
  if (!in.ok() || snapshot.step < 0)
    return Result<RecordedSnapshot>::failure("a snapshot that does not fill its chunk");
  snapshot.state = content.substr(sizeof(std::int64_t) + sizeof(Real));
  return snapshot;
}

std::string encode_end(const RecordingEnd& end) {
  const Json json = {{"reason", end.reason}, {"step", end.step}, {"time", end.time}, {"state_hash", end.state_hash}};
  return json.dump();
}

Result<RecordingEnd> decode_end(const std::string& content) {
  return read_json<RecordingEnd>(content, [](const Json& json) -> Result<RecordingEnd> {
    return RecordingEnd{json.at("reason").get<std::string>(), json.at("step").get<std::int64_t>(),
                        json.at("time").get<Real>(), json.at("state_hash").get<std::uint64_t>()};
  });
}

}  // namespace carom
