"""Frozen dataclasses that cost little memory: what the classes of ``model`` are at run time.

Importing ``dataclasses`` takes 3 MiB (it brings ``inspect``, ``ast``, ``re`` …), as much as all
else that a collector is. A record has what a line needs of one: construction by place or name,
defaults, equality, hash, ``repr``, no assignment. The functions of ``dataclasses`` accept it and
find its fields on demand; a type checker sees a dataclass.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Tuple, TypeVar

    T = TypeVar("T")


class _DataclassFields:
    """``__dataclass_fields__`` of a record, made when ``dataclasses`` asks for it."""

    def __init__(self, names: Tuple[str, ...], defaults: Dict[str, Any]) -> None:
        self._names = names
        self._defaults = defaults

    def __get__(self, instance: object, owner: type) -> Any:
        from dataclasses import make_dataclass

        without = [(name, "object") for name in self._names if name not in self._defaults]
        with_default = [
            (name, "object", self._defaults[name]) for name in self._names if name in self._defaults
        ]
        twin: Any = make_dataclass(owner.__name__, [*without, *with_default])
        return twin.__dataclass_fields__


def fields(of: object) -> Tuple[str, ...]:
    """The names of a record's fields in their order."""
    names: Tuple[str, ...] = getattr(of, "__match_args__")  # noqa: B009 (only a type checker misses it)
    return names


def replace(of: T, **changes: Any) -> T:
    """A copy with some fields changed, as ``dataclasses.replace``."""
    return type(of)(**{**of.__dict__, **changes})


def _repr(self: Any) -> str:
    items = ", ".join([f"{name}={value!r}" for name, value in self.__dict__.items()])
    return f"{type(self).__name__}({items})"


def _eq(self: Any, other: object) -> Any:
    if type(other) is not type(self):
        return NotImplemented
    return self.__dict__ == other.__dict__


def _hash(self: Any) -> int:
    return hash((type(self), *self.__dict__.values()))


def _setattr(self: Any, name: str, value: object) -> None:
    raise AttributeError(f"{type(self).__name__}.{name} cannot be set: use replace()")


def _delattr(self: Any, name: str) -> None:
    raise AttributeError(f"{type(self).__name__}.{name} cannot be deleted")


def dataclass(*, frozen: bool) -> Callable[[type], type]:
    """The decorator, used as ``@dataclass(frozen=True)``: records are always frozen."""
    assert frozen
    return _record


def _record(cls: type) -> type:
    names = tuple(cls.__annotations__)
    defaults = {name: cls.__dict__[name] for name in names if name in cls.__dict__}
    parameters = [f"{name}=_defaults[{name!r}]" if name in defaults else name for name in names]
    stored = ", ".join([f"{name}={name}" for name in names])
    made: Dict[str, Any] = {}
    # As dataclasses does it: an __init__ of its own gives plain errors and is fast.
    exec(  # noqa: S102
        f"def __init__(self, {', '.join(parameters)}):\n self.__dict__.update({stored})",
        {"_defaults": defaults},
        made,
    )
    members = {
        "__init__": made["__init__"],
        "__repr__": _repr,
        "__eq__": _eq,
        "__hash__": _hash,
        "__setattr__": _setattr,
        "__delattr__": _delattr,
        "__match_args__": names,
        "__dataclass_fields__": _DataclassFields(names, defaults),
    }
    for name, member in members.items():
        setattr(cls, name, member)
    return cls
