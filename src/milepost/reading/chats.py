"""Conversations in the exports of Claude, ChatGPT and Slack, and of who writes role and content."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from milepost.documents.values import Section
from milepost.reading.moments import moment

_NAMES = {"human": "user", "model": "assistant", "ai": "assistant", "bot": "assistant"}
_SILENT = frozenset({"system", "tool", "developer", "function"})
_TEXTS = ("text", "output_text", "input_text")
_DEPTH = 4


def sections_of(value: Any) -> list[Section]:
    """Return the messages of an export, or nothing when it is none."""
    return list(_conversations(value))


def _conversations(value: Any) -> Iterator[Section]:
    if isinstance(value, dict):
        if isinstance(value.get("mapping"), dict):
            yield from _chatgpt(value)
        elif isinstance(value.get("chat_messages"), list):
            yield from _messages(value["chat_messages"], _title(value))
        elif isinstance(value.get("messages"), list) and _is_chat(value["messages"]):
            yield from _messages(value["messages"], _title(value))
        elif isinstance(value.get("conversations"), list):
            yield from _conversations(value["conversations"])
    elif isinstance(value, list) and value:
        if _is_chat(value):
            yield from _messages(value, ())
        elif all(isinstance(one, dict) and _is_conversation(one) for one in value):
            for one in value:
                yield from _conversations(one)


def _is_conversation(value: dict[str, Any]) -> bool:
    return any(
        isinstance(value.get(name), dict | list)
        for name in ("mapping", "chat_messages", "messages")
    )


def _is_chat(messages: list[Any]) -> bool:
    """Whether most of these are messages; what a client notes in between is none."""
    said = sum(isinstance(one, dict) and bool(_author(one)) and _has_text(one) for one in messages)
    return said * 2 > len(messages)


def _title(conversation: dict[str, Any]) -> tuple[str, ...]:
    title = conversation.get("name") or conversation.get("title")
    return (title,) if isinstance(title, str) and title else ()


def _chatgpt(conversation: dict[str, Any]) -> Iterator[Section]:
    """Go from the last message up to the first: what was asked anew is on other branches."""
    mapping, at = conversation["mapping"], conversation.get("current_node")
    if not isinstance(at, str) or at not in mapping:
        at = next((key for key, node in reversed(mapping.items()) if isinstance(node, dict)), None)
    nodes: list[Any] = []
    seen = set()
    while isinstance(at, str) and at in mapping and at not in seen:
        seen.add(at)
        node = mapping[at]
        if not isinstance(node, dict):
            break
        nodes.append(node.get("message"))
        at = node.get("parent")
    yield from _messages(reversed(nodes), _title(conversation))


def _messages(messages: Any, heading: tuple[str, ...]) -> Iterator[Section]:
    for one in messages:
        if not isinstance(one, dict) or _is_aside(one):
            continue
        author, text = _author(one), "\n\n".join(_parts(one))
        if author and author not in _SILENT and text.strip():
            told = one.get("timestamp") or one.get("created_at") or one.get("create_time")
            created = moment(told or one.get("ts") or one.get("date"))
            yield Section(text.strip(), heading, kind="message", author=author, created=created)


def _is_aside(message: dict[str, Any]) -> bool:
    """Whether a message is hidden, or is for a tool; what the model told its memory is not."""
    about = message.get("metadata")
    is_hidden = isinstance(about, dict) and about.get("is_visually_hidden_from_conversation")
    return bool(is_hidden) or message.get("recipient") not in (None, "all", "bio")


def _parts(message: dict[str, Any]) -> Iterator[str]:
    """Yield what is said, and the text of what was attached."""
    attached = message.get("attachments")
    files = attached if isinstance(attached, list) else ()
    texts = (file.get("extracted_content") for file in files if isinstance(file, dict))
    for text in (_text(_content(message)), *texts):
        if isinstance(text, str) and text.strip():
            yield text.strip()


def _author(message: dict[str, Any]) -> str:
    """Return who says a message, nothing of what is none."""
    inner = message.get("message")
    if isinstance(inner, dict) and "role" in inner:
        message = inner
    profile = message.get("user_profile")
    if isinstance(profile, dict):
        return str(profile.get("display_name") or profile.get("real_name") or "")
    for name in ("role", "sender", "author", "user", "username", "from"):
        told = message.get(name)
        if isinstance(told, dict):
            told = told.get("name") or told.get("role")
        if isinstance(told, str) and told:
            return _NAMES.get(told.lower(), told)
    return ""


def _has_text(message: dict[str, Any]) -> bool:
    return isinstance(_content(message), str | list | dict)


def _content(message: dict[str, Any]) -> Any:
    inner = message.get("message")
    if isinstance(inner, dict):
        message = inner
    elif isinstance(inner, str):
        return inner
    content = message.get("content")
    return content or message.get("text") or message.get("body")


def _text(content: Any, depth: int = 0) -> str:
    """Return the text of a content: one, or parts of which some are text."""
    if isinstance(content, str):
        return content
    if depth > _DEPTH:
        return ""
    if isinstance(content, list):
        parts = (_text(part, depth + 1) for part in content)
        return "\n".join(part for part in parts if part)
    if isinstance(content, dict):
        if isinstance(content.get("parts"), list):
            return _text(content["parts"], depth + 1)
        if content.get("type", "text") in _TEXTS and isinstance(content.get("text"), str):
            return str(content["text"])
    return ""
