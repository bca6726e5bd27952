"""The application: its routes, guards and what it holds open while it runs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib import resources
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.responses import FileResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles

from ...datasets.faces import svg
from . import errors
from .bodies import HealthAnswer
from .corrections import CorrectionKeeper
from .inference import InferenceQueue
from .match_routes import match_routes
from .photo_routes import photo_routes
from .security import COOKIE, BodyLimit, Guard
from .settings import Settings
from .store import MatchStore

PhotoReader = Callable[[bytes], dict[str, Any]]
_STATIC = Path(str(resources.files(__package__).joinpath("static")))


def create_app(reader: PhotoReader | None = None, settings: Settings | None = None) -> FastAPI:
    """The page and the API.

    reader: takes a photo's bytes and gives the JSON of one photo, or raises PictureError; None for
    `vision.Reader`, loaded when the server starts. settings: None for those of a private server.
    """
    settings = settings or Settings()
    read = reader or _shipped_reader()
    store = MatchStore(settings.matches or ":memory:")
    keeper = CorrectionKeeper(settings.keep, settings.keep_limit) if settings.keep else None
    queue = InferenceQueue(waiting=settings.queue, timeout=settings.timeout)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        yield
        queue.close()
        store.close()

    app = FastAPI(
        title="FanLens",
        version=version("fanlens"),
        summary="Photo of a finished mahjong hand in, exact fan total out.",
        license_info={"name": "AGPL-3.0-or-later"},
        lifespan=lifespan,
        # Their pages load scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
    )
    errors.install(app)
    app.include_router(photo_routes(settings, queue, read, keeper))
    app.include_router(match_routes(store))

    @app.get("/healthz", tags=["server"])
    def healthz() -> HealthAnswer:
        """Whether the server is up."""
        return HealthAnswer(status="ok")

    @app.get("/", include_in_schema=False)
    def page(token: str | None = None) -> Response:
        if token is None:
            return FileResponse(_STATIC / "index.html")
        # The token moves from the address, where history keeps it, into a cookie for this browser.
        response = RedirectResponse("./", status_code=303)
        response.set_cookie(COOKIE, token, httponly=True, samesite="strict")
        return response

    @app.get("/faces/{tile}.svg", include_in_schema=False)
    def face(tile: str) -> Response:
        try:
            content = svg(tile)
        except KeyError:
            raise HTTPException(404, "There is no such tile.") from None
        return Response(content, media_type="image/svg+xml", headers={"cache-control": "max-age=86400"})

    app.mount("/", StaticFiles(directory=_STATIC), name="static")
    app.add_middleware(BodyLimit, settings=settings)
    app.add_middleware(Guard, settings=settings)
    return app


def _shipped_reader() -> PhotoReader:
    from ...vision import Reader

    reader = Reader()

    def read(photo: bytes) -> dict[str, Any]:
        return reader.read(photo).to_json()

    return read
