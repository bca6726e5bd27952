"""Near-duplicates: pictures of one moment, found by a perceptual hash.

The hash is the 64-bit DCT hash (Zauner, "Implementation and Benchmarking of Perceptual Image Hash
Functions", 2010). The ImageHash package has the same one, but brings SciPy and PyWavelets for
these few lines.
"""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

NEAR = 8
"""Bits of 64 by which two hashes of one moment may differ (compressed again, resized, a burst)."""
_SIDE = 32
_LOW = 8


def perceptual_hash(rgb: NDArray[np.uint8]) -> str:
    """16 hex digits: which of the 64 lowest frequencies lie above their median.

    rgb: uint8, shape (rows, columns, 3), upright.
    """
    small = cv2.resize(rgb, (_SIDE, _SIDE), interpolation=cv2.INTER_AREA)
    grey = np.asarray(cv2.cvtColor(small, cv2.COLOR_RGB2GRAY), dtype=np.float32)
    low = np.asarray(cv2.dct(grey))[:_LOW, :_LOW]
    return np.packbits(low > np.median(low)).tobytes().hex()


def near_duplicates(hashes: Mapping[str, str]) -> list[list[str]]:
    """Names in groups, each linked by hashes at most NEAR bits apart; groups and names in order.

    hashes: name to `perceptual_hash`.
    """
    names = sorted(hashes)
    codes = np.array([int(hashes[name], 16) for name in names], dtype=np.uint64)
    parent = list(range(len(names)))

    def top(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    for index in range(len(names)):
        apart = _bits(codes[index + 1 :] ^ codes[index])
        for other in np.flatnonzero(apart <= NEAR) + index + 1:
            one, two = sorted((top(index), top(int(other))))
            parent[two] = one
    groups: dict[int, list[str]] = {}
    for index, name in enumerate(names):
        groups.setdefault(top(index), []).append(name)
    return list(groups.values())


def _bits(codes: NDArray[np.uint64]) -> NDArray[np.int64]:
    """How many bits of each code are set."""
    octets = codes.view(np.uint8).reshape(-1, 8)
    return np.asarray(np.unpackbits(octets, axis=1).sum(axis=1, dtype=np.int64))
