"""The rules that every test of this repository runs under."""

from pegboard_house.blocks import Block, blocks_of
from pegboard_house.hermetic import ORIGINAL
from pegboard_house.profiles import searched, use_hypothesis_profile
from pegboard_house.rules import (
    by_itself,
    on_this_machine,
    pytest_collection_finish,
    pytest_pyfunc_call,
)

__all__ = [
    "ORIGINAL",
    "Block",
    "blocks_of",
    "by_itself",
    "on_this_machine",
    "pytest_collection_finish",
    "pytest_pyfunc_call",
    "searched",
    "use_hypothesis_profile",
]
