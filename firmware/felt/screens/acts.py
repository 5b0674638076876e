"""What a person does from a page: signs in, gives an order. The desk checks PIN, role and order. This module only knows
which browser has which conversation with the desk."""

from __future__ import annotations

from felt.screens.desk_line import Connect, DeskGone, DeskLine, DeskRefused
from felt.screens.feed import Message
from felt.screens.sessions import Session, Sessions
from felt.screens.site import ActRefused

PANELS_MAX = 2
SIGNED_IN_MAX = 4  # the desk has eight places, and consoles need some of them


class PersonActs:
    def __init__(self, connect: Connect, sessions: Sessions) -> None:
        self._connect = connect
        self._sessions = sessions

    async def act(self, session: Session, words: Message) -> Message:
        try:
            match words:
                case {"do": "sign_in", "name": str(name), "pin": str(pin)}:
                    return await self._sign_in(session, name, pin)
                case {"do": "panel", "secret": str(secret)}:
                    return await self._be_panel(session, secret)
                case {"do": "key", "key": str(key)}:
                    return await self._press(session, key)
                case {"do": "replay", "round": int(number)}:
                    return await self._replay(session, number)
                case {"do": "sign_out"}:
                    session.sign_out()
                    return {}
                case {"do": "order", "order": str(kind), "fields": dict(fields)}:
                    return await self._order(session, kind, fields, words.get("second"))
        except DeskRefused as problem:
            if problem.needs == "login":
                session.sign_out()
            raise ActRefused(str(problem), problem.needs) from None
        except DeskGone as problem:
            # A restarted table knows nobody: the person signs in again.
            needs = "login" if session.line is not None else ""
            session.sign_out()
            raise ActRefused(str(problem), needs) from None
        raise ActRefused("This page asks for something that nobody can do here.")

    async def _be_panel(self, session: Session, secret: str) -> Message:
        session.leave_panel()
        if self._sessions.panels() >= PANELS_MAX:
            raise ActRefused(f"{PANELS_MAX} screens are part of the panel already: close the page on one of them.")
        line = await DeskLine.open(self._connect)
        try:
            await line.ask({"panel": secret})
        except DeskRefused:
            line.close()
            raise
        session.panel = line
        return {"panel": True}

    async def _press(self, session: Session, key: str) -> Message:
        if session.panel is None:
            raise ActRefused("Only a screen that is part of the panel presses its keys.", "panel")
        try:
            return await session.panel.ask({"press": key})
        except DeskGone:  # a restarted table asks who this screen is
            session.leave_panel()
            raise ActRefused("The table was restarted: touch the key once more.", "panel") from None

    async def _sign_in(self, session: Session, name: str, pin: str) -> Message:
        session.sign_out()
        if self._sessions.signed_in() >= SIGNED_IN_MAX:
            raise ActRefused(f"{SIGNED_IN_MAX} people are signed in on pages already: one of them signs out first.")
        line = await DeskLine.open(self._connect)
        try:
            answer = await line.ask({"login": name, "pin": pin})
        except DeskRefused:
            line.close()
            raise
        session.line, session.person, session.role = line, str(answer["person"]), str(answer["role"])
        return {"person": session.person, "role": session.role}

    async def _replay(self, session: Session, number: int) -> Message:
        if session.line is None:
            raise ActRefused("Sign in first.", "login")
        return await session.line.ask({"ask": "replay", "round": number})

    async def _order(self, session: Session, kind: str, fields: Message, second: object) -> Message:
        if session.line is None:
            raise ActRefused("Sign in first.", "login")
        words: Message = {"order": kind, "fields": fields}
        return await session.line.ask({**words, "second": second} if second is not None else words)
