"""Every refusal as one JSON answer with a sentence; a stack trace never leaves the server."""

from __future__ import annotations

from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from ...scoring import HandError, problem_to_json
from ...vision.corrections import CorrectionsError
from ...vision.picture import PictureError
from .bodies import ErrorAnswer, ProblemsAnswer
from .corrections import FullError
from .inference import BusyError
from .match import MatchError
from .security import HEADERS, error_body
from .store import OutdatedError, UnknownMatchError

# What can't be used as a picture: the wrong kind of file, too much of it, or a broken one.
_PICTURE_STATUS: Final = {"not-a-picture": 415, "unsupported-format": 415, "too-large": 413}
_CODES: Final = {
    400: "bad-request",
    404: "not-found",
    405: "not-allowed",
    413: "too-large",
    415: "unsupported-format",
}


def answers(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The refusals of a route for its OpenAPI description."""
    return {status: {"model": ErrorAnswer} for status in (403, 413, *statuses)}


PROBLEMS: Final[dict[int | str, dict[str, Any]]] = {422: {"model": ProblemsAnswer}}


def install(app: FastAPI) -> None:
    """Register all handlers on the app."""

    @app.exception_handler(HandError)
    def hand(_request: Request, error: HandError) -> JSONResponse:
        return JSONResponse({"problems": [problem_to_json(p) for p in error.problems]}, 422)

    @app.exception_handler(RequestValidationError)
    def validation(request: Request, error: RequestValidationError) -> JSONResponse:
        message = _sentence(error)
        if request.url.path == "/api/score":
            return JSONResponse({"problems": [{"code": "malformed", "message": message, "tiles": []}]}, 422)
        return JSONResponse(error_body("malformed", message), 422)

    @app.exception_handler(PictureError)
    def picture(_request: Request, error: PictureError) -> JSONResponse:
        return JSONResponse(
            {"image": {"path": None}, **error_body(error.code, error.message)},
            _PICTURE_STATUS.get(error.code, 422),
        )

    @app.exception_handler(BusyError)
    def busy(_request: Request, error: BusyError) -> JSONResponse:
        return JSONResponse(error_body("busy", str(error)), 503, {"retry-after": str(error.retry_after)})

    @app.exception_handler(CorrectionsError)
    def corrections(_request: Request, error: CorrectionsError) -> JSONResponse:
        return JSONResponse(error_body("bad-corrections", str(error)), 422)

    @app.exception_handler(MatchError)
    def match(_request: Request, error: MatchError) -> JSONResponse:
        return JSONResponse(error_body(error.code, str(error), **error.place), 422)

    @app.exception_handler(FullError)
    def full(_request: Request, error: FullError) -> JSONResponse:
        return JSONResponse(error_body("full", str(error)), 507)

    @app.exception_handler(UnknownMatchError)
    def unknown(_request: Request, _error: UnknownMatchError) -> JSONResponse:
        return JSONResponse(error_body("not-found", "There is no such match."), 404)

    @app.exception_handler(OutdatedError)
    def outdated(_request: Request, _error: OutdatedError) -> JSONResponse:
        return JSONResponse(error_body("outdated", "Somebody else changed the sheet in the meantime."), 409)

    @app.exception_handler(HTTPException)
    def http(_request: Request, error: HTTPException) -> JSONResponse:
        code = _CODES.get(error.status_code, "refused")
        return JSONResponse(error_body(code, str(error.detail)), error.status_code, error.headers)

    @app.exception_handler(Exception)
    def unexpected(_request: Request, _error: Exception) -> JSONResponse:
        # This one is answered outside of the guard that sets the headers elsewhere.
        message = "Something went wrong on the server; its log says what."
        return JSONResponse(error_body("internal", message), 500, HEADERS)


def _sentence(error: RequestValidationError) -> str:
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"][1:] if isinstance(part, str | int))
    message = str(first["msg"]).rstrip(".")
    return f"{place or 'The request'}: {message}."
