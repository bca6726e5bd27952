"""Photos and scores over HTTP."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.metadata import version
from typing import Annotated, Any

from fastapi import APIRouter, File, Form, Request, UploadFile
from fastapi.responses import JSONResponse, Response
from starlette.concurrency import run_in_threadpool

from ...vision.corrections import CorrectionsError
from ...vision.picture import PictureError
from . import rescoring
from .bodies import AboutAnswer, ErrorAnswer, KeptAnswer, PhotoAnswer, ScoreAnswer, ScoreBody
from .corrections import CorrectionKeeper
from .errors import PROBLEMS, answers
from .inference import InferenceQueue
from .settings import Settings
from .source import source_zip

Json = dict[str, Any]


def photo_routes(
    settings: Settings,
    queue: InferenceQueue,
    read: Callable[[bytes], Json],
    keeper: CorrectionKeeper | None,
) -> APIRouter:
    """The routes for photos. `read` gives the JSON of one photo or raises PictureError."""
    routes = APIRouter(tags=["photos"])

    async def content(photo: UploadFile) -> bytes:
        # The client's file name is never looked at.
        data = await photo.read(settings.photo_limit + 1)
        if len(data) > settings.photo_limit:
            limit = settings.photo_limit >> 20
            raise PictureError("too-large", f"The photo is larger than {limit} MB.")
        return data

    @routes.post(
        "/api/read",
        response_model=PhotoAnswer,
        responses=answers(400, 415, 422, 503),
        summary="Read a photo: its tiles, the hand and the score",
    )
    async def read_photo(
        photo: Annotated[UploadFile, File(description="JPEG, PNG, WebP, HEIC, BMP, TIFF or GIF.")],
    ) -> Response:
        data = await content(photo)
        return JSONResponse(await queue.run(read, data))

    @routes.post(
        "/api/score",
        response_model=ScoreAnswer,
        response_model_exclude_unset=True,
        responses={**answers(400), **PROBLEMS},
        summary="Score a hand",
    )
    def score_hand(body: ScoreBody) -> Json:
        sent = body.hand if isinstance(body.hand, str) else body.hand.model_dump(exclude_unset=True)
        context = body.context.model_dump(exclude_unset=True) if body.context else None
        hand, facts, stated = rescoring.parse(sent, context)
        return rescoring.score_json(hand, facts, stated, body.rules, body.compare)

    @routes.post(
        "/api/corrections",
        response_model=KeptAnswer,
        responses=answers(400, 415, 422, 503) | {507: {"model": ErrorAnswer}},
        summary="Keep a corrected photo as a labelled example, where the server was started with --keep",
    )
    async def keep(
        photo: Annotated[UploadFile, File()],
        corrections: Annotated[str, Form(description="An object of the corrections format, as JSON.")],
    ) -> Json:
        if keeper is None:
            raise CorrectionsError("This server keeps no photos; it was started without --keep.")
        try:
            parsed = json.loads(corrections)
        except (ValueError, RecursionError):
            raise CorrectionsError("The corrections are no JSON.") from None
        data = await content(photo)
        return {"name": await queue.run(keeper.keep, data, parsed)}

    @routes.get("/api/about", response_model=AboutAnswer, responses=answers())
    def about() -> Json:
        """Version and what this server can do."""
        return {
            "version": version("fanlens"),
            "source": "source.zip",
            "keeps": keeper is not None,
            "photo_limit": settings.photo_limit,
        }

    @routes.get("/source.zip", response_class=Response, responses={200: {"content": {"application/zip": {}}}})
    async def source(_request: Request) -> Response:
        """The source code of this server."""
        headers = {"content-disposition": "attachment; filename=fanlens-source.zip"}
        return Response(await run_in_threadpool(source_zip), media_type="application/zip", headers=headers)

    return routes
