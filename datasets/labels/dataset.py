"""From results to what is exported: one label name for each picture, its part, the tiles kept.

From here a `Dataset` goes to one of `formats`, whose files `export` puts in place.
"""

from __future__ import annotations

import hashlib
import os
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from .duplicates import near_duplicates
from .results import MeldGroup, PictureResult, Results, Tile
from .splits import assign_parts

_LONGEST = 200
"""Bytes of a label's file name before its ending; file systems end at 255."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """One picture to be exported.

    path: its name below the root. label: name of its label file below the output folder, without
    ending, unlike any other picture's. part: train, val or test, None without a split. source: where
    it lies. tiles: those at or above the threshold. melds: groups of at least two of these.
    """

    path: str
    label: str
    part: str | None
    source: Path
    width: int
    height: int
    tiles: tuple[Tile, ...]
    melds: tuple[MeldGroup, ...]
    corrected: bool

    @property
    def suffix(self) -> str:
        return PurePosixPath(self.path).suffix

    @property
    def score(self) -> float:
        """The least certain tile's confidence; 1 for a picture without tiles."""
        return min((tile.confidence for tile in self.tiles), default=1.0)


@dataclass(frozen=True, slots=True)
class Dataset:
    """The pictures of some results as a data set. parts: those of the split; out: where files go."""

    results: Results
    out: Path
    threshold: float
    labels: Mapping[str, str]
    part_of: Mapping[str, str]

    @property
    def parts(self) -> tuple[str | None, ...]:
        found = set(self.part_of.values())
        return tuple(part for part in ("train", "val", "test") if part in found) or (None,)

    def __iter__(self) -> Iterator[Labelled]:
        """The pictures that could be read, by path."""
        for picture in self.results:
            if picture.tiles is not None:
                yield self._labelled(picture, picture.tiles)

    def _labelled(self, picture: PictureResult, everything: tuple[Tile, ...]) -> Labelled:
        tiles = tuple(tile for tile in everything if tile.confidence >= self.threshold)
        kept = {tile.id for tile in tiles}
        return Labelled(
            path=picture.path,
            label=self.labels[picture.path],
            part=self.part_of.get(picture.path),
            source=self.results.root / picture.path,
            width=picture.width,
            height=picture.height,
            tiles=tiles,
            melds=tuple(meld for meld in picture.melds if kept.issuperset(meld.ids)),
            corrected=bool(picture.corrections),
        )


def make_dataset(
    results: Results,
    out: Path,
    *,
    threshold: float = 0.0,
    shares: Mapping[str, float] | None = None,
    seed: int = 0,
) -> Dataset:
    """The results as a data set.

    threshold: least confidence of a tile that is exported. shares: of train, val and test, if the
    pictures are to be split; near-duplicates stay together. seed: draws the split.
    """
    part_of: dict[str, str] = {}
    if shares:
        hashes = {
            picture.path: picture.phash
            for picture in results
            if picture.tiles is not None and picture.phash is not None
        }
        part_of = assign_parts(near_duplicates(hashes), shares, seed)
    return Dataset(results, out, threshold, label_names(results.lines), part_of)


def label_names(paths: Iterable[str]) -> dict[str, str]:
    """A label name for each picture, below the output folder and without ending.

    It is the picture's path without its ending; where another picture would get the same one (also
    where only case or Unicode form differ, which some file systems ignore), the ending stays in the name.
    """
    ordered = sorted(paths)
    stems = Counter(_folded(str(PurePosixPath(path).with_suffix(""))) for path in ordered)
    taken: set[str] = set()
    names: dict[str, str] = {}
    # Pictures whose name is theirs alone come first, so that no other's way out takes it from them.
    for path in sorted(
        ordered, key=lambda path: stems[_folded(str(PurePosixPath(path).with_suffix("")))] > 1
    ):
        plain = PurePosixPath(path)
        stem = str(plain.with_suffix(""))
        wanted = stem if stems[_folded(stem)] == 1 else path
        name, number = _shortened(wanted), 2
        while _folded(name) in taken:
            name, number = _shortened(f"{wanted}-{number}"), number + 1
        taken.add(_folded(name))
        names[path] = name
    return names


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def _shortened(name: str) -> str:
    path = PurePosixPath(name)
    encoded = os.fsencode(path.name)
    if len(encoded) <= _LONGEST:
        return name
    digest = hashlib.sha256(encoded).hexdigest()[:12]
    start = encoded[: _LONGEST - 13].decode("utf-8", "ignore")
    return str(path.with_name(f"{start}-{digest}"))
