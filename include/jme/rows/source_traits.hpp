#pragma once

#include <string_view>

#include <jme/base/field.hpp>

namespace jme {

/// What a front can say of the rows that it gives, before it opens anything: check() compares settings with
/// it. The values here are those of rows in memory of which nothing is known.
struct SourceTraits {
  std::string_view name = "rows in memory";  ///< in messages
  Field::Front front = Field::runs;

  bool is_read = false;             ///< records that this process reads: a file, a pipe or a topic
  bool is_live = false;             ///< a pipe or the like: rows come as they happen
  bool is_shared = false;           ///< many people's records: none of them may end it for all others
  bool has_header = false;          ///< names of the columns come first
  bool has_first_records = true;    ///< its first records can be left out
  bool has_bodies = false;          ///< rows come in bodies with a header each
  bool has_messages = false;        ///< every record is a message of its own, such as that of a Kafka topic
  bool tells_persons = true;        ///< it can say whose row it is
  bool gives_sums = false;          ///< rows are added up before they come
  bool batches_are_public = false;  ///< when sums come, and how many rows they have, depends on no row
  bool is_one_block = false;        ///< all of its rows are one sum
};

}  // namespace jme
