"""What can be seen of a plugin's objects without asking them: an answer may run their code."""

from importlib.machinery import ExtensionFileLoader
from types import FunctionType, MethodType, ModuleType
from typing import Any, TypeGuard

_OF_MODULE: Any = vars(ModuleType)["__dict__"]
_OF_TYPE: Any = vars(type)["__dict__"]


def is_module(value: object) -> TypeGuard[ModuleType]:
    """Whether it is a module."""
    return issubclass(type(value), ModuleType)


def vars_of(module: ModuleType) -> dict[str, Any]:
    """What stands in a module."""
    names: dict[str, Any] = _OF_MODULE.__get__(module)
    return names


def is_extension(module: ModuleType) -> bool:
    """Whether it was loaded as an extension module."""
    return issubclass(type(vars_of(module).get("__loader__")), ExtensionFileLoader)


def file_of(module: ModuleType) -> str:
    """The file that a module says it comes from; empty where it says none."""
    return text(vars_of(module).get("__file__"))


def module_of(value: object) -> str:
    """The name of the module in which a function, a class or an object's class was written."""
    while issubclass(type(value), MethodType):
        value = MethodType.__getattribute__(value, "__func__")
    if type(value) is FunctionType:
        return text(value.__module__)
    kind: Any = value if issubclass(type(value), type) else type(value)
    return text(_OF_TYPE.__get__(kind).get("__module__"))


def text(value: object) -> str:
    """A text as it is; empty for anything else, which may only look like one."""
    return value if type(value) is str else ""
