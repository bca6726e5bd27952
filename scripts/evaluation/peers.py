"""What others' detectors find in a picture, in our names, to be measured as ours is.

mahjong-detector (PyPI, MIT): 34 riichi tiles, no flowers, no backs.
"""

from __future__ import annotations

import numpy as np
from fanlens.vision.boxes import TILE_CLASSES
from numpy.typing import NDArray

from .matching import Guess

THIRTY_FOUR = frozenset(TILE_CLASSES[:34])
_HONORS = {"tou": "E", "nan": "S", "sha": "W", "pe": "N", "chun": "C", "hatsu": "F", "haku": "P"}


def mahjong_detector(rgb: NDArray[np.uint8], confidence: float) -> Guess:
    """The tiles that the package mahjong-detector finds.

    rgb: uint8, shape (rows, columns, 3). Raises ImportError where the package isn't installed.
    """
    from mahjong_detector.predict import CLASS_NAMES, create_input_tensor, get_inference_session, postprocess
    from mahjong_detector.preprocess import preprocess_image
    from PIL import Image

    fitted, padding = preprocess_image(Image.fromarray(rgb))
    session = get_inference_session()
    output = session.run(None, {session.get_inputs()[0].name: create_input_tensor(fitted)})[0][0]
    found = postprocess(output, padding, len(CLASS_NAMES), conf_threshold=confidence)
    names = [CLASS_NAMES[one.class_id] for one in found]
    return Guess(
        [(float(one.x1), float(one.y1), float(one.x2), float(one.y2)) for one in found],
        [_HONORS.get(name, name) for name in names],
        [one.confidence for one in found],
        [],
    )
