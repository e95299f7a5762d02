"""The plugins are tested under the rules of the host."""

from pegboard_house import (
    by_itself,
    on_this_machine,
    pytest_collection_finish,
    pytest_pyfunc_call,
    use_hypothesis_profile,
)

__all__ = ["by_itself", "on_this_machine", "pytest_collection_finish", "pytest_pyfunc_call"]

use_hypothesis_profile()
