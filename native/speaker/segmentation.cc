#include "speaker/segmentation.h"

#include <algorithm>
#include <bit>

namespace trunkline::speaker {
namespace {

constexpr const char* kSegmentationIn[] = {"audio"};
constexpr const char* kSegmentationOut[] = {"log_probability"};
// The classes of the model: nobody, one of three, two of three.
constexpr std::array<Segmentation::Frame, 7> kClasses = {0b000, 0b001, 0b010, 0b100, 0b011, 0b101, 0b110};

using Order = std::array<size_t, Segmentation::kMaxSpeakers>;

Segmentation::Frame Renumbered(Segmentation::Frame frame, const Order& order) {
  Segmentation::Frame renumbered = 0;
  for (size_t person = 0; person < order.size(); ++person) {
    if ((frame >> person & 1U) != 0) renumbered |= static_cast<Segmentation::Frame>(1U << order[person]);
  }
  return renumbered;
}

}  // namespace

base::Result<std::unique_ptr<Segmentation>> Segmentation::Create(std::unique_ptr<onnx::Session> session) {
  TRUNKLINE_RETURN_IF_FAILED(session->Require(kSegmentationIn, kSegmentationOut));
  std::unique_ptr<Segmentation> model(new Segmentation());
  model->session_ = std::move(session);
  return model;
}

base::Result<std::vector<Segmentation::Frame>> Segmentation::Of(std::span<const float> samples,
                                                                const onnx::RunOptions* run) const {
  std::vector<float> window(kWindow, 0.0F);
  std::copy_n(samples.begin(), std::min(samples.size(), kWindow), window.begin());
  const int64_t shape[] = {1, 1, kWindow};
  TRUNKLINE_ASSIGN_OR_RETURN(auto input, onnx::Tensor::View<float>(session_->runtime(), window, shape));
  std::vector<float> scores(FramesIn(kWindow) * kClasses.size());
  const int64_t out_shape[] = {1, static_cast<int64_t>(FramesIn(kWindow)), kClasses.size()};
  TRUNKLINE_ASSIGN_OR_RETURN(auto output, onnx::Tensor::View<float>(session_->runtime(), scores, out_shape));
  const onnx::Input inputs[] = {{kSegmentationIn[0], &input}};
  const onnx::Output outputs[] = {{kSegmentationOut[0], &output}};
  TRUNKLINE_RETURN_IF_FAILED(session_->Run(inputs, outputs, run));
  std::vector<Frame> frames;
  for (size_t f = 0; f < FramesIn(std::min(samples.size(), kWindow)); ++f) {
    const auto of_frame = std::span(scores).subspan(f * kClasses.size(), kClasses.size());
    frames.push_back(
        kClasses[static_cast<size_t>(std::max_element(of_frame.begin(), of_frame.end()) - of_frame.begin())]);
  }
  return frames;
}

void SegmentationTimeline::Add(size_t first, std::span<const Segmentation::Frame> window) {
  const size_t shared = std::min(frames_.size() - std::min(first, frames_.size()), window.size());
  Order best = {0, 1, 2};
  int most = -1;
  Order order = best;
  do {
    int agreed = 0;
    for (size_t f = 0; f < shared; ++f) {
      agreed += std::popcount(static_cast<unsigned>(frames_[first + f] & Renumbered(window[f], order)));
    }
    if (agreed > most) most = agreed, best = order;
  } while (std::next_permutation(order.begin(), order.end()));
  // Each window is at its best away from its edges, so they meet in the middle of what they share.
  frames_.resize(first + shared - shared / 2);
  for (size_t f = shared - shared / 2; f < window.size(); ++f) frames_.push_back(Renumbered(window[f], best));
}

}  // namespace trunkline::speaker
