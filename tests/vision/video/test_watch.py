"""Following footage: which hands lay there, from when to when, and which tile came last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from fanlens.vision.boxes import TILE_CLASSES
from fanlens.vision.reading import Reading
from fanlens.vision.resolve import read_hand
from fanlens.vision.video import LaidHand, Region, Settings, Watch, open_footage

from .painted import HAND, SKIN, Pixels, arm, played, row, see, table, write_video

BARE = table()
FULL = row(BARE, HAND)
RATE = 10.0
OTHER = ["1p", "1p", "1p", "9p", "9p", "9p", "E", "E", "E", "N", "N", "N", "C", "C"]


def watched(
    path: Path, steps: Sequence[tuple[float, Pixels]], end: float, settings: Settings | None = None
) -> tuple[list[LaidHand], Watch]:
    write_video(path, played(steps, end, RATE))
    watch = Watch(open_footage(path), see, settings)
    return list(watch.hands()), watch


def names(hand: LaidHand) -> list[str]:
    assert hand.reading.hand is not None
    return sorted(hand.reading.hand.tiles)


def test_a_hand_laid_tile_by_tile_is_one_event_with_its_last_tile(tmp_path: Path) -> None:
    order = [*HAND[:7], *HAND[8:], HAND[7]]
    steps = [(0.0, BARE)]
    for count in range(1, 14):
        steps.append((1.0 + 0.2 * count, row(BARE, order[:count])))
    steps.append((4.4, row(BARE, order)))
    # An arm over it, and much later it is taken away.
    steps += [(7.0, arm(row(BARE, order), 300)), (7.8, row(BARE, order)), (10.0, BARE)]
    hands, watch = watched(tmp_path / "one.mp4", steps, 12.0)
    assert len(hands) == 1
    hand = hands[0]
    assert names(hand) == sorted(HAND)
    assert hand.start == pytest.approx(4.4, abs=0.3)
    assert hand.end == pytest.approx(10.0, abs=0.3)
    assert not hand.to_the_last
    assert hand.last is not None
    assert hand.reading.tiles[hand.last].tile == "8m"
    assert hand.start <= hand.best.seconds <= hand.end
    assert hand.best.number == round(hand.best.seconds * RATE)
    counts = watch.counts
    assert counts.looked_at + counts.skipped == 120
    assert counts.looked_at <= 14


def test_no_event_without_a_complete_hand_at_rest(tmp_path: Path) -> None:
    """Thirteen tiles, and fourteen being sorted without a rest, are none."""
    rng = np.random.default_rng(5)
    steps = [(0.0, BARE), (1.0, row(BARE, HAND[:13])), (4.0, BARE)]
    for turn in range(8):
        steps.append((5.0 + 0.4 * turn, row(BARE, [HAND[i] for i in rng.permutation(14)], x=90 + turn * 9)))
    steps.append((8.2, BARE))
    hands, _ = watched(tmp_path / "none.mp4", steps, 9.0)
    assert hands == []


def test_two_hands_one_after_another(tmp_path: Path) -> None:
    steps = [(0.0, FULL), (3.0, BARE), (4.0, row(BARE, OTHER, y=120))]
    hands, _ = watched(tmp_path / "two.mp4", steps, 7.0)
    assert [names(hand) for hand in hands] == [sorted(HAND), sorted(OTHER)]
    assert hands[0].start == pytest.approx(0.0, abs=0.2)
    assert hands[0].end == pytest.approx(3.0, abs=0.3)
    assert hands[1].start == pytest.approx(4.0, abs=0.3)
    assert hands[1].to_the_last


def test_a_hand_that_is_moved_stays_one_event(tmp_path: Path) -> None:
    steps = [(0.0, BARE), (1.0, FULL), (3.5, BARE), (4.2, row(BARE, HAND, x=140, y=180))]
    hands, _ = watched(tmp_path / "moved.mp4", steps, 7.0)
    assert len(hands) == 1
    assert hands[0].start == pytest.approx(1.0, abs=0.3)
    assert hands[0].end == pytest.approx(7.0, abs=0.3)


def test_a_moving_camera_changes_nothing(tmp_path: Path) -> None:
    """Pan and zoom over a still table; a phone held over it is never at rest."""

    def view(seconds: float) -> Pixels:
        matrix = cv2.getRotationMatrix2D((320, 180), 2 * np.sin(seconds), 1 + 0.02 * seconds)
        matrix[:, 2] += (4 * seconds, 6 * np.sin(seconds))
        return np.asarray(cv2.warpAffine(FULL, matrix, (640, 360), borderMode=cv2.BORDER_REFLECT), np.uint8)

    path = write_video(tmp_path / "pan.mp4", ((n / RATE, view(n / RATE)) for n in range(50)))
    hands = list(Watch(open_footage(path), see).hands())
    assert [names(hand) for hand in hands] == [sorted(HAND)]
    assert hands[0].start == pytest.approx(0.0, abs=0.3)
    assert hands[0].end == pytest.approx(4.9, abs=0.5)


def test_fourteen_tiles_that_are_no_win_are_shown_too(tmp_path: Path) -> None:
    broken = [*HAND[:13], "9s"]
    hands, _ = watched(tmp_path / "false.mp4", [(0.0, BARE), (1.0, row(BARE, broken))], 5.0)
    assert [names(hand) for hand in hands] == [sorted(broken)]
    assert hands[0].reading.score is None


def test_a_region_leaves_out_what_lies_elsewhere(tmp_path: Path) -> None:
    steps = [(0.0, BARE), (1.0, row(FULL, OTHER, y=60))]
    upper = Settings(regions=(Region("north", (0.0, 0.0, 1.0, 0.5)),))
    hands, _ = watched(tmp_path / "region.mp4", steps, 4.0, upper)
    assert [names(hand) for hand in hands] == [sorted(OTHER)]


def test_a_single_picture_is_footage_too(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "hand.png"), FULL[:, :, ::-1])
    hands = list(Watch(open_footage(tmp_path / "hand.png"), see).hands())
    assert [names(hand) for hand in hands] == [sorted(HAND)]


def test_watching_again_from_the_safe_point_finds_the_rest(tmp_path: Path) -> None:
    steps = [(0.0, BARE), (1.0, FULL), (4.0, BARE)]
    path = write_video(tmp_path / "cut.mp4", played(steps, 6.0, RATE))
    watch = Watch(open_footage(path), see)

    def stop(seconds: float) -> None:
        if seconds > 3.0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(watch.hands(stop))
    assert watch.safe == 0.0
    assert [names(hand) for hand in watch.left()] == [sorted(HAND)]
    again = list(Watch(open_footage(path), see, Settings(start=watch.safe)).hands())
    assert [names(hand) for hand in again] == [sorted(HAND)]


def test_tiles_turned_over_in_place_are_a_new_hand(tmp_path: Path) -> None:
    """Fourteen tiles of another kind lay in the very same places before."""
    broken = ["1p", "4p", "7p", "2s", "5s", "8s", "3m", "6m", "9m", "E", "S", "W", "N", "N"]
    steps = [(0.0, BARE), (0.5, row(BARE, broken)), (4.0, FULL)]
    hands, _ = watched(tmp_path / "turned.mp4", steps, 7.0)
    assert names(hands[-1]) == sorted(HAND)
    assert hands[-1].start == pytest.approx(4.0, abs=0.3)


def test_two_players_lay_their_hands_open_at_once(tmp_path: Path) -> None:
    """Each is followed by itself, also when the first one is taken away while the other stays."""
    both = row(FULL, OTHER, y=60)
    steps = [(0.0, BARE), (1.0, FULL), (3.0, both), (6.0, row(BARE, OTHER, y=60)), (9.0, BARE)]
    hands, _ = watched(tmp_path / "both.mp4", steps, 12.0)
    assert [names(hand) for hand in hands] == [sorted(HAND), sorted(OTHER)]
    times = [(hand.start, hand.end) for hand in hands]
    assert times == [pytest.approx((1.0, 6.0), abs=0.3), pytest.approx((3.0, 9.0), abs=0.3)]


def test_thirteen_tiles_of_another_player_beside_the_winner_are_no_event(tmp_path: Path) -> None:
    others = row(FULL, [*OTHER[:11], "2m", "5m"], y=60)
    steps = [(0.0, BARE), (1.0, FULL), (3.0, others), (7.0, BARE)]
    hands, _ = watched(tmp_path / "courtesy.mp4", steps, 9.0)
    assert [names(hand) for hand in hands] == [sorted(HAND)]
    assert hands[0].end == pytest.approx(7.0, abs=0.3)


def test_each_region_has_its_own_hand(tmp_path: Path) -> None:
    """Two tables in one picture: both hands come at once and stay apart."""
    steps = [(0.0, BARE), (1.0, row(FULL, [*OTHER[:12], "2m", "5m"], y=60))]
    halves = Settings(
        regions=(Region("one", (0.0, 0.0, 1.0, 0.5)), Region("two", (0.0, 0.5, 1.0, 1.0))),
    )
    hands, _ = watched(tmp_path / "tables.mp4", steps, 6.0, halves)
    assert sorted(names(hand) for hand in hands) == sorted([sorted(HAND), sorted([*OTHER[:12], "2m", "5m"])])


def test_a_tile_that_most_looks_miss_is_kept_and_named(tmp_path: Path) -> None:
    """A glaring white dragon for instance: the first look at the whole hand sees it, no other does."""
    looks = 0

    def forgetful(rgb: Pixels) -> Reading:
        nonlocal looks
        reading = see(rgb)
        looks += len(reading.sighting.tiles) == 14
        if looks <= 1:
            return reading
        return read_hand(replace(reading.sighting, tiles=reading.sighting.tiles[:13]))

    steps = [(0.0, BARE), (1.0, row(BARE, HAND)), (9.0, BARE)]
    path = write_video(tmp_path / "glare.mp4", played(steps, 11.0, RATE))
    hands = list(Watch(open_footage(path), forgetful).hands())
    assert [names(hand) for hand in hands] == [sorted(HAND)]
    assert hands[0].looks >= 3
    assert [hands[0].reading.tiles[number].tile for number in hands[0].faint] == [HAND[13]]


def test_melds_lie_there_before_the_hand_is_shown(tmp_path: Path) -> None:
    """123m is laid out seconds before the rest, an arm passes over it meanwhile."""
    steps = [(0.0, BARE), (1.0, row(BARE, HAND[:3])), (3.0, arm(row(BARE, HAND[:3]), 140))]
    steps.append((3.8, row(BARE, HAND[:3])))
    steps += [(5.4 + 0.2 * count, row(BARE, HAND[:count])) for count in range(4, 15)]
    (hand,), _ = watched(tmp_path / "melds.mp4", steps, 10.0)
    came = [[hand.reading.tiles[number].tile for number in ids] for ids in (hand.old, hand.new)]
    assert came == [HAND[:3], HAND[3:]]


def test_a_hand_that_lay_there_all_along_says_nothing_of_its_melds(tmp_path: Path) -> None:
    (hand,), _ = watched(tmp_path / "all.mp4", [(0.0, FULL)], 4.0)
    assert (hand.old, hand.new) == ((), ())


def test_backs_beside_discards_are_no_hand(tmp_path: Path) -> None:
    """Two melds and a face-down kong may make a win with five tiles, if these fit; a pair is too little."""

    def backs(rgb: Pixels) -> Reading:
        """Plums are backs."""
        sighting = see(rgb).sighting
        back = np.eye(43, dtype=np.float32)[TILE_CLASSES.index("back")]
        plum = TILE_CLASSES.index("plum")
        tiles = (
            replace(tile, probabilities=back) if tile.probabilities.argmax() == plum else tile
            for tile in sighting.tiles
        )
        return read_hand(replace(sighting, tiles=tuple(tiles)))

    def laid(rest: Sequence[str]) -> Pixels:
        melds = row(row(BARE, ["plum"] * 4, x=60, y=150), ["5p"] * 4, x=240, y=150)
        return row(row(melds, ["2p"] * 3, x=420, y=150), rest, x=240, y=250)

    pair = row(laid(["N", "N"]), ["3s"] * 3, x=60)
    for shown, count in (
        (laid(["3s", "3s", "3s", "N", "N"]), 1), (laid(["3s", "3s", "3s", "P", "N"]), 0), (pair, 0)
    ):  # fmt: skip
        path = write_video(
            tmp_path / "backs.mp4", played([(0.0, BARE), (1.0, shown), (7.0, BARE)], 9.0, RATE)
        )
        hands = list(Watch(open_footage(path), backs).hands())
        assert [sorted(names(hand)).count("?") for hand in hands] == [4] * count


def test_two_hands_that_share_most_tiles_are_two(tmp_path: Path) -> None:
    """The same straight twice, with another pair each: twelve of fourteen tiles are the same."""
    second = row(BARE, [*HAND[:12], "9s", "9s"], y=120)
    hands, _ = watched(tmp_path / "twice.mp4", [(0.0, FULL), (4.0, BARE), (6.0, second)], 10.0)
    assert [hand.start for hand in hands] == pytest.approx([0.0, 6.0], abs=0.3)


@pytest.mark.parametrize("last", ["5m", "1m"])
def test_a_discard_that_would_win_is_not_the_tile_that_came(tmp_path: Path, last: str) -> None:
    """Thirteen tiles win with the 1m that was discarded before they were shown, until the last tile comes."""
    gates = ["1m", "1m", "1m", "2m", "3m", "4m", "5m", "6m", "7m", "8m", "9m", "9m", "9m"]
    pond = row(row(BARE, ["E", "9p", "S"], x=420, y=40), ["1m"], x=280, y=150)
    if last == "1m":
        gates = [*gates[1:], "8m"]  # a set has but four of them
    steps = [(0.0, BARE), (0.5, pond)]
    steps += [(3.4 + 0.2 * count, row(pond, gates[:count])) for count in range(1, 14)]
    steps += [(8.0, row(pond, [*gates, last])), (12.0, BARE)]
    (hand,), _ = watched(tmp_path / "gates.mp4", steps, 14.0)
    assert names(hand) == sorted([*gates, last])
    assert hand.start == pytest.approx(8.0, abs=0.3)
    assert hand.last is not None
    assert hand.reading.tiles[hand.last].tile == last


def test_flowers_under_an_arm_are_still_there(tmp_path: Path) -> None:
    """Two of three flowers are covered while it is looked at again; the hand is the same, and as old."""
    flowers = ["plum", "orchid", "summer"]
    pond = row(BARE, ["E", "9p", "S"], x=420, y=40)
    laid = row(row(pond, flowers, x=530), HAND)
    covered = row(laid, ["N", "W"], x=520, y=100)
    covered[240:, 528:587] = SKIN
    steps = [(0.0, pond), (1.0, row(pond, flowers, x=530)), (5.0, laid), (8.0, covered), (11.0, BARE)]
    (hand,), watch = watched(tmp_path / "flowers.mp4", steps, 13.0)
    assert hand.start == pytest.approx(5.0, abs=0.3)
    assert names(hand) == sorted([*HAND, *flowers])
    assert watch.counts.looked_at >= 4


def test_of_two_alike_that_came_last_together_one_has_won(tmp_path: Path) -> None:
    """An arm over the first 5s is gone when the second one lies there."""
    steps = [(0.0, BARE), (1.0, row(BARE, HAND[:12])), (3.0, row(BARE, HAND))]
    (hand,), _ = watched(tmp_path / "pair.mp4", steps, 7.0)
    assert hand.last is not None
    assert hand.reading.tiles[hand.last].tile == "5s"
