"""The listeners of `felt screens`: who is let in, what is refused and in which words, and that nobody's flood, slowness
or noise reaches another page or the table."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from felt.screens import listening, site
from tests.real.console_house import PINS, House, list_people
from tests.screens.browsers import Screens

Talk = Callable[[aiohttp.ClientSession], Awaitable[None]]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("screens")
    list_people(folder, PINS)
    house = House(folder, more='[screens]\nport = 18180\nsign_port = 18190\n')
    yield house
    house.close()


@pytest.fixture(scope="module")
def screens(house: House) -> Iterator[Screens]:
    screens = Screens(house.file)
    yield screens
    assert screens.stop() == ""


def in_a_loop(work: Coroutine[Any, Any, None]) -> None:
    """On a thread of its own: the browser that other tests hold has a loop on this one."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()


def talk(what: Talk) -> None:
    async def run() -> None:
        jar = aiohttp.CookieJar(unsafe=True)  # of an address instead of a name
        async with aiohttp.ClientSession(cookie_jar=jar, timeout=aiohttp.ClientTimeout(20)) as browser:
            await what(browser)

    in_a_loop(run())


async def hear(line: aiohttp.ClientWebSocketResponse, part: str) -> Any:
    while True:
        message = json.loads((await line.receive(15)).data)
        if part in message:
            return message[part]


async def say(line: aiohttp.ClientWebSocketResponse, **words: Any) -> Any:
    await line.send_str(json.dumps({"id": 7, **words}))
    while True:
        message = json.loads((await line.receive(15)).data)
        if message.get("id") == 7:
            return message


async def opened(browser: aiohttp.ClientSession, screens: Screens) -> aiohttp.ClientWebSocketResponse:
    """A page's live connection, as the page itself opens it."""
    await (await browser.get(f"{screens.pages}/sign")).read()
    return await browser.ws_connect(f"{screens.pages}/live/table", origin=screens.pages)


# --- pages -----------------------------------------------------------------------------------------------


def test_a_page_says_what_a_browser_may_do_with_it(screens: Screens) -> None:
    async def look(browser: aiohttp.ClientSession) -> None:
        for address in (screens.pages, screens.sign):
            answer = await browser.get(f"{address}/sign")
            assert answer.status == 200
            assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
            assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
            assert answer.headers["X-Frame-Options"] == "DENY"
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
        cookie = (await browser.get(f"{screens.pages}/sign")).cookies.get("felt-session")
        assert cookie is None  # it is known already
        known = next(one for one in browser.cookie_jar if one.key == "felt-session")
        assert (known["httponly"], known["samesite"]) == (True, "Strict")

    talk(look)


def test_the_sign_s_own_listener_gives_no_session_and_knows_no_other_page(screens: Screens) -> None:
    async def look(browser: aiohttp.ClientSession) -> None:
        answer = await browser.get(f"{screens.sign}/sign")
        assert "Set-Cookie" not in answer.headers
        for path in ("/table", "/live/table", "/dealer"):
            assert (await browser.get(f"{screens.sign}{path}")).status == 404

    talk(look)


@pytest.mark.parametrize("name", ["evil.example", "evil.example:18180", "127.0.0.1", "169.254.1.1:18180", ""])
def test_a_name_that_is_bent_to_this_host_is_refused(name: str, screens: Screens) -> None:
    async def look(browser: aiohttp.ClientSession) -> None:
        answer = await browser.get(f"{screens.pages}/sign", headers={"Host": name})
        assert answer.status in (400, 421)
        if answer.status == 421:
            assert "another name" in await answer.text()

    talk(look)


@pytest.mark.parametrize(
    "path", ["/static/../serving.py", "/static/%2e%2e/serving.py", "/static/sign.html", "/etc/passwd"]
)
def test_nothing_but_the_pages_files_can_be_asked_for(path: str, screens: Screens) -> None:
    async def look(browser: aiohttp.ClientSession) -> None:
        assert (await browser.get(f"{screens.pages}{path}")).status == 404

    talk(look)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_a_page_is_only_read(method: str, screens: Screens) -> None:
    async def look(browser: aiohttp.ClientSession) -> None:
        answer = await browser.request(method, f"{screens.pages}/sign", data=b"x")
        assert (answer.status, "live connection" in await answer.text()) == (405, True)

    talk(look)


# --- live connections ------------------------------------------------------------------------------------


@pytest.mark.parametrize("origin", ["http://evil.example", "null", None, "https://127.0.0.1:18180"])
def test_a_foreign_page_opens_no_live_connection(origin: str | None, screens: Screens) -> None:
    async def look(browser: aiohttp.ClientSession) -> None:
        await (await browser.get(f"{screens.pages}/sign")).read()
        for address in (f"{screens.pages}/live/table", f"{screens.sign}/live/sign"):
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await browser.ws_connect(address, origin=origin)
            assert refused.value.status == 403

    talk(look)


@pytest.mark.parametrize("cookie", [None, "stolen-and-long-gone", "x" * 200])
def test_without_a_session_of_its_own_a_page_hears_nothing(cookie: str | None, screens: Screens) -> None:
    async def look(browser: aiohttp.ClientSession) -> None:
        cookies = {"felt-session": cookie} if cookie else {}
        browser.cookie_jar.update_cookies(cookies)
        line = await browser.ws_connect(f"{screens.pages}/live/table", origin=screens.pages)
        message = await line.receive(10)
        assert message.type is aiohttp.WSMsgType.CLOSE
        assert line.close_code == site.NO_SESSION

    talk(look)


def test_the_sign_hears_only_what_players_may_see_and_takes_nothing(screens: Screens) -> None:
    async def look(browser: aiohttp.ClientSession) -> None:
        line = await browser.ws_connect(f"{screens.sign}/live/sign", origin=screens.sign)
        picture = await hear(line, "picture")
        assert set(picture) == {"number", "table", "state", "round", "meters", "notices", "won"}
        await line.send_str('{"id": 1, "do": "sign_in", "name": "Sam", "pin": "3333"}')
        while (message := await line.receive(10)).type is aiohttp.WSMsgType.TEXT:
            pass
        assert message.type is aiohttp.WSMsgType.CLOSE
        assert line.close_code == site.LISTEN_ONLY

    talk(look)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "7", '"do"', "[" * 4000, '{"id": "x"}', '{"do": 1}', '{"do": "order"}']
)
def test_malformed_words_are_refused_in_a_sentence(text: str, screens: Screens) -> None:
    async def look(browser: aiohttp.ClientSession) -> None:
        line = await opened(browser, screens)
        await line.send_str(text)
        refused = await hear(line, "refused")
        assert refused.endswith(".")
        assert "answer" not in refused

    talk(look)


def test_an_oversized_message_ends_the_connection_and_nothing_else(screens: Screens) -> None:
    async def look(browser: aiohttp.ClientSession) -> None:
        line, other = await opened(browser, screens), await opened(browser, screens)
        await line.send_str(json.dumps({"do": "x" * 2 * site.MESSAGE_BYTES_MAX}))
        while (await line.receive(10)).type is aiohttp.WSMsgType.TEXT:
            pass
        assert line.closed
        assert (await say(other, do="sign_out"))["done"] == {}

    talk(look)


def test_a_page_that_says_more_than_a_person_does_is_shown_out(screens: Screens) -> None:
    async def look(browser: aiohttp.ClientSession) -> None:
        line = await opened(browser, screens)
        with contextlib.suppress(ConnectionError):
            for _ in range(4 * site.MESSAGES_AT_ONCE):
                await line.send_str('{"do": "sign_out"}')
        while (await line.receive(10)).type is aiohttp.WSMsgType.TEXT:
            pass
        assert line.close_code == site.TOO_FAST

    talk(look)


def test_who_has_not_signed_in_orders_nothing_and_the_desk_checks_the_pin(house: House, screens: Screens) -> None:
    async def look(browser: aiohttp.ClientSession) -> None:
        line = await opened(browser, screens)
        refused = await say(line, do="order", order="TableOpened", fields={})
        assert (refused["refused"], refused["needs"]) == ("Sign in first.", "login")
        wrong = await say(line, do="sign_in", name="Sam", pin="9999")
        assert "do not belong together" in wrong["refused"]
        signed_in = await say(line, do="sign_in", name="Sam", pin=PINS["Sam"])
        assert (signed_in["person"], signed_in["role"]) == ("Sam", "supervisor")
        # Another browser is nobody, and this one is Sam on every connection of its own.
        assert (await say(line, do="order", order="TableOpened", fields={}))["done"] == {"notices": []}
        second = await opened(browser, screens)
        assert (await hear(second, "hello"))["person"] == "Sam"
        assert (await say(second, do="order", order="TableClosed", fields={}))["done"] == {"notices": []}
        await say(second, do="sign_out")
        assert "Sign in" in (await say(line, do="order", order="TableOpened", fields={}))["refused"]

    talk(look)


def test_a_page_that_does_not_read_holds_up_nobody(house: House, screens: Screens) -> None:
    async def look(browser: aiohttp.ClientSession) -> None:
        for _ in range(6):  # deaf: they never read
            await opened(browser, screens)
        line = await opened(browser, screens)
        before = (await hear(line, "picture"))["number"]
        for turn in range(40):
            house.drive("1.ante", turn % 2 == 0)
            await asyncio.sleep(0.02)
        began = time.monotonic()
        while (await hear(line, "picture"))["number"] <= before:
            assert time.monotonic() < began + 10

    talk(look)


# --- floods ----------------------------------------------------------------------------------------------


def test_connections_beyond_the_limit_are_closed_and_the_table_plays_on(
    house: House, screens: Screens, full: bool
) -> None:
    wanted = 10_000 if full else 400
    held: list[socket.socket] = []
    host, port = screens.sign.removeprefix("http://").split(":")
    pressed: list[float] = []
    try:
        for number in range(wanted):
            connection = socket.socket()
            connection.settimeout(2)
            with contextlib.suppress(OSError):
                connection.connect((host, int(port)))
                held.append(connection)
            if len(held) > 500:  # this process has files of its own to spare, and no more
                held.pop(0).close()
            if number % (wanted // 8) == 0:
                pressed.append(_round_trip(house))
        # The other listener still answers.
        talk(lambda browser: _answers(browser, screens))
    finally:
        for connection in held:
            connection.close()
    assert max(pressed) < 1.0, pressed


async def _answers(browser: aiohttp.ClientSession, screens: Screens) -> None:
    assert (await browser.get(f"{screens.pages}/sign")).status == 200


def _round_trip(house: House) -> float:
    """From a chip's edge to the table's lamp or picture: here the bench's own word about it."""
    began = time.monotonic()
    house.drive("2.ante", True)
    house.drive("2.ante", False)
    house.table.send(order="NoSuchThing", fields={}, id=99)
    while not any(said.get("reply") == 99 for said in house.table.hear(0.5)):
        assert time.monotonic() < began + 5
    return time.monotonic() - began


def test_a_connection_that_says_nothing_is_shown_out() -> None:
    async def look() -> None:
        async def nobody(request: aiohttp.web.BaseRequest) -> aiohttp.web.StreamResponse:
            raise AssertionError("nobody asked")

        server = aiohttp.web.Server(nobody)
        door = listening.Doorkeeper(server, silent_s=0.2)
        listener = listening.bound("127.0.0.1", 18300)
        serving = await asyncio.get_running_loop().create_server(door, sock=listener)
        reader, writer = await asyncio.open_connection(*listener.getsockname())
        writer.write(b"GET /sign HTTP/1.1\r\nHost: ")  # and never another byte
        async with asyncio.timeout(5):
            assert await reader.read() == b""
        writer.close()
        serving.close()

    in_a_loop(look())


# --- where it listens ------------------------------------------------------------------------------------


def test_a_port_that_is_taken_gives_way_to_the_next(screens: Screens, house: House) -> None:
    other = Screens(house.file)
    try:
        assert int(other.pages.rpartition(":")[2]) > int(screens.pages.rpartition(":")[2])
        assert int(other.sign.rpartition(":")[2]) > int(screens.sign.rpartition(":")[2])
    finally:
        assert other.stop() == ""


def felt_screens(file: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "felt.cli", "screens", "--config", str(file), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)


@pytest.mark.parametrize("key", ["address", "sign_address"])
def test_beyond_this_host_nothing_is_served_in_the_clear(key: str, house: House) -> None:
    refused = felt_screens(house.file, "--set", f'screens.{key}="0.0.0.0"')
    assert refused.returncode != 0
    assert "unencrypted" in refused.stderr
    assert "screens.certificate" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_with_a_certificate_pages_are_served_by_tls_alone(house: House, tmp_path: Path) -> None:
    certificate, key = tmp_path / "own.crt", tmp_path / "own.key"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=localhost", "-keyout", str(key), "-out", str(certificate)],
        check=True, capture_output=True,
    )  # fmt: skip
    nowhere = ("--set", 'screens.certificate="nowhere.crt"', "--set", 'screens.key="nowhere.key"')
    missing = felt_screens(house.file, *nowhere)
    assert (missing.returncode, "no certificate with its key" in missing.stderr) == (1, True)
    sets = (f'certificate="{certificate}"', f'key="{key}"', "port=18280", "sign_port=18290")
    served = Screens(house.file, *(word for one in sets for word in ("--set", f"screens.{one}")))
    try:
        assert served.pages.startswith("https://")

        async def look(browser: aiohttp.ClientSession) -> None:
            answer = await browser.get(f"{served.pages}/sign", ssl=False)
            assert answer.status == 200
            assert next(one for one in browser.cookie_jar if one.key == "felt-session")["secure"]
            with pytest.raises(aiohttp.ClientError):
                await browser.get(served.pages.replace("https", "http") + "/sign")

        talk(look)
    finally:
        assert served.stop() == ""
