"""The match sheet over HTTP. Every change names the revision it was made on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType
from typing import Annotated, Any

from fastapi import APIRouter, Body, Path, Query
from fastapi.responses import Response

from ..score_sheet import SheetRow
from . import match as sheets
from .bodies import EnterBody, MatchAnswer, MatchesAnswer, PlayersBody, RenameBody, RevisionBody
from .errors import answers
from .match import Match
from .store import MatchStore, Saved

Json = dict[str, Any]
MatchId = Annotated[str, Path(pattern=r"^[0-9a-f]{16}$")]
HandNumber = Annotated[int, Path(ge=1, le=sheets.HANDS)]
OnRevision = Annotated[int, Query(ge=0, le=2**53)]
_NAMES = ("East", "South", "West", "North")


def match_routes(store: MatchStore) -> APIRouter:
    """The routes for the matches in `store`."""
    routes = APIRouter(tags=["matches"], prefix="/api/matches")
    changing = answers(400, 404, 409, 422)

    def change(match_id: str, revision: int, edit: Callable[[Match], Match]) -> Json:
        match = edit(store.get(match_id).match)
        return _answer(store.change(match_id, revision, match))

    @routes.get("", response_model=MatchesAnswer, responses=answers())
    def list_matches() -> Json:
        """The matches changed last, newest first."""
        return {
            "matches": [
                {"id": saved.id, "saved": saved.saved, "players": list(saved.match.players)}
                for saved in store.recent()
            ]
        }

    @routes.post("", response_model=MatchAnswer, responses=answers(400, 422))
    def create(body: PlayersBody) -> Json:
        """Begin a match."""
        return _answer(store.create(Match(_names(body))))

    @routes.get("/{match_id}", response_model=MatchAnswer, responses=answers(404, 422))
    def get(match_id: MatchId) -> Json:
        """A match: sixteen hands with winds, points and running scores."""
        return _answer(store.get(match_id))

    @routes.put("/{match_id}/players", response_model=MatchAnswer, responses=changing)
    def rename(match_id: MatchId, body: RenameBody) -> Json:
        """Name the players anew."""
        return change(match_id, body.revision, lambda match: replace(match, players=_names(body)))

    @routes.put("/{match_id}/hands/{number}", response_model=MatchAnswer, responses=changing)
    def enter(match_id: MatchId, number: HandNumber, body: EnterBody) -> Json:
        """Enter or replace a hand, and its penalties by player."""

        def edit(match: Match) -> Match:
            before = match.rows.get(number)
            values = body.row.model_dump()
            values["fans"] = tuple(values["fans"] or ())
            other = before.other if before else MappingProxyType({})
            return sheets.with_hand(match, SheetRow(hand=number, other=other, **values), body.penalties)

        return change(match_id, body.revision, edit)

    @routes.delete("/{match_id}/hands/{number}", response_model=MatchAnswer, responses=changing)
    def clear(match_id: MatchId, number: HandNumber, revision: OnRevision) -> Json:
        """Clear a hand and its penalties."""
        return change(match_id, revision, lambda match: sheets.without_hand(match, number))

    @routes.post("/{match_id}/undo", response_model=MatchAnswer, responses=changing)
    def undo(match_id: MatchId, body: RevisionBody) -> Json:
        """Take back the last change."""
        return _answer(store.undo(match_id, body.revision))

    @routes.get(
        "/{match_id}/sheet.csv",
        response_class=Response,
        responses={**answers(404, 422), 200: {"content": {"text/csv": {}}}},
    )
    def export(match_id: MatchId) -> Response:
        """The score sheet as CSV."""
        text = sheets.to_csv(store.get(match_id).match)
        headers = {"content-disposition": f"attachment; filename=match-{match_id}.csv"}
        # The mark lets spreadsheet programs read names that are not ASCII.
        return Response("\ufeff" + text, media_type="text/csv; charset=utf-8", headers=headers)

    @routes.put("/{match_id}/sheet.csv", response_model=MatchAnswer, responses=changing)
    def import_sheet(
        match_id: MatchId, revision: OnRevision, sheet: Annotated[bytes, Body(media_type="text/csv")]
    ) -> Json:
        """Replace the hands of the match by those of a score sheet."""
        try:
            text = sheet.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise sheets.MatchError("The sheet is no UTF-8 text.") from None
        return change(match_id, revision, lambda match: sheets.from_csv(text, match.players))

    return routes


def _names(body: PlayersBody) -> tuple[str, str, str, str]:
    first, second, third, fourth = (
        name or default for name, default in zip(body.players, _NAMES, strict=True)
    )
    return first, second, third, fourth


def _answer(saved: Saved) -> Json:
    return {"id": saved.id, "revision": saved.revision, "saved": saved.saved, **sheets.to_json(saved.match)}
