"""The data that training draws from: prepared folders in YOLO layout.

A folder holds `images/` and `labels/`. Photos prepared by `fanlens.datasets.real.prepare` add
`pictures.json` (`{name: {"fold", "complete": ["tiles", "back", "meld"], "ignore": [[x0, y0, x1, y1], …]}}`,
boxes in pixels); scenes rendered by `fanlens.datasets.scenes` add `json/NAME.json` with the same
`ignore` and which way each face points.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

COMPLETE = ("tiles", "back", "meld")


@dataclass(frozen=True)
class Source:
    """A prepared folder, how much of the training it gives, and which of its folds (all where None)."""

    folder: Path
    weight: float = 1.0
    fold: str | None = None

    @cached_property
    def about(self) -> dict[str, Any]:
        """What `pictures.json` or the scenes' JSON say of each picture, by name; empty without either."""
        path = self.folder / "pictures.json"
        if path.exists():
            photos: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            return {name: {"photo": True} | about for name, about in photos.items()}
        scenes = sorted((self.folder / "json").glob("*.json"))
        return {
            scene.stem: {"photo": False} | json.loads(scene.read_text(encoding="utf-8")) for scene in scenes
        }

    def pictures(self) -> list[Path]:
        """The pictures of the fold, by name; those without labels or left out by `about` don't count."""
        paths = sorted((self.folder / "images").iterdir())
        known = set(self.about) or {path.stem for path in (self.folder / "labels").glob("*.txt")}
        return [
            path
            for path in paths
            if path.stem in known and (self.fold is None or self.about[path.stem].get("fold") == self.fold)
        ]

    def complete(self, name: str) -> tuple[str, ...]:
        """What is labelled throughout in a picture."""
        return tuple(self.about.get(name, {}).get("complete", COMPLETE))
