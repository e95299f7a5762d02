"""An MCP server over standard streams that does what a file says, misbehaviour included.

It needs nothing but Python. The first argument is a folder: `script.json` says what it does, and
what it was asked for is added to `heard.jsonl`. The keys of the script:

- `tools`: what it lists, as it stands there; `page_size`; `cursor`, one that comes again and again
- `list_result`: what it answers instead
- `replies`: by the name of a tool, the result of its calls
- `errors`: by the name of a tool, a JSON-RPC error
- `raw`: by the name of a tool, a line to answer with, in which `ID` stands for the id
- `exits`: a code to exit with before anything else; `says` is then its last word
- `stray`: lines that it writes before every answer
- `stubborn`: whether it goes on whatever it is told
- `silent`: methods that it doesn't answer

Without a reply, a tool whose name is a key of `_ACTS` does that, and another one answers with what
it was called with.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

FOLDER = Path(sys.argv[1])
_WRITING = threading.Lock()
_ANSWERS: dict[Any, Any] = {}
_ANSWERED = threading.Condition()


def script() -> dict[str, Any]:
    """What it does now."""
    found: dict[str, Any] = json.loads((FOLDER / "script.json").read_text())
    return found


def note(**heard: Any) -> None:
    """Add a line to what it was asked for."""
    with _WRITING, (FOLDER / "heard.jsonl").open("a") as file:
        file.write(json.dumps(heard) + "\n")


def write(**message: Any) -> None:
    """Write a message."""
    with _WRITING:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()


def text(words: str) -> dict[str, Any]:
    """A result of one text."""
    return {"content": [{"type": "text", "text": words}]}


def listed(params: dict[str, Any]) -> dict[str, Any]:
    """A page of its list."""
    now = script()
    if "list_result" in now:
        result: dict[str, Any] = now["list_result"]
        return result
    start = int(params.get("cursor", "0")) if "cursor" not in now else 0
    size = now.get("page_size", len(now["tools"]) or 1)
    page: dict[str, Any] = {"tools": now["tools"][start : start + size]}
    if "cursor" in now:
        page["nextCursor"] = now["cursor"]
    elif start + size < len(now["tools"]):
        page["nextCursor"] = str(start + size)
    return page


def ask(method: str, params: dict[str, Any]) -> Any:
    """Ask the client, and give its answer."""
    number = f"ask-{time.monotonic_ns()}"
    write(id=number, method=method, params=params)
    with _ANSWERED:
        _ANSWERED.wait_for(lambda: number in _ANSWERS, timeout=10)
        return _ANSWERS.pop(number, None)


def die(_arguments: dict[str, Any], _meta: dict[str, Any]) -> None:
    """Be killed."""
    sys.stderr.write("about to die\n")
    sys.stderr.flush()
    os.kill(os.getpid(), signal.SIGKILL)


def leave(arguments: dict[str, Any], _meta: dict[str, Any]) -> None:
    """Exit with a code."""
    os._exit(arguments.get("code", 3))


def sleep(arguments: dict[str, Any], _meta: dict[str, Any]) -> dict[str, Any]:
    """Answer later."""
    time.sleep(arguments.get("seconds", 5))
    return text("slept")


def change(arguments: dict[str, Any], _meta: dict[str, Any]) -> dict[str, Any]:
    """Have another script, and say so."""
    (FOLDER / "script.json").write_text(json.dumps({**script(), **arguments.get("script", {})}))
    for _ in range(arguments.get("notices", 1)):
        write(method="notifications/tools/list_changed")
    return text("changed")


def report(arguments: dict[str, Any], meta: dict[str, Any]) -> dict[str, Any]:
    """Report progress."""
    for step in range(arguments.get("steps", 3)):
        params = {"progressToken": meta["progressToken"], "progress": step, "total": 3}
        write(method="notifications/progress", params={**params, "message": f"step {step}"})
    return text("reported")


def spawn(arguments: dict[str, Any], _meta: dict[str, Any]) -> dict[str, Any]:
    """Start a process that holds its pipes and ignores what it is told."""
    code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
    detached = arguments.get("detached", False)
    child = subprocess.Popen([sys.executable, "-c", code], start_new_session=detached)
    return text(str(child.pid))


def environment(_arguments: dict[str, Any], _meta: dict[str, Any]) -> dict[str, Any]:
    """Tell its variables and its folder."""
    return text(json.dumps({"env": dict(os.environ), "cwd": str(Path.cwd())}))


def question(arguments: dict[str, Any], _meta: dict[str, Any]) -> dict[str, Any]:
    """Ask the client something, and tell its answer."""
    return text(json.dumps(ask(arguments["method"], arguments.get("params", {}))))


_ACTS = {
    "die": die,
    "leave": leave,
    "sleep": sleep,
    "change": change,
    "report": report,
    "spawn": spawn,
    "environment": environment,
    "question": question,
}


def called(number: Any, params: dict[str, Any]) -> None:
    """Answer a call."""
    now, name, arguments = script(), params["name"], params.get("arguments")
    note(call=name, arguments=arguments)
    for line in now.get("stray", []):
        with _WRITING:
            sys.stdout.write(line + "\n")
    if name in now.get("errors", {}):
        write(id=number, error=now["errors"][name])
        return
    result = now.get("replies", {}).get(name)
    if result is None and name in _ACTS:
        result = _ACTS[name](arguments or {}, params.get("_meta", {}))
    if name in now.get("raw", {}):
        with _WRITING:
            sys.stdout.write(now["raw"][name].replace("ID", json.dumps(number)) + "\n")
            sys.stdout.flush()
        return
    write(id=number, result=text(json.dumps({name: arguments})) if result is None else result)


def answered(message: dict[str, Any]) -> None:
    """Keep the client's answer to a question."""
    with _ANSWERED:
        _ANSWERS[message["id"]] = message.get("result", {"error": message.get("error")})
        _ANSWERED.notify_all()


def take(message: dict[str, Any]) -> None:
    """Do what a message asks for."""
    method, number, params = message.get("method"), message.get("id"), message.get("params", {})
    if method is None:
        answered(message)
    elif method == "tools/call":
        threading.Thread(target=called, args=(number, params), daemon=True).start()
    elif method == "tools/list":
        note(list=params.get("cursor"))
        if "tools/list" not in script().get("silent", []):
            write(id=number, result=listed(params))
    elif method == "initialize":
        note(initialize=params)
        capabilities = {"tools": {"listChanged": True}}
        about = {"name": "scripted", "version": "1"}
        version = {"protocolVersion": params["protocolVersion"]}
        write(id=number, result={**version, "capabilities": capabilities, "serverInfo": about})
    elif number is not None:
        write(id=number, error={"code": -32601, "message": "Method not found"})
    elif method == "notifications/cancelled":
        note(cancelled=True)


def main() -> None:
    """Serve until the input ends."""
    now = script()
    if "exits" in now:
        sys.stderr.write(now.get("says", "") + "\n")
        sys.exit(now["exits"])
    note(started=os.getpid())
    if now.get("stubborn"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for line in sys.stdin:
        take(json.loads(line))
    time.sleep(60 if now.get("stubborn") else 0)


main()
