"""The program that turns one page into Markdown, in a process of its own.

It runs without the rest of the package: pages of strangers go through a parser here, and whatever
they do to it ends with the process.
"""

import html
import json
import re
import sys
from contextlib import suppress
from typing import Any

MOST_MEMORY = 1 << 30
MOST_CHARACTERS = 8_000_000

_TITLE = re.compile(r"<title\b[^>]{0,1000}>([^<]{0,1000})", re.IGNORECASE)
_TITLE_WITHIN = 100_000
_TAGS = dict.fromkeys(range(0xE0000, 0xE0080))
"""Characters that nobody sees and a model reads."""


def main() -> None:
    """Read a line of JSON and a page from standard input; write the result as JSON."""
    _limit_memory()
    sys.path.insert(0, sys.argv[1])
    said = json.loads(sys.stdin.buffer.readline())
    page = sys.stdin.buffer.read().decode()
    result = json.dumps(convert(page, url=said["url"]))
    sys.stdout.write(result)


def convert(page: str, *, url: str) -> dict[str, Any]:
    """The title and the Markdown of a page, and whether that is all of it."""
    from html_to_markdown import ConversionOptions, PreprocessingOptions
    from html_to_markdown import convert as to_markdown

    text = _without_open_ends(page.replace("\0", "\N{REPLACEMENT CHARACTER}"))
    options = ConversionOptions(
        base_url=url,
        bullets="-",
        extract_metadata=False,
        inline_data_media="alt_text_only",
        preprocessing=PreprocessingOptions(enabled=False),
    )
    found = to_markdown(text, options)
    markdown = (found.content or "").translate(_TAGS).strip()
    return {
        "title": _title(text[:_TITLE_WITHIN]),
        "text": markdown[:MOST_CHARACTERS],
        "is_whole": not found.warnings and len(markdown) <= MOST_CHARACTERS,
    }


def _without_open_ends(page: str) -> str:
    """The page without a last script or style that nothing ends, which would show as text."""
    small = page.lower()
    for tag in ("script", "style"):
        begins = small.rfind(f"<{tag}")
        if begins > small.rfind(f"</{tag}"):
            page, small = page[:begins], small[:begins]
    return page


def _title(start: str) -> str | None:
    found = _TITLE.search(start)
    title = " ".join(html.unescape(found[1]).translate(_TAGS).split()) if found else ""
    return title[:300] or None


def _limit_memory() -> None:
    if sys.platform != "win32":
        import resource

        for kind, most in ((resource.RLIMIT_AS, MOST_MEMORY), (resource.RLIMIT_CORE, 0)):
            _, hard = resource.getrlimit(kind)
            least = most if hard == resource.RLIM_INFINITY else min(most, hard)
            with suppress(OSError, ValueError):  # not every system can
                resource.setrlimit(kind, (least, least))


if __name__ == "__main__":
    main()
