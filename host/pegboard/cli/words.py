"""Every text of the command's help, in one place and without any library."""

from collections.abc import Iterable

import attrs

SUMMARY = "A plugin host for the tools of LLM agents."

COMMANDS = {
    "plugins": "List the installed plugins, their state, and what could not be read.",
    "tools": "List the tools that a board shows.",
    "explain": "Say why a board shows a tool, or doesn't.",
    "call": "Call one tool, and print what a model would read.",
    "run": "Answer the calls of a model's message, in the shape of its provider.",
    "serve": "Serve a board to MCP clients, on standard input and output or over HTTP.",
    "check": "Say what is wrong with a configuration; no plugin is loaded.",
    "lock": "Accept what is installed: show what is otherwise, and write it to the lock file.",
    "verify": "Compare what is installed with its RECORD files, and with the lock file.",
    "install": "Install distributions with pip or uv, and have a host that runs take them.",
    "uninstall": "Uninstall distributions, and have a host that runs let them go.",
    "warm": "Write down what a start would find out: the catalogue, and bytecode; for images.",
    "ctl": "Ask a host that runs, or change it, through its control socket.",
    "top": "Show what a host that runs is doing, again and again.",
    "log": "List the calls that pegboard-audit has recorded.",
    "demo": "Answer a message on two boards, then unload a plugin while one of its calls runs.",
    "new": "Write the package of a new plugin, with tests that pass.",
}

CTL = {
    "ps": "List the calls that run, the longest first.",
    "plugins": "List its plugins and their state.",
    "boards": "List its boards.",
    "tools": "List the tools of the host, or those that a board shows.",
    "explain": "Say why a board shows a tool, or doesn't.",
    "load": "Load a plugin, also one that was blocked.",
    "unload": "Unload a plugin.",
    "reload": "Exchange a plugin for its code as it is now.",
    "sync": "Follow what pip and the configuration say now.",
    "deny": "Hide tools on every board, or on one.",
    "allow": "Take a deny back, or lift a mask of a board for tools.",
    "cancel": "Cancel what runs on a board, or the calls of one id.",
    "status": "Say how the host is, in figures.",
}


@attrs.frozen
class Word:
    """An option or an argument, as people type it and as the help explains it."""

    metavar: str
    text: str


OPTIONS = {
    "--approve": Word(
        "HOW", "Answer what needs an approval: once or never; asked on a terminal if not given."
    ),
    "--board": Word("NAME", "Which board; 'default' if not given."),
    "--check": Word("", "Write nothing; end with status 1 if something isn't accepted."),
    "--config": Word("FILE", "A pegboard.toml or pyproject.toml; ./pegboard.toml if it exists."),
    "--directory": Word("DIR", "Where to write it; ./pegboard-NAME if not given."),
    "--format": Word("NAME", "Whose message it is; seen from its shape if not given."),
    "--http": Word("WHERE", "Serve over HTTP at [ADDRESS:]PORT; on 127.0.0.1 if not given."),
    "--matrix": Word("", "Show boards beside tools, with what hides which."),
    "--json": Word("", "Print results as JSON."),
    "--sdk": Word("", "Print the declarations that programs of run_code are checked against."),
    "--page-size": Word("N", "How many tools a client gets at once; all if not given."),
    "--watch": Word("", "Follow changes on disk until stopped; what was asked is done again."),
    "--using": Word("TOOL", "pip or uv; pip if the environment has it, else uv, if not given."),
    "--verbose": Word("", "Print the log as messages, with tracebacks."),
}

CTL_OPTIONS = {
    "--block": Word(
        "", "Keep it out, also after a sync and a restart, until it is loaded by name."
    ),
    "--board": Word("NAME", "Only on this board."),
    "--call": Word("ID", "The calls of this id."),
    "--dry-run": Word("", "Only say what would change."),
    "--force": Word("", "Also if the configuration says that the plugin is required."),
    "--grace": Word("SECONDS", "How long running calls may go on; 10 if not given."),
    "--interval": Word("SECONDS", "How often; 2 if not given."),
    "--keep": Word("", "Also after a sync and a restart."),
    "--pending": Word("", "Take names that no tool has yet."),
    "--plugin": Word("NAME", "All tools of this plugin."),
    "--reason": Word("TEXT", "What the agents are told."),
    "--socket": Word(
        "PATH", "The host's control socket; what the configuration says if not given."
    ),
}

CTL_ARGUMENTS = {
    "board": Word("[BOARD]", "The name of a board."),
    "name": Word("NAME", "The name of a plugin."),
    "selectors": Word(
        "SELECTOR", "Names of tools, patterns, or tables such as '{\"destructive\": true}'."
    ),
    "tool": Word("NAME", "The name of a tool."),
}

LOG_OPTIONS = {
    "--board": Word("NAME", "Only of this board; * and ? stand for any text and character."),
    "--events": Word("", "What happened to plugins, boards and restrictions, and who did it."),
    "--failed": Word("", "Only calls that failed."),
    "--follow": Word("", "Go on as more is recorded, until stopped."),
    "--plugin": Word("NAME", "Only of this plugin, likewise."),
    "--record": Word(
        "FILE", "The record; what the configuration says of pegboard-audit if not given."
    ),
    "--since": Word(
        "WHEN", "Only since then: 10m, 2h or 3d ago, or a time such as 2026-01-31T12:00."
    ),
    "--tool": Word("NAME", "Only of this tool, likewise."),
}

ARGUMENTS = {
    "tool": Word("NAME", "The name of a tool."),
    "arguments": Word(
        "[JSON]", "A JSON object; @FILE reads it from a file, - from standard input."
    ),
    "distributions": Word(
        "NAME...", "Requirements, wheels or folders; after -- come options of pip or uv."
    ),
    "name": Word("NAME", "The plugin's name; its distribution is called pegboard-NAME."),
    "message": Word("MESSAGE", "A file with the model's message as JSON; - for standard input."),
}

GENERAL = {
    "-h, --help": "Say what pegboard or one of its commands does.",
    "--version": "Print the version.",
}

EXITS = {
    "0": "all is well; lists are, whatever they list",
    "1": "a call or a plugin failed; something isn't as accepted, isn't ready, or is left behind",
    "2": "what was asked for can't be: a wrong name, file, setting or JSON",
    "3": "no host answers at the control socket",
    "130": "stopped with Ctrl-C",
    "141": "nobody reads the results any more",
    "143": "a command that goes on until then was stopped with SIGTERM; serve ends with 0",
}


def help_text() -> str:
    """What `pegboard --help` prints."""
    options = {f"{name} {word.metavar}".strip(): word.text for name, word in OPTIONS.items()}
    parts = [
        "Usage: pegboard COMMAND [ARGUMENTS] [OPTIONS]",
        SUMMARY,
        _section("Commands", COMMANDS.items()),
        _section("Options of commands, where they apply", options.items()),
        _section("Options", GENERAL.items()),
        _section("Exit status", EXITS.items()),
        "Results go to standard output, messages to standard error.",
        "'pegboard COMMAND --help' says more of one command.",
    ]
    return "\n\n".join(parts)


def exits_text() -> str:
    """What the exit status says, in one paragraph."""
    return "Exit status: " + "; ".join(f"{status} {text}" for status, text in EXITS.items()) + "."


def _section(title: str, lines: Iterable[tuple[str, str]]) -> str:
    known = list(lines)
    width = max(len(word) for word, _ in known)
    return "\n".join([f"{title}:", *(f"  {word:{width}}  {text}" for word, text in known)])
