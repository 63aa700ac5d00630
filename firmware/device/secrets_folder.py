"""Puts the folder of secrets.h on the include path of the firmware's build; PlatformIO runs this first."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Mapping

VARIABLE = "INKTOP_SECRETS_DIR"


def secrets_folder(environment: Mapping[str, str], home: Path) -> Path:
    """`$INKTOP_SECRETS_DIR`, or ~/.config/inktop when that is unset or empty; it need not exist.

    A folder without secrets.h ends the build with one readable error (firmware/device/secret_defaults.h).
    """
    named = environment.get(VARIABLE, "").strip()
    if not named:
        return home / ".config" / "inktop"
    if named == "~" or named.startswith("~/"):
        return home / named[2:]
    return Path(named)


if "Import" in globals():  # called by PlatformIO's build, which puts this function there
    Import("env")  # type: ignore[name-defined]  # noqa: F821
    # A list of one, so that a space in the path does not part it.
    env.Append(CPPPATH=[str(secrets_folder(os.environ, Path.home()))])  # type: ignore[name-defined]  # noqa: F821
