// The door of reading aloud: what a text is said as, and what listeners say.
#pragma once

#include "text/reading/clauses.h"          // IWYU pragma: export
#include "text/reading/backchannels.h"  // IWYU pragma: export
#include "text/reading/normalize.h"        // IWYU pragma: export
#include "text/reading/reader.h"           // IWYU pragma: export
