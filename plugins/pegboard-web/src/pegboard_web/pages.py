"""What a fetch gives: a page as a model reads it, and as people see it."""

from typing import Any

import attrs
from pegboard import GenericCard, Image, Outcome, Text


@attrs.frozen
class Picture:
    """An image.

    Attributes:
        mime_type: its media type, by what it really is.
        data: its bytes in base64.
    """

    mime_type: str
    data: str


@attrs.frozen
class Page:
    """What a server answered, or a part of it.

    Attributes:
        url: where it was found in the end, after all redirects.
        status: the status of the answer.
        content_type: its media type; empty where the server says none.
        title: what a page of HTML calls itself.
        text: Markdown of a page of HTML, any other text as it is; empty for an image.
        start: the number of the first character of `text` in the whole, counted from 0.
        end: one more than the number of its last.
        total_chars: how many characters there are in all; None where not all was read.
        image: the image, where it is one.
        notes: what was left out, and how to go on.
    """

    url: str
    status: int
    content_type: str
    title: str | None
    text: str
    start: int
    end: int
    total_chars: int | None
    image: Picture | None
    notes: list[str]


def rendered(_arguments: Any, value: Any) -> list[Text | Image]:
    """The content blocks of a page."""
    heading = [f"Title: {value['title']}"] if value["title"] else []
    notes = [f"[{note}]" for note in value["notes"]]
    image = value["image"]
    body = [] if image else ["", value["text"] or "(there is no text)"]
    text = Text("\n".join([*heading, f"URL: {value['url']}", *body, *notes]))
    return [text, Image(image["data"], image["mime_type"])] if image else [text]


def shown_call(arguments: Any) -> GenericCard:
    """The card of a call that has not run."""
    return GenericCard("Fetch a web page", fields={"url": arguments["url"]})


def shown_result(arguments: Any, outcome: Outcome) -> GenericCard:
    """The card of a call that has ended."""
    fields = {"url": arguments["url"]}
    if not outcome.is_error:
        value = outcome.unwrap()
        named = {"found at": value["url"]} if value["url"] != arguments["url"] else {}
        fields |= named | {"type": value["content_type"] or "not said"}
    return GenericCard(
        "Fetch a web page", fields=fields, content=outcome.content, is_error=outcome.is_error
    )
