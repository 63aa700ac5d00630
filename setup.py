"""What pyproject.toml cannot say: the wheel holds the firmware's core, compiled for this machine.

A checkout (`pip install -e`, which is what `make` does) takes the core from build/native instead.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import List, Tuple

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py
from setuptools.errors import CompileError

HERE = Path(__file__).resolve().parent
#: What the tools read at run time besides Python, under the same names as in a checkout.
TREE = Path("inktop_tools", "tree")
FILES = (
    "firmware/host/inktop_host.h",
    "firmware/host/decode_api.h",
    "firmware/host/selftest_api.h",
    "selftest/expected.txt",
    "selftest/pictures/*.png",
    "protocol/samples/*.lines",
)


def compile_core(work: Path) -> Path:
    """The core as a shared library. Raises CompileError when there is no compiler, or it fails."""
    compilers = (os.environ.get("CXX", "c++"), "g++", "clang++")
    if not any(shutil.which(name.split()[0]) for name in compilers if name):
        raise CompileError(
            "inktop's drawing core is compiled when it is installed, and there is no C++ compiler here. "
            "Install one (Debian: sudo apt-get install g++) and run this again."
        )
    cmake = shutil.which("cmake")
    if cmake is None:
        raise CompileError("cmake is missing: pip install cmake, and run this again")
    try:
        subprocess.run([cmake, "-S", HERE, "-B", work, "-DINKTOP_TESTS=OFF"], check=True)
        jobs = str(os.cpu_count() or 1)
        subprocess.run([cmake, "--build", work, "--target", "inktop_host", "-j", jobs], check=True)
    except subprocess.CalledProcessError as error:
        raise CompileError(f"inktop's drawing core does not compile here: {error}") from error
    return work / "libinktop_host.so"


class BuildWithCore(build_py):
    """Python, and the core beside it."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        # The unit: where the one file has it too.
        unit = Path(self.build_lib, "inktop_collector", "deploy")
        shutil.copytree(HERE / "collector" / "deploy", unit, dirs_exist_ok=True)
        tree = Path(self.build_lib) / TREE
        library = tree / "build" / "native" / "libinktop_host.so"
        library.parent.mkdir(parents=True, exist_ok=True)
        work = Path(vars(self.get_finalized_command("build"))["build_temp"])
        shutil.copyfile(compile_core(work), library)
        for pattern in FILES:
            for path in sorted(HERE.glob(pattern)):
                target = tree / path.relative_to(HERE)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)


class PlatformWheel(bdist_wheel):
    """For every Python 3, but for one kind of machine."""

    def get_tag(self) -> Tuple[str, str, str]:
        return ("py3", "none", super().get_tag()[2])


class WithCore(Distribution):
    """Not pure Python."""

    def has_ext_modules(self) -> bool:
        return True


# pip brings CMake into the build when the system has none.
needed: List[str] = [] if shutil.which("cmake") else ["cmake>=3.18"]
setup(
    distclass=WithCore,
    cmdclass={"build_py": BuildWithCore, "bdist_wheel": PlatformWheel},
    setup_requires=needed,
)
