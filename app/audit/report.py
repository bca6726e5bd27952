"""The report a referee reads and sends on: one HTML file that needs nothing else.

Everything that came from outside (names and notes of the sheet, file names) is escaped, and a content
security policy lets nothing run but the report's own script.
"""

from __future__ import annotations

import base64
import hashlib
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib import resources
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ...datasets import faces
from ...scoring import FANS
from ..score_sheet import SheetRow
from .events import Audit, Json, name_of, timecode, to_json, verdict_counts
from .seats import NOWHERE, Place
from .timeline import timeline
from .verdicts import FLOWERS, Judged

SHOWN_SIDE = 1600
"""Pixels of the long side of the pictures inside the report."""
FILLS = 0.6
"""Part of the picture's width or height from which a hand is shown large enough in the whole picture."""

_CLASS = {"agree": "agree", "disagree": "disagree", "needs review": "review", None: "none"}
_LABEL = {"agree": "agrees", "disagree": "disagrees", "needs review": "needs review", None: "no sheet"}
_MELDS = {"chow": "chow", "pung": "pung", "melded-kong": "melded kong", "concealed-kong": "concealed kong"}
_FROM = {
    "correction": "a reviewer says so",
    "command line": "given on the command line",
    "place": "it lies apart",
    "hand": "no other can have won",
    "motion": "it came last",
    "sheet": "the sheet says so",
    None: "assumed",
}
_UPRIGHT = {
    "right": Image.Transpose.ROTATE_270,
    "far": Image.Transpose.ROTATE_180,
    "left": Image.Transpose.ROTATE_90,
}
_SEAT_COLUMNS = {"E": "east", "S": "south", "W": "west", "N": "north"}
_CIRCUMSTANCES = {
    "last_tile": "last tile of the wall",
    "kong_replacement": "after a kong",
    "robbing_kong": "robbing a kong",
    "fourth_tile": "last of its kind",
}


def report(audit: Audit, folder: Path) -> str:
    """The whole report; pictures are taken from the folder."""
    data = to_json(audit)
    style, script = _own_file("report.css"), _own_file("report.js")
    policy = (
        "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; "
        f"style-src '{_hash(style)}'; script-src '{_hash(script)}'"
    )
    title = "Audit of " + ", ".join(name_of(part.path) for part in audit.state.parts)
    events = zip(data["events"], audit.judged, audit.pictures, strict=True)
    cards = "\n".join(_card(event, judged, folder / picture) for event, judged, picture in events)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{escape(title)}</title>
<style>{style}</style>
</head>
<body>
{_sprite(data)}
<header>
<h1>{escape(title)}</h1>
{_lead(audit)}
</header>
<main>
{_alerts(audit)}
<div class="scroll">{timeline(audit)}</div>
{_overview(audit, data)}
{_filters(audit)}
<h2>Hands</h2>
{cards or '<p class="nothing">No finished hand was found in this footage.</p>'}
<p class="nothing nothing-left" hidden>No hand fits the filter.</p>
{_missing(audit)}
</main>
{_footer(audit)}
<script>{script}</script>
</body>
</html>
"""


def _lead(audit: Audit) -> str:
    hands, rows = len(audit.judged), audit.rows
    sheet = (
        ""
        if rows is None
        else f", compared with {len(rows)} {'row' if len(rows) == 1 else 'rows'} of the score sheet"
    )
    found = f"{hands} finished {'hand' if hands == 1 else 'hands'} in {timecode(audit.duration)[:-4]}{sheet}."
    return f'<p class="lead">{escape(found)}</p>'


def _alerts(audit: Audit) -> str:
    """What a reader must know before trusting the list to be complete."""
    said = []
    if not audit.state.done:
        reached = [part for part in audit.state.parts if part.reached or part.done]
        at = timecode(reached[-1].reached + audit.offset(len(reached) - 1)) if reached else "the start"
        said.append(f"This audit was interrupted at {at}; what comes later was not watched.")
    for index, part in enumerate(audit.state.parts):
        for broken in part.breaks[:5]:
            at = timecode(broken.seconds + audit.offset(index))
            said.append(f"{name_of(part.path)}, at {at}: {broken.message}.")
        if len(part.breaks) > 5:
            said.append(f"{name_of(part.path)}: {len(part.breaks) - 5} more damaged places.")
    return "".join(f'<p class="alert">{escape(text)}</p>' for text in said)


def _overview(audit: Audit, data: Json) -> str:
    """Every hand in a line, those of the sheet that weren't found too; nothing where one card says it all."""
    lines = []
    sheet = audit.rows is not None
    for event, judged in zip(data["events"], audit.judged, strict=True):
        row, made = judged.row, event["score"]
        name = f"{row.hand}" if row is not None else f"#{event['number']}" if sheet else f"{event['number']}"
        cells = [f'<a href="#hand-{event["number"]}">{name}</a>', timecode(event["start"])[:-4]]
        cells += [_winner(row)] if sheet else []
        cells += [str(made["fan"]) if made else "–"]
        if sheet:
            badge = f'<span class="badge {_CLASS[judged.verdict]}">{_LABEL[judged.verdict]}</span>'
            cells += ["–" if row is None or row.fan is None else str(row.fan), badge]
        lines.append((row.hand if row is not None else 0, cells))
    for row in audit.missing:
        fan = "–" if row.fan is None else str(row.fan)
        cells = [str(row.hand), "–", _winner(row), "–", fan, '<span class="badge none">not found</span>']
        # In the sheet's order, before the first hand that comes later.
        later = [place for place, (number, _) in enumerate(lines) if number > row.hand]
        lines.insert(later[0] if later else len(lines), (row.hand, cells))
    if len(lines) < 2:
        return ""
    heads = [
        "Hand",
        "Time",
        *(["Winner"] if sheet else []),
        "Footage",
        *(["Sheet", "Verdict"] if sheet else []),
    ]
    kinds = [' class="number"' if head in ("Footage", "Sheet") else "" for head in heads]
    head = "".join(f"<th{kind}>{name}</th>" for name, kind in zip(heads, kinds, strict=True))
    body = "".join(
        "<tr>" + "".join(f"<td{kind}>{cell}</td>" for cell, kind in zip(cells, kinds, strict=True)) + "</tr>"
        for _, cells in lines
    )
    return (
        f'<div class="scroll"><table class="overview"><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _winner(row: SheetRow | None) -> str:
    return "–" if row is None or row.winner is None else escape(_who(row, row.winner))


def _who(row: SheetRow, seat: str) -> str:
    """A seat, with the player's name where the sheet has it."""
    name = row.other.get(_SEAT_COLUMNS[seat], "")
    return f"{seat} ({name})" if name else seat


def _filters(audit: Audit) -> str:
    counts = verdict_counts(audit.judged) if audit.rows is not None else {}
    buttons = "".join(
        f'<button type="button" class="{_CLASS[verdict]}" value="{_CLASS[verdict]}" aria-pressed="false">'
        f"<b>{count}</b>{_LABEL[verdict].replace('agrees', 'agree').replace('needs', 'need')}</button>"
        for verdict, count in counts.items()
    )
    return (
        f'<div class="filters" hidden>{buttons}'
        '<input type="search" aria-label="Find hands" placeholder="Find: a name, a fan, a tile …"></div>'
    )


def _card(event: Json, judged: Judged, picture: Path) -> str:
    verdict = event["verdict"]
    kind = _CLASS[verdict]
    number, row = event["number"], judged.row
    heading = f"Hand {row.hand} of the sheet" if row is not None else f"Found hand {number}"
    if row is not None and row.winner is not None:
        heading += f", {_who(row, row.winner)}"
    badge = "" if verdict is None else f'<span class="badge {kind}">{_LABEL[verdict]}</span>'
    reason = "" if event["reason"] is None else f'<p class="reason">{escape(event["reason"])}</p>'
    alt = f"The frame at {event['timecode']} with the tiles that were read"
    close = _close_up(picture.parent.parent / judged.found.picture, judged)
    return f"""<article class="event {kind}" id="hand-{number}" data-verdict="{kind}">
<div class="picture"><button type="button" aria-label="Show the pictures larger or smaller">
{close}<img src="{_data_url(picture)}" alt="{escape(alt)}"></button>
<p class="soft">{event["timecode"]}, frame {event["frame"]} of {escape(name_of(event["video"]))}</p></div>
<div>
<header><h3>{escape(heading)}</h3>{badge}<span class="soft">{_span(event)}</span></header>
{reason}
{_tiles(event)}
{_comparison(event, judged)}
{_details(event, judged)}
</div>
</article>"""


def _span(event: Json) -> str:
    until = "the end" if event["until_the_end"] else timecode(event["end"])[:-4]
    return f"{timecode(event['start'])[:-4]} to {until}"


def _tiles(event: Json) -> str:
    """The hand in drawn tiles: concealed, melds, winning tile, flowers."""
    hand = event["hand"]
    if hand is None:
        return ""
    doubtful = {tile["id"] for tile in event["tiles"] if tile["flag"]}
    groups = [_group("concealed", hand["concealed"], hand["concealed_ids"], doubtful)]
    groups += [_group(_MELDS[meld["kind"]], meld["tiles"], meld["ids"], doubtful) for meld in hand["melds"]]
    if hand["winning_tile"] is not None:
        groups.append(_group("won with", [hand["winning_tile"]], [hand["winning_id"]], doubtful))
    if hand["flowers"]:
        groups.append(_group("flowers", hand["flowers"], hand["flower_ids"], doubtful))
    return f'<div class="tiles">{"".join(groups)}</div>'


def _group(name: str, tiles: Sequence[str], ids: Sequence[int], doubtful: Iterable[int]) -> str:
    if not tiles:
        return ""
    drawn = "".join(_tile(tile, number in doubtful) for tile, number in zip(tiles, ids, strict=True))
    return f'<figure class="group">{drawn}<figcaption>{name}</figcaption></figure>'


def _tile(name: str, doubtful: bool) -> str:
    kind = "tile doubtful" if doubtful else "tile"
    label = f"{name}, doubtful" if doubtful else name
    if name not in faces.FACES:
        return f'<span class="{kind} unknown" role="img" aria-label="unknown tile">?</span>'
    drawn = f'<title>{label}</title><use href="#t-{name}"/>'
    return f'<svg class="{kind}" role="img" aria-label="{label}">{drawn}</svg>'


def _comparison(event: Json, judged: Judged) -> str:
    """Fans by footage and by sheet, side by side."""
    made, row = event["score"], judged.row
    if made is None and (row is None or row.fan is None):
        return ""
    counted = {fan["id"]: fan for fan in made["fans"]} if made else {}
    listed = {number: row.fans.count(number) for number in row.fans} if row is not None else {}
    head = "<tr><th>Fan</th><th class='number'>Footage</th>"
    head += "<th class='number'>Sheet</th></tr>" if row is not None else "</tr>"
    lines = []
    for number in [*counted, *(number for number in listed if number not in counted)]:
        if number == FLOWERS:
            continue
        lines.append(_fan_line(number, counted.get(number), listed, row))
    total = None if made is None else made["fan"]
    own = "–" if total is None else str(total)
    declared = "" if row is None else f'<td class="number">{"–" if row.fan is None else row.fan}</td>'
    differs = ' class="total differs"' if row is not None and row.fan != total else ' class="total"'
    lines.append(f'<tr{differs}><td>Fan without flowers</td><td class="number">{own}</td>{declared}</tr>')
    if made and (made["flowers"] or (row is not None and row.flowers)):
        said = "" if row is None else f'<td class="number">{"–" if row.flowers is None else row.flowers}</td>'
        lines.append(f'<tr><td>Flowers</td><td class="number">{made["flowers"]}</td>{said}</tr>')
    return f"<table><thead>{head}</thead><tbody>{''.join(lines)}</tbody></table>"


def _fan_line(number: int, fan: Json | None, listed: Mapping[int, int], row: SheetRow | None) -> str:
    known = FANS[number]
    name = escape(f"{known.name} {known.zh}")
    count = 0 if fan is None else fan["count"]
    points = known.points if fan is None else fan["points"]
    own = f'<td class="number">{points * count if count else "–"}</td>'
    if row is None:
        return f"<tr><td>{name}</td>{own}</tr>"
    said = listed.get(number, 0)
    sheet = f'<td class="number">{points * said if said else ("–" if row.fans else "")}</td>'
    differs = ' class="differs"' if row.fans and said != count else ""
    return f"<tr{differs}><td>{name}</td>{own}{sheet}</tr>"


def _details(event: Json, judged: Judged) -> str:
    entries: list[tuple[str, str]] = []
    row = judged.row
    if row is not None:
        entries += _row_entries(row)
    made = event["score"]
    if made is not None:
        entries.append(("Winning tile", f"{made['winning_tile']} ({_FROM[event['winning_tile_from']]})"))
        entries.append(("Sure of the total", f"{event['confidence']:.0%}"))
        span = made["range"]
        if span["min"] < span["max"]:
            entries.append(("Possible totals", f"{span['min']} to {span['max']}, with flowers"))
    if judged.place != NOWHERE:
        entries.append(("Where it lay", _where(judged.place)))
    entries += [("Note", problem["message"]) for problem in event["problems"]]
    if event["hand_text"]:
        entries.append(("As text", event["hand_text"]))
    entries.append(("Frames read for it", str(event["looks"])))
    if event["corrections"]:
        entries.append(("Corrected by a reviewer", f"{len(event['corrections'])} tiles"))
    listed = "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in entries)
    return f"<details><summary>Details</summary><dl>{listed}</dl></details>"


def _where(place: Place) -> str:
    said = [] if place.side is None else [f"{place.side} side of the picture"]
    said += [] if place.region is None else [f"region {place.region}"]
    said += [] if place.seat is None else [f"{place.seat}'s seat in that hand"]
    return ", ".join(said)


def _row_entries(row: SheetRow) -> list[tuple[str, str]]:
    """What the sheet says, with names where it has them."""
    entries = []
    if row.winner is not None:
        how = {"self-draw": "on an own draw", "discard": "on a discard", None: "", "draw": ""}[row.win_type]
        by = f" of {_who(row, row.discarder)}" if row.discarder is not None else ""
        entries.append(("Winner", f"{_who(row, row.winner)} {how}{by}".strip()))
    if row.round_wind is not None:
        entries.append(("Round", row.round_wind))
    said = [words for name, words in _CIRCUMSTANCES.items() if getattr(row, name)]
    if said:
        entries.append(("Circumstance", ", ".join(said)))
    if row.note:
        entries.append(("Note on the sheet", row.note))
    seats = set(_SEAT_COLUMNS.values())
    entries += [(name, text) for name, text in row.other.items() if text and name not in seats]
    return entries


def _missing(audit: Audit) -> str:
    if not audit.missing:
        return ""
    lines = []
    for row in audit.missing:
        entries = [("Hand", str(row.hand)), *_row_entries(row)]
        if row.fan is not None:
            entries.append(("Fan", str(row.fan)))
        if row.start is not None:
            entries.append(("Time", timecode(row.start)[:-4]))
        listed = "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in entries)
        lines.append(f'<div class="nothing"><dl>{listed}</dl></div>')
    return f"<h2>On the sheet, not found in the footage</h2>{''.join(lines)}"


def _footer(audit: Audit) -> str:
    state = audit.state
    blocks = []
    for part in state.parts:
        counts = part.counts
        blocks.append(
            _list(
                [
                    ("Footage", name_of(part.path)),
                    ("sha256", part.sha256),
                    (
                        "Length",
                        f"{timecode(part.duration)}, {part.frames} frames of {part.width} x {part.height}",
                    ),
                    (
                        "Frames",
                        f"{counts.looked_at} read in full, {counts.skipped} not read, "
                        f"{counts.failed} not readable",
                    ),
                ]
            )
        )
    settings = "; ".join(f"{name}: {_plain(value)}" for name, value in audit.settings.items())
    blocks.append(
        _list(
            [
                ("Model", f"{state.model.name}, sha256 {state.model.sha256}"),
                ("Settings", settings),
                ("Made with", f"fanlens {version('fanlens')}"),
            ]
        )
    )
    return f"<footer><h2>Where this comes from</h2>{''.join(blocks)}</footer>"


def _list(entries: Sequence[tuple[str, str]]) -> str:
    return "<dl>" + "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in entries) + "</dl>"


def _plain(value: Any) -> str:
    if value is None or value == [] or value == {}:
        return "–"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_plain(each)}" for name, each in value.items())
    if isinstance(value, list):
        return ", ".join(_plain(each) for each in value)
    return str(value)


def _sprite(data: Json) -> str:
    """The drawn faces of the tiles that occur, each once."""
    names = {
        name
        for event in data["events"]
        if event["hand"] is not None
        for name in (
            *event["hand"]["concealed"],
            *event["hand"]["flowers"],
            *(tile for meld in event["hand"]["melds"] for tile in meld["tiles"]),
            event["hand"]["winning_tile"],
        )
        if name in faces.FACES
    }
    symbols = []
    for name in sorted(names):
        drawing = re.sub(r"^<svg[^>]*>|</svg>\s*$", "", faces.svg(name))
        symbols.append(f'<symbol id="t-{name}" viewBox="0 0 300 400">{drawing}</symbol>')
    return f'<svg class="sprite" aria-hidden="true">{"".join(symbols)}</svg>'


def _close_up(frame: Path, judged: Judged) -> str:
    """The hand alone as the camera saw it, turned upright; nothing where it fills the picture anyway."""
    own = [tile.box for tile in judged.reading.tiles if tile.hand == 0]
    if not own:
        return ""
    boxes: NDArray[np.float64] = np.array(own, dtype=np.float64)
    margin = float(np.median((boxes[:, 2:] - boxes[:, :2]).max(axis=1)))
    with Image.open(frame) as image:
        size = np.array(image.size)
        low = np.maximum(boxes[:, :2].min(axis=0) - margin, 0.0)
        high = np.minimum(boxes[:, 2:].max(axis=0) + margin, size)
        if ((high - low) > FILLS * size).any():
            return ""
        part = image.convert("RGB").crop((*map(round, low.tolist()), *map(round, high.tolist())))
    turn = None if judged.place.side is None else _UPRIGHT.get(judged.place.side)
    part = part if turn is None else part.transpose(turn)
    return f'<img class="close" src="{_jpeg_url(part)}" alt="The hand in this frame">'


def _data_url(path: Path) -> str:
    with Image.open(path) as image:
        return _jpeg_url(image.convert("RGB"))


def _jpeg_url(image: Image.Image) -> str:
    image.thumbnail((SHOWN_SIDE, SHOWN_SIDE), Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=80)
    return "data:image/jpeg;base64," + base64.b64encode(buffer.getvalue()).decode()


def _own_file(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
