#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <jme/access/audit_log.hpp>
#include <jme/access/tokens.hpp>
#include <jme/base/errors.hpp>

#include "temporary_folder.hpp"

namespace jme {
namespace {

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

unsigned mode_of(const std::filesystem::path& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  return status.st_mode & 0777U;
}

class Tokens : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path state() const { return folder_.path() / "state"; }

 private:
  test::TemporaryFolder folder_{test::TemporaryFolder::Where::in_memory};
};

TEST_F(Tokens, AreRecognisedWithTheirRoleAndStreamAndInNoOtherSpelling) {
  TokenFile file(state());
  const std::string writer = file.add(Role::write, "temperatures");
  const std::string reader = file.add(Role::read, "*");
  TokenCheck check(state());
  const auto found = check.find(writer, 0);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->role, Role::write);
  EXPECT_TRUE(found->is_for("temperatures"));
  EXPECT_FALSE(found->is_for("pressures"));
  EXPECT_TRUE(check.find(reader, 0)->is_for("pressures"));
  for (std::size_t i = 0; i < writer.size(); ++i) {
    std::string other = writer;
    other[i] = other[i] == '0' ? '1' : '0';
    EXPECT_FALSE(check.find(other, 0)) << i;
  }
  const std::size_t secret = writer.rfind('_');
  EXPECT_FALSE(check.find(writer.substr(0, secret + 1), 0));
  EXPECT_FALSE(check.find(writer + "0", 0));
  EXPECT_FALSE(check.find(reader.substr(0, secret) + writer.substr(secret), 0));
  EXPECT_FALSE(check.find("", 0));
}

TEST_F(Tokens, AreNotInTheirFileWhichIsForItsOwnerAlone) {
  TokenFile file(state());
  const std::string token = file.add(Role::admin, "*");
  const std::filesystem::path path = state() / "tokens.json";
  EXPECT_EQ(mode_of(path), 0600U);
  EXPECT_THAT(content_of(path), testing::Not(testing::HasSubstr(token.substr(token.rfind('_') + 1))));
  ASSERT_EQ(::chmod(path.c_str(), 0644), 0);
  EXPECT_THROW(static_cast<void>(file.list()), StateError);
}

TEST_F(Tokens, ThatWereMadeOrRevokedLaterCountAtOnce) {
  TokenFile file(state());
  TokenCheck check(state());
  EXPECT_FALSE(check.find("jme_000000000000_0", 0));
  const std::string token = file.add(Role::read, "a");
  ASSERT_TRUE(check.find(token, 0));
  EXPECT_FALSE(file.revoke("no such id"));
  EXPECT_TRUE(file.revoke(check.find(token, 0)->id));
  EXPECT_FALSE(check.find(token, 0));
  EXPECT_TRUE(file.list().empty());
}

TEST_F(Tokens, ThatAreRenewedKeepTheirIdAndRoleAndTheOldSecretIsNotKnownAnyMore) {
  TokenFile file(state());
  TokenCheck check(state());
  const std::string old = file.add(Role::write, "a");
  const std::string other = file.add(Role::write, "a");
  const TokenInfo before = *check.find(old, 0);
  const std::optional<std::string> renewed = file.renew(before.id, {});
  ASSERT_TRUE(renewed);
  EXPECT_FALSE(check.find(old, 0));
  EXPECT_FALSE(check.is_still_good(before, 0));  // events that the old secret asked for end
  const auto found = check.find(*renewed, 0);
  ASSERT_TRUE(found);
  EXPECT_TRUE(check.is_still_good(*found, 0));
  EXPECT_EQ(found->id, before.id);
  EXPECT_EQ(found->role, Role::write);
  EXPECT_EQ(found->stream, "a");
  EXPECT_TRUE(check.find(other, 0));
  EXPECT_FALSE(file.renew("no such id", {}));
}

TEST_F(Tokens, ThatAreRenewedHaveTheNewEnd) {
  TokenFile file(state());
  TokenCheck check(state());
  const std::string id = check.find(file.add(Role::read, "*", 100), 0)->id;
  const std::optional<std::string> longer = file.renew(id, 200);
  EXPECT_TRUE(check.find(*longer, 199));
  EXPECT_FALSE(check.find(*longer, 200));
  EXPECT_TRUE(check.find(*file.renew(id, {}), 1'000'000));
}

TEST_F(Tokens, MakeNoFolderWhereNoneIsAdded) {
  TokenFile file(state());
  EXPECT_THROW(static_cast<void>(file.list()), StateError);
  EXPECT_THROW(static_cast<void>(file.renew("x", {})), StateError);
  EXPECT_THROW(static_cast<void>(file.revoke("x")), StateError);
  EXPECT_THROW(static_cast<void>(file.add(Role::read, "a b")), InvalidParameter);
  EXPECT_FALSE(std::filesystem::exists(state()));
}

TEST_F(Tokens, AreNotTouchedInAFolderInWhichOthersMayWrite) {
  TokenFile file(state());
  static_cast<void>(file.add(Role::read, "a"));
  const std::string id = file.list().front().id;
  ASSERT_EQ(::chmod(state().c_str(), 0770), 0);
  EXPECT_THROW(static_cast<void>(file.list()), StateError);
  EXPECT_THROW(static_cast<void>(file.renew(id, {})), StateError);
  EXPECT_THROW(static_cast<void>(file.revoke(id)), StateError);
  ASSERT_EQ(::chmod(state().c_str(), 0700), 0);
  EXPECT_TRUE(file.revoke(id));
}

TEST_F(Tokens, ExpireAtTheirTime) {
  TokenFile file(state());
  const std::string token = file.add(Role::read, "a", 1000);
  TokenCheck check(state());
  EXPECT_TRUE(check.find(token, 999));
  EXPECT_FALSE(check.find(token, 1000));
}

TEST_F(Tokens, ThatWereFoundAreGoodUntilTheyAreRevokedOrExpire) {
  TokenFile file(state());
  const std::string token = file.add(Role::read, "a", 1000), other = file.add(Role::read, "a");
  TokenCheck check(state());
  const TokenInfo found = *check.find(token, 0);
  EXPECT_TRUE(check.is_still_good(found, 999));
  EXPECT_FALSE(check.is_still_good(found, 1000));
  EXPECT_TRUE(file.revoke(check.find(other, 0)->id));
  EXPECT_TRUE(check.is_still_good(found, 0));
  EXPECT_TRUE(file.revoke(found.id));
  EXPECT_FALSE(check.is_still_good(found, 0));
}

TEST_F(Tokens, AreOnlyForStreamsThatCanExist) {
  TokenFile file(state());
  for (const char* stream : {"", "../x", "a/b", "a b", "-a", "**", "a\n"}) {
    EXPECT_THROW(static_cast<void>(file.add(Role::read, stream)), InvalidParameter) << stream;
  }
  EXPECT_THROW(static_cast<void>(parse_role("owner")), InvalidParameter);
}

TEST_F(Tokens, OfADamagedFileAreRefusedWithAReason) {
  TokenFile file(state());
  const std::string token = file.add(Role::read, "a");
  std::ofstream(state() / "tokens.json") << "{\"tokens\":[{\"id\":1}]}";
  EXPECT_THROW(static_cast<void>(file.list()), StateError);
  TokenCheck check(state());
  EXPECT_THROW(static_cast<void>(check.find(token, 0)), StateError);
}

TEST_F(Tokens, AndWhatWasDoneWithThemAreLoggedInLinesThatStay) {
  {
    AuditLog log(state());
    log.add({.request = "r1", .token = "t1", .action = "POST /v1/streams/a/rows", .status = 202, .rows = 7});
  }
  AuditLog log(state());
  log.add({.request = "r2", .token = "", .action = "GET /\n\"\xff", .status = 401, .left_out = 3});
  const std::string text = content_of(state() / "audit.log");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
  EXPECT_THAT(
      text, testing::HasSubstr(
                R"("request":"r1","token":"t1","action":"POST /v1/streams/a/rows","status":202,"rows":7})"));
  EXPECT_THAT(text, testing::HasSubstr(R"("request":"r2","token":null)"));
  EXPECT_THAT(text, testing::HasSubstr(R"("status":401,"left_out":3})"));
  EXPECT_EQ(mode_of(state() / "audit.log"), 0600U);
  // As logrotate does with copytruncate.
  std::filesystem::resize_file(state() / "audit.log", 0);
  log.add({.request = "r3", .token = "t1", .action = "GET /", .status = 200});
  EXPECT_THAT(content_of(state() / "audit.log"), testing::StartsWith("{\"time\":"));
}

}  // namespace
}  // namespace jme
