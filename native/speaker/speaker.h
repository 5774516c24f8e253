// The entry point of speaker embeddings.
#pragma once

#include "speaker/embedder.h"     // IWYU pragma: export
#include "speaker/mel.h"          // IWYU pragma: export
#include "speaker/narrow_band.h"  // IWYU pragma: export
