#include "engine/options.h"

#include <gtest/gtest.h>

#include <limits>

namespace trunkline::engine {
namespace {

TEST(Options, ReadsWhatWasPacked) {
  const OptionsBuilder builder = OptionsBuilder()
                                     .Number("rate", 16000)
                                     .Text("language", "hi")
                                     .Bytes("style", base::AsBytes("\x01\x02"))
                                     .List("terms", {"one", "", "three"});
  auto options = Options::Parse(builder.packed());
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->Number("rate"), 16000);
  EXPECT_EQ(options->Text("language"), "hi");
  EXPECT_EQ(options->Bytes("style").size(), 2u);
  std::string terms;
  options->EachText("terms", [&](std::string_view term) { terms.append(term).append("|"); });
  EXPECT_EQ(terms, "one||three|");
  EXPECT_TRUE(options->Has("terms"));
}

TEST(Options, GivesTheDefaultForWhatIsAbsentOrOfAnotherType) {
  const OptionsBuilder builder = OptionsBuilder()
                                     .Text("rate", "fast")
                                     .Number("big", 1e30)
                                     .Number("nan", std::numeric_limits<double>::quiet_NaN());
  auto options = Options::Parse(builder.packed());
  EXPECT_EQ(options->Number("rate", 8000), 8000);
  EXPECT_EQ(options->Integer("big", 1, 0, 100), 100);
  EXPECT_EQ(options->Integer("nan", 7, 0, 100), 7);
  EXPECT_TRUE(options->Flag("absent", true));
  EXPECT_TRUE(options->Text("absent").empty());
  EXPECT_FALSE(options->Has("absent"));
}

TEST(Options, RefusesWhatIsCutShortAnywhere) {
  const OptionsBuilder builder = OptionsBuilder().Number("rate", 1).List("terms", {"a", "b"});
  const base::ByteView whole = builder.packed();
  ASSERT_TRUE(Options::Parse(whole).ok());
  const size_t first = 1 + 4 + 1 + 4 + 8;
  for (size_t size = 1; size < whole.size(); ++size) {
    EXPECT_EQ(Options::Parse(whole.first(size)).ok(), size == first) << size;
  }
  EXPECT_TRUE(Options::Parse({}).ok());
}

}  // namespace
}  // namespace trunkline::engine
