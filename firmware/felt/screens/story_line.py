"""Stories on a page: a conversation with the demo process that plays them. All browsers see the same story, and any of
them may choose another."""

from __future__ import annotations

import asyncio

from felt.screens.desk_line import Connect, DeskGone, DeskLine, DeskRefused
from felt.screens.feed import AGAIN_S, Channel, Message
from felt.screens.sessions import Session
from felt.screens.site import ActRefused, Acts


class StoryLine:
    def __init__(self, connect: Connect) -> None:
        self._connect = connect
        self.channel = Channel()
        self.channel.say({"gone": True})

    async def run(self) -> None:
        while True:
            try:
                line = await DeskLine.open(self._connect)
                try:
                    number = 0
                    while True:
                        told = await line.ask({"ask": "story", "after": number})
                        number = int(told["number"])
                        self.channel.say(told)
                finally:
                    line.close()
            except (DeskGone, DeskRefused):
                self.channel.say({"gone": True})
            await asyncio.sleep(AGAIN_S)

    async def ask(self, words: Message) -> Message:
        try:
            line = await DeskLine.open(self._connect)
            try:
                return await line.ask(words)
            finally:
                line.close()
        except DeskGone:
            raise ActRefused("No stories are told here any more.") from None
        except DeskRefused as problem:
            raise ActRefused(str(problem)) from None


class StoryActs:
    """Implements `site.Acts`: sends acts about stories to the process that plays them, and all others to the table."""

    def __init__(self, others: Acts, line: StoryLine) -> None:
        self._others = others
        self._line = line

    async def act(self, session: Session, words: Message) -> Message:
        match words:
            case {"do": "stories"}:
                return await self._line.ask({"ask": "stories"})
            case {"do": "story", "story": str()}:
                return await self._line.ask({name: value for name, value in words.items() if name != "do"})
        return await self._others.act(session, words)
