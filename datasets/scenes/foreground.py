"""What comes between the camera and the table, or is put over the picture: hands, writing, black bars."""

from __future__ import annotations

import cv2
import numpy as np

from .painting import Owner, Picture

COVERED = -1
"""Owner of a pixel that shows neither tile nor table."""


def put_hand(picture: Picture, owner: Owner, rng: np.random.Generator) -> None:
    """A player's fingers reaching in from an edge: skin-coloured, soft, a shadow beside them."""
    height, width = owner.shape
    unit = max(width, height) / 960
    side = int(rng.integers(4))
    along = float(rng.uniform(0.1, 0.9))
    start = np.array(
        [(along * width, height), (along * width, 0.0), (0.0, along * height), (width, along * height)][side]
    )
    inward = np.array([(0.0, -1.0), (0.0, 1.0), (1.0, 0.0), (-1.0, 0.0)][side])
    across = np.array([-inward[1], inward[0]])
    inward = inward + across * float(rng.uniform(-0.5, 0.5))
    skin = np.array([rng.uniform(120, 240)] * 3) * (1.0, rng.uniform(0.68, 0.82), rng.uniform(0.5, 0.7))
    mask = np.zeros((height, width), dtype=np.uint8)
    reach = float(rng.uniform(40, 190)) * unit
    thick = float(rng.uniform(16, 34)) * unit
    for finger in range(int(rng.integers(1, 5))):
        root = start + across * (finger - 1.5) * thick * 1.05
        tip = root + inward * reach * float(rng.uniform(0.7, 1.1))
        cv2.line(
            mask,
            tuple(int(v) for v in root - inward * thick),
            tuple(int(v) for v in tip),
            255,
            int(thick),
            cv2.LINE_AA,
        )
    shade = cv2.GaussianBlur(mask, (0, 0), thick * 0.35).astype(np.float32)[:, :, None] / 255
    form = cv2.GaussianBlur(mask, (0, 0), thick * 0.25).astype(np.float32)[:, :, None] / 255
    alpha = cv2.GaussianBlur(mask, (0, 0), 1.2 * unit).astype(np.float32)[:, :, None] / 255
    picture[:] = (picture * (1 - 0.3 * shade) * (1 - alpha) + skin * (0.55 + 0.45 * form) * alpha).astype(
        np.uint8
    )
    owner[mask > 127] = COVERED


def overlay(picture: Picture, owner: Owner, rng: np.random.Generator) -> Picture:
    """Writing, a chat box or black bars laid over the finished picture; returns a new picture."""
    picture = picture.copy()
    height, width = owner.shape
    way = rng.random()
    if way < 0.35:
        bar = int(height * rng.uniform(0.04, 0.16))
        picture[:bar], picture[height - bar :] = 0, 0
        owner[:bar], owner[height - bar :] = COVERED, COVERED
        return picture
    if way < 0.65:
        w, h = int(width * rng.uniform(0.1, 0.3)), int(height * rng.uniform(0.06, 0.25))
        x, y = int(rng.choice([0, width - w])), int(rng.choice([0, height - h]))
        region = picture[y : y + h, x : x + w]
        region[:] = (region * 0.2 + rng.uniform(0, 90, 3)).astype(np.uint8)
        owner[y : y + h, x : x + w] = COVERED
        for line in range(max(h // 26, 1)):
            cv2.putText(
                picture,
                _words(rng),
                (x + 6, y + 20 + 26 * line),
                cv2.FONT_HERSHEY_SIMPLEX,
                0.5,
                (230, 230, 230),
                1,
                cv2.LINE_AA,
            )
        return picture
    colour = tuple(float(c) for c in rng.choice([[255, 255, 255], [250, 220, 40], [20, 20, 20]]))
    place = (int(rng.uniform(0, 0.6) * width), int(rng.choice([0.06, 0.95]) * height))
    scale = float(rng.uniform(0.6, 1.6)) * max(width, height) / 960
    cv2.putText(
        picture,
        _words(rng),
        place,
        cv2.FONT_HERSHEY_DUPLEX,
        scale,
        colour,
        max(int(scale * 2), 1),
        cv2.LINE_AA,
    )
    return picture


def _words(rng: np.random.Generator) -> str:
    letters = "ABCDEFGHIKLMNOPRSTUVW0123456789"
    return " ".join(
        "".join(letters[i] for i in rng.integers(len(letters), size=int(n)))
        for n in rng.integers(2, 9, size=2)
    )
