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
from urllib.parse import urljoin

MOST_MEMORY = 1 << 30
MOST_CHARACTERS = 8_000_000

_TITLE = re.compile(r"<title\b[^>]{0,1000}>((?:[^<]|<(?!/title)){0,1000})", re.IGNORECASE)
_META = re.compile(r"<meta\b[^>]{0,2000}>", re.IGNORECASE)
_IS_REFRESH = re.compile(r"""http-equiv\s*=\s*["']?\s*refresh\b""", re.IGNORECASE)
_TARGET = re.compile(
    r"""content\s*=\s*["']?\s*[0-9.]*\s*[;,]\s*(?:url\s*=\s*)?["']?([^"'>\s]{1,1500})""",
    re.IGNORECASE,
)
_BASE = re.compile(r"""<base\b[^>]{0,1000}?\bhref\s*=\s*["']?([^"'>\s]{1,1500})""", re.IGNORECASE)
_HEAD_WITHIN = 100_000
_NEXT_TO_NOTHING = 100
_UNSEEN = dict.fromkeys(
    (
        *(0xAD, 0x200B, 0x200E, 0x200F, 0xFEFF),
        *range(0x202A, 0x202F),
        *range(0x2060, 0x2070),
        *range(0xFFF9, 0xFFFC),
        *range(0xE0000, 0xE1000),
    )
)
"""Characters that nobody sees and a model reads, or that turn others round."""


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
        compact_tables=True,
        extract_metadata=False,
        inline_data_media="alt_text_only",
        preprocessing=PreprocessingOptions(enabled=False),
        sup_symbol="^",
    )
    found = to_markdown(text, options)
    markdown = (found.content or "").translate(_UNSEEN).strip()
    head = text[:_HEAD_WITHIN]
    return {
        "title": _title(head),
        "text": markdown[:MOST_CHARACTERS],
        "is_whole": not found.warnings and len(markdown) <= MOST_CHARACTERS,
        "leads_to": _leads_to(head, url),
        "needs_scripts": len(markdown) < _NEXT_TO_NOTHING and "<script" in page.lower(),
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
    title = " ".join(html.unescape(found[1]).translate(_UNSEEN).split()) if found else ""
    return title[:300] or None


def _leads_to(head: str, url: str) -> str | None:
    """Where a page sends on who reads it."""
    meta = next((each for each in _META.findall(head) if _IS_REFRESH.search(each)), "")
    target = _TARGET.search(meta)
    if target is None:
        return None
    base = _BASE.search(head)
    with suppress(ValueError):
        start = urljoin(url, html.unescape(base[1])) if base else url
        whole = urljoin(start, html.unescape(target[1]))
        is_url = whole.startswith(("http://", "https://")) and whole.isprintable()
        return whole if is_url and whole != url else None
    return None


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
