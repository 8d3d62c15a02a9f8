// Files made of chunks: append-only, each chunk with its length and checksums, so that a file is good up to the last
// chunk that was written whole, and damage in one chunk leaves the others readable. docs/recording.md has the bytes.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "carom/base/error.h"

namespace carom {

/// Four letters that say what a chunk holds.
using ChunkType = std::uint32_t;
constexpr ChunkType chunk_type(const char (&letters)[5]) {
  ChunkType type = 0;
  for (int i = 3; i >= 0; --i) type = type << 8 | static_cast<unsigned char>(letters[i]);
  return type;
}
std::string chunk_type_text(ChunkType type);

struct Chunk {
  ChunkType type = 0;
  std::uint32_t number = 0;    ///< counted from 0 in the order of writing
  std::uint64_t offset = 0;    ///< of its first byte in the file
  std::uint64_t end = 0;       ///< of the first byte after it
  std::uint64_t raw_size = 0;  ///< of the content
  bool is_compressed = false;
  std::string stored;  ///< as it stands in the file; its checksum was right

  Result<std::string> content() const;
};

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using FilePtr = std::unique_ptr<std::FILE, FileCloser>;

/// Writes chunks, each by one call and at once. When one cannot be written whole (a full disk) the file is cut back to
/// the chunks before it, and nothing more is written.
class ChunkWriter {
 public:
  /// A new file, or an old one emptied.
  explicit ChunkWriter(std::string path);
  /// Goes on in a file after `last`, one of its chunks: what stands behind it is cut off.
  ChunkWriter(std::string path, const Chunk& last);

  void write(ChunkType type, std::string_view content);
  /// Empty while everything was written.
  const std::string& error() const { return error_; }
  std::uint64_t size() const { return size_; }

 private:
  void append(const std::string& bytes);

  std::string path_;
  FilePtr file_;
  std::uint64_t size_ = 0;
  std::uint32_t next_ = 0;
  std::string error_;
};

/// Reads chunks in the order of the file. Damaged ones are left out and told of.
class ChunkReader {
 public:
  /// Fails where the file cannot be read or is no such file.
  static Result<std::shared_ptr<ChunkReader>> open(const std::string& path);

  /// The next whole chunk; false at the end.
  bool next(Chunk& chunk);

  /// What was found wrong so far, a sentence each, with the place. An unfinished last chunk is no damage.
  const std::vector<std::string>& damage() const { return damage_; }
  /// Bytes of an unfinished chunk at the end of the file: the program was stopped while it wrote.
  std::uint64_t unfinished_bytes() const { return unfinished_; }
  std::uint64_t file_size() const { return size_; }

 private:
  ChunkReader(std::string path, FilePtr file, std::uint64_t size);
  std::string bytes_at(std::uint64_t offset, std::uint64_t count);
  /// The offset of the next thing after `offset` that is a chunk's header by its checksum; the file's size if none.
  std::uint64_t find_header(std::uint64_t offset);
  void note_lost(std::uint32_t found);

  std::string path_;
  FilePtr file_;
  std::uint64_t size_, position_;
  std::uint64_t unfinished_ = 0;
  std::uint32_t expected_ = 0;
  std::vector<std::string> damage_;
};

}  // namespace carom
