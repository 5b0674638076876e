"""`felt training`: lessons on a page, served by a process that knows no table, no desk and no meter of the house."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable

from felt.screens.desk_line import Connect
from felt.screens.feed import Message
from felt.screens.guard import Guard
from felt.screens.listening import bound
from felt.screens.pages import read_pages
from felt.screens.sessions import Session, Sessions
from felt.screens.site import ActRefused, Site
from felt.screens.story_line import StoryActs, StoryLine

ADDRESS = "127.0.0.1"
GOODBYE_S = 1.0


class _NothingElse:
    async def act(self, session: Session, words: Message) -> Message:
        raise ActRefused("This is training: nothing else can be done here.")


async def serve_lessons(port: int, lessons: Connect, tell: Callable[[str], None]) -> None:
    """Listens on this host alone. Raises `CannotServe` if it cannot listen."""
    listener, line = bound(ADDRESS, port), StoryLine(lessons)
    guard = Guard(ADDRESS, listener.getsockname()[1], (), secure=False)
    pages = {"/": "/training", "/training": "training.html"}
    acts = StoryActs(_NothingElse(), line)
    site = Site(guard, read_pages(), pages, {"/live/story": line.channel}, {}, sessions=Sessions(), acts=acts)
    task = asyncio.create_task(line.run())
    stopping, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    server = await loop.create_server(site.door, sock=listener)
    tell(f"lessons are at http://{ADDRESS}:{listener.getsockname()[1]}/training")
    await stopping.wait()
    server.close()
    task.cancel()
    await site.server.shutdown(GOODBYE_S)
