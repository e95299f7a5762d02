"""What the sandbox's own type checker says of an SDK and of programs that use it."""

import keyword
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import attrs
from pegboard.programs import Sdk
from pegboard.sdk import SdkWriter
from pegboard.tools import Output, Tool
from pegboard.values import JSON, Snapshot
from pydantic_monty import Monty, MontyRuntimeError, MontyTypingError

EMPTY: JSON = {"type": "object", "properties": {}}


def tool_of(properties: Mapping[str, JSON] | None = None, /, **options: Any) -> Tool:
    """A raw tool with these properties.

    Args:
        properties: the schemas of its arguments, none of which is required.
        options: of the tool; `schema` is the whole schema of its arguments, `gives` that of its
            value.
    """
    schema = options.pop("schema", None) or {"type": "object", "properties": dict(properties or {})}
    given = options.pop("gives", None)
    fields = {"name": "t", "run": print, "output": Output(given), **options}
    return Tool(
        parameters=schema if isinstance(schema, Snapshot) else Snapshot.of(schema), **fields
    )


def sdk_of(**tools: Tool) -> Sdk:
    """The SDK of these tools."""
    return SdkWriter().write(tools.items())


def text_of(properties: Mapping[str, JSON] | None = None, /, **options: Any) -> str:
    """The part of one tool `f` of an SDK."""
    return sdk_of(f=tool_of(properties, **options)).declarations["f"]


def call_of(function: str, arguments: Mapping[str, JSON], text: str) -> str:
    """A call as a program writes it, by the form that the SDK shows for it."""
    if "(arguments: " in text or ", arguments: " in text:
        return f"await {function}({dict(arguments)!r})"
    if all(key.isidentifier() and not keyword.iskeyword(key) for key in arguments):
        given = ", ".join(f"{key}={value!r}" for key, value in arguments.items())
        return f"await {function}({given})"
    return f"await {function}(**{dict(arguments)!r})"


@attrs.frozen
class Checker:
    """The type checker of the sandbox."""

    pool: Monty

    def remarks(self, *lines: str, sdk: str = "") -> list[str]:
        """What it says of lines of a program, which don't run."""
        body = "".join(f"    {line}\n" for line in lines)
        return self.remarks_on(f"async def main():\n{body}    pass\n", sdk=sdk)

    def remarks_on(self, program: str, *, sdk: str | None = None) -> list[str]:
        """What it says of a whole program; one that it lets through runs."""
        options = {"type_check_stubs": sdk, "type_check_format": "concise"}
        with self.pool.checkout(type_check=True, **options) as session:  # type: ignore[arg-type]
            try:
                session.feed_run(program)
            except MontyTypingError as error:
                return error.display().splitlines()
            except MontyRuntimeError as error:
                if "does not yet support" not in str(error):
                    raise
        return []

    def passes(self, text: str) -> bool:
        """Whether an SDK compiles, and is right both as a stub and as a program."""
        compile(text, "<sdk>", "exec")
        remarks = [*self.remarks("pass", sdk=text), *self.remarks_on(text)]
        assert not remarks, "\n".join([*remarks[:5], text[:5000]])
        return True


@contextmanager
def checker() -> Iterator[Checker]:
    """The type checker, in a process of its own."""
    with Monty(min_processes=1, max_processes=1) as pool:
        found = Checker(pool)
        found.remarks("pass")
        yield found
