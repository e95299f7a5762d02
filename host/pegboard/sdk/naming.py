"""Names in the SDK: which tools are functions, what types are called, and none of them twice."""

import builtins
import hashlib
import keyword
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

import attrs

_OF_SITE = frozenset({"_", "copyright", "credits", "exit", "help", "license", "quit"})
_BUILTINS = frozenset(dir(builtins)) - _OF_SITE
IMPORTS = ("Any", "Literal", "NotRequired", "Protocol", "TypedDict", "Union", "Unpack")
IN_TYPES = frozenset({*IMPORTS, "bool", "dict", "float", "int", "list", "str"})
_OWN = frozenset(IMPORTS) | {"ToolCallError", "Tools", "asyncio", "reveal_type", "tools"}

RESERVED = _BUILTINS | _OWN | frozenset(keyword.kwlist)
"""What no tool's function and no type may be called."""

_LONGEST_WORD = 48
_NOT_IN_WORDS = re.compile(r"[^A-Za-z0-9]+")


def is_function_name(name: str) -> bool:
    """Whether a tool of this name can be a function of the same name."""
    return _is_plain(name) and name not in RESERVED


def is_keyword_name(name: str) -> bool:
    """Whether an argument of this name can be given by keyword."""
    return _is_plain(name) and not keyword.iskeyword(name)


def is_field_name(name: str, *, own: str) -> bool:
    """Whether a key can stand in the body of a class without hiding what its types are made of.

    Args:
        name: the key.
        own: what the names of the tool's types begin with.
    """
    return is_keyword_name(name) and name not in IN_TYPES and not name.startswith(own)


def _is_plain(name: str) -> bool:
    is_normal = name.isascii() or unicodedata.normalize("NFKC", name) == name
    return is_normal and name.isidentifier() and not name.startswith("__")


def camel(text: str, default: str = "") -> str:
    """The words of a text as one, each beginning with a capital."""
    parts = _NOT_IN_WORDS.split(text[: 4 * _LONGEST_WORD])
    return "".join(each[:1].upper() + each[1:] for each in parts)[:_LONGEST_WORD] or default


def type_word(tool: str) -> str:
    """What the names of a tool's types begin with."""
    word = camel(tool, "Tool")
    return word if word[0].isalpha() else f"Tool{word}"


@attrs.frozen
class Wanted:
    """The name that a type would have.

    Attributes:
        word: the name.
        owner: the tool that it belongs to.
        path: where in the tool's schemas the type stands; read only where names are equal.
    """

    word: str
    owner: str
    path: object

    def digest(self) -> str:
        """Tells this type from all others."""
        exact = f"{self.owner}\0{self.path}".encode("utf-8", "surrogatepass")
        return hashlib.sha256(exact).hexdigest()


def settled(wanted: Sequence[Sequence[Wanted]], taken: Iterable[str]) -> list[list[str]]:
    """The names of all types of each tool; those that would be equal get a digest.

    Args:
        wanted: for each tool, what its types would be called.
        taken: further names that no type may have.
    """
    counts = Counter(each.word for own in wanted for each in own)
    kept = RESERVED.union(taken)
    used = {*kept, *counts}
    return [
        [
            _free(each, used) if counts[each.word] > 1 or each.word in kept else each.word
            for each in own
        ]
        for own in wanted
    ]


def _free(wanted: Wanted, used: set[str]) -> str:
    digest, length = wanted.digest(), 6
    while (name := f"{wanted.word}_{digest[:length]}") in used:
        length += 1
    used.add(name)
    return name
