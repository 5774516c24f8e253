// Lanes with real sockets on loopback, in virtual time.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "lanes/rtp/rtp.h"
#include "lanes/rtp/statistics.h"
#include "test/support/drained.h"

namespace trunkline::rtp {

using base::Code;
using engine::LaneId;
using engine::OptionsBuilder;
using test::Record;

class RtpLaneTest : public ::testing::Test {
 protected:
  RtpLaneTest() {
    engine::Kinds kinds;
    kinds.AddLane(MakeRtpKind());
    kinds.AddLane(engine::MakeLoopbackKind());
    engine_ = std::make_unique<engine::Engine>(
        engine::EngineConfig{.slots = 8, .capacity = 100'000, .media_threads = 0, .inference_threads = 0},
        std::move(kinds), nullptr, clock_);
    Settle();
  }

  void Settle() {
    while (engine_->RunTask()) {
    }
    for (Record& record : test::DrainAll(*engine_)) records_.push_back(std::move(record));
  }

  void Pass(int ticks) {
    for (int i = 0; i < ticks; ++i) {
      clock_->Advance(engine::kTickNanos);
      engine_->Tick();
      Settle();
    }
  }

  static OptionsBuilder Opening(int rate = 8000) {
    OptionsBuilder options;
    options.Number("rate", rate)
        .Text("bind", "127.0.0.1")
        .Number("port_from", 31000)
        .Number("port_to", 31999);
    return options;
  }

  // The lane and its port.
  std::pair<LaneId, uint16_t> Open(int rate = 8000) {
    auto options = Opening(rate);
    const auto lane = engine_->Open("rtp", options.packed());
    EXPECT_TRUE(lane.ok()) << lane.status().message();
    Pass(1);
    const auto opened = Of(*lane, kRtpOpened);
    EXPECT_EQ(opened.size(), 1u);
    return {*lane,
            static_cast<uint16_t>(base::Load<uint32_t>(reinterpret_cast<const uint8_t*>(opened[0].data())))};
  }

  void SetUp(LaneId lane, uint16_t port, std::string codec = "0 pcmu", std::string suite = "",
             const std::vector<uint8_t>& in = {}, const std::vector<uint8_t>& out = {}) {
    OptionsBuilder options;
    options.Text("address", "127.0.0.1").Number("port", port).List("listen", {codec}).Text("speak", codec);
    options.Number("event_type", 101);
    if (!suite.empty()) options.Text("srtp_suite", suite).Bytes("srtp_in", in).Bytes("srtp_out", out);
    ASSERT_EQ(engine_->Control(lane, kRtpSetup, options.packed()), Code::kOk);
    Pass(2);
  }

  std::vector<std::string> Of(LaneId lane, uint16_t type) const {
    std::vector<std::string> bodies;
    for (const Record& record : records_) {
      if (record.id == lane && record.type == type) bodies.push_back(record.bytes);
    }
    return bodies;
  }

  std::vector<int16_t> Heard(LaneId lane) const {
    std::vector<int16_t> heard;
    for (const std::string& bytes : Of(lane, engine::kAudioEvent)) {
      const auto* samples = reinterpret_cast<const int16_t*>(bytes.data());
      heard.insert(heard.end(), samples, samples + bytes.size() / 2);
    }
    return heard;
  }

  std::vector<double> Statistics(LaneId lane) const {
    const auto all = Of(lane, kRtpStatistics);
    if (all.empty()) return {};
    const auto* numbers = reinterpret_cast<const double*>(all.back().data());
    return {numbers, numbers + kStatistics};
  }

  void Say(LaneId lane, int frames, int rate = 8000) {
    std::vector<int16_t> frame(static_cast<size_t>(rate) / 50);
    for (int i = 0; i < frames; ++i) {
      for (int16_t& sample : frame) {
        sample =
            static_cast<int16_t>(8000 * std::sin(2 * 3.14159265 * 440 * static_cast<double>(said_++) / rate));
      }
      ASSERT_EQ(engine_->Push(lane, base::AsBytes(std::span<const int16_t>(frame))), Code::kOk);
      Pass(2);
    }
  }

  static double LevelOf(std::span<const int16_t> sound) {
    double power = 0;
    for (const int16_t sample : sound) power += static_cast<double>(sample) * sample;
    return sound.empty() ? 0 : std::sqrt(power / static_cast<double>(sound.size()));
  }

  // Two lanes that send to each other, and how loud what the second hears of the first is in the end.
  double Across(std::string codec, int rate, std::string suite = "") {
    const auto [one, one_port] = Open(rate);
    const auto [other, other_port] = Open(rate);
    const std::vector<uint8_t> key(30, 1), back(30, 2);
    SetUp(one, other_port, codec, suite, back, key);
    SetUp(other, one_port, codec, suite, key, back);
    Say(one, 100, rate);
    const auto heard = Heard(other);
    EXPECT_GT(heard.size(), static_cast<size_t>(rate));
    const size_t tail = std::min<size_t>(heard.size(), static_cast<size_t>(rate) / 2);
    return LevelOf(std::span<const int16_t>(heard).last(tail));
  }

  std::shared_ptr<base::ManualClock> clock_ =
      std::make_shared<base::ManualClock>(base::kNanosPerMilli * 1000);
  std::unique_ptr<engine::Engine> engine_;
  std::vector<Record> records_;
  uint64_t said_ = 0;
};

}  // namespace trunkline::rtp
