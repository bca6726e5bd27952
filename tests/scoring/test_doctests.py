"""The examples in the docstrings of `fanlens.scoring` run and are right."""

from __future__ import annotations

import doctest
from importlib import import_module
from pkgutil import iter_modules

import fanlens.scoring
import pytest

MODULES = ["fanlens.scoring", *(f"fanlens.scoring.{m.name}" for m in iter_modules(fanlens.scoring.__path__))]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    assert doctest.testmod(import_module(name)).failed == 0


def test_there_are_examples() -> None:
    finder = doctest.DocTestFinder()
    assert sum(len(test.examples) for name in MODULES for test in finder.find(import_module(name))) > 20
