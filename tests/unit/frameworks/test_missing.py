"""Without a framework, its module says what to install."""

import subprocess
import sys

import pytest
from pegboard.errors import MissingFrameworkError, PegboardError

FRAMEWORKS = {
    "pydantic_ai": ("pydantic_ai", "pydantic-ai"),
    "langchain": ("langchain", "langchain"),
    "openai_agents": ("agents", "openai-agents"),
}


def python(text: str) -> str:
    ran = subprocess.run(
        [sys.executable, "-c", text], text=True, capture_output=True, timeout=60, check=False
    )
    return ran.stdout + ran.stderr


@pytest.mark.parametrize("module", FRAMEWORKS)
def test_a_framework_that_is_not_installed_is_an_error_that_names_the_extra(module: str) -> None:
    package, extra = FRAMEWORKS[module]

    printed = python(
        f"import sys\nsys.modules[{package!r}] = None\nimport pegboard.frameworks.{module}"
    )

    assert f"MissingFrameworkError: boards for {extra} need {extra}" in printed
    assert printed.endswith(f"install 'pegboard[{extra}]'\n")


def test_it_is_caught_as_an_error_of_pegboard_and_as_an_import_error() -> None:
    assert issubclass(MissingFrameworkError, PegboardError)
    assert issubclass(MissingFrameworkError, ImportError)


def test_the_package_of_the_frameworks_imports_none_of_them() -> None:
    frameworks = {"agents", "langchain", "langchain_core", "pydantic_ai", "pydantic"}

    printed = python("import sys, pegboard.frameworks\nprint(*sys.modules)")

    assert not frameworks & set(printed.split())
