// The forms of the grammar: whether a text has the one that the table of the line wants.
#pragma once

#include <cstddef>

#include "inktop/schema.h"

namespace inktop {

// `size` characters, which need no NUL; `longest` is how many its member holds.
bool has_form(Form form, const char* text, size_t size, size_t longest);

}  // namespace inktop
