"""How plugins stand before and after the environment has changed, and what that tells."""

from collections.abc import Container, Mapping
from typing import Self

import attrs

from pegboard.plugins.discovery import normalised

_BAD = ("failed", "quarantined", "kept_out")


@attrs.frozen
class Standing:
    """How one plugin stood when somebody looked.

    Attributes:
        mark: what tells its code from other code.
        kind: `shown`, `failed`, `quarantined`, `kept_out` or `absent`.
        error: why, where it isn't shown.
        distribution: what it comes from, as `distribution version`.
        hidden: rivals that offer the same name, likewise.
        is_in_use: whether its tools are there: also those of one whose upgrade has failed.
    """

    mark: str
    kind: str
    error: str | None = None
    distribution: str = ""
    hidden: tuple[str, ...] = attrs.field(default=(), eq=False)
    is_in_use: bool = False


@attrs.frozen
class Changes:
    """What has become of plugins.

    Attributes:
        loaded: those that were loaded; without a host, those that the next start will load.
        reloaded: those that were exchanged for what is installed now; likewise.
        unloaded: those that are gone.
        failed: why others could not be loaded, by name.
        quarantined: why others aren't, by name: what came isn't what the lock file accepts.
        kept_out: what of the configuration keeps others out, by name.
        hidden: whose plugin isn't used, and whose is, by the name that both offer.
    """

    loaded: tuple[str, ...] = ()
    reloaded: tuple[str, ...] = ()
    unloaded: tuple[str, ...] = ()
    failed: Mapping[str, str] = attrs.field(factory=dict)
    quarantined: Mapping[str, str] = attrs.field(factory=dict)
    kept_out: Mapping[str, str] = attrs.field(factory=dict)
    hidden: Mapping[str, str] = attrs.field(factory=dict)

    @property
    def are_good(self) -> bool:
        """Whether everything that came is in use, or will be."""
        return not (self.failed or self.quarantined or self.kept_out or self.hidden)

    @classmethod
    def between(
        cls,
        before: Mapping[str, Standing],
        after: Mapping[str, Standing],
        *,
        named: Container[str],
        tried: Container[str] = (),
    ) -> Self:
        """What is otherwise; and of some what isn't in use, whether or not it changed.

        Args:
            before: how plugins stood.
            after: how they stand.
            named: the normalised names of distributions.
            tried: names of plugins.
        """
        other = {name: each for name, each in after.items() if before.get(name) != each}
        used = {name for name, each in before.items() if each.is_in_use}
        now = [name for name, each in other.items() if each.kind == "shown"]
        gone = [name for name in used if name not in after or after[name].kind == "absent"]
        judged = {
            name: each
            for name, each in after.items()
            if each.kind in _BAD
            and (name in other or name in tried or _is_of(each.distribution, named))
        }
        hidden = {
            name: told
            for name, each in after.items()
            if (told := _hidden(each, before.get(name), named)) is not None
        }
        return cls(
            tuple(sorted(name for name in now if name not in used)),
            tuple(sorted(name for name in now if name in used)),
            tuple(sorted(gone)),
            **{
                kind: {name: str(each.error) for name, each in judged.items() if each.kind == kind}
                for kind in _BAD
            },
            hidden=hidden,
        )


def _hidden(now: Standing, before: Standing | None, named: Container[str]) -> str | None:
    """Which rivals don't come to bear, if they are new or of these distributions."""
    known = () if before is None else before.hidden
    rivals = [each for each in now.hidden if each not in known or _is_of(each, named)]
    if not rivals:
        return None
    verb = "is" if len(rivals) == 1 else "are"
    way_out = "" if now.distribution.startswith("the ") else "; `prefer` chooses"
    return f"{', '.join(rivals)} {verb} hidden by {now.distribution}{way_out}"


def _is_of(distribution: str, named: Container[str]) -> bool:
    """Whether `distribution version` is one of these."""
    return normalised(distribution.partition(" ")[0]) in named
