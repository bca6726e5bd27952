"""What a photo was read as: every tile with its role, the hand, what it is worth and what is doubtful.

A `Reading` is frozen. It keeps what the detector saw (`Sighting`) beside what was made of it, so a
person's corrections give a new reading and never overwrite what was seen. From here the data goes
to `scoring` as `Reading.hand`, to people as `to_json()`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ..scoring import Context, Hand, RuleSet, Score, context_to_json, score_to_json
from .boxes import Box, MeldBox, TileBox
from .layout import Row

Role = Literal["concealed", "meld", "flower", "winning", "elsewhere"]
Flag = Literal["low-confidence", "inferred", "conflict", "role"]


@dataclass(frozen=True, slots=True)
class ImageInfo:
    """The picture a reading is of: path as given (None for bytes), upright width and height in pixels.

    notes: what was done in decoding it that a person may want to know (see `Picture.notes`).
    """

    path: str | None
    width: int
    height: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """The detector's name and the sha256 of its weights."""

    name: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What is known about the win beyond the picture.

    context: as `scoring` takes it; its defaults stand for what nobody stated.
    stated: names of the context's fields that a person stated; `range` covers the rest.
    winning_tile: the winning tile's name where a person stated it.
    rules: a rule set or the name of one.
    """

    context: Context = field(default_factory=Context)
    stated: frozenset[str] = frozenset()
    winning_tile: str | None = None
    rules: str | RuleSet = "current"


@dataclass(frozen=True, slots=True)
class Sighting:
    """What the detector saw, and what it was told to take into account: enough to read again.

    calibration: pairs (raw, true) between which the confidence of a total is interpolated.
    rows: the tiles' rows; None where they are yet to be found.
    """

    image: ImageInfo
    model: ModelInfo
    tiles: tuple[TileBox, ...]
    melds: tuple[MeldBox, ...] = ()
    calibration: tuple[tuple[float, float], ...] = ((0.0, 0.0), (1.0, 1.0))
    rows: tuple[Row, ...] | None = field(default=None, repr=False, compare=False)

    def of(self, tiles: Iterable[TileBox]) -> Sighting:
        """The same picture with other tiles; their rows are to be found anew."""
        return replace(self, tiles=tuple(tiles), rows=None)


@dataclass(frozen=True, slots=True)
class ReadTile:
    """One tile of the picture.

    id: its number in the picture, kept through corrections.
    tile: its name; `back` face down, `?` where it can't be told.
    confidence: probability that the name is right. role_confidence: the same for the role.
    meld: which of the hand's melds it belongs to, for the role "meld".
    alternatives: other names with the probability the detector gave them, likeliest first.
    role_alternatives: other roles with their probability, likeliest first.
    seen: the name the detector read.
    hand: which hand of the picture it belongs to; None for tiles elsewhere.
    """

    id: int
    tile: str
    confidence: float
    box: Box
    role: Role
    role_confidence: float
    meld: int | None = None
    alternatives: tuple[tuple[str, float], ...] = ()
    role_alternatives: tuple[tuple[Role, float], ...] = ()
    seen: str = "?"
    flag: Flag | None = None
    hand: int | None = None

    def to_json(self) -> dict[str, Any]:
        """The tile as in the JSON of one photo."""
        return {
            "id": self.id,
            "tile": self.tile,
            "confidence": _rounded(self.confidence),
            "box": [round(float(side), 1) for side in self.box],
            "role": self.role,
            "role_confidence": _rounded(self.role_confidence),
            "meld": self.meld,
            "alternatives": [
                {"tile": tile, "probability": _rounded(probability)}
                for tile, probability in self.alternatives
            ],
            "role_alternatives": [
                {"role": role, "probability": _rounded(probability)}
                for role, probability in self.role_alternatives
            ],
            "seen": self.seen,
            "flag": self.flag,
            "hand": self.hand,
        }


@dataclass(frozen=True, slots=True)
class ReadMeld:
    """One meld of a hand: kind as in `scoring.Meld`, its tiles' names and ids, the box around them.

    Of a kong of which one tile isn't seen, another one's id stands twice.
    """

    kind: Literal["chow", "pung", "melded-kong", "concealed-kong"]
    tiles: tuple[str, ...]
    ids: tuple[int, ...]
    box: Box
    confidence: float

    def to_json(self) -> dict[str, Any]:
        """The meld as in the JSON of one photo."""
        return {
            "kind": self.kind,
            "tiles": list(self.tiles),
            "ids": list(self.ids),
            "box": [round(float(side), 1) for side in self.box],
            "confidence": _rounded(self.confidence),
        }


@dataclass(frozen=True, slots=True)
class ReadHand:
    """One hand of the picture.

    hand: its tiles as `scoring` takes them.
    ids: the tiles' ids in the order of `hand.tiles` (concealed, winning, melds, flowers).
    melds: the melds with their places, in the order of `hand.melds`.
    """

    hand: Hand
    ids: tuple[int, ...]
    melds: tuple[ReadMeld, ...]

    def to_json(self) -> dict[str, Any]:
        """The hand as in the JSON of one photo, with the ids of its tiles beside the names."""
        known = self.hand.winning_tile is not None
        count = len(self.hand.concealed)
        flowers = len(self.hand.flowers)
        return {
            "concealed": list(self.hand.concealed),
            "winning_tile": self.hand.winning_tile,
            "flowers": list(self.hand.flowers),
            "melds": [meld.to_json() for meld in self.melds],
            "concealed_ids": list(self.ids[:count]),
            "winning_id": self.ids[count] if known else None,
            "flower_ids": list(self.ids[len(self.ids) - flowers :]),
        }


@dataclass(frozen=True, slots=True)
class ReadProblem:
    """One thing that is wrong with or unknown about the hand.

    code: one of the codes of the JSON contract. message: one plain sentence. tiles: ids concerned.
    """

    code: str
    message: str
    tiles: tuple[int, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The problem as in the JSON of one photo."""
        return {"code": self.code, "message": self.message, "tiles": list(self.tiles)}


@dataclass(frozen=True, slots=True)
class ReadScore:
    """What the first hand is worth.

    score: of the likeliest hand in the context used.
    ids: tile ids in the order of the scored hand's `tiles`; fans name their tiles by position there.
    low, high: least and greatest total over what isn't known. depends_on: what they depend on.
    """

    score: Score
    ids: tuple[int, ...]
    low: int
    high: int
    depends_on: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The score as in the JSON of one photo."""
        spread = {"min": self.low, "max": self.high, "depends_on": list(self.depends_on)}
        return score_to_json(self.score, self.ids, spread)

    @property
    def winning_tile(self) -> str:
        """The tile taken as the winning one, also where the picture doesn't show it."""
        return self.score.hand.winning_tile or "?"


@dataclass(frozen=True)
class Reading:
    """Everything a photo was read as.

    hands: every complete hand in the picture; where none is complete, the one that comes nearest.
    score: None where the first hand is no finished hand or can't be told.
    confidence: calibrated probability that `score.total` is right given the context used; 0 without one.
    corrections: what a person changed, already applied.
    """

    sighting: Sighting
    circumstances: Circumstances
    tiles: tuple[ReadTile, ...] = ()
    hands: tuple[ReadHand, ...] = ()
    score: ReadScore | None = None
    problems: tuple[ReadProblem, ...] = ()
    confidence: float = 0.0
    timing_ms: Mapping[str, float] = field(default_factory=dict)
    corrections: tuple[Any, ...] = ()

    @property
    def hand(self) -> Hand | None:
        """The first hand, as `scoring.score` takes it; None where no hand was found."""
        return self.hands[0].hand if self.hands else None

    @property
    def doubtful(self) -> tuple[ReadTile, ...]:
        """The tiles that carry a flag."""
        return tuple(tile for tile in self.tiles if tile.flag is not None)

    @property
    def groups(self) -> tuple[MeldBox, ...]:
        """Every exposed group in the picture, whoever's.

        A complete hand tells its melds better than each group by itself. Of what is none its melds count
        where nothing else was seen, but not those that lie face down: they may as well be a wall.
        """
        melds = [meld for hand in self.hands for meld in hand.melds]
        own = [MeldBox(meld.box, meld.confidence) for meld in melds]
        seen = self.sighting.melds
        if self.score is not None:
            used = [tile.box for tile in self.tiles if tile.hand is not None]
            return (*own, *(group for group in seen if not _holds_one(group.box, used)))
        open_ones = [group for group, meld in zip(own, melds, strict=True) if set(meld.tiles) - {"?", "back"}]
        taken = [tile.box for tile in self.tiles if any(_holds_one(group.box, [tile.box]) for group in seen)]
        return (*seen, *(group for group in open_ones if not _holds_one(group.box, taken)))

    def timed(self, **milliseconds: float) -> Reading:
        """The same reading with these stages' times added."""
        return replace(self, timing_ms={**self.timing_ms, **milliseconds})

    def to_json(self) -> dict[str, Any]:
        """The JSON object of one photo, of plain lists, dicts, numbers and text."""
        image, model = self.sighting.image, self.sighting.model
        hands = [hand.to_json() for hand in self.hands]
        rules = self.circumstances.rules
        return {
            "image": {
                "path": image.path,
                "width": image.width,
                "height": image.height,
                **({"notes": list(image.notes)} if image.notes else {}),
            },
            "model": {"name": model.name, "sha256": model.sha256},
            "tiles": [tile.to_json() for tile in self.tiles],
            "hand": hands[0] if hands else None,
            "hands": hands,
            "context": {
                **context_to_json(self.circumstances.context),
                "winning_tile": self.circumstances.winning_tile,
                "rules": rules if isinstance(rules, str) else rules.name,
            },
            "score": self.score.to_json() if self.score else None,
            "problems": [problem.to_json() for problem in self.problems],
            "confidence": _rounded(self.confidence),
            "timing_ms": {stage: round(float(time), 1) for stage, time in self.timing_ms.items()},
        }


def _holds_one(around: Box, boxes: Iterable[Box]) -> bool:
    """Whether the middle of one of the boxes lies in another one."""
    x0, y0, x1, y1 = around
    return any(x0 < (box[0] + box[2]) / 2 < x1 and y0 < (box[1] + box[3]) / 2 < y1 for box in boxes)


def _rounded(probability: float) -> float:
    return round(float(probability), 4)
