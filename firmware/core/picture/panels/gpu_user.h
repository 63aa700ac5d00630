// Who uses a GPU, in the words of its panel: "vllm 27.1 GiB +2".
#pragma once

#include "picture/format.h"
#include "picture/view.h"

namespace inktop {

// Empty where the line names nobody.
LongText gpu_user_text(const View& view, int index);

}  // namespace inktop
