// The entry point of text normalisation and of backchannel classification.
#pragma once

#include "text/reading/backchannels.h"  // IWYU pragma: export
#include "text/reading/clauses.h"       // IWYU pragma: export
#include "text/reading/normalize.h"     // IWYU pragma: export
#include "text/reading/reader.h"        // IWYU pragma: export
