// The jobs that compute sentence embeddings, vectors that are close for texts about the same thing: "embed" by MiniLM, of
// English; "embed_multilingual" by multilingual-e5-small, whose texts begin with "query: " or "passage: ".
//
// options   live: a caller waits for the answer
// input     for each text u32 bytes, then UTF-8; at most 256 texts, 64 KiB together
// result    one chunk: for each text 384 f32 of unit length; all 0 for an empty one
#pragma once

#include <memory>

#include "engine/engine.h"
#include "lanes/embed/nearest.h"  // IWYU pragma: export

namespace trunkline::embed {

std::shared_ptr<engine::JobKind> MakeEmbedKind();
std::shared_ptr<engine::JobKind> MakeMultilingualEmbedKind();

}  // namespace trunkline::embed
