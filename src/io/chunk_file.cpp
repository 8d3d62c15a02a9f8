#include "io/chunk_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "base/bytes.h"
#include "io/compress.h"

namespace carom {
namespace {

// The first byte is no text, and the line end is changed by programs that take the file for text.
constexpr std::string_view kMagic =
    "\x89"
    "CAROM\r\n";
constexpr std::uint32_t kFormat = 1;
constexpr std::size_t kFileHeader = 16;
constexpr std::uint32_t kMark = chunk_type("CHNK");
constexpr std::size_t kHeader = 40;
/// No chunk of ours comes near it: a damaged size must not fill the memory.
constexpr std::uint64_t kLargestContent = std::uint64_t{1} << 31;

/// CRC-32 as in Ethernet, gzip and PNG (polynomial 0x04C11DB7, reflected).
std::uint32_t crc32(std::string_view bytes) {
  static const auto table = [] {
    std::array<std::uint32_t, 256> entries{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t c = i;
      for (int k = 0; k < 8; ++k) c = (c & 1) != 0 ? 0xedb88320U ^ (c >> 1) : c >> 1;
      entries[i] = c;
    }
    return entries;
  }();
  std::uint32_t crc = ~std::uint32_t{0};
  for (const char byte : bytes) crc = table[(crc ^ static_cast<unsigned char>(byte)) & 0xff] ^ (crc >> 8);
  return ~crc;
}

std::string file_header() {
  ByteWriter out;
  out.put_raw(kMagic);
  out.put(kFormat);
  out.put(crc32(out.bytes()));
  return out.take();
}

struct Header {
  ChunkType type = 0;
  std::uint32_t codec = 0;  // 0: stored, 1: Zstandard
  std::uint32_t number = 0;
  std::uint64_t stored_size = 0, raw_size = 0;
  std::uint32_t content_crc = 0;
};

std::string header_bytes(const Header& header) {
  ByteWriter out;
  out.put(kMark);
  out.put(header.type);
  out.put(header.codec);
  out.put(header.number);
  out.put(header.stored_size);
  out.put(header.raw_size);
  out.put(header.content_crc);
  out.put(crc32(out.bytes()));
  return out.take();
}

std::optional<Header> parse_header(std::string_view bytes) {
  if (bytes.size() != kHeader) return {};
  ByteReader in(bytes);
  const auto mark = in.get<std::uint32_t>();
  Header h;
  h.type = in.get<ChunkType>();
  h.codec = in.get<std::uint32_t>();
  h.number = in.get<std::uint32_t>();
  h.stored_size = in.get<std::uint64_t>();
  h.raw_size = in.get<std::uint64_t>();
  h.content_crc = in.get<std::uint32_t>();
  const auto crc = in.get<std::uint32_t>();
  if (mark != kMark || crc != crc32(bytes.substr(0, kHeader - sizeof crc))) return {};
  if (h.stored_size > kLargestContent || h.raw_size > kLargestContent || h.codec > 1) return {};
  return h;
}

}  // namespace

std::string chunk_type_text(ChunkType type) {
  std::string text;
  for (int i = 0; i < 4; ++i) {
    const char c = static_cast<char>(type >> (8 * i) & 0xff);
    text += c >= ' ' && c <= '~' ? c : '?';
  }
  return text;
}

Result<std::string> Chunk::content() const { return is_compressed ? decompressed(stored, raw_size) : stored; }

ChunkWriter::ChunkWriter(std::string path) : path_(std::move(path)), file_(std::fopen(path_.c_str(), "wb")) {
  if (!file_) {
    error_ = path_ + ": cannot open the file for writing: " + std::strerror(errno);
    return;
  }
  std::setvbuf(file_.get(), nullptr, _IONBF, 0);
  append(file_header());
}

ChunkWriter::ChunkWriter(std::string path, const Chunk& last)
    : path_(std::move(path)), size_(last.end), next_(last.number + 1) {
  std::error_code failure;
  std::filesystem::resize_file(path_, size_, failure);
  file_.reset(failure ? nullptr : std::fopen(path_.c_str(), "ab"));
  if (file_)
    std::setvbuf(file_.get(), nullptr, _IONBF, 0);
  else
    error_ = path_ + ": cannot open the file for writing: " + (failure ? failure.message() : std::strerror(errno));
}

void ChunkWriter::append(const std::string& bytes) {
  if (!error_.empty()) return;
  errno = 0;
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) == bytes.size()) {
    size_ += bytes.size();
    return;
  }
  error_ = path_ + ": cannot write the file: " + std::strerror(errno);
  file_.reset();
  std::error_code ignored;  // an unfinished chunk is as readable as none
  std::filesystem::resize_file(path_, size_, ignored);
}

void ChunkWriter::write(ChunkType type, std::string_view content) {
  if (!error_.empty()) return;
  const std::string packed = compressed(content);
  const bool smaller = packed.size() < content.size();
  const std::string_view stored = smaller ? std::string_view(packed) : content;
  const Header header{type, smaller ? 1U : 0U, next_++, stored.size(), content.size(), crc32(stored)};
  append(header_bytes(header).append(stored));
}

ChunkReader::ChunkReader(std::string path, FilePtr file, std::uint64_t size)
    : path_(std::move(path)), file_(std::move(file)), size_(size), position_(kFileHeader) {}

Result<std::shared_ptr<ChunkReader>> ChunkReader::open(const std::string& path) {
  using Failure = Result<std::shared_ptr<ChunkReader>>;
  std::error_code failure;
  if (std::filesystem::is_directory(path, failure))
    return Failure::failure(path + ": cannot read the file: found a directory, expected a file");
  FilePtr file(std::fopen(path.c_str(), "rb"));
  if (!file) return Failure::failure(path + ": cannot read the file: " + std::strerror(errno));
  const std::uint64_t size = std::filesystem::file_size(path, failure);
  if (failure) return Failure::failure(path + ": cannot read the file: " + failure.message());
  const std::shared_ptr<ChunkReader> reader(new ChunkReader(path, std::move(file), size));
  const std::string head = reader->bytes_at(0, kFileHeader);
  if (head.substr(0, kMagic.size()) != kMagic)
    return Failure::failure(path + ": found no recording of Carom, expected a file that begins with its mark");
  if (head.size() < kFileHeader) return Failure::failure(path + ": the recording ends within its first bytes");
  if (head != file_header()) {
    ByteReader in(std::string_view(head).substr(kMagic.size()));
    const auto format = in.get<std::uint32_t>();
    if (in.get<std::uint32_t>() == crc32(std::string_view(head).substr(0, kFileHeader - 4)))
      return Failure::failure(fmt::format(
          "{}: found a recording of format {}, expected format {}: a newer Carom wrote it", path, format, kFormat));
    reader->damage_.emplace_back("the file's first 16 bytes are damaged");
  }
  return reader;
}

std::string ChunkReader::bytes_at(std::uint64_t offset, std::uint64_t count) {
  if (offset >= size_) return {};
  std::string bytes(std::min(count, size_ - offset), '\0');
  if (std::fseek(file_.get(), static_cast<long>(offset), SEEK_SET) != 0) return {};
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file_.get()));
  return bytes;
}

std::uint64_t ChunkReader::find_header(std::uint64_t offset) {
  constexpr std::uint64_t kWindow = 1 << 20;
  const std::string mark = header_bytes({}).substr(0, sizeof kMark);
  for (std::uint64_t start = offset; start < size_; start += kWindow) {
    const std::string window = bytes_at(start, kWindow + kHeader);
    for (std::size_t at = window.find(mark); at < kWindow; at = window.find(mark, at + 1))
      if (parse_header(std::string_view(window).substr(at, kHeader))) return start + at;
    if (window.size() < kWindow) break;
  }
  return size_;
}

void ChunkReader::note_lost(std::uint32_t found) {
  if (found > expected_)
    damage_.push_back(fmt::format("{} chunk{} before chunk {} missing", found - expected_,
                                  found - expected_ == 1 ? " is" : "s are", found));
  expected_ = found + 1;
}

bool ChunkReader::next(Chunk& chunk) {
  while (position_ < size_) {
    const std::uint64_t offset = position_;
    const std::optional<Header> header = parse_header(bytes_at(offset, kHeader));
    if (!header) {
      position_ = find_header(offset + 1);
      if (position_ == size_ && size_ - offset < kHeader) {
        unfinished_ = size_ - offset;
        return false;
      }
      damage_.push_back(fmt::format("bytes {} to {} are no chunk: skipped", offset, position_));
      continue;
    }
    position_ = offset + kHeader + header->stored_size;
    if (position_ > size_) {
      unfinished_ = size_ - offset;
      position_ = size_;
      return false;
    }
    note_lost(header->number);
    chunk.stored = bytes_at(offset + kHeader, header->stored_size);
    if (crc32(chunk.stored) != header->content_crc) {
      damage_.push_back(fmt::format("chunk {} ({}) at byte {} is damaged: its checksum is wrong; skipped",
                                    header->number, chunk_type_text(header->type), offset));
      continue;
    }
    chunk.type = header->type;
    chunk.number = header->number;
    chunk.offset = offset;
    chunk.end = position_;
    chunk.raw_size = header->raw_size;
    chunk.is_compressed = header->codec == 1;
    return true;
  }
  return false;
}

}  // namespace carom
