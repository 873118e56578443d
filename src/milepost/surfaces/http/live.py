"""What happens, told as it happens: server-sent events at /events/stream.

One task asks for all who listen: every so often, of each space that somebody listens to, once.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
import time
from collections import deque
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import anyio
import msgspec
from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from milepost.access.values import CALLER
from milepost.app import Milepost
from milepost.codec import to_data
from milepost.errors import InvalidInput, MilepostError
from milepost.knowledge.values import Event, EventFeed
from milepost.surfaces.bridge import Bridge, caller_of
from milepost.surfaces.http.access import Access
from milepost.surfaces.http.guard import overloaded
from milepost.surfaces.http.peer import PEER
from milepost.surfaces.http.problems import Refused
from milepost.text.disguise import escaped

log = logging.getLogger(__name__)

PATH = "/events/stream"
LISTENERS_MAX = 64
_POLL_S = 0.5
# How often it is looked whether a listener may still listen, and something is sent all the same.
_CHECK_S = 2.0
_HEARTBEAT_S = 15.0
# So many events at once; whoever is so far behind is cut off, and comes again for the rest.
_LIMIT, _WAITING_MAX = 200, 1_000
# An event that another wrote at the same time may come with a number before: so many rounds are
# asked for again.
_ROUNDS = 5
_HEADERS = {"X-Accel-Buffering": "no"}
_HELLO, _HEARTBEAT = b"retry: 2000\n\n", b":\n\n"


class Listener(NamedTuple):
    """Who listens: what waits to be sent, and whether it is cut off."""

    waiting: deque[bytes]
    news: asyncio.Event
    over: asyncio.Event


class Channel:
    """A space that somebody listens to, and how far it was told of."""

    def __init__(self) -> None:
        self.listeners: list[Listener] = []
        self.state = ""
        self._places: deque[int] = deque(maxlen=_ROUNDS)
        self._told: set[int] = set()

    @property
    def after(self) -> int | None:
        """The place to ask from; None before anybody said where to begin."""
        return self._places[0] if self._places else None

    def begin(self, feed: EventFeed) -> None:
        """Tell from a place on, if it is not told from one already."""
        if not self._places:
            self._places.append(feed.place)
            self.state = feed.state

    def messages(self, feed: EventFeed) -> Iterator[bytes]:
        """Yield what is new in what was asked."""
        for number, event in zip(feed.numbers, feed.events, strict=True):
            if number not in self._told:
                yield _happened(number, event)
        self._told = {*feed.numbers}
        self._places.append(max(feed.place, self._places[-1]))
        if feed.state != self.state:
            self.state = feed.state
            yield _message("changed", {"state": feed.state})

    def tell(self, messages: Sequence[bytes]) -> None:
        """Let all who listen have messages."""
        for listener in self.listeners:
            listener.waiting.extend(messages)
            if len(listener.waiting) > _WAITING_MAX:
                listener.over.set()
            listener.news.set()


class Live:
    """All who listen to a server."""

    def __init__(self, bridge: Bridge, access: Access) -> None:
        self._bridge, self._access = bridge, access
        self._channels: dict[str | None, Channel] = {}
        self._task: asyncio.Task[None] | None = None
        self._is_closed = False

    def routes(self) -> list[Route]:
        """Return the one route."""
        return [Route(PATH, self.stream)]

    def close(self) -> None:
        """Let go of all who listen; a server that ends would wait for them."""
        self._is_closed = True
        for channel in self._channels.values():
            for listener in channel.listeners:
                listener.over.set()
                listener.news.set()

    async def stream(self, request: Request) -> Response:
        """Tell what happens from now on, or since the event that a client had last."""
        if sum(len(channel.listeners) for channel in self._channels.values()) >= LISTENERS_MAX:
            raise Refused(overloaded())
        caller = caller_of(request.headers)
        memory = self._bridge.memory_for(caller)
        # Asked as whoever listens, who is refused here if they may not.
        first = await self._bridge.run(memory.follow_events, _since(request), _LIMIT)
        told = self._told(request, caller.space, first)
        return StreamingResponse(told, media_type="text/event-stream", headers=_HEADERS)

    async def _told(
        self, request: Request, space: str | None, first: EventFeed
    ) -> AsyncIterator[bytes]:
        yield _HELLO
        for number, event in zip(first.numbers, first.events, strict=True):
            yield _happened(number, event)
        with self._listening(space, first) as listener:
            sent_at = checked_at = time.monotonic()
            while not listener.over.is_set():
                if listener.waiting:
                    yield b"".join(listener.waiting)
                    listener.waiting.clear()
                    sent_at = time.monotonic()
                listener.news.clear()
                with anyio.move_on_after(_CHECK_S):
                    await listener.news.wait()
                if time.monotonic() - checked_at >= _CHECK_S:
                    checked_at = time.monotonic()
                    if not await self._may_listen(request):
                        return
                if time.monotonic() - sent_at >= _HEARTBEAT_S:
                    sent_at = time.monotonic()
                    yield _HEARTBEAT

    async def _may_listen(self, request: Request) -> bool:
        """Whether whoever listens would be let in now as they were."""
        scope, was = request.scope, CALLER.get()
        peer = scope.get("state", {}).get(PEER)
        try:
            now = await self._access.caller(
                scope["path"], dict(scope["headers"]), was.address, peer, scope["method"]
            )
        except Refused:
            return False
        return now == was

    @contextmanager
    def _listening(self, space: str | None, first: EventFeed) -> Iterator[Listener]:
        channel = self._channels.setdefault(space, Channel())
        listener = Listener(deque(), asyncio.Event(), asyncio.Event())
        channel.begin(first)
        channel.listeners.append(listener)
        if self._is_closed:
            listener.over.set()
        if self._task is None or self._task.done():
            # In a context of its own: it asks as the server does, not as who came first.
            self._task = asyncio.create_task(self._follow(), context=contextvars.Context())
        try:
            yield listener
        finally:
            channel.listeners.remove(listener)
            if not channel.listeners:
                self._channels.pop(space, None)

    async def _follow(self) -> None:
        """Ask again and again, until nobody listens."""
        limiter = anyio.CapacityLimiter(1)
        while self._channels and not self._is_closed:
            await asyncio.sleep(_POLL_S)
            asked = {space: channel.after for space, channel in self._channels.items()}
            feeds = await run_sync(self._asked, asked, limiter=limiter)
            for space, feed in feeds.items():
                if (channel := self._channels.get(space)) is not None:
                    messages = list(channel.messages(feed))
                    if messages:
                        channel.tell(messages)

    def _asked(self, spaces: dict[str | None, int | None]) -> dict[str | None, EventFeed]:
        feeds = {}
        for space, after in spaces.items():
            try:
                feeds[space] = self._feed(space, after)
            except MilepostError as problem:  # away for a while; those who listen go on waiting
                log.debug("what happens in %s is not known: %s", space, problem)
        return feeds

    def _feed(self, space: str | None, after: int | None) -> EventFeed:
        memory = self._bridge.memory if space is None else self._bridge.memory.within(space)
        if isinstance(memory, Milepost):
            return memory.feed(after, _LIMIT)
        return memory.follow_events(after, _LIMIT)


def _since(request: Request) -> int | None:
    told = request.headers.get("last-event-id") or request.query_params.get("after")
    if not told:
        return None
    if not (told.isascii() and told.isdigit() and len(told) < 19):
        raise InvalidInput("Last-Event-ID is the number of an event that this stream told of.")
    return int(told)


def _happened(number: int, event: Event) -> bytes:
    return b"id: %d\n%s" % (number, _message("happened", to_data(event)))


def _message(name: str, data: object) -> bytes:
    written = escaped(msgspec.json.encode(data).decode())
    return f"event: {name}\ndata: {written}\n\n".encode()
