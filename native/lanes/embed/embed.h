// The jobs that compute sentence embeddings, vectors that are close for texts about the same thing: "embed" by MiniLM, of
// English; "embed_multilingual" by multilingual-e5-small, whose texts begin with "query: " or "passage: ".
//
// "embed_added" uses a model of the operator, which "open_embedder" has opened.
//
// options   live: a caller waits for the answer
//           model: the folder of an added model (its embed.conf: lanes/embed/model.h)
//           keep, of "open_embedder": closes the added models of other folders than these
// input     for each text u32 bytes, then UTF-8; at most 256 texts, 64 KiB together
// result    one chunk: for each text 384 f32, or as many as an added model has, of unit length; all 0 for an empty one
#pragma once

#include <memory>

#include "engine/engine.h"
#include "lanes/embed/nearest.h"  // IWYU pragma: export

namespace trunkline::embed {

std::shared_ptr<engine::JobKind> MakeEmbedKind();
std::shared_ptr<engine::JobKind> MakeMultilingualEmbedKind();
std::shared_ptr<engine::JobKind> MakeAddedEmbedKind();
std::shared_ptr<engine::JobKind> MakeOpenEmbedderKind();

}  // namespace trunkline::embed
