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
    "lock": "Accept what is installed: show what is otherwise, and write it to the lock file.",
    "verify": "Compare what is installed with its RECORD files, and with the lock file.",
    "demo": "Answer a message on two boards, then unload a plugin while one of its calls runs.",
    "new": "Write the package of a new plugin, with tests that pass.",
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
    "--page-size": Word("N", "How many tools a client gets at once; all if not given."),
    "--watch": Word("", "Follow changes on disk until stopped; what was asked is done again."),
    "--verbose": Word("", "Print the log as messages, with tracebacks."),
}

ARGUMENTS = {
    "tool": Word("NAME", "The name of a tool."),
    "arguments": Word(
        "[JSON]", "A JSON object; @FILE reads it from a file, - from standard input."
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
    "1": "a call failed, or a plugin that is required, or something isn't what was accepted",
    "2": "what was asked for can't be: a wrong name, file, setting or JSON",
    "130": "stopped with Ctrl-C",
    "141": "nobody reads the results any more",
    "143": "a command that watches or serves was stopped with SIGTERM",
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
