"""What an operator may set."""

from typing import Annotated

import attrs
from annotated_types import Ge, Le


@attrs.frozen
class Settings:
    """The settings of the plugin.

    Attributes:
        workers: how many programs may run at once; each has a process of its own, and more wait.
        keep_warm: whether one process stands ready for the next program once one has run.
    """

    workers: Annotated[int, Ge(1), Le(256)] = 16
    keep_warm: bool = True
