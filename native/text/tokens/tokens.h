// The door of the tables that models read and write text by.
#pragma once

#include "text/tokens/byte_tokens.h"   // IWYU pragma: export
#include "text/tokens/piece_tokens.h"  // IWYU pragma: export
#include "text/tokens/word_pieces.h"   // IWYU pragma: export
