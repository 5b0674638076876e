"""What one listener serves: its pages, and live connections on which a page receives every new picture and requests
acts. Everything is bounded: live connections, size and rate of a page's messages, and how long it may leave messages
unread."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import Mapping
from typing import Any, Protocol

from aiohttp import WSMsgType, web

from felt.nouns.lines import LineError, read_request
from felt.screens.feed import Channel, Message
from felt.screens.guard import SECURITY_HEADERS, Guard, Unwelcome, refusal
from felt.screens.listening import Doorkeeper
from felt.screens.pages import PageFile, edition_of
from felt.screens.sessions import COOKIE, Session, Sessions

LIVE_MAX = 64
MESSAGE_BYTES_MAX = 8 * 1024
MESSAGES_AT_ONCE, MESSAGES_PER_S = 60, 20
BEAT_S = 3.0  # a page that hears nothing for much longer knows that the connection is lost
UNREAD_S = 10.0
# Why a live connection was closed, for the page.
NO_SESSION, TOO_MANY, TOO_FAST, LISTEN_ONLY = 4401, 4429, 4408, 4403


class ActRefused(Exception):
    """Why an act was refused, in one sentence; `needs` tells the page what would help."""

    def __init__(self, sentence: str, needs: str = "") -> None:
        super().__init__(sentence)
        self.needs = needs


class Acts(Protocol):
    async def act(self, session: Session, words: Message) -> Message:
        """Does what a page asks. Raises `ActRefused`."""


class Site:
    def __init__(
        self,
        guard: Guard,
        files: Mapping[str, PageFile],
        pages: Mapping[str, str],
        live: Mapping[str, Channel],
        about: Message,
        *,
        sessions: Sessions | None = None,
        acts: Acts | None = None,
        secure: bool = False,
    ) -> None:
        """`pages` maps a path to a file or to another path. Without sessions the site sends and never listens."""
        self._guard = guard
        self._files = files
        self._pages = pages
        self._live = live
        self._about = {**about, "edition": edition_of(dict(files))}
        self._sessions = sessions
        self._acts = acts
        self._secure = secure
        self._open = 0
        self.server = web.Server(self._answer, keepalive_timeout=30.0, access_log=None)
        self.door = Doorkeeper(self.server)

    # --- pages -------------------------------------------------------------------------------------------

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        self.door.heard(request)
        try:
            self._guard.check_host(request.headers)
            if request.method not in ("GET", "HEAD"):
                raise Unwelcome(405, "Pages are read; acts go over the page's own live connection.")
            if request.path in self._live:
                return await self._serve_live(request, self._live[request.path])
            return self._page(request)
        except Unwelcome as problem:
            return refusal(problem)

    def _page(self, request: web.BaseRequest) -> web.Response:
        name = self._pages.get(request.path, "")
        if name.startswith("/"):
            return web.Response(status=302, headers={**SECURITY_HEADERS, "Location": name})
        if not name and request.path.startswith("/static/"):
            name = request.path.removeprefix("/static/")
            name = "" if name.endswith(".html") else name
        if name not in self._files:
            raise Unwelcome(404, "There is no such page at this table.")
        found = self._files[name]
        headers = {**SECURITY_HEADERS, "Content-Type": found.kind, "ETag": found.tag, "Cache-Control": "no-cache"}
        is_page = request.path in self._pages
        if request.headers.get("If-None-Match") == found.tag and not is_page:
            return web.Response(status=304, headers=headers)
        response = web.Response(body=found.content, headers=headers)
        if is_page and self._sessions is not None:
            self._remember(request, response, self._sessions)
        return response

    def _remember(self, request: web.BaseRequest, response: web.Response, sessions: Sessions) -> None:
        if sessions.find(request.cookies.get(COOKIE)) is None:
            key = sessions.begin().key
            response.set_cookie(COOKIE, key, httponly=True, samesite="Strict", secure=self._secure, path="/")

    # --- live connections --------------------------------------------------------------------------------

    async def _serve_live(self, request: web.BaseRequest, channel: Channel) -> web.StreamResponse:
        self._guard.check_origin(request.headers)
        session = self._sessions.find(request.cookies.get(COOKIE)) if self._sessions is not None else None
        line = web.WebSocketResponse(max_msg_size=MESSAGE_BYTES_MAX, heartbeat=20.0, compress=False, timeout=2.0)
        if not line.can_prepare(request):
            raise Unwelcome(426, "This address is for a page's live connection.")
        await line.prepare(request)
        if self._sessions is not None and session is None:
            await line.close(code=NO_SESSION, message=b"This browser is not known here: load the page again.")
        elif self._open >= LIVE_MAX:
            await line.close(code=TOO_MANY, message=b"Too many pages are open: close one.")
        else:
            await self._converse(request, line, channel, session)
        return line

    async def _converse(
        self, request: web.BaseRequest, line: web.WebSocketResponse, channel: Channel, session: Session | None
    ) -> None:
        self._open += 1
        teller = asyncio.create_task(self._tell(request, line, channel, session))
        try:
            await self._listen(line, session)
        finally:
            self._open -= 1
            teller.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await teller

    async def _tell(
        self, request: web.BaseRequest, line: web.WebSocketResponse, channel: Channel, session: Session | None
    ) -> None:
        """Always sends the newest: what a slow page missed is not sent later."""
        told = 0
        try:
            with channel.listening() as news:
                await _send(line, json.dumps({"hello": {**self._about, **_who(session)}}))
                while not line.closed:
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(news.wait(), BEAT_S)
                    news.clear()
                    is_new, told = channel.version != told, channel.version
                    await _send(line, channel.text if is_new else '{"beat":1}')
        except (OSError, TimeoutError):
            if request.transport is not None:
                request.transport.abort()

    async def _listen(self, line: web.WebSocketResponse, session: Session | None) -> None:
        allowed, last_s = float(MESSAGES_AT_ONCE), time.monotonic()
        async for message in line:
            if message.type is not WSMsgType.TEXT or session is None or self._acts is None:
                await line.close(code=LISTEN_ONLY, message=b"This page only shows: it takes nothing.")
                return
            now_s = time.monotonic()
            allowed = min(MESSAGES_AT_ONCE, allowed + (now_s - last_s) * MESSAGES_PER_S) - 1
            last_s = now_s
            if allowed < 0:
                await line.close(code=TOO_FAST, message=b"More comes from this page than a person does.")
                return
            with contextlib.suppress(OSError, TimeoutError):
                await _send(line, json.dumps(await self._done(session, self._acts, message.data)))

    async def _done(self, session: Session, acts: Acts, text: str) -> Message:
        id_: Any = 0
        try:
            words = read_request(text.encode())
            id_ = words.pop("id", 0)
            return {"id": id_ if isinstance(id_, int) else 0, "done": await acts.act(session, words), **_who(session)}
        except (LineError, UnicodeEncodeError) as problem:
            return {"id": 0, "refused": str(problem)}
        except ActRefused as problem:
            return {"id": id_ if isinstance(id_, int) else 0, "refused": str(problem), "needs": problem.needs}


def _who(session: Session | None) -> Message:
    return {"person": session.person, "role": session.role} if session is not None else {}


async def _send(line: web.WebSocketResponse, text: str) -> None:
    async with asyncio.timeout(UNREAD_S):
        await line.send_str(text)
