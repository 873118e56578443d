"""asyncio, sleeping and executors without threads and sockets; plain values can be awaited too."""

from __future__ import annotations

import ast
import asyncio
import concurrent.futures
import inspect
import time
from asyncio import events, tasks
from asyncio.events import _get_running_loop, _set_running_loop
from asyncio.tasks import _enter_task, _leave_task
from collections.abc import Callable, Coroutine
from types import CodeType
from typing import Any

Sleep = Callable[[float], bool]


class _Selector:
    """Waits for nothing but time."""

    def select(self, timeout: float | None) -> list[Any]:
        if timeout is None:
            raise RuntimeError("every task waits for something that will never come")
        if timeout > 0:
            time.sleep(timeout)
        return []


class Loop(asyncio.BaseEventLoop):
    """An event loop over the host's clock."""

    _selector = _Selector()

    def create_task(self, coro: Any, **options: Any) -> Any:
        """Start a coroutine; a value is a task that is done."""
        return super().create_task(_coroutine(coro), **options)

    def run_in_executor(self, _executor: Any, func: Any, *args: Any) -> Any:  # type: ignore[override]
        """Run the function here and now: there are no threads."""
        return self.create_task(_called(func, *args))

    def _process_events(self, event_list: Any) -> None: ...
    def _write_to_self(self) -> None: ...


async def _value(value: Any) -> Any:
    return value


async def _called(function: Callable[..., Any], *arguments: Any) -> Any:
    return function(*arguments)


def _coroutine(item: Any) -> Any:
    """Return a coroutine for what may be awaited and for a plain value."""
    if inspect.iscoroutine(item):
        return item
    return _awaited(item) if inspect.isawaitable(item) else _value(item)


async def _awaited(item: Any) -> Any:
    return await item


def awaitable(item: Any) -> Any:
    """Return something to await; `await` in a program goes through here."""
    return item if inspect.isawaitable(item) else _value(item)


class Awaits(ast.NodeTransformer):
    """Lets a program await what the host's functions return, which are plain values."""

    def visit_Await(self, node: ast.Await) -> ast.Await:
        """Pass what is awaited through `awaitable`."""
        self.generic_visit(node)
        name = ast.Name("__awaitable__", ast.Load())
        call = ast.copy_location(ast.Call(name, [node.value], []), node)
        ast.fix_missing_locations(call)
        node.value = call
        return node


def compiled(source: str, file: str) -> CodeType:
    """Compile a module in which plain values can be awaited."""
    tree = ast.parse(source, file)
    code: CodeType = compile(Awaits().visit(tree) if "await" in source else tree, file, "exec")
    return code


def run(coroutine: Coroutine[Any, Any, Any], loop: Loop) -> Any:
    """Run a coroutine to its end, also when another loop is running."""
    outer = _get_running_loop()
    task = None if outer is None else tasks.current_task(outer)
    if outer is not None and task is not None:
        _leave_task(outer, task)
    _set_running_loop(None)
    try:
        return loop.run_until_complete(coroutine)
    finally:
        _set_running_loop(outer)
        if outer is not None and task is not None:
            _enter_task(outer, task)


def install(sleep: Sleep) -> None:
    """Put what works here in the place of what needs threads, sockets or signals."""

    def slept(seconds: float) -> None:
        seconds = float(seconds)
        if not seconds >= 0:
            raise ValueError("sleep length must be non-negative")
        if not sleep(seconds):
            raise TimeoutError(f"sleeping {seconds:g} s is longer than a run may sleep")

    def asyncio_run(main: Any, **_options: Any) -> Any:
        return run(_coroutine(main), Loop())

    def ensure_future(item: Any, *, loop: Any = None) -> Any:
        return original(awaitable(item), loop=loop)

    async def wait_for(item: Any, timeout: float | None) -> Any:
        return await original_wait_for(awaitable(item), timeout)

    async def to_thread(function: Any, /, *args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    original, original_wait_for = tasks.ensure_future, tasks.wait_for
    vars(time)["sleep"] = slept
    for place in (asyncio, tasks):
        vars(place).update(ensure_future=ensure_future, wait_for=wait_for)
    for place in (asyncio, events):
        vars(place)["new_event_loop"] = Loop
    vars(asyncio).update(run=asyncio_run, to_thread=to_thread)
    concurrent.futures.ThreadPoolExecutor.submit = _submit  # type: ignore[method-assign]
    processes = ("ProcessPoolExecutor", "InterpreterPoolExecutor")
    public = [name for name in concurrent.futures.__all__ if name not in processes]
    vars(concurrent.futures)["__all__"] = public


def _submit(_executor: Any, function: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Run the function at once."""
    future: concurrent.futures.Future[Any] = concurrent.futures.Future()
    try:
        future.set_result(function(*args, **kwargs))
    except Exception as problem:  # noqa: BLE001 -- the future hands it to whoever asks
        future.set_exception(problem)
    return future
