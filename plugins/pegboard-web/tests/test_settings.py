"""Settings and the moment of loading."""

import sys
from typing import Any

import pytest
from pegboard import PluginLoadError
from pegboard.testing import check_plugin

TestPlugin = check_plugin("web")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"max_chars": 0}, "max_chars"),
        ({"max_bytes": 2**40}, "max_bytes"),
        ({"max_seconds": 0.0}, "max_seconds"),
        ({"max_redirects": -1}, "max_redirects"),
        ({"ports": [0]}, "ports"),
        ({"max_char": 1}, "max_char"),
        ({"allow": ["http://example.org"]}, "allow: 'http://example.org' is no"),
        ({"deny": ["10.0.0.1/8"]}, "deny: '10.0.0.1/8' is no address and no network"),
        ({"allow_private": ["a:99999"]}, "allow_private: 'a:99999' has a port that there isn't"),
        ({"user_agent": "a\r\nb"}, "user_agent holds a character"),
        ({"headers": {"example.org": {}}}, "begin with https://"),
        ({"headers": {"https://example.org/a": {}}}, "has a path"),
        ({"headers": {"https://example.org": {"a b": "c"}}}, "'a b' is no name of a header"),
        ({"headers": {"https://example.org": {"Host": "c"}}}, "'Host' is set by the plugin itself"),
        ({"certificates": "missing.pem"}, "certificates can't be read"),
        ({"certificates": "~nobody-of-that-name/a.pem"}, "certificates can't be read"),
    ],
)
async def test_a_setting_that_cannot_be_held_is_an_error_that_names_it(
    opened: Any, settings: dict[str, Any], words: str
) -> None:
    with pytest.raises(PluginLoadError) as raised:
        async with opened(**settings):
            pass

    assert words in str(raised.value)


async def test_the_value_of_a_header_shows_in_no_error(opened: Any) -> None:
    with pytest.raises(PluginLoadError) as raised:
        async with opened(headers={"https://example.org": {"x-key": "tau\n"}}):
            pass

    assert "'x-key'" in str(raised.value)
    assert "tau" not in str(raised.value)


async def test_a_program_that_is_no_python_is_refused_with_the_reason(
    opened: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)

    with pytest.raises(PluginLoadError, match="isn't run by a Python that it could start"):
        async with opened():
            pass
