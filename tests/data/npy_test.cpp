#include "support/npy.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <jme/data/npy.hpp>

#include "data/sample_file.hpp"

namespace jme {
namespace {

using testing::complaint_of;
using ::testing::HasSubstr;
using testing::Rows;
using testing::rows_of;
using testing::SampleDirectory;

const std::string npy_name = "s.npy";

// A file as NumPy's documentation of the format describes it, made without the writer under test.
std::string npy(const std::string& literal, std::string_view data, int version = 1) {
  std::string file = "\x93NUMPY";
  file.push_back(static_cast<char>(version));
  file.push_back(0);
  for (std::size_t i = 0; i < (version == 1 ? 2u : 4u); ++i)
    file.push_back(static_cast<char>(literal.size() >> (8 * i) & 0xff));
  return file.append(literal).append(data);
}

std::string header(const std::string& descr, bool fortran, const std::string& shape) {
  return fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}          \n", descr,
                     fortran ? "True" : "False", shape);
}

template <class Stored>
std::string bytes(const std::vector<Stored>& values, bool big_endian = false) {
  std::string text;
  for (const Stored value : values) {
    char copy[sizeof(Stored)];
    std::memcpy(copy, &value, sizeof copy);
    if (big_endian != (std::endian::native == std::endian::big))
      std::reverse(std::begin(copy), std::end(copy));
    text.append(copy, sizeof copy);
  }
  return text;
}

const Rows two_by_three = {{1, 2, 3}, {4, 5, 6}};

template <class Stored>
void expect_type_is_read(const std::string& code) {
  const std::vector<Stored> by_rows = {1, 2, 3, 4, 5, 6}, by_columns = {1, 4, 2, 5, 3, 6};
  for (const bool big : {false, true}) {
    const std::string descr = (sizeof(Stored) == 1 ? "|" : big ? ">" : "<") + code;
    EXPECT_EQ(rows_of(npy(header(descr, false, "(2, 3)"), bytes(by_rows, big)), {}, npy_name), two_by_three)
        << descr;
    EXPECT_EQ(rows_of(npy(header(descr, true, "(2, 3)"), bytes(by_columns, big)), {}, npy_name), two_by_three)
        << descr;
  }
}

TEST(NpyRows, ReadsEveryNumberTypeInBothOrders) {
  expect_type_is_read<double>("f8");
  expect_type_is_read<float>("f4");
  expect_type_is_read<std::int8_t>("i1");
  expect_type_is_read<std::int16_t>("i2");
  expect_type_is_read<std::int32_t>("i4");
  expect_type_is_read<std::int64_t>("i8");
  expect_type_is_read<std::uint8_t>("u1");
  expect_type_is_read<std::uint16_t>("u2");
  expect_type_is_read<std::uint32_t>("u4");
  expect_type_is_read<std::uint64_t>("u8");
  EXPECT_EQ(rows_of(npy(header("|i1", false, "(2,)"), bytes<std::int8_t>({-128, 127})), {}, npy_name),
            (Rows{{-128}, {127}}));
  EXPECT_EQ(rows_of(npy(header("<f4", false, "(1,)"), bytes<float>({0.1f})), {}, npy_name),
            (Rows{{double(0.1f)}}));
}

TEST(NpyRows, ReadsVersionsOneToThreeAndPythonTwoShapes) {
  for (const int version : {1, 2, 3})
    EXPECT_EQ(rows_of(npy(header("<f8", false, "(1, 2)"), bytes<double>({1, 2}), version), {}, npy_name),
              (Rows{{1, 2}}));
  EXPECT_EQ(
      rows_of(npy("{\"shape\":(1L,2L),\"descr\":\"<f8\",\"fortran_order\":False}", bytes<double>({1, 2})), {},
              npy_name),
      (Rows{{1, 2}}));
}

TEST(NpyRows, OneDimensionIsOneColumn) {
  EXPECT_EQ(rows_of(npy(header("<f8", false, "(3,)"), bytes<double>({1, 2, 3})), {}, npy_name),
            (Rows{{1}, {2}, {3}}));
}

TEST(NpyRows, ColumnsAreTakenByNumber) {
  const std::string file = npy(header("<f8", false, "(2, 3)"), bytes<double>({1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(rows_of(file, {.columns = {"3", "1"}}, npy_name), (Rows{{3, 1}, {6, 4}}));
  EXPECT_THAT(complaint_of<InvalidParameter>(file, {.columns = {"a"}}, npy_name),
              HasSubstr("there is no column a"));
}

TEST(NpyRows, NameRowAndColumnOfWhatIsNotFinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  for (const bool fortran : {false, true}) {
    const std::string shape = header("<f8", fortran, "(2, 2)");
    EXPECT_EQ(complaint_of(npy(shape, bytes<double>({1, 2, 3, nan})), {}, npy_name),
              "s.npy: row 2: column 2: not a finite number");
    EXPECT_EQ(
        rows_of(npy(shape, bytes<double>({-inf, 2, 3, 4})), {.on_bad_row = OnBadRow::zero}, npy_name)[0],
        (std::vector<double>{0, 0}));
  }
  EXPECT_EQ(
      rows_of(npy(header("<f8", false, "(1, 2)"), bytes<double>({1, nan})), {.columns = {"1"}}, npy_name),
      (Rows{{1}}));
}

TEST(NpyRows, FilesThatAreNoMatrixOfNumbersAreRefused) {
  const std::string two = bytes<double>({1, 2});
  EXPECT_EQ(complaint_of("", {}, npy_name), "s.npy: is not a .npy file");
  EXPECT_EQ(complaint_of("a,b\n1,2\n", {}, npy_name), "s.npy: is not a .npy file");
  EXPECT_EQ(complaint_of(npy(header("<f8", false, "(2,)"), two, 4), {}, npy_name),
            "s.npy: is of an unknown .npy version");
  EXPECT_EQ(complaint_of(npy(header("<f8", false, "(2,)"), two).substr(0, 40), {}, npy_name),
            "s.npy: its .npy header is cut off");
  EXPECT_EQ(complaint_of(npy(header("<c16", false, "(1,)"), two), {}, npy_name),
            "s.npy: must hold float32, float64 or integers");
  EXPECT_EQ(complaint_of(npy(header("", false, "(1,)"), two), {}, npy_name),
            "s.npy: must hold float32, float64 or integers");
  EXPECT_EQ(complaint_of(npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,)}", two), {},
                         npy_name),
            "s.npy: holds records, not plain numbers");
  EXPECT_EQ(complaint_of(npy(header("<f8", false, "()"), two), {}, npy_name),
            "s.npy: has 0 dimensions, must have 1 or 2");
  EXPECT_EQ(complaint_of(npy(header("<f8", false, "(1, 1, 2)"), two), {}, npy_name),
            "s.npy: has 3 dimensions, must have 1 or 2");
  EXPECT_EQ(complaint_of(npy(header("<f8", false, "(0, 2)"), ""), {}, npy_name), "s.npy: has no rows");
  EXPECT_EQ(complaint_of(npy(header("<f8", false, "(2, 0)"), ""), {}, npy_name), "s.npy: has no columns");
  for (const auto* literal : {"", "{", "{}", "[]", "{'descr': '<f8'}", "{'descr': '<f8', 'shape': (2,)}",
                              "{'x': 1}", "{'descr': '<f8', 'fortran_order': Maybe, 'shape': (2,)}",
                              "{'descr': '<f8', 'fortran_order': False, 'shape': (-2,)}",
                              "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,)}"})
    EXPECT_EQ(complaint_of(npy(literal, two), {}, npy_name), "s.npy: its .npy header cannot be understood")
        << literal;
}

TEST(NpyRows, AHeaderThatPromisesMoreOrLessThanThereIsIsRefused) {
  const std::string two = bytes<double>({1, 2});
  for (const bool fortran : {false, true}) {
    EXPECT_EQ(complaint_of(npy(header("<f8", fortran, "(3,)"), two), {}, npy_name),
              "s.npy: ends before the 3 rows that its header promises");
    EXPECT_EQ(complaint_of(npy(header("<f8", fortran, "(1,)"), two), {}, npy_name),
              "s.npy: goes on after the 1 rows that its header promises");
    // Memory grows with the data, not with what the header promises.
    EXPECT_EQ(complaint_of(npy(header("<f8", fortran, "(1000000000000000, 3)"), two), {}, npy_name),
              "s.npy: ends before the 1000000000000000 rows that its header promises");
    EXPECT_THAT(complaint_of(npy(header("<f8", fortran, "(9223372036854775807, 3)"), two), {}, npy_name),
                HasSubstr("cannot be true"));
    EXPECT_THAT(complaint_of(npy(header("<f8", fortran, "(1, 9223372036854775807)"), two), {}, npy_name),
                HasSubstr("has more than 1048576 columns"));
  }
}

TEST(NpyMatrix, IsReadBackAsWritten) {
  const SampleDirectory directory;
  std::mt19937_64 random(6);
  for (const auto& [rows, columns] : {std::pair{1, 1}, {3, 5}, {100, 7}, {1, 300}}) {
    const Eigen::MatrixXd matrix = Eigen::MatrixXd::NullaryExpr(rows, columns, [&] {
      return std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 100) - 100);
    });
    write_npy_matrix(directory.path(npy_name), matrix);
    EXPECT_EQ(read_npy_matrix(directory.path(npy_name), "shape"), matrix);
    EXPECT_EQ((std::filesystem::file_size(directory.path(npy_name)) -
               static_cast<std::size_t>(rows * columns) * 8) %
                  64,
              0u);
    RowReader reader(directory.path(npy_name), {});
    const Rows by_rows = testing::all_rows(reader);
    EXPECT_EQ(by_rows[static_cast<std::size_t>(rows) - 1][0], matrix(rows - 1, 0));
  }
}

TEST(NpyMatrix, ReadsBothOrders) {
  const SampleDirectory directory;
  Eigen::MatrixXd expected(2, 3);
  expected << 1, 2, 3, 4, 5, 6;
  const auto path =
      directory.write(npy_name, npy(header("<f8", false, "(2, 3)"), bytes<double>({1, 2, 3, 4, 5, 6})));
  EXPECT_EQ(read_npy_matrix(path, "shape"), expected);
  directory.write(npy_name, npy(header("<i4", true, "(2, 3)"), bytes<std::int32_t>({1, 4, 2, 5, 3, 6})));
  EXPECT_EQ(read_npy_matrix(path, "shape"), expected);
}

TEST(NpyMatrix, ABadFileIsABadParameter) {
  const SampleDirectory directory;
  const auto expect_complaint = [&](std::string_view content, const std::string& words) {
    const std::string path = directory.write(npy_name, content);
    EXPECT_THAT([&] { (void)read_npy_matrix(path, "workload"); },
                ::testing::ThrowsMessage<InvalidParameter>("workload: " + path + words));
  };
  expect_complaint("x", ": is not a .npy file");
  expect_complaint(npy(header("<f8", false, "(2,)"), bytes<double>({1, 2})),
                   ": has 1 dimension, must be a matrix");
  expect_complaint(
      npy(header("<f8", false, "(1, 2)"), bytes<double>({1, std::numeric_limits<double>::infinity()})),
      ": row 1 column 2: not a finite number");
  EXPECT_THAT([&] { (void)read_npy_matrix(directory.path("none.npy"), "shape"); },
              ::testing::ThrowsMessage<InvalidParameter>(HasSubstr("cannot be opened")));
  EXPECT_THROW(write_npy_matrix(directory.path("none/x.npy"), Eigen::MatrixXd::Identity(2, 2)), Error);
}

}  // namespace
}  // namespace jme
