"""The host library, loaded with the types that its C headers declare: nothing of them is repeated here."""

from __future__ import annotations

import ctypes
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Tuple

from inktop_tools.errors import InktopError

#: The checkout; of an installed package, the part of it that the wheel brings (setup.py).
_PACKAGED = Path(__file__).resolve().parents[1] / "tree"
ROOT = _PACKAGED if _PACKAGED.is_dir() else Path(__file__).resolve().parents[3]
HEADERS = tuple(
    ROOT / "firmware" / "host" / name for name in ("inktop_host.h", "decode_api.h", "selftest_api.h")
)
#: Overrides where the library is, for tests and sanitizers.
LIBRARY_VARIABLE = "INKTOP_HOST_LIB"

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_PREPROCESSOR = re.compile(r"^\s*#[^\n]*(?:\\\n[^\n]*)*$", re.MULTILINE)
_STRUCT = re.compile(r"\bstruct (\w+) \{(.*?)\};", re.DOTALL)
_CALLBACK = re.compile(r"\btypedef ([\w ]+?) \(\*(\w+)\)\(([^)]*)\);")
_FUNCTION = re.compile(r"\bINKTOP_EXPORT ([\w ]+[*]?) ?\b(\w+)\(([^)]*)\);")
_CONSTANT = re.compile(r"\bconstexpr int (k\w+) = (-?\d+);")
_VARIABLE = re.compile(r"(?:const )?(\w+)([*]?) (\w+)(?:\[(\d+)\])?")

_SCALARS: Dict[str, Any] = {
    "char": ctypes.c_char,
    "int": ctypes.c_int,
    "unsigned": ctypes.c_uint,
    "int32_t": ctypes.c_int32,
    "uint32_t": ctypes.c_uint32,
    "int64_t": ctypes.c_int64,
    "size_t": ctypes.c_size_t,
}


@dataclass
class Declarations:
    """What the headers declare: name -> its type in ctypes."""

    structs: Dict[str, Any] = field(default_factory=dict)
    callbacks: Dict[str, Any] = field(default_factory=dict)
    #: name -> (result, arguments)
    functions: Dict[str, Tuple[Any, List[Any]]] = field(default_factory=dict)
    constants: Dict[str, int] = field(default_factory=dict)

    def read(self, text: str) -> None:
        """Adds what one header declares. Raises ValueError for a type that this program does not know."""
        text = _PREPROCESSOR.sub("", _COMMENT.sub("", text))
        self.constants.update((name, int(value)) for name, value in _CONSTANT.findall(text))
        for result, name, arguments in _CALLBACK.findall(text):
            # A char* that C hands to Python is no bytes object: Python writes through it.
            types = [
                ctypes.POINTER(ctypes.c_char) if one is ctypes.c_char_p else one
                for one in self._arguments(arguments)
            ]
            self.callbacks[name] = ctypes.CFUNCTYPE(self._type(*_split(result)), *types)
        for name, body in _STRUCT.findall(text):
            fields = []
            for declaration in filter(None, (part.strip() for part in body.split(";"))):
                base, pointer, variable, count = _variable(declaration)
                kind = self._type(base, pointer)
                fields.append((variable, kind * int(count) if count else kind))
            self.structs[name] = type(name, (ctypes.Structure,), {"_fields_": fields})
        for result, name, arguments in _FUNCTION.findall(text):
            returned = self._type(*_split(result))
            if result.split("*")[0].split()[-1] == "uint8_t":
                returned = ctypes.c_void_p  # bytes with zeros among them
            self.functions[name] = (returned, self._arguments(arguments))

    def _arguments(self, text: str) -> List[Any]:
        return [self._type(*_variable(one.strip())[:2]) for one in text.split(",") if one.strip()]

    def _type(self, base: str, pointer: str) -> Any:
        if base in self.callbacks and not pointer:
            return self.callbacks[base]
        if not pointer:
            if base == "void":
                return None
            if base in _SCALARS:
                return _SCALARS[base]
        elif base == "void":
            return ctypes.c_void_p
        elif base in ("char", "uint8_t"):
            return ctypes.c_char_p
        elif base in self.structs or base in _SCALARS:
            return ctypes.POINTER(self.structs.get(base) or _SCALARS[base])
        raise ValueError(f"no type {base}{pointer}")


def _variable(text: str) -> Tuple[str, str, str, str]:
    match = _VARIABLE.fullmatch(text)
    if match is None:
        raise ValueError(f"no declaration: {text}")
    return match[1], match[2], match[3], match[4] or ""


def _split(result: str) -> Tuple[str, str]:
    name = result.replace("const ", "").strip()
    return name.rstrip("*"), "*" if name.endswith("*") else ""


class Library:
    """The library's functions as attributes, and the declarations that they were typed with."""

    def __init__(self, path: Path) -> None:
        """Raises InktopError when it is missing, or does not fit the headers."""
        if not path.exists():
            raise InktopError(
                f"the core has not been built for this machine: {path} is missing. Run `make build`."
            )
        declared = Declarations()
        try:
            for header in HEADERS:
                declared.read(header.read_text(encoding="utf-8"))
            loaded = ctypes.CDLL(str(path))
            for name, (result, arguments) in declared.functions.items():
                function = getattr(loaded, name)
                function.restype = result
                function.argtypes = arguments
        except (OSError, AttributeError, ValueError) as error:
            raise InktopError(
                f"{path} does not fit this checkout ({error}). Run `make build` again."
            ) from error
        self._loaded = loaded
        self.structs = declared.structs
        self.callbacks = declared.callbacks
        self.constants = declared.constants
        #: What a refresh is, why a connection ended, what a link wants done: the number is the place.
        self.refresh_kinds = self._names("inktop_refresh_kind_name")
        self.close_reasons = self._names("inktop_close_reason_name")
        self.link_actions = self._names("inktop_link_action_name")
        #: What a panel answers: its word in the health line -> its bit.
        self.draw_errors = {
            word: int(loaded.inktop_draw_error_bit(kind))
            for kind, word in enumerate(self._names("inktop_draw_error_word"))
        }

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loaded, name)

    def _names(self, function: str) -> List[str]:
        """The names of an enumeration, from number 0 on."""
        names: List[str] = []
        while True:
            name = getattr(self._loaded, function)(len(names))
            if name is None or name == b"?":
                return names
            names.append(name.decode("ascii"))


_loaded: Dict[Path, Library] = {}


def library_path() -> Path:
    """Where the host library is, or should be."""
    named = os.environ.get(LIBRARY_VARIABLE)
    return Path(named) if named else ROOT / "build" / "native" / "libinktop_host.so"


def library() -> Library:
    """The library, loaded once. Raises InktopError when it is missing or does not fit."""
    path = library_path()
    if path not in _loaded:
        _loaded[path] = Library(path)
    return _loaded[path]
