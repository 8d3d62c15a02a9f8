// What was written whole is read back whole, whatever happens to the rest of the file.
#include "io/chunk_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "io/text_file.h"
#include "support/random.h"

namespace carom {
namespace {

constexpr ChunkType kText = chunk_type("TEXT");

class ChunkFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = (std::filesystem::temp_directory_path() / (std::string("carom_") + test->name() + ".chunks")).string();
  }
  void TearDown() override { std::filesystem::remove(path_); }

  /// Some chunks that compress and some that do not, one of them empty.
  void write_file() {
    test::Random random(5);
    ChunkWriter writer(path_);
    for (std::size_t i = 0; i < 8; ++i) {
      std::string text(i * 37, static_cast<char>('a' + i));
      if (i % 2 == 1)
        for (char& c : text) c = static_cast<char>(random.integer(0, 255));
      contents_.push_back(text);
      writer.write(kText, text);
    }
    ASSERT_EQ(writer.error(), "");
    bytes_ = read_text_file(path_).value();
    EXPECT_EQ(bytes_.size(), writer.size());
  }

  struct ReadBack {
    bool opened = false;
    std::map<std::uint32_t, std::string> contents;  // by number
    std::vector<std::string> damage;
    std::uint64_t unfinished = 0;
  };

  ReadBack read_back(const std::string& bytes) const {
    EXPECT_EQ(write_text_file(path_, bytes), "");
    ReadBack result;
    const auto reader = ChunkReader::open(path_);
    if (!reader) return result;
    result.opened = true;
    Chunk chunk;
    while (reader.value()->next(chunk)) {
      const Result<std::string> content = chunk.content();
      EXPECT_TRUE(content) << content.message();
      if (content) result.contents[chunk.number] = content.value();
    }
    result.damage = reader.value()->damage();
    result.unfinished = reader.value()->unfinished_bytes();
    return result;
  }

  void expect_all_right(const ReadBack& result) const {
    for (const auto& [number, content] : result.contents) EXPECT_EQ(content, contents_.at(number));
  }

  std::string path_, bytes_;
  std::vector<std::string> contents_;
};

TEST_F(ChunkFileTest, ChunksComeBackInOrderWithTypeAndContent) {
  write_file();
  const ReadBack result = read_back(bytes_);
  EXPECT_EQ(result.contents.size(), contents_.size());
  EXPECT_TRUE(result.damage.empty());
  EXPECT_EQ(result.unfinished, 0U);
  expect_all_right(result);
}

TEST_F(ChunkFileTest, AFileCutAnywhereHoldsTheChunksBeforeTheCut) {
  write_file();
  std::size_t most = 0;
  for (std::size_t size = 0; size < bytes_.size(); ++size) {
    const ReadBack result = read_back(bytes_.substr(0, size));
    EXPECT_TRUE(result.damage.empty()) << "cut to " << size << ": " << result.damage.front();
    expect_all_right(result);
    EXPECT_GE(result.contents.size(), most);
    most = result.contents.size();
  }
  EXPECT_EQ(most, contents_.size() - 1);
}

TEST_F(ChunkFileTest, AnyFlippedBitIsToldOfAndCostsAtMostOneChunk) {
  write_file();
  for (std::size_t bit = 0; bit < 8 * bytes_.size(); ++bit) {
    std::string flipped = bytes_;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    const ReadBack result = read_back(flipped);
    expect_all_right(result);
    if (!result.opened) {
      EXPECT_LT(bit / 8, 16U) << "only the file's own mark may hide everything";
      continue;
    }
    EXPECT_TRUE(!result.damage.empty() || result.unfinished > 0) << "bit " << bit;
    EXPECT_GE(result.contents.size() + 1, contents_.size()) << "bit " << bit;
  }
}

TEST_F(ChunkFileTest, WritingGoesOnAfterAnyChunk) {
  write_file();
  Chunk third;
  {
    const auto reader = ChunkReader::open(path_);
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(reader.value()->next(third));
  }
  {
    ChunkWriter writer(path_, third);
    writer.write(kText, "new");
    ASSERT_EQ(writer.error(), "");
  }
  contents_.resize(3);
  contents_.emplace_back("new");
  const ReadBack result = read_back(read_text_file(path_).value());
  EXPECT_EQ(result.contents.size(), 4U);
  EXPECT_TRUE(result.damage.empty());
  expect_all_right(result);
}

TEST_F(ChunkFileTest, UnknownChunkTypesAreReadLikeOthers) {
  ChunkWriter writer(path_);
  writer.write(chunk_type("????"), "later");
  writer.write(kText, "now");
  const auto reader = ChunkReader::open(path_);
  Chunk chunk;
  ASSERT_TRUE(reader.value()->next(chunk));
  EXPECT_EQ(chunk_type_text(chunk.type), "????");
  ASSERT_TRUE(reader.value()->next(chunk));
  EXPECT_EQ(chunk.content().value(), "now");
}

TEST_F(ChunkFileTest, OtherFilesAreRefusedWithAReason) {
  ASSERT_EQ(write_text_file(path_, "time,body\n"), "");
  EXPECT_NE(ChunkReader::open(path_).message().find("no recording"), std::string::npos);
  EXPECT_NE(ChunkReader::open(path_ + ".missing").message().find("cannot read"), std::string::npos);
  EXPECT_NE(ChunkReader::open(std::filesystem::temp_directory_path().string()).message().find("directory"),
            std::string::npos);
}

TEST_F(ChunkFileTest, ANewerFormatIsRefusedAsSuch) {
  // Format 2, with the checksum that belongs to it.
  std::string head(
      "\x89"
      "CAROM\r\n\x02\x00\x00\x00",
      12);
  std::uint32_t crc = 0xffffffffU;
  for (const char c : head) {
    crc ^= static_cast<unsigned char>(c);
    for (int k = 0; k < 8; ++k) crc = (crc & 1) != 0 ? 0xedb88320U ^ (crc >> 1) : crc >> 1;
  }
  crc = ~crc;
  for (int i = 0; i < 4; ++i) head += static_cast<char>(crc >> (8 * i) & 0xff);
  ASSERT_EQ(write_text_file(path_, head), "");
  EXPECT_NE(ChunkReader::open(path_).message().find("format 2"), std::string::npos)
      << ChunkReader::open(path_).message();
}

TEST_F(ChunkFileTest, AFullDiskIsAnErrorWithAMessage) {
  ChunkWriter writer("/dev/full");
  writer.write(kText, "x");
  EXPECT_NE(writer.error().find("/dev/full: cannot write the file"), std::string::npos) << writer.error();
}

}  // namespace
}  // namespace carom
