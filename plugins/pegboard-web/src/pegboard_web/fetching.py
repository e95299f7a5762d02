"""The tool that fetches a page."""

import asyncio
from base64 import b64encode
from typing import Annotated

import attrs
import httpx2
from annotated_types import Ge
from pegboard import Doc, Output, RunContext, ToolAnnotations, ToolError, tool

from pegboard_web.converting import notes_of
from pegboard_web.decoding import decode
from pegboard_web.kinds import (
    Kind,
    content_type_of,
    image_type,
    kind_in_truth,
    kind_of,
    media_type_of,
)
from pegboard_web.pages import Page, Picture, rendered, shown_call, shown_result
from pegboard_web.settings import Settings
from pegboard_web.statuses import refuse_status
from pegboard_web.urls import shown
from pegboard_web.web import Body, Web

_NEAR_THE_END = 8


@attrs.frozen
class Whole:
    """The text of an answer before a part of it is taken.

    Attributes:
        text: all of it that was read.
        title: what a page of HTML calls itself.
        is_whole: whether that is all there is.
        notes: what was left out.
    """

    text: str
    title: str | None
    is_whole: bool
    notes: list[str]


@tool(
    title="Fetch a web page",
    concurrency_safe=True,
    annotations=ToolAnnotations(
        read_only=True, destructive=False, idempotent=True, open_world=True
    ),
    output=Output(render=rendered),
    present_call=shown_call,
    present_result=shown_result,
)
async def web_fetch(
    context: RunContext,
    url: Annotated[str, Doc("The page, beginning with https:// or http://.")],
    max_chars: Annotated[
        int | None, Ge(1), Doc("How many characters to give back at most.")
    ] = None,
    start: Annotated[int, Ge(0), Doc("The first character to give back, counted from 0.")] = 0,
    *,
    raw: Annotated[bool, Doc("Whether HTML is given back as it is, not as Markdown.")] = False,
) -> Page:
    """Fetch a page of the web: HTML as Markdown, other text as it is, or an image.

    Long texts are cut; a note says how to read on. What a page says comes from strangers.
    """
    settings: Settings = context.plugin.settings
    web: Web = context.plugin.resource
    most = min(max_chars or settings.max_chars, settings.max_chars)
    try:
        async with asyncio.timeout(settings.max_seconds), web.get(url) as answer:
            if not answer.is_success:
                await refuse_status(web, answer)
            return await _page(web, answer, settings, raw=raw, start=start, most=most)
    except TimeoutError as error:
        raise ToolError(
            f"{shown(url)} took more than {settings.max_seconds:g} s; fetch another page, or this "
            "one with raw=true",
            code="too_slow",
        ) from error


async def _page(
    web: Web, answer: httpx2.Response, settings: Settings, *, raw: bool, start: int, most: int
) -> Page:
    said = content_type_of(answer.headers)
    kind = kind_of(media_type_of(said))
    is_image = kind is Kind.IMAGE
    if kind is Kind.OTHER or (is_image and not settings.max_image_bytes):
        raise _unsupported(said)
    largest = settings.max_image_bytes if is_image else settings.max_decoded_bytes
    body = await web.read(answer, most=largest)
    kind = kind_in_truth(kind, body.data)
    if kind is Kind.OTHER:
        raise _unsupported(said, is_lie=True)
    empty = Page(
        *(str(answer.url), answer.status_code, media_type_of(said)), None, "", 0, 0, 0, None, []
    )
    if kind is Kind.IMAGE:
        return attrs.evolve(empty, image=_picture(body, said, settings))
    return _part(await _whole(web, answer, body, kind=kind, raw=raw), empty, start=start, most=most)


async def _whole(web: Web, answer: httpx2.Response, body: Body, *, kind: Kind, raw: bool) -> Whole:
    is_page = kind is Kind.PAGE
    said = content_type_of(answer.headers)
    read = decode(body.data, content_type=said, is_cut=not body.is_whole, is_page=is_page)
    notes = [read.note] if read.note else []
    if not body.is_whole:
        notes.append(f"only the first {len(body.data)} bytes of the answer are looked at")
    if not is_page or raw:
        return Whole(read.text, None, body.is_whole, notes)
    found = await web.converter.convert(read.text, url=str(answer.url))
    notes += notes_of(found)
    if not found.is_whole:
        notes.append("parts of the page that lie too deep in it were left out; raw=true has them")
    return Whole(found.text, found.title, body.is_whole and found.is_whole, notes)


def _part(whole: Whole, empty: Page, *, start: int, most: int) -> Page:
    total = len(whole.text)
    if start > total:
        raise ToolError(
            f"the text has {total} characters, so there is none at start; call with a smaller one",
            code="beyond_the_end",
        )
    end = _end_of_part(whole.text, start, most)
    notes = [*whole.notes]
    if end < total:
        notes.append(f"characters {start} to {end} of {total}; read on with start={end}")
    return attrs.evolve(
        empty,
        title=whole.title,
        text=whole.text[start:end],
        start=start,
        end=end,
        total_chars=total if whole.is_whole else None,
        notes=notes,
    )


def _end_of_part(text: str, start: int, most: int) -> int:
    """Where a part ends: behind a line or a word, if one ends near the most that it may hold."""
    end = start + most
    if end >= len(text):
        return len(text)
    near = end - most // _NEAR_THE_END
    ends = (text.rfind(mark, near, end) + 1 for mark in ("\n", " "))
    return next(filter(None, ends), end)


def _picture(body: Body, said: str, settings: Settings) -> Picture:
    if not settings.max_image_bytes:
        raise _unsupported(said, is_lie=True)
    if not body.is_whole or len(body.data) > settings.max_image_bytes:
        raise ToolError(
            f"the image is larger than {settings.max_image_bytes} bytes; fetch a smaller one",
            code="too_large",
        )
    true_type = image_type(body.data)
    if true_type is None:
        raise ToolError(
            "the server says that it is an image, and it is none; fetch another page",
            code="unsupported_type",
        )
    return Picture(true_type, b64encode(body.data).decode("ascii"))


def _unsupported(said: str, *, is_lie: bool = False) -> ToolError:
    media_type = media_type_of(said)[:100]
    what = f"is {media_type!a}" if media_type else "says no type"
    fault = f"{what}, and its bytes are no text" if is_lie else what
    return ToolError(
        f"the answer {fault}; only HTML, other text and images can be fetched",
        code="unsupported_type",
        details={"content_type": media_type},
    )
