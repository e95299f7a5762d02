"""Texts of models and databases, as they stand in a message or a line."""

import json


def plain(text: str, *, most: int = 300) -> str:
    """A text as one printable line, not too long."""
    cut = text if len(text) <= most else f"{text[: most - 3]}..."
    return escaped(cut)


def shown(name: str) -> str:
    """A name in quotes for a message."""
    return f"'{plain(name, most=80)}'"


def escaped(text: str) -> str:
    """A text in which whatever people don't see is written as JSON escapes it."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else json.dumps(each)[1:-1] for each in text)


def quoted(name: str) -> str:
    """A name as SQL takes it, whatever is in it."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'
