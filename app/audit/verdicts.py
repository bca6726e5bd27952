"""Whether the footage agrees with the sheet, and if not why, in plain words.

`disagree` is only said where neither a doubtful tile nor an unknown circumstance can explain the
difference; otherwise a person has to look: `needs review`. A sheet has no column for the kind of a kong:
where the tiles lie open, melded or concealed, the kind that makes its total is what it declares; so is a
fourth tile upon a pung, where the tile under it stands out of its row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any, Literal

from ...scoring import FANS, Context, FanCount, Hand, HandError, Meld, Score, score
from ...scoring.context import FACTS
from ...scoring.tiles import CANONICAL
from ...vision.corrections import Correction
from ...vision.layout import tiles_under_others
from ...vision.reading import Circumstances, Flag, Reading, ReadScore, ReadTile, Role
from ...vision.resolve import read_hand
from ..context_options import Given
from ..score_sheet import SheetRow
from .found import Found
from .roles import roles_by_time
from .seats import NOWHERE, Place

Verdict = Literal["agree", "disagree", "needs review"]
WithRole = Callable[[ReadTile, Role], Reading]
"""The hand read again with one of its tiles in a role."""
WinningFrom = Literal["correction", "command line", "place", "hand", "motion", "sheet"]

FLOWERS = 81
MINIMUM = 8
UNLIKELY = 0.05
"""Probability below which another role of a tile is no doubt about a difference."""
FAINT_CONFIDENCE = 0.5
"""The most by which a total is sure that hangs on a tile which few frames showed."""
_WINDS = ("E", "S", "W", "N")
_WHAT_IF = {
    "self_draw": ("the tile was discarded, not drawn", "the tile was drawn, not discarded"),
    "last_tile": ("it was not the last tile of the wall", "it was the last tile of the wall"),
    "kong_replacement": ("it was no tile after a kong", "the tile was drawn after a kong"),
    "robbing_kong": ("no kong was robbed", "a kong was robbed"),
    "fourth_tile": ("the other three were not in sight", "the other three of the winning tile were in sight"),
}


@dataclass(frozen=True, slots=True)
class Judged:
    """One hand of the footage, scored and compared.

    row: the row of the sheet that belongs to it, None for none. verdict, reason: None without a sheet.
    winning_from: how the winning tile is known, None where it isn't. place: where it lay.
    """

    found: Found
    reading: Reading
    row: SheetRow | None
    verdict: Verdict | None
    reason: str | None
    winning_from: WinningFrom | None
    place: Place = NOWHERE


def read_found(
    found: Found, row: SheetRow | None, given: Given, corrections: Sequence[Correction] = ()
) -> tuple[Reading, WinningFrom | None]:
    """Score a hand in the circumstances of its row, and say how its winning tile is known.

    Tiles that few frames showed are flagged where no reviewer speaks for them. Raises CorrectionsError.
    """
    reading, source = _read(found, row, given, corrections)
    # What was worked out beside the reviewer's corrections is none of them.
    reading = replace(reading, corrections=tuple(corrections))
    faint = set(found.faint) - {correction.id for correction in corrections}
    if not faint:
        return reading, source
    reading = _flagged(reading, dict.fromkeys(faint, "low-confidence"))
    return replace(reading, confidence=min(reading.confidence, FAINT_CONFIDENCE)), source


def _flagged(reading: Reading, flags: Mapping[int, Flag]) -> Reading:
    """The reading with flags, by tile id, on tiles that have none."""
    tiles = tuple(replace(tile, flag=tile.flag or flags.get(tile.id)) for tile in reading.tiles)
    return replace(reading, tiles=tiles)


def _read(
    found: Found, row: SheetRow | None, given: Given, corrections: Sequence[Correction] = ()
) -> tuple[Reading, WinningFrom | None]:
    """The reading as it stands.

    A circumstance of the sheet goes before one given for all hands. The winning tile is, in this order:
    what a reviewer or the command line says, the tile that is clearly set apart, the only one that can have
    won beside four melds, the tile that came last, the tile that may be set apart, what the sheet says.
    Raises CorrectionsError.
    """
    context, stated = _context(row, given)
    doubts: dict[int, Flag] = {}

    def read(said: Sequence[Correction], winning_tile: str | None = None) -> Reading:
        circumstances = Circumstances(context, stated, winning_tile, given.rules)
        return _flagged(read_hand(found.sighting, circumstances, said), doubts)

    bare = read(corrections)
    if bare.hand is None:
        return bare, None
    if not bare.hand.flowers and row is not None and row.flowers is not None:
        context, stated = replace(context, flowers=row.flowers), stated | {"flowers"}
        bare = read(corrections)
    roles = () if any(each.role for each in corrections) else roles_by_time(bare, found)
    if roles:
        timed = read((*corrections, *roles))
        if timed.score is not None:
            # When they came says nothing of flowers: what was doubtful is so still.
            doubts = {tile.id: tile.flag for tile in bare.tiles if tile.role == "flower" and tile.flag}
            bare, corrections = _flagged(timed, doubts), (*corrections, *roles)
    hand = bare.hand
    assert hand is not None
    last = next((t.tile for t in bare.tiles if t.id == found.last and t.role == "concealed"), None)
    apart = next((t for t in bare.tiles if t.hand == 0 and t.role == "winning"), None)
    if any(correction.role == "winning" for correction in corrections):
        return bare, "correction"
    if given.winning_tile is not None and given.winning_tile in (*hand.concealed, hand.winning_tile):
        return read(corrections, given.winning_tile), "command line"
    if apart is not None:
        if apart.id == found.last:
            # It lies apart and came last: nothing is left in doubt about which won.
            return read(corrections, apart.tile), "place"
        if last is None or apart.flag != "role":
            return bare, "place"
    if hand.winning_tile is None and len(set(hand.concealed)) == 1:
        return read(corrections, hand.concealed[0]), "hand"
    declared = None if row is None else CANONICAL.get(row.winning_tile or "")
    sources: tuple[tuple[str | None, WinningFrom], ...] = ((last, "motion"), (declared, "sheet"))
    for tile, source in sources:
        if tile is not None and tile in hand.concealed:
            return read(corrections, tile), source
    return bare, None


def judge(
    found: Found,
    row: SheetRow | None,
    given: Given,
    corrections: Sequence[Correction] = (),
    place: Place = NOWHERE,
) -> Judged:
    """Compare one hand with its row. Raises CorrectionsError."""
    reading, source = read_found(found, row, given, corrections)
    if row is None:
        said = "No hand of the sheet belongs to this one."
        return Judged(found, reading, None, "needs review", said, source, place)
    declared = _declared_kongs(reading, row)
    if declared:
        taken, _ = read_found(found, row, given, (*corrections, *declared))
        reading = replace(taken, corrections=tuple(corrections))

    def with_role(tile: ReadTile, role: Role) -> Reading:
        other = Correction(id=tile.id, role=role)
        return read_found(found, row, given, (*corrections, other))[0]

    verdict, reason = _verdict(reading, row, source, with_role)
    if declared:
        reason += f" For the sheet {_declared_words(reading, declared)}."
    if None not in (place.seat, row.winner) and place.seat != row.winner:
        # The points go to another player, so agreeing on the fan isn't enough.
        verdict = "needs review" if verdict == "agree" else verdict
        reason += f" The sheet's winner is {row.winner}, but this hand lay where {place.seat} sat."
    return Judged(found, reading, row, verdict, reason, source, place)


def _context(row: SheetRow | None, given: Given) -> tuple[Context, frozenset[str]]:
    if row is None:
        return given.context, given.facts
    says: dict[str, Any] = {}
    if row.win_type is not None:
        says["self_draw"] = row.win_type == "self-draw"
    if row.winner is not None:
        says["seat_wind"] = row.winner
    if row.round_wind is not None:
        says["prevalent_wind"] = row.round_wind
    for name in FACTS[1:]:
        if getattr(row, name) is not None:
            says[name] = getattr(row, name)
    return replace(given.context, **says), given.facts | says.keys()


def _verdict(
    reading: Reading, row: SheetRow, source: WinningFrom | None, with_role: WithRole
) -> tuple[Verdict, str]:
    declared = row.fan
    if reading.score is None:
        return _no_score(reading, declared, _doubts(reading.doubtful))
    made = reading.score.score
    if declared is None:
        return "needs review", f"The sheet gives no fan for hand {row.hand}; the footage shows {made.fan}."
    notes = _notes(reading, row, source)
    if made.fan == declared:
        differing = _fan_lists(made, row.fans)
        said = (
            f"Both have {declared} fan"
            + (f", though not the same ones: {differing}" if differing else "")
            + "."
        )
        return "agree", " ".join([said, *notes])
    differs = f"The footage shows {made.fan} fan, the sheet has {declared}"
    doubts = _doubts(
        [
            tile
            for tile in reading.doubtful
            if not _tried(tile, reading) and not _makes_no_difference(tile, row, with_role)
        ]
    )
    if doubts:
        return "needs review", " ".join([f"{differs}, but {doubts}.", *notes])
    explained = _what_if(reading, row)
    if explained is not None:
        return "needs review", " ".join([f"{differs}, which would be right if {explained}.", *notes])
    return "disagree", " ".join([f"{differs}: {_difference(made, row)}.", *notes])


def _no_score(reading: Reading, declared: int | None, doubts: str) -> tuple[Verdict, str]:
    why = reading.problems[0].message if reading.problems else "No hand can be read."
    if doubts:
        return "needs review", f"No total can be given, because {doubts}. {why}"
    if any(problem.code == "no-winning-shape" for problem in reading.problems) and declared is not None:
        return "disagree", f"The tiles laid down are no winning hand, the sheet has {declared} fan."
    return "needs review", f"No total can be given. {why}"


def _tried(tile: ReadTile, reading: Reading) -> bool:
    """Whether a tile's only doubt is one that `_possibilities` goes through: which won, a kong's kind."""
    if tile.flag != "role":
        return False
    if tile.role == "meld" and tile.meld is not None and reading.hand is not None:
        return reading.hand.melds[tile.meld].is_kong and not tile.role_alternatives
    among = {tile.role, *(role for role, chance in tile.role_alternatives if chance >= UNLIKELY)}
    return among <= {"concealed", "winning"}


def _makes_no_difference(tile: ReadTile, row: SheetRow, with_role: WithRole) -> bool:
    """Whether the sheet is wrong whichever role a tile has; only a role is in doubt, of one tile alone."""
    if tile.flag != "role" or tile.hand != 0 or len(_names(tile)) > 1:
        return False
    others = {role for role, chance in tile.role_alternatives if chance >= UNLIKELY}
    if not others <= {"elsewhere"}:
        return False
    if not others or tile.role == "flower":  # flowers make no fan
        return True
    other = with_role(tile, "elsewhere")
    if other.score is None:
        return False  # it is not the only one that would be another's
    return other.score.score.fan != row.fan and _what_if(other, row) is None


def _names(tile: ReadTile) -> list[str]:
    """What a tile may be, likeliest first."""
    return list(dict.fromkeys([tile.tile, *(name for name, chance in tile.alternatives if chance >= 0.05)]))


def _doubts(tiles: Sequence[ReadTile]) -> str:
    """The first hand's doubtful tiles in words, empty where there is none."""
    told = []
    for tile in tiles:
        if tile.hand != 0 and dict(tile.role_alternatives).get("meld", 0.0) < UNLIKELY:
            continue
        names = _names(tile)
        if len(names) > 1:
            told.append(f"tile {tile.id} may be {' or '.join(names[:3])}")
        elif tile.flag == "role":
            told.append(f"it is not certain that tile {tile.id} ({tile.tile}) belongs where it was counted")
        else:
            told.append(f"tile {tile.id} ({tile.tile}) is doubtful")
    return _listed(told[:3]) + (f" (and {len(told) - 3} more)" if len(told) > 3 else "")


def _notes(reading: Reading, row: SheetRow, source: WinningFrom | None) -> list[str]:
    """What a referee should know beside the total."""
    assert reading.score is not None
    made, used = reading.score.score, reading.score.winning_tile
    notes = []
    named = CANONICAL.get(row.winning_tile or "", row.winning_tile)
    if named is not None and named != used:
        shown = "came last in the footage" if source == "motion" else "won by the footage"
        notes.append(f"The sheet's winning tile is {named}, but {used} {shown}.")
    elif named is None and source is None:
        notes.append(f"Nothing shows which tile won; {used} was taken.")
    if row.flowers is not None and reading.hand is not None and reading.hand.flowers:
        seen = len(reading.hand.flowers)
        if seen != row.flowers:
            notes.append(f"The footage shows {seen} flowers, the sheet has {row.flowers}.")
    if made.fan < MINIMUM:
        notes.append(f"A win needs {MINIMUM} fan without flowers, this hand has {made.fan}.")
    return notes


def _difference(made: Score, row: SheetRow) -> str:
    """Which fans make the difference."""
    lists = _fan_lists(made, row.fans)
    if lists:
        return lists
    assert row.fan is not None
    missing = made.fan - row.fan
    if made.flowers and row.fan == made.total:
        return f"the sheet seems to count the {made.flowers} flowers as fan"
    counted = [fan for fan in made.fans if fan.fan.id != FLOWERS]
    for number in (1, 2):
        for some in combinations(counted, number):
            if sum(fan.points * fan.count for fan in some) == missing:
                return f"the sheet lacks as much as {_listed([_fan_text(fan) for fan in some])}"
    if missing < 0:
        return f"the sheet has {-missing} more than {_listed([_fan_text(fan) for fan in counted])}"
    return f"the hand makes {_listed([_fan_text(fan) for fan in counted])}"


def _fan_lists(made: Score, declared: Sequence[int]) -> str:
    """How the sheet's list of fans differs from the hand's, empty where it doesn't or there is none."""
    listed = Counter(number for number in declared if number != FLOWERS)
    if not listed:
        return ""
    counted = _counted(made)
    worth = {fan.fan.id: fan.points for fan in made.fans}
    lacks = [_numbered(number, count, worth) for number, count in (counted - listed).items()]
    extra = [_numbered(number, count, worth) for number, count in (listed - counted).items()]
    parts = []
    if lacks:
        parts.append(f"the sheet lacks {_listed(lacks)}")
    if extra:
        parts.append(f"the sheet counts {_listed(extra)}, which the hand does not make")
    return ", and ".join(parts)


def _numbered(number: int, count: int, worth: dict[int, int]) -> str:
    fan = FANS[number]
    times = f"{count} times " if count > 1 else ""
    return f"{times}{fan.name} {fan.zh} ({worth.get(number, fan.points)})"


def _fan_text(fan: FanCount) -> str:
    times = f"{fan.count} times " if fan.count > 1 else ""
    return f"{times}{fan.fan.name} {fan.fan.zh} ({fan.points})"


def _what_if(reading: Reading, row: SheetRow) -> str | None:
    """The unknown circumstance under which the sheet would be right, its list of fans included."""
    assert reading.score is not None
    for hand, context, words in _possibilities(reading, reading.score):
        if _makes(hand, context, reading, row):
            return words
    return None


def _makes(hand: Hand, context: Context, reading: Reading, row: SheetRow) -> bool:
    """Whether a hand makes the fan that the sheet has, those of its list among them."""
    try:
        made = score(hand, context, rules=reading.circumstances.rules)
    except HandError:
        return False
    listed = Counter(number for number in row.fans if number != FLOWERS)
    return made.fan == row.fan and not listed - _counted(made)


def _counted(made: Score) -> Counter[int]:
    """How often each fan counts, flowers left out."""
    return Counter({fan.fan.id: fan.count for fan in made.fans if fan.fan.id != FLOWERS})


def _possibilities(reading: Reading, used: ReadScore) -> Iterator[tuple[Hand, Context, str]]:
    """Every other hand and context that what is known allows, fewest changes first."""
    circumstances = reading.circumstances
    base, stated = circumstances.context, circumstances.stated
    hand = reading.hand
    assert hand is not None
    hands = [(used.score.hand, "")]
    unsure = (tile for tile in reading.tiles if tile.hand == 0 and tile.role in ("concealed", "winning"))
    if hand.winning_tile is None or any(_tried(tile, reading) for tile in unsure):
        bare = replace(hand, concealed=(*hand.concealed, *_known(hand.winning_tile)), winning_tile=None)
        hands += [
            (candidate, f"{candidate.winning_tile} won")
            for _, candidate in bare.winning_candidates()
            if candidate.winning_tile != used.winning_tile
        ]
    hands += [
        (candidate, _both(won, words))
        for other, won in hands
        for candidate, words in _hidden_fourths(other, reading)
    ]
    hands += [
        (candidate, _both(won, _were_concealed(reading, places)))
        for other, won in hands
        for candidate, places in _kongs(other, reading)
    ]
    facts = [(base, "")]
    for name in FACTS:
        if name not in stated:
            value = not getattr(base, name)
            changed: dict[str, Any] = {name: value}
            facts.append((replace(base, **changed), _WHAT_IF[name][value]))
    for name, words in (("seat_wind", "the winner sat {}"), ("prevalent_wind", "the round was {}'s")):
        if name not in stated:
            winds: list[dict[str, Any]] = [{name: wind} for wind in _WINDS]
            facts += [(replace(base, **wind), words.format(wind[name])) for wind in winds]
    if not stated & {"seat_wind", "prevalent_wind"}:
        facts += [
            (replace(base, seat_wind=seat, prevalent_wind=round_), f"{seat} won in {round_}'s round")
            for seat, round_ in product(_WINDS, _WINDS)
        ]
    pairs = sorted(product(hands, facts), key=lambda pair: bool(pair[0][1]) + bool(pair[1][1]))
    for (candidate, won), (context, how) in pairs:
        words = _both(won, how)
        if words:
            yield candidate, context, words


def _both(first: str, second: str) -> str:
    """Two conditions in words, either of which may be none."""
    return " and ".join(part for part in (first, second) if part)


def _known(tile: str | None) -> tuple[str, ...]:
    return () if tile is None else (tile,)


def _kongs(hand: Hand, reading: Reading) -> Iterator[tuple[Hand, tuple[int, ...]]]:
    """The hand with kongs lying open taken as concealed, which footage doesn't tell apart.

    Each with the places of the melds taken so, fewest first.
    """
    open_ = {
        tile.meld
        for tile in reading.tiles
        if tile.hand == 0 and tile.role == "meld" and _tried(tile, reading)
    }
    places = [at for at, meld in enumerate(hand.melds) if at in open_ and meld.kind == "melded-kong"]
    for count in range(1, len(places) + 1):
        for some in combinations(places, count):
            yield _with_kongs(hand, some, "concealed-kong"), some


def _hidden_fourths(hand: Hand, reading: Reading) -> Iterator[tuple[Hand, str]]:
    """The hand with one of its pungs a kong whose fourth tile lies upon another, as an added one may."""
    for at in _may_hide_a_fourth(hand, reading):
        words = f"a fourth {hand.melds[at].tiles[0]} lay upon the pung"
        yield _with_kongs(hand, (at,), "melded-kong"), words


def _may_hide_a_fourth(hand: Hand, reading: Reading) -> list[int]:
    """Places of the pungs whose fourth tile isn't in sight."""
    seen = Counter(tile.tile for tile in reading.tiles)
    return [at for at, meld in enumerate(hand.melds) if meld.kind == "pung" and seen[meld.tiles[0]] == 3]


def _with_kongs(hand: Hand, places: Sequence[int], kind: Literal["melded-kong", "concealed-kong"]) -> Hand:
    """The hand with the melds at some places taken as kongs of a kind."""
    melds = tuple(
        Meld(kind, meld.tiles[:1] * 4) if at in places else meld for at, meld in enumerate(hand.melds)
    )
    return replace(hand, melds=melds)


def _declared_kongs(reading: Reading, row: SheetRow) -> tuple[Correction, ...]:
    """What the footage leaves open about kongs and the sheet, if nothing else in it is wrong, declares.

    Kongs lying open were concealed; fourth tiles lie upon pungs whose claimed tile stands out of its row.
    As few of them as make the sheet's fan; empty where it is right without, or isn't with them either.
    """
    if reading.score is None or row.fan is None or reading.score.score.fan == row.fan:
        return ()
    if any(tile.hand == 0 and not _tried(tile, reading) for tile in reading.doubtful):
        return ()
    used = reading.score.score
    for hand, upon in _with_tiles_upon(used.hand, reading):
        added = tuple(Correction(id=number, kind="melded-kong") for number in upon)
        if added and _makes(hand, used.context, reading, row):
            return added
        for candidate, places in _kongs(hand, reading):
            if _makes(candidate, used.context, reading, row):
                return (*added, *(_concealed(reading, at) for at in places))
    return ()


def _with_tiles_upon(hand: Hand, reading: Reading) -> Iterator[tuple[Hand, tuple[int, ...]]]:
    """The hand with pungs taken as kongs upon whose claimed tile another seems to lie, and these tiles.

    Fewest first, so that the first is the hand as it is.
    """
    places = _may_hide_a_fourth(hand, reading)
    groups = [reading.hands[0].melds[at].ids for at in places]
    under = tiles_under_others(reading.sighting.tiles, groups)
    upon = {at: tile for at, tile in zip(places, under, strict=True) if tile is not None}
    for count in range(len(upon) + 1):
        for some in combinations(upon, count):
            yield _with_kongs(hand, some, "melded-kong"), tuple(upon[at] for at in some)


def _declared_words(reading: Reading, declared: Sequence[Correction]) -> str:
    """What `_declared_kongs` found, as the end of a sentence."""
    kinds = {said.id: said.kind for said in declared}
    own = [tile for tile in reading.tiles if tile.id in kinds]
    words = [
        f"a fourth {tile.tile} lies upon the pung, whose claimed tile stands out of its row"
        for tile in own
        if kinds[tile.id] == "melded-kong"
    ]
    places = [tile.meld for tile in own if kinds[tile.id] == "concealed-kong" and tile.meld is not None]
    if places:
        words.append(f"{_were_concealed(reading, places)}; the footage shows no more than its tiles")
    return "; ".join(words)


def _concealed(reading: Reading, place: int) -> Correction:
    """That the meld at a place is a concealed kong."""
    number = next(tile.id for tile in reading.tiles if tile.hand == 0 and tile.meld == place)
    return Correction(id=number, kind="concealed-kong")


def _were_concealed(reading: Reading, places: Sequence[int]) -> str:
    assert reading.hand is not None
    named = _listed([f"the kong of {reading.hand.melds[at].tiles[0]}" for at in places])
    return f"{named} {'was' if len(places) == 1 else 'were'} concealed"


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + f" and {parts[-1]}" if parts else ""
