"""Trying the code on disk in another process, before anything of a running plugin is touched."""

import asyncio
import json
import logging
import subprocess
import sys
from collections.abc import Mapping
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

from pegboard.config import Config, Place, PluginConfig
from pegboard.errors import PegboardError, PluginLoadError
from pegboard.plugins.discovery import Found
from pegboard.plugins.extensions import why_not_twice
from pegboard.plugins.loading import rehearse
from pegboard.plugins.loads import Plan
from pegboard.plugins.loadthread import shown
from pegboard.plugins.sources import Source, by_name, from_file, installed
from pegboard.registry import Owner, Registry
from pegboard.tools import Secret

_log = logging.getLogger("pegboard.plugins")
_START = 10.0
"""Seconds that an interpreter may take to start, besides what the plugin may take."""
_PROGRAM = """
import json, os, sys
answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)
asked = json.loads(sys.stdin.buffer.read())
sys.path[:] = asked["path"]
from pegboard.plugins.rehearsal import answer
answers.write(json.dumps(answer(asked)))
answers.close()
sys.stderr.flush()
os._exit(0)
"""


def try_out(plan: Plan, config: Config) -> None:
    """Have a new interpreter import and check a plugin as it is on disk now; takes a moment.

    Raises:
        PluginLoadError: it could not be loaded, or its extension modules can't be imported again.
    """
    command = [sys.executable, "-I", "-B", "-c", _PROGRAM]
    limit = config.load_timeout + _START
    try:
        ran = subprocess.run(  # noqa: S603 - our own interpreter and program
            command, input=_asked(plan, config), capture_output=True, timeout=limit, check=False
        )
    except subprocess.TimeoutExpired:
        text = f"rehearsing {plan.name!r} took longer than load_timeout = {config.load_timeout:g} s"
        raise PluginLoadError(text) from None
    printed = ran.stderr.decode(errors="replace").strip()
    if printed:
        _log.debug("rehearsing plugin %r printed:\n%s", plan.name, printed)
    if ran.returncode or not ran.stdout:
        last = printed.rpartition("\n")[2]
        raise PluginLoadError(f"rehearsing {plan.name!r} ended with {ran.returncode}: {last}")
    error = json.loads(ran.stdout)["error"]
    if error is not None:
        raise PluginLoadError(error)


def _asked(plan: Plan, config: Config) -> bytes:
    """What the other process is told, as JSON."""
    options = plan.options
    asked = {
        "path": sys.path,
        "name": plan.name,
        "source": _told(plan.source),
        "settings": plan.settings,
        "is_configured": plan.settings is options.settings,
        "prefix": options.prefix,
        "rename": dict(options.rename),
        "load_timeout": config.load_timeout,
        "places": [
            [keys, str(place.path), place.line]
            for keys, place in config.places.items()
            if keys[:2] == ("plugins", plan.name)
        ],
    }
    return json.dumps(asked, default=_plain).encode()


def _plain(value: object) -> object:
    """What a table of settings may hold besides JSON, as `structure` takes it."""
    if isinstance(value, Secret):
        return value.reveal()
    if isinstance(value, (date, datetime, time)):
        return value.isoformat()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (Path, tuple)):
        return list(value) if isinstance(value, tuple) else str(value)
    raise PluginLoadError(f"settings can't hold a {type(value).__name__}")


def _told(source: Source) -> dict[str, Any]:
    if source.found is not None:
        return {"found": source.found.to_json()}
    if source.location is not None:
        return {"file": source.location}
    return {"module": source.name}


def answer(asked: dict[str, Any]) -> dict[str, Any]:
    """Rehearse what was asked for; why it can't be loaded, or None. Runs in the other process."""
    try:
        plan, config = _plan(asked)
        asyncio.run(rehearse(plan, config=config))
        return {"error": why_not_twice(plan.source)}
    except BaseException as error:  # noqa: BLE001 - whatever a plugin raises is told
        return {"error": str(error) if isinstance(error, PegboardError) else shown(error)}


def _plan(asked: dict[str, Any]) -> tuple[Plan, Config]:
    name = asked["name"]
    options = PluginConfig(asked["settings"], asked["prefix"], asked["rename"])
    places = {tuple(keys): Place(Path(path), line) for keys, path, line in asked["places"]}
    config = Config(plugins={name: options}, places=places, load_timeout=asked["load_timeout"])
    settings = asked["settings"]
    if not asked["is_configured"] and settings is not None:
        settings = dict(settings)
    plan = Plan(Owner(name), _source(asked["source"]), Registry().root, settings, options)
    return plan, config


def _source(told: dict[str, Any]) -> Source:
    if "found" in told:
        return installed(Found.from_json(told["found"]))
    return from_file(Path(told["file"])) if "file" in told else by_name(told["module"])
