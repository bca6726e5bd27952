"""Arrangements with a person's roles put in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..corrections import Correction
from ..layout import Arrangement, Piece, PieceKind
from ..reading import Role

ROLES: dict[PieceKind, Role] = {
    PieceKind.CONCEALED: "concealed",
    PieceKind.MELD: "meld",
    PieceKind.FLOWER: "flower",
    PieceKind.WINNING: "winning",
    PieceKind.ELSEWHERE: "elsewhere",
}
KINDS: dict[Role, PieceKind] = {role: kind for kind, role in ROLES.items()}

BROKEN = 0.3
"""What each tile that a person puts elsewhere costs an arrangement (natural log): little, since their
word is put in anyway and says nothing of the other tiles."""


def pinned(
    arrangements: Sequence[Arrangement], pins: Mapping[int, Correction], tiles: Mapping[int, int]
) -> list[Arrangement]:
    """The arrangements with a person's roles put in; those that already agree with them weigh more."""
    roles = {place: pin for place, pin in pins.items() if pin.role is not None and place in tiles}
    found: dict[tuple[Piece, ...], Arrangement] = {}
    for arrangement in arrangements or [Arrangement((), 0.0)]:
        broken = 0
        kept: list[Piece] = []
        number = 0
        melds: dict[int, list[int]] = {}
        for piece in arrangement.pieces:
            moved = [i for i in piece.all_indices if i in roles and roles[i].role != ROLES[piece.kind]]
            broken += len(moved)
            rest = tuple(i for i in piece.all_indices if i not in roles)
            if piece.kind is PieceKind.MELD:
                melds[number] = list(rest)
                number += 1
            elif rest:
                kind: PieceKind = piece.kind
                if kind is PieceKind.WINNING and any(pin.role == "winning" for pin in roles.values()):
                    kind = PieceKind.CONCEALED
                kept.append(Piece(kind, rest))
        loose: list[int] = []
        for place, pin in roles.items():
            if pin.role is None:
                continue
            if pin.role == "meld":
                if pin.meld is None:
                    loose.append(place)
                else:
                    melds.setdefault(pin.meld, []).append(place)
            elif pin.role != "elsewhere":
                kept.append(Piece(KINDS[pin.role], (place,)))
        if loose:
            melds[max(melds, default=-1) + 1] = loose
        order = {place: k for k, place in enumerate(tiles)}
        for _, members in sorted(melds.items()):
            if 3 <= len(members) <= 4:
                kept.append(Piece(PieceKind.MELD, tuple(sorted(members, key=order.__getitem__))))
            else:
                kept.extend(Piece(PieceKind.CONCEALED, (place,)) for place in members)
        pieces = tuple(kept)
        score = arrangement.score - BROKEN * broken
        if pieces not in found or found[pieces].score < score:
            found[pieces] = Arrangement(pieces, score)
    return sorted(found.values(), key=lambda arrangement: -arrangement.score)
