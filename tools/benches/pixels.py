"""The time from a chip on the felt to a pixel on the dealer's screen, beside a bare WebSocket echo in the same browser.
Echo and chip take turns, so that a busy machine slows both alike."""

from __future__ import annotations

import asyncio
import contextlib
import statistics
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from aiohttp import web
from playwright.sync_api import Page, expect

from felt.nouns.stamps import DELIVERY_MS
from tests.real.console_house import House
from tests.screens.browsers import Looked, Screens, chromium
from tools.benches.figure import Bar, Figure, cost

FRAME_MS = 1000 / 60
SETTLE_MS = 3  # of the test's table
# The table believes a contact when it has been quiet for this long: until then nothing has changed.
UNSETTLED_MS = SETTLE_MS + DELIVERY_MS
PATIENCE_S = 10.0
REST_S = 0.1
PORTS = "[screens]\nport = 18680\nsign_port = 18690\n"
SPOT = "1.progressive"

ECHO = """async () => {
  if (!window.line) {
    window.line = new WebSocket(`ws://${location.host}/echo`);
    await new Promise((done) => { window.line.onopen = done; });
  }
  const began = performance.now();
  await new Promise((done) => { window.line.onmessage = done; window.line.send("x".repeat(2000)); });
  return performance.now() - began;
}"""
# A task that follows a frame's callback runs when the frame is drawn.
WATCH = """() => {
  window.drawn = [];
  const drawn = new MessageChannel();
  drawn.port1.onmessage = () => window.drawn.push(performance.timeOrigin + performance.now());
  new MutationObserver(() => requestAnimationFrame(() => drawn.port2.postMessage(0)))
    .observe(document.getElementById("mid"), { childList: true });
}"""


def figures(folder: Path, turns: int) -> list[Figure]:
    with contextlib.ExitStack() as closing:
        house = House(folder, more=PORTS)
        closing.callback(house.close)
        screens = Screens(house.file)
        closing.callback(screens.stop)
        port = closing.enter_context(_echoing())
        browser = closing.enter_context(chromium())
        plain = Looked(browser, f"http://127.0.0.1:{port}/", "small").page
        page = Looked(browser, f"{screens.pages}/dealer", "small").page
        house.open()
        house.press_until("open", lambda: house.where["phase"] == "BETTING")
        house.drive("1.ante", True)
        expect(page.locator("#line .phase")).to_have_text("betting")
        page.evaluate(WATCH)
        echoes: list[float] = []
        pixels: list[float] = []
        for turn in range(turns):
            echoes.append(plain.evaluate(ECHO))
            time.sleep(REST_S)
            pixels.append(_until_drawn(house, page, covered=turn % 2 == 0))
            time.sleep(REST_S)
    echo_ms, pixel_ms = statistics.median(echoes), statistics.median(pixels)
    own_ms = max(0.0, pixel_ms - UNSETTLED_MS - FRAME_MS)
    name = "a bare echo in the same browser"
    return [
        cost("chip to pixel, all of it", pixel_ms, "ms", name, echo_ms),
        cost("settled chip to pixel, less a frame", own_ms, "ms", name, echo_ms, Bar(5, at_most=True)),
    ]


def _until_drawn(house: House, page: Page, *, covered: bool) -> float:
    before = int(page.evaluate("window.drawn.length"))
    began_s = time.time()
    house.drive(SPOT, covered)
    deadline = time.monotonic() + PATIENCE_S
    while int(page.evaluate("window.drawn.length")) <= before:
        if time.monotonic() > deadline:
            raise TimeoutError(f"the page shows nothing of {SPOT}")
        time.sleep(0.005)
    return float(page.evaluate(f"window.drawn[{before}]")) - began_s * 1000


# --- the reference ---------------------------------------------------------------------------------------


async def _answer(request: web.BaseRequest) -> web.StreamResponse:
    if request.path != "/echo":
        return web.Response(text="<!doctype html><title>echo</title>", content_type="text/html")
    line = web.WebSocketResponse(compress=False)
    await line.prepare(request)
    async for message in line:
        await line.send_str(message.data)
    return line


@contextlib.contextmanager
def _echoing() -> Iterator[int]:
    """Returns the port. A browser lets only a page of this host speak to this host, so the echo has a page too."""
    loop = asyncio.new_event_loop()

    async def begin() -> web.ServerRunner:
        runner = web.ServerRunner(web.Server(_answer))
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        return runner

    thread = threading.Thread(target=loop.run_forever, name="bench-echo", daemon=True)
    thread.start()
    runner = asyncio.run_coroutine_threadsafe(begin(), loop).result(PATIENCE_S)
    try:
        yield int(runner.addresses[0][1])
    finally:
        asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result(PATIENCE_S)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(PATIENCE_S)
        loop.close()
