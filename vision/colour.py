"""Colours compared as people see them."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray


def lab(colours: NDArray[np.uint8]) -> NDArray[np.float64]:
    """(n, 3) CIE 1976 L*a*b* of RGB colours (n, 3): lightness in [0, 100], then the two axes of hue."""
    scaled = colours[None].astype(np.float32) / 255
    found: NDArray[np.float64] = np.asarray(cv2.cvtColor(scaled, cv2.COLOR_RGB2LAB)[0], dtype=np.float64)
    return found
