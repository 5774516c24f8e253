// The entry point of pronunciation.
#pragma once

#include "text/phonemes/phoneme_table.h"  // IWYU pragma: export
#include "text/phonemes/phonetic.h"       // IWYU pragma: export
#include "text/phonemes/pool.h"           // IWYU pragma: export
#include "text/phonemes/process.h"        // IWYU pragma: export
#include "text/phonemes/pronunciation.h"  // IWYU pragma: export
