"""Tools whose results are content of every kind."""

from typing import Any

from pegboard import Audio, Image, Resource, Text, ToolError, tool

PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAf"
    "FcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)
WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="


@tool
async def test_simple_text() -> str:
    """Give a text."""
    return "This is a simple text response for testing."


@tool(output="any")
async def test_image_content() -> Image:
    """Give an image."""
    return Image(PNG, "image/png")


@tool(output="any")
async def test_audio_content() -> Audio:
    """Give a sound."""
    return Audio(WAV, "audio/wav")


@tool(output="any")
async def test_embedded_resource() -> Resource:
    """Give a resource."""
    text = "This is an embedded resource content."
    return Resource("test://embedded-resource", mime_type="text/plain", text=text)


@tool(output="any")
async def test_multiple_content_types() -> list[Any]:
    """Give a text, an image and a resource."""
    text = '{"test":"data","value":123}'
    return [
        Text("Multiple content types test:"),
        Image(PNG, "image/png"),
        Resource("test://mixed-content-resource", mime_type="application/json", text=text),
    ]


@tool
async def test_error_handling() -> str:
    """Always fail."""
    raise ToolError("This tool intentionally returns an error for testing")
