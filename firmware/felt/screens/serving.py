"""`felt screens` as a whole: the feed from the desk and two listeners, until it is stopped."""

from __future__ import annotations

import asyncio
import signal
import ssl
from collections.abc import Callable
from pathlib import Path

from felt.nouns.values import Value
from felt.screens.acts import PersonActs
from felt.screens.bench_line import BenchLine
from felt.screens.desk_line import Connect
from felt.screens.feed import Feed, Message
from felt.screens.guard import Guard
from felt.screens.listening import bound, tls
from felt.screens.pages import read_pages
from felt.screens.sessions import Sessions
from felt.screens.site import Acts, Site
from felt.screens.story_line import StoryActs, StoryLine
from felt.screens.table_acts import TableActs

GOODBYE_S = 1.0


class Wishes(Value):
    """What the table file and the command line set."""

    address: str
    port: int
    sign_address: str
    sign_port: int
    certificate: Path | None
    key: Path | None
    names: tuple[str, ...]
    languages: tuple[str, ...]
    secondary: tuple[str, ...]  # what else contributions pay for, which the sign must show
    desk: Connect
    bench: Connect | None = None  # of a virtual table; None: there is no virtual table to play at
    beside: tuple[Connect, ...] = ()  # the desks of tables whose jackpots the sign also shows
    stories: Connect | None = None  # of a demo: tells stories
    people: tuple[tuple[str, str], ...] = ()  # of a demo: names and PINs that the page offers


def check(wishes: Wishes) -> None:
    """Raises `CannotServe` if the files are not usable."""
    if wishes.certificate and wishes.key:
        tls(wishes.certificate, wishes.key)


async def serve(wishes: Wishes, tell: Callable[[str], None]) -> None:
    """Raises `CannotServe` if it cannot listen."""
    secure = tls(wishes.certificate, wishes.key) if wishes.certificate and wishes.key else None
    feed, sessions, files = Feed(wishes.desk), Sessions(), read_pages()
    about: Message = {"languages": list(wishes.languages), "secondary": list(wishes.secondary)}
    main = bound(wishes.address, wishes.port)
    shown = bound(wishes.sign_address, wishes.sign_port)
    own = Guard(wishes.address, main.getsockname()[1], wishes.names, secure=secure is not None)
    players = Guard(wishes.sign_address, shown.getsockname()[1], wishes.names, secure=secure is not None)
    pages = {"/": "/sign", "/sign": "sign.html", "/dealer": "dealer.html", "/replay": "replay.html"}
    acts: Acts = PersonActs(wishes.desk, sessions)
    tasks = [asyncio.create_task(feed.run())]
    for connect in wishes.beside:
        neighbour = Feed(connect, on_news=feed.retell_sign)
        feed.neighbours.append(neighbour)
        tasks.append(asyncio.create_task(neighbour.run()))
    if wishes.bench is not None:
        bench = BenchLine(wishes.bench, feed.retell)
        feed.hands = bench.hands_with(feed)
        tasks.append(asyncio.create_task(bench.run()))
        acts = TableActs(PersonActs(wishes.desk, sessions), bench, feed)
        pages |= {"/": "/table", "/table": "table.html"}
        about["people"] = [{"name": name, "pin": pin} for name, pin in wishes.people]
    live = {"/live/sign": feed.sign, "/live/table": feed.table}
    if wishes.stories is not None:
        story = StoryLine(wishes.stories)
        tasks.append(asyncio.create_task(story.run()))
        acts = StoryActs(acts, story)
        pages["/story"] = "story.html"
        live["/live/story"] = story.channel
        about["stories"] = True
    site = Site(own, files, pages, live, about, sessions=sessions, acts=acts, secure=secure is not None)
    sign = Site(
        players, files, {"/": "/sign", "/sign": "sign.html"}, {"/live/sign": feed.sign},
        {name: about[name] for name in ("languages", "secondary")},
    )  # fmt: skip
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    listeners = [
        await loop.create_server(site.door, sock=main, ssl=secure),
        await loop.create_server(sign.door, sock=shown, ssl=secure),
    ]
    tell(f"the sign is at {_address(wishes.sign_address, shown.getsockname()[1], secure)}/sign")
    if wishes.stories is not None:
        tell(f"stories are at {_address(wishes.address, main.getsockname()[1], secure)}/story")
    first = "table" if wishes.bench is not None else ""
    tell(f"pages are at {_address(wishes.address, main.getsockname()[1], secure)}/{first}")
    for task in tasks:
        task.add_done_callback(lambda _: stopping.set())
    await stopping.wait()
    for listener in listeners:
        listener.close()
    await asyncio.gather(*(listener.server.shutdown(GOODBYE_S) for listener in (site, sign)))
    for task in tasks:
        if task.done():
            task.result()  # our own mistake: it is reported, and systemd restarts us
        task.cancel()


def _address(address: str, port: int, secure: ssl.SSLContext | None) -> str:
    name = f"[{address}]" if ":" in address else address
    return f"{'https' if secure else 'http'}://{name}:{port}"
