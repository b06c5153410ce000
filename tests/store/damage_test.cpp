// Damaged files: refused or recovered, never a wrong release (docs/theory/safety.md#durable-streams).
#include <algorithm>

#include <gtest/gtest.h>

#include "store/state_folder.hpp"

namespace jme {
namespace {

using test::Numbers;
using test::Row;
using test::run_in_memory;
using test::run_into;
using test::sample_rows;
namespace fs = std::filesystem;

class Damage : public test::StateFolder {
 protected:
  Damage() {
    // As a killed process leaves it: the newest commits are in the write-ahead log.
    DurableStream stream(mechanism_, seeded("whole"));
    for (std::size_t t = 0; t < 22; ++t) stream.push(rows_[t]);
    copy_state("whole", "killed");
    fs::remove(path("killed") / file("-shm", "killed").filename());
  }

  /// Runs from a damaged copy; true where it was refused. Anything else must be the right releases.
  bool refused(const fs::path& damaged_file, const std::string& bytes) {
    copy_state("killed", "damaged");
    overwrite(path("damaged") / damaged_file.filename(), bytes);
    Numbers released;
    try {
      run_into(released, mechanism_, seeded("damaged"), rows_);
      EXPECT_EQ(released, expected_);
      return false;
    } catch (const Error&) {
      EXPECT_LE(released.size(), expected_.size());
      EXPECT_TRUE(std::equal(released.begin(), released.end(), expected_.begin()));
      return true;
    }
  }

  struct Count {
    int refused = 0, recovered = 0;
  };
  /// Every `stride`-th place of the file, damaged in one way.
  template <class Damaged>
  Count at_places(const std::string& ending, std::size_t stride, const Damaged& damaged) {
    const fs::path target = file(ending, "killed");
    const std::string whole = content(target);
    Count count;
    for (std::size_t at = 0; at < whole.size(); at += stride) {
      refused(target, damaged(whole, at)) ? ++count.refused : ++count.recovered;
    }
    return count;
  }
  Count flip_bits(const std::string& ending, std::size_t stride) {
    return at_places(ending, stride, [](std::string bytes, std::size_t at) {
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << at % 8));
      return bytes;
    });
  }
  Count truncate(const std::string& ending, std::size_t stride) {
    return at_places(ending, stride,
                     [](const std::string& bytes, std::size_t size) { return bytes.substr(0, size); });
  }

  const Mechanism mechanism_{test::ten_blocks()};
  const std::vector<Row> rows_ = sample_rows(40);
  const Numbers expected_ = run_in_memory(mechanism_, {11}, rows_);
};

TEST_F(Damage, TheCopyItselfGoesOn) {
  const fs::path target = file(".db", "killed");
  EXPECT_FALSE(refused(target, content(target)));
}

TEST_F(Damage, FlippedBitsNeverGiveAWrongRelease) {
  const Count log = flip_bits("-wal", 199), database = flip_bits(".db", 37), key = flip_bits(".key", 61);
  EXPECT_GT(log.refused, 0);
  EXPECT_GT(key.refused, 0);
  // The database file itself is still almost empty: all commits are in the log.
  EXPECT_GT(database.refused + database.recovered, 0);
}

TEST_F(Damage, TruncatedFilesNeverGiveAWrongRelease) {
  const Count log = truncate("-wal", 331), database = truncate(".db", 64), key = truncate(".key", 113);
  EXPECT_GT(log.refused, 0);
  EXPECT_EQ(log.recovered, 0);  // the last commit ends with the file
  EXPECT_GT(key.refused, 0);
  EXPECT_GT(database.refused + database.recovered, 0);
}

// The same on a database whose log was written back.
class DamageAtRest : public Damage {
 protected:
  DamageAtRest() {
    copy_state("whole", "killed");
    DurableStream stream(mechanism_, seeded("killed"));
    for (std::size_t t = 0; t < 23; ++t) stream.push(rows_[t]);
  }
};

TEST_F(DamageAtRest, FlippedBitsNeverGiveAWrongRelease) {
  EXPECT_GT(flip_bits(".db", 41).refused, 20);
}

TEST_F(DamageAtRest, TruncatedFilesNeverGiveAWrongRelease) {
  constexpr std::size_t stride = 127;
  const Count count = truncate(".db", stride);
  EXPECT_GT(count.refused, 20);
  // Zeros at the end are read as if they were there: those of the page of a table without rows.
  const std::string whole = content(file(".db", "killed"));
  const std::size_t zeros = whole.size() - 1 - whole.find_last_not_of('\0');
  EXPECT_LE(static_cast<std::size_t>(count.recovered), zeros / stride + 1);
  EXPECT_LT(zeros, 4096U);
}

class SlowDamage : public Damage {};
class SlowDamageAtRest : public DamageAtRest {};

TEST_F(SlowDamage, NoFlippedBitOfAnyFileGivesAWrongRelease) {
  for (const char* ending : {"-wal", ".db", ".key"}) flip_bits(ending, 3);
}

TEST_F(SlowDamage, NoTruncationOfAnyFileGivesAWrongRelease) {
  for (const char* ending : {"-wal", ".db", ".key"}) truncate(ending, 7);
}

TEST_F(SlowDamageAtRest, NoFlippedBitOrTruncationGivesAWrongRelease) {
  flip_bits(".db", 1);
  truncate(".db", 3);
}

}  // namespace
}  // namespace jme
