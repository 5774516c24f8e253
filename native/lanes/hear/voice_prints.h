// The model of speakers' voices, opened once and shared by the kinds that use it.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "engine/engine.h"
#include "speaker/speaker.h"

namespace trunkline::hear {

// The numbers of a vector of the bundled encoder.
inline constexpr size_t kVoicePrintSize = 192;

// Returns kNotReady where the model's file is missing, and kBadModel where another model is in its place.
base::Result<std::shared_ptr<const speaker::SpeakerEncoder>> OpenVoicePrints(engine::Services& services);

// Opens an encoder that the operator added: FOLDER/encoder.onnx, with the window of its features in FOLDER/encoder.conf. The
// one that was opened last stays open. Takes up to a second.
base::Result<std::shared_ptr<const speaker::SpeakerEncoder>> OpenAddedEncoder(engine::Services& services,
                                                                              const std::string& folder);

}  // namespace trunkline::hear
