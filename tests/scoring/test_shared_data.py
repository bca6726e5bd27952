"""Every hand of the shared scoring data, where it lies beside the repository.

Not part of the project: set FANLENS_SHARED, or lay it at `../shared`.
"""

from __future__ import annotations

import gzip
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fanlens.scoring import FANS, context_from_json, hand_from_json, score

SHARED = Path(os.environ.get("FANLENS_SHARED", Path(__file__).parents[3] / "shared")) / "scoring"
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared scoring data isn't there")

BY_NAME = {fan.zh: number for number, fan in FANS.items()}
CHOW_PAIRS = (69, 70, 71, 72)
# 1998's text of 清幺九 says 不計同刻 (all three seeds that list it agree), so neither 双同刻 nor 三同刻 is
# counted beside it; an example elsewhere in the same book lists both.
HELD_WRONG = {"r98-056": "trial1998 counts no 三同刻 beside 清幺九 (不計同刻), an example of 1998 does"}


def read(name: str) -> Iterator[dict[str, Any]]:
    opener = gzip.open if name.endswith(".gz") else open
    with opener(SHARED / name, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def holds(claim: str, counts: dict[int, int]) -> bool:
    """A claim about a fan list: `A`, `Ax2` at least twice, `A|B` one, `A+B` both, `@chowpairs=3` exactly."""
    if claim.startswith("@chowpairs="):
        return sum(counts.get(number, 0) for number in CHOW_PAIRS) == int(claim.partition("=")[2])
    if "|" in claim:
        return any(holds(part, counts) for part in claim.split("|"))
    if "+" in claim:
        return all(holds(part, counts) for part in claim.split("+"))
    name, times = re.fullmatch(r"(.+?)(?:x(\d))?", claim).groups()  # type: ignore[union-attr]
    return counts.get(BY_NAME[name], 0) >= int(times or 1)


def faults(line: dict[str, Any]) -> list[str]:
    result = score(hand_from_json(line), context_from_json(line), rules=line.get("rules", "current"))
    found = []
    if line.get("expected_total") not in (None, result.total):
        found.append(f"total {result.total}, not {line['expected_total']}")
    counts = result.counts
    found += [f"{claim} missing" for claim in line.get("must_include") or [] if not holds(claim, counts)]
    found += [f"{claim} counted" for claim in line.get("must_exclude") or [] if holds(claim, counts)]
    return found


def test_every_vector() -> None:
    lines = list(read("vectors.jsonl"))
    wrong = {line["id"]: faults(line) for line in lines if faults(line)}
    assert set(wrong) <= set(HELD_WRONG), wrong


def test_every_generated_total() -> None:
    wrong = {line["id"]: faults(line) for line in read("generated.jsonl.gz") if faults(line)}
    assert wrong == {}
