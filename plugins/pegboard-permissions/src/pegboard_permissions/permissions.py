"""The rules of one host and what people have answered: what is decided of each call."""

import asyncio
import logging
from collections.abc import Iterable
from pathlib import Path

import attrs
from pegboard import Allow, ApprovalRequest, Ask, Decision, Deny, Execution, Owner

from pegboard_permissions.answers import Answer
from pegboard_permissions.judging import Judgement, Question, Rules, Subject
from pegboard_permissions.settings import Settings
from pegboard_permissions.store import Store
from pegboard_permissions.tables import StoreError


@attrs.define
class OpenBoard:
    """What is known of one board while it lives.

    Attributes:
        names: its own, and those of the boards that it inherits from.
        answers: the answers "board" that were given on it.
    """

    names: tuple[str, ...]
    answers: set[Answer] = attrs.field(factory=set)


class Permissions:
    """Decides on calls, and remembers answers.

    Args:
        settings: the operator's.
        log: where trouble is told.
        folder: where a relative path in the settings begins.
    """

    def __init__(self, settings: Settings, log: logging.Logger, *, folder: Path) -> None:
        self._rules = Rules(settings)
        self._store = None if settings.store is None else Store(_resolved(settings.store, folder))
        self._log = log
        self._boards: dict[str, OpenBoard] = {}
        self._told = ""

    def check(self) -> None:
        """See that the file of answers can be read.

        Raises:
            StoreError: it can't; says on which line and why.
        """
        if self._store is not None:
            self._store.current()

    def open_board(self, name: str, parents: tuple[str, ...]) -> OpenBoard:
        """Know a board, without any answer on it."""
        self._boards[name] = board = OpenBoard((name, *parents))
        return board

    def close_board(self, name: str, board: OpenBoard) -> None:
        """Forget a board and the answers that were given on it."""
        if self._boards.get(name) is board:
            del self._boards[name]

    def decide(self, execution: Execution) -> Decision | None:
        """What is decided of a call; None where its tool isn't known."""
        owner = execution.owner
        if owner is None:
            return None
        board = self._boards.get(execution.board) or OpenBoard((execution.board,))
        arguments = execution.arguments if self._rules.look_at_arguments else {}
        subject = Subject(board.names, owner, execution.raw_tool, arguments)
        judgement = self._rules.judge(subject)
        match judgement.word:
            case "allow":
                return Allow()
            case "deny":
                self._log.info("%s of call %r", _said(judgement), execution.call_id)
                return Deny(f"the permissions of board {execution.board!r} deny {execution.tool!r}")
            case "ask":
                return self._asked(execution, subject, judgement, board)

    def _asked(
        self, execution: Execution, subject: Subject, judgement: Judgement, board: OpenBoard
    ) -> Decision:
        about = [Answer.to(each, subject.owner, subject.tool) for each in judgement.questions]
        try:
            always = None if self._store is None else self._store.current()
        except StoreError as error:
            return self._unreadable(error)
        open_ = [each for each in about if each not in board.answers]
        if always is not None:
            open_ = [each for each in open_ if not always.cover(each, execution.board)]
        if not open_:
            return Allow()
        remember = _Remember(self, tuple(open_))
        return Ask(self._reason(subject, judgement, open_), answered=remember.answered)

    def _unreadable(self, error: StoreError) -> Deny:
        if str(error) != self._told:
            self._log.error("calls that need an answer are denied: %s", error)
        self._told = str(error)
        return Deny("the permissions that were given before can't be read; tell the operator")

    def _reason(self, subject: Subject, judgement: Judgement, open_: Iterable[Answer]) -> str:
        why = "a rule asks" if judgement.places else "no rule is about it"
        calls = f"calls of {subject.tool!r} of {_named(subject.owner)}"
        which = " and ".join(calls + _fitting(each.question) for each in open_)
        answers = f'{why}; the answer "board" is for all {which}, on this board while it lives'
        if self._store is None:
            return f'{answers}, and so is "always"'
        return f'{answers}; "always" is for every board, kept in {self._store.path.name}'

    async def remember(self, answers: Iterable[Answer], board: str, answer: object) -> None:
        """Keep what was answered to some questions, as long as the answer says."""
        living = self._boards.get(board)
        if answer not in ("board", "always") or living is None:
            return
        if answer == "board" or self._store is None:
            living.answers.update(answers)
            return
        for each in answers:
            try:
                await asyncio.to_thread(self._store.add, each)
            except StoreError as error:
                living.answers.add(each)
                self._log.error("'always' holds for this board only: %s", error)


@attrs.frozen
class _Remember:
    """Is told of the answer to one Ask."""

    permissions: Permissions
    answers: tuple[Answer, ...]

    async def answered(self, request: ApprovalRequest, answer: object) -> None:
        await self.permissions.remember(self.answers, request.board, answer)


def _said(judgement: Judgement) -> str:
    places = ", ".join(judgement.places)
    return f"refusal by {places}" if places else "refusal by the default"


def _fitting(question: Question) -> str:
    return "" if question.is_wide else f" whose arguments fit {question.arguments}"


def _named(owner: Owner) -> str:
    """Whose tool it is, whatever the version: an answer outlives it."""
    if owner.plugin is None:
        return "the program"
    distribution = "" if owner.distribution is None else f" ({owner.distribution})"
    return f"plugin {owner.plugin!r}{distribution}"


def _resolved(store: str, folder: Path) -> Path:
    try:
        return Path(folder, Path(store).expanduser()).resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise StoreError(f"store in [plugins.permissions] can't be used: {error}") from error
