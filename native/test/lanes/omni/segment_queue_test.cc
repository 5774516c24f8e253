#include "lanes/omni/segment_queue.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <string>

namespace trunkline::omni {
namespace {

base::ByteView Voice(const std::string& name) {
  return base::AsBytes(name);
}

std::string_view VoiceOf(const SegmentQueue& queue) {
  return base::AsText(queue.FrontVoice());
}

TEST(SegmentQueue, GivesWhatCameInItsOrderWithTheVoiceOfThatMoment) {
  SegmentQueue queue(Voice("joe"));
  EXPECT_EQ(queue.Front(), nullptr);
  EXPECT_TRUE(queue.Add({.speech = 1, .segment = 0, .text = "One."}));
  EXPECT_TRUE(queue.SetVoice(Voice("heart")));
  EXPECT_TRUE(queue.Add({.speech = 1, .segment = 1, .held = true, .yields = true, .text = "Two."}));
  ASSERT_NE(queue.Front(), nullptr);
  EXPECT_EQ(queue.Front()->text, "One.");
  EXPECT_EQ(VoiceOf(queue), "joe");
  queue.Take();
  EXPECT_EQ(queue.Front(), nullptr) << "one is spoken at a time";
  queue.Spoken();
  EXPECT_EQ(queue.Front()->text, "Two.");
  EXPECT_TRUE(queue.Front()->held && queue.Front()->yields);
  EXPECT_EQ(VoiceOf(queue), "heart");
}

TEST(SegmentQueue, KeepsTheTextThatIsSpokenThoughEverythingElseIsDropped) {
  SegmentQueue queue(Voice("joe"));
  queue.Add({.speech = 1, .text = "Spoken now."});
  const std::string_view spoken = queue.Front()->text;
  queue.Take();
  queue.Add({.speech = 1, .segment = 1, .text = "Never."});
  queue.DropAll();
  EXPECT_FALSE(queue.Waits(1));
  // Fills the rest of the ring, up to what is spoken.
  const std::string block(SegmentQueue::kTextBytes / 8, 'x');
  while (queue.Add({.speech = 2, .text = block})) {
  }
  EXPECT_EQ(spoken, "Spoken now.");
  queue.Spoken();
  EXPECT_EQ(queue.Front()->text, block);
}

TEST(SegmentQueue, TakesATextAsLongAsItsMemoryWhenNothingWaits) {
  SegmentQueue queue(Voice("joe"));
  queue.Add({.speech = 1, .text = "short"});
  const std::string longest(SegmentQueue::kTextBytes, 'x');
  EXPECT_FALSE(queue.Add({.speech = 2, .text = longest}));
  queue.Front();
  queue.Take();
  queue.Spoken();
  EXPECT_TRUE(queue.Add({.speech = 2, .text = longest}));
  EXPECT_EQ(queue.Front()->text.size(), longest.size());
  EXPECT_TRUE(queue.Add({.speech = 2, .segment = 1, .text = ""})) << "a text of nothing needs no room";
  EXPECT_FALSE(queue.Add({.speech = 2, .segment = 2, .text = "x"}));
}

TEST(SegmentQueue, SaysWhenThereIsNoRoomForAnotherVoice) {
  SegmentQueue queue(Voice("0"));
  size_t voices = 0;
  for (; queue.SetVoice(Voice(std::to_string(voices))); ++voices) queue.Add({.speech = 1, .text = "x"});
  EXPECT_EQ(voices, SegmentQueue::kVoices);
  EXPECT_TRUE(queue.SetVoice(Voice("3"))) << "one that waits already needs no more room";
  queue.Front();
  queue.Take();
  queue.Spoken();
  EXPECT_TRUE(queue.SetVoice(Voice("another")));
  const std::string vast(queue.voice_bytes() + 1, 'v');
  queue.Drop(1);
  EXPECT_TRUE(queue.SetVoice(Voice(vast)));
  EXPECT_EQ(queue.voice().size(), queue.voice_bytes());
}

// Against a list without bounds: the same order, the same bytes, whatever is added, dropped and spoken.
TEST(SegmentQueue, IsTheListThatItStandsFor) {
  struct Expected {
    uint32_t speech, segment;
    bool held;
    std::string text, voice;
  };
  std::mt19937 random(7);
  SegmentQueue queue(Voice("0"));
  std::deque<Expected> list;
  std::string voice = "0";
  std::string spoken;
  uint32_t speech = 1, segment = 0;
  size_t refused = 0;
  for (int step = 0; step < 200'000; ++step) {
    switch (random() % 16) {
      case 0:
        speech += 1;
        break;
      case 1:
        if (const std::string next = std::to_string(random() % 40); queue.SetVoice(Voice(next))) voice = next;
        break;
      case 2: {
        const uint32_t which = speech - random() % 3;
        queue.Drop(which);
        std::erase_if(list, [&](const Expected& e) { return e.speech == which; });
        break;
      }
      case 3:
        if (random() % 64 == 0) {
          queue.DropAll();
          list.clear();
        }
        break;
      case 4: {
        const uint32_t which = speech - random() % 3;
        queue.Release(which);
        for (Expected& e : list) e.held &= e.speech != which;
        break;
      }
      case 5:
      case 6:
      case 7:
        if (!spoken.empty()) {
          queue.Spoken();
          spoken.clear();
        }
        break;
      case 8:
      case 9:
      case 10: {
        if (!spoken.empty()) break;
        const SegmentOrder* front = queue.Front();
        ASSERT_EQ(front == nullptr, list.empty());
        if (front == nullptr) break;
        ASSERT_EQ(front->text, list.front().text);
        ASSERT_EQ(front->speech, list.front().speech);
        ASSERT_EQ(front->segment, list.front().segment);
        ASSERT_EQ(front->held, list.front().held);
        ASSERT_EQ(VoiceOf(queue), list.front().voice);
        spoken = "s";
        queue.Take();
        list.pop_front();
        break;
      }
      default: {
        const size_t most = random() % 8 == 0 ? SegmentQueue::kTextBytes / 3 : 400;
        Expected e{speech, segment++, random() % 4 == 0, std::string(random() % most, ' '), voice};
        for (char& c : e.text) c = static_cast<char>('a' + random() % 26);
        if (queue.Add({.speech = e.speech, .segment = e.segment, .held = e.held, .text = e.text})) {
          list.push_back(std::move(e));
        } else {
          ++refused;
        }
      }
    }
    const uint32_t which = speech - random() % 3;
    const bool waits =
        std::any_of(list.begin(), list.end(), [&](const Expected& e) { return e.speech == which; });
    ASSERT_EQ(queue.Waits(which), waits);
  }
  EXPECT_GT(refused, 100u);
}

}  // namespace
}  // namespace trunkline::omni
