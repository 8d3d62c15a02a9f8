// The chunks of a recording.
#pragma once

#include <string>
#include <string_view>

#include "io/chunk_file.h"
#include "io/recording.h"

namespace carom {

inline constexpr ChunkType kHeaderChunk = chunk_type("HEAD");    ///< JSON, the first chunk
inline constexpr ChunkType kStepsChunk = chunk_type("STEP");     ///< encode_steps
inline constexpr ChunkType kFramesChunk = chunk_type("FRAM");    ///< encode_frames
inline constexpr ChunkType kEventsChunk = chunk_type("EVNT");    ///< encode_events; before the steps it belongs to
inline constexpr ChunkType kSnapshotChunk = chunk_type("SNAP");  ///< step, time, World::save
inline constexpr ChunkType kEndChunk = chunk_type("DONE");       ///< JSON, the last chunk of a run that was not killed

std::string encode_header(const RecordingHeader& header);
Result<RecordingHeader> decode_header(const std::string& content);

std::string encode_snapshot(const World& world, std::int64_t step);
Result<RecordedSnapshot> decode_snapshot(std::string_view content);

std::string encode_end(const RecordingEnd& end);
Result<RecordingEnd> decode_end(const std::string& content);

}  // namespace carom
