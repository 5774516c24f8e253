// The entry point of the dictionaries of languages that write no spaces.
#pragma once

#include "text/dictionaries/japanese.h"  // IWYU pragma: export
#include "text/dictionaries/kana.h"      // IWYU pragma: export
#include "text/dictionaries/mandarin.h"  // IWYU pragma: export
