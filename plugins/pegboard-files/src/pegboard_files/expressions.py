"""Regular expressions that end in time: RE2, which never goes back."""

import re
from typing import Any

import attrs
import re2  # type: ignore[import-untyped]
from pegboard import ToolError

MOST_CHARACTERS = 1_000
MOST_MEMORY = 8 * 1024 * 1024

_SET_OR_ESCAPE = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]|\\(.)", re.DOTALL)


@attrs.frozen
class Expression:
    """A compiled expression."""

    _compiled: Any

    @classmethod
    def of(cls, pattern: str, *, is_plain: bool, ignores_case: bool) -> "Expression":
        """The expression of a pattern.

        Args:
            pattern: a regular expression in RE2's syntax, or plain text.
            is_plain: whether it is plain text.
            ignores_case: whether capitals don't matter.

        Raises:
            ToolError: it isn't an expression, or too large a one.
        """
        if not 0 < len(pattern) <= MOST_CHARACTERS:
            raise ToolError(
                f"the pattern must have 1 to {MOST_CHARACTERS} characters", code="invalid_pattern"
            )
        way_out = "set plain to look for it as it stands"
        compiled = _compile(pattern, _options(is_plain, ignores_case), way_out)
        if _spans_lines(pattern, is_plain=is_plain):
            raise ToolError(
                "the pattern has a line break, and every line is searched by itself; look for what "
                "stands on one of the lines",
                code="invalid_pattern",
            )
        return cls(compiled)

    @classmethod
    def of_paths(cls, expression: str) -> "Expression":
        """The expression into which a pattern for paths was translated.

        Raises:
            ToolError: it isn't one, or too large a one.
        """
        way_out = "write '[*]' for a star that is meant"
        return cls(_compile(expression, _options(is_plain=False, ignores_case=False), way_out))

    def is_in(self, line: bytes) -> bool:
        """Whether it matches somewhere in a line."""
        return self._compiled.search(line) is not None


def _compile(pattern: str, options: re2.Options, way_out: str) -> Any:
    try:
        return re2.compile(pattern, options)
    except (re2.error, UnicodeEncodeError) as error:
        raise ToolError(
            f"the pattern is not an expression in RE2's syntax: {_reason(error)}; {way_out}",
            code="invalid_pattern",
        ) from error


def _spans_lines(pattern: str, *, is_plain: bool) -> bool:
    """Whether a pattern asks for a line break, which no line has."""
    if is_plain:
        return "\n" in pattern
    outside = _SET_OR_ESCAPE.sub(lambda found: "\n" if found[1] == "n" else "", pattern)
    return "\n" in outside


def _options(is_plain: bool, ignores_case: bool) -> re2.Options:
    options = re2.Options()
    options.literal = is_plain
    options.case_sensitive = not ignores_case
    options.log_errors = False
    options.max_mem = MOST_MEMORY
    return options


def _reason(error: Exception) -> str:
    reason = error.args[0] if error.args else b""
    return reason.decode("utf-8", "replace") if isinstance(reason, bytes) else "it isn't text"
