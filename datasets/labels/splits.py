"""Parts of a data set (train, val, test), drawn so that near-duplicates stay on one side."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

PARTS = ("train", "val", "test")


class SplitError(ValueError):
    """The shares of a split make no sense; one plain sentence."""


def parse_shares(text: str) -> dict[str, float]:
    """Shares of train, val and test from `80,20`, `0.8/0.1/0.1` or `train=8,val=2`; they sum to 1.

    Raises SplitError.

    >>> parse_shares("80,10,10")
    {'train': 0.8, 'val': 0.1, 'test': 0.1}
    """
    pieces = [piece.strip() for piece in text.replace("/", ",").split(",")]
    named = [
        piece.partition("=") if "=" in piece else (part, "=", piece)
        for part, piece in zip(PARTS, pieces, strict=False)
    ]
    try:
        shares = {part.strip(): float(value.rstrip("%")) for part, _, value in named}
    except ValueError:
        shares = {}
    known = set(shares) <= set(PARTS) and len(shares) == len(pieces)
    if not known or len(shares) < 2 or min(shares.values()) < 0 or not 0 < sum(shares.values()) < 1e9:
        raise SplitError(f"{text!r} is no split; give two or three shares such as 80,20 or 0.8,0.1,0.1.")
    whole = sum(shares.values())
    return {part: share / whole for part, share in shares.items()}


def assign_parts(groups: Sequence[Sequence[str]], shares: Mapping[str, float], seed: int) -> dict[str, str]:
    """The part of each name; the names of one group always share theirs.

    Groups come in an order drawn from the seed, large ones first, and each goes to the part that is
    furthest behind its share, so that the shares are met as closely as whole groups allow.
    """
    total = sum(len(group) for group in groups)
    missing = {part: share * total for part, share in shares.items()}
    parts: dict[str, str] = {}
    for group in sorted(groups, key=lambda group: (-len(group), _drawn(seed, min(group)))):
        part = max(missing, key=lambda name: (missing[name], name))
        missing[part] -= len(group)
        parts.update(dict.fromkeys(group, part))
    return parts


def _drawn(seed: int, name: str) -> bytes:
    """A number drawn for a name: the same on every machine, and unmoved by other names."""
    return hashlib.sha256(f"{seed}:{name}".encode("utf-8", "surrogatepass")).digest()
