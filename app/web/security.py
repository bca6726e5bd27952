"""Who may call the server, how much they may send, and the headers every answer carries."""

from __future__ import annotations

import secrets
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .settings import Settings

COOKIE: Final = "fanlens"
_SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
# The two routes that take a photo; everything else is small JSON or CSV.
PHOTO_PATHS: Final = frozenset({"/api/read", "/api/corrections"})

HEADERS: Final = {
    "content-security-policy": (
        "default-src 'self'; img-src 'self' blob: data:; object-src 'none'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(self), geolocation=(), microphone=()",
}


def error_body(code: str, message: str, **place: str | int) -> dict[str, dict[str, Any]]:
    """place: what of a score sheet or match is wrong: `row`, `column`, `hand`."""
    return {"error": {"code": code, "message": message, **place}}


class Guard:
    """Refuses calls that are not the page's own, and adds the security headers.

    A page of another site must not reach the server through the browser of somebody who can
    (forged writes, rebound names), so writes check Host and Origin, and all of /api checks Host.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._token = settings.token
        self._names = {"localhost", *(name.lower() for name in settings.host_names)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault(
                    "cache-control", "no-store" if scope["path"].startswith("/api/") else "no-cache"
                )
            await send(message)

        refusal = self._refusal(scope["method"], scope["path"], scope["scheme"], Headers(scope=scope))
        if refusal:
            response = JSONResponse(error_body(*refusal), status_code=403)
            await response(scope, receive, send_with_headers)
        else:
            await self._app(scope, receive, send_with_headers)

    def _refusal(self, method: str, path: str, scheme: str, headers: Headers) -> tuple[str, str] | None:
        writes = method not in _SAFE_METHODS
        if not writes and not path.startswith("/api/"):
            return None
        host = headers.get("host", "")
        if not self._known_host(host):
            return "wrong-host", "This server does not answer to that host name."
        if writes:
            origin = headers.get("origin")
            foreign = headers.get("sec-fetch-site") in ("cross-site", "same-site")
            if foreign or (origin is not None and origin.lower() != f"{scheme}://{host}".lower()):
                return "wrong-origin", "Only FanLens's own page may send this."
        if self._token is not None and not self._holds_token(headers):
            return "no-token", "Open the page by the address or the QR code that `fanlens serve` printed."
        return None

    def _known_host(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        if name.lower() in self._names:
            return True
        try:
            # A bare address can't be a name that somebody pointed at this machine.
            ip_address(name)
        except ValueError:
            return False
        return True

    def _holds_token(self, headers: Headers) -> bool:
        assert self._token is not None
        given = [headers.get("authorization", "").removeprefix("Bearer ")]
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        except CookieError:
            cookie = None
        if cookie is not None:
            given.append(cookie.value)
        return any(secrets.compare_digest(text.encode(), self._token.encode()) for text in given)


class BodyLimit:
    """Stops a request with 413 as soon as more has come than its route takes.

    Counts what arrives, so a missing or false Content-Length changes nothing.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        photo = scope["path"] in PHOTO_PATHS
        # Room for the multipart frame and the corrections beside the photo.
        limit = self._settings.body_limit + (self._settings.photo_limit if photo else 0)
        too_large = error_body("too-large", f"That is more than the {limit >> 20} MB taken here.")
        declared = Headers(scope=scope).get("content-length", "0")
        if not declared.isdigit() or int(declared) > limit:
            await JSONResponse(too_large, status_code=413)(scope, receive, send)
            return
        arrived = 0

        async def counted() -> Message:
            nonlocal arrived
            message = await receive()
            arrived += len(message.get("body", b""))
            if arrived > limit:
                raise HTTPException(413, too_large["error"]["message"])
            return message

        await self._app(scope, counted, send)
