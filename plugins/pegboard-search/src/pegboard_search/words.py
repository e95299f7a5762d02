"""Text as words: names in their parts, and nothing that an index could take for syntax."""

import re
from collections.abc import Iterable
from unicodedata import normalize

LONGEST = 64
"""Characters of one word; what comes after them is left out."""

_TOGETHER = re.compile(r"[^\W_]+")
_GLUED = re.compile(r"\b([^\W_]{1,2})-(?=[^\W_]{2})")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SIGN = re.compile("([\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])")
_OF_TEXT = re.compile(r"\S+")


def words(text: str) -> list[str]:
    """The words of a text in order; what has humps is there whole and in its parts.

    `e-mail` is one word, as other short beginnings are. Signs that are words by themselves, such
    as those of Chinese, come one by one.
    """
    plain = _SIGN.sub(r" \1 ", _GLUED.sub(r"\1", normalize("NFKC", text)))
    return [each.lower()[:LONGEST] for piece in _TOGETHER.findall(plain) for each in _parts(piece)]


def words_of_name(name: str) -> list[str]:
    """The words of a tool's name, and all of it as one."""
    return list(dict.fromkeys([*words(name), "".join(filter(str.isalnum, name)).lower()]))


def telling(found: Iterable[str]) -> list[str]:
    """The words by which a tool is searched for: those that say something, or all if none does."""
    each = list(dict.fromkeys(found))
    return [word for word in each if word not in _EVERYWHERE] or each


def alike(found: Iterable[str]) -> list[str]:
    """What vendors may have written in place of words for what is done to things."""
    each = list(found)
    brought = dict.fromkeys(same for word in each for same in _SAME.get(word, ()))
    return [word for word in brought if word not in each]


def _parts(piece: str) -> list[str]:
    parts = _HUMP.split(piece)
    return parts if len(parts) < 2 else [piece, *parts]


_EVERYWHERE = frozenset(
    _OF_TEXT.findall(
        "a about all am an and any are as at be by can do does for from give has have how i if in "
        "into is it its like me my need needs no not of on one or our please should so some that "
        "the their them then there these they this those to tool tools us use used using want was "
        "we what when where which who will with would you your"
    )
)
_DONE = (
    ("find search list query", "look get"),
    ("read fetch show", "get view"),
    ("create add new insert", "make"),
    ("update edit change modify", "set"),
    ("delete remove erase drop", ""),
)
"""What is done to things: words that bring each other, and words that are only brought."""

_SAME = {
    word: _OF_TEXT.findall(f"{these} {those}")
    for these, those in _DONE
    for word in _OF_TEXT.findall(these)
}
