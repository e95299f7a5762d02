"""Names of ours for the tools of a source that has names of its own, and the way back."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from types import MappingProxyType
from typing import Self

import attrs

from pegboard.errors import InvalidNameError
from pegboard.names import RUN_CODE, check_tool_name, folded, is_tool_name

_MOST = 64
_LENGTHS = (10, 20, 40)
_OUTSIDE = re.compile(r"[^A-Za-z0-9_-]+")
_DIGESTED = re.compile(r"_(?:[0-9a-f]{10}|[0-9a-f]{20}|[0-9a-f]{40})\Z", re.IGNORECASE)


@attrs.frozen
class NameTable:
    """Names of ours for one source's names, one to one.

    A name of the source that is a name of ours too stays as it is behind the prefix. Another one
    is cleaned and shortened as far as it has to be, and gets a digest of the whole, as does one
    that differs from another in case only or looks as if it had a digest. So the names depend on
    nothing but the set of the source's names, and a name of ours never comes to mean another tool.

    Attributes:
        ours: our name for each of the source's.
        theirs: the source's name for each of ours.
    """

    ours: Mapping[str, str]
    theirs: Mapping[str, str]

    @classmethod
    def of(cls, names: Iterable[str], *, prefix: str = "") -> Self:
        """The table for a source.

        Args:
            names: the source's names, in any order; repeated ones count once.
            prefix: put before each of them, such as `time_`.

        Raises:
            InvalidNameError: the prefix can't be the beginning of a name.
        """
        if prefix:
            check_tool_name(prefix, owner="a prefix")
        if len(prefix) > _MOST // 2:
            raise InvalidNameError(f"prefix {prefix!r} has more than {_MOST // 2} characters")
        ours = _mapped(sorted(set(names)), prefix)
        theirs = {name: each for each, name in ours.items()}
        return cls(MappingProxyType(ours), MappingProxyType(theirs))


def _mapped(names: list[str], prefix: str) -> dict[str, str]:
    kept = {each: prefix + each for each in names if _is_kept(prefix + each)}
    spelled = Counter(map(folded, kept.values()))
    found = {each: name for each, name in kept.items() if spelled[folded(name)] == 1}
    left = [each for each in names if each not in found]
    for length in _LENGTHS:
        digested = {each: _digested(each, prefix, length) for each in left}
        spelled = Counter(map(folded, digested.values()))
        found |= {each: name for each, name in digested.items() if spelled[folded(name)] == 1}
        left = [each for each in left if each not in found]
    if left:
        raise InvalidNameError(f"no name tells {left[0]!a} from {left[1]!a}")
    return {each: found[each] for each in names}


def _is_kept(name: str) -> bool:
    return is_tool_name(name) and folded(name) != RUN_CODE and not _DIGESTED.search(name)


def _digested(name: str, prefix: str, length: int) -> str:
    cleaned = _OUTSIDE.sub("_", name).strip("_")
    start = prefix if prefix or (not cleaned[:1].isdigit() and not cleaned.startswith("-")) else "_"
    stem = f"{start}{cleaned}"[: _MOST - length - 1].rstrip("_")
    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=length // 2)
    return f"{stem}_{digest.hexdigest()}"
