// The entry point of the tokenizers.
#pragma once

#include "text/tokens/byte_tokens.h"     // IWYU pragma: export
#include "text/tokens/piece_tokens.h"    // IWYU pragma: export
#include "text/tokens/unigram_pieces.h"  // IWYU pragma: export
#include "text/tokens/word_pieces.h"     // IWYU pragma: export
