"""Writes what follows from the table of the line.

``make generate`` runs it; ``--check`` only says what is not current.

From inktop_protocol/table.py come the dataclasses in model.py, the structs and the table in cpp/inktop/,
and the tables of README.md.
"""

from __future__ import annotations

import sys
import types
from pathlib import Path

HERE = Path(__file__).resolve().parent
# The package runs the codec, for which model.py must be current: only its table is imported.
_package = types.ModuleType("inktop_protocol")
_package.__path__ = [str(HERE / "inktop_protocol")]
sys.modules["inktop_protocol"] = _package

from generator.cpp_structs import line_structs  # noqa: E402
from generator.cpp_table import line_table  # noqa: E402
from generator.python_model import model  # noqa: E402
from generator.specification import readme  # noqa: E402


def main() -> int:
    old = (HERE / "README.md").read_text(encoding="utf-8")
    files = {
        "inktop_protocol/model.py": model(),
        "cpp/inktop/line_structs.h": line_structs(),
        "cpp/inktop/line_table.h": line_table(),
        "README.md": readme(old),
    }
    stale = []
    for name, text in files.items():
        path = HERE / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
            if "--check" not in sys.argv[1:]:
                path.write_text(text, encoding="utf-8")
    if "--check" not in sys.argv[1:] or not stale:
        return 0
    print(f"not current: {', '.join(stale)}. Write them with `make generate`.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
