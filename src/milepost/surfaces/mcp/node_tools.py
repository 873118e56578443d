"""The nine tools of the reference MCP memory server, answered from the graph in its own shapes.

They are answered when called and listed when the setting `tools` names them.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from milepost.app import Operations
from milepost.errors import InvalidInput, NotFound
from milepost.text.fence import cleaned
from milepost.text.naming import name_key, word_key

# A longer answer is cut: clients warn of more, or cut it off where it is no JSON any more.
ANSWER_CHARS = 40_000

Rows = list[dict[str, Any]]
Arguments = Mapping[str, Any]


class NodeAnswer(NamedTuple):
    """What a tool answers: the text, the same as data, and whether it is about a failure."""

    text: str
    structured: dict[str, Any] | None = None
    failed: bool = False


class NodeTool(NamedTuple):
    """One of the tools: what it does, what it takes, and what answers it."""

    description: str
    parameters: dict[str, Any]
    answer: Callable[[Operations, Arguments], NodeAnswer]
    read_only: bool = False
    destructive: bool = False

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of the arguments."""
        return {
            "type": "object",
            "properties": self.parameters,
            "required": [*self.parameters],
        }


def answer(memory: Operations, name: str, arguments: Arguments) -> NodeAnswer:
    """Answer a call of one of the tools."""
    tool = NODE_TOOLS[name]
    for parameter, schema in tool.parameters.items():
        if parameter not in arguments:
            raise InvalidInput(f"{name} needs {parameter}.")
        _check(parameter, arguments[parameter], schema)
    return tool.answer(memory, arguments)


def manual(name: str) -> str:
    """Return what find_tools tells of a tool."""
    tool = NODE_TOOLS[name]
    shown = [f"  {key}: {json.dumps(schema)}" for key, schema in tool.parameters.items()]
    return "\n".join([f"{name}({', '.join(tool.parameters)})", f"{tool.description}.", *shown])


def _check(what: str, value: object, schema: Mapping[str, Any]) -> None:
    kinds: dict[str, type] = {"string": str, "array": list, "object": Mapping}
    if not isinstance(value, kinds[schema["type"]]):
        raise InvalidInput(f"{what} must be a JSON {schema['type']}, not {value!r}.")
    if isinstance(value, list):
        for item in value:
            _check(f"an item of {what}", item, schema["items"])
    elif isinstance(value, Mapping):
        for field in schema["required"]:
            if field not in value:
                raise InvalidInput(f"{what} lacks {field}.")
            _check(field, value[field], schema["properties"][field])


def _create_entities(memory: Operations, given: Arguments) -> NodeAnswer:
    known = _going_by(memory, _field(given["entities"], "name"))
    fresh = {name_key(e["name"]): e for e in given["entities"] if name_key(e["name"]) not in known}
    rows = [{key: e[key] for key in ("name", "entityType", "observations")} for e in fresh.values()]
    memory.import_graph([{"type": "entity", **row} for row in rows])
    return _told(rows, {"entities": rows})


def _create_relations(memory: Operations, given: Arguments) -> NodeAnswer:
    given_rows = _edges(given["relations"])
    ends = [name for row in given_rows for name in (row["from"], row["to"])]
    names = {key: row["name"] for key, row in _going_by(memory, ends).items()}
    rows = {_edge(row, names): row for row in given_rows}
    known = {_edge(row) for row in _open(memory, _field(rows.values(), "from"))[1]}
    fresh = [row for edge, row in rows.items() if edge not in known]
    memory.import_graph([{"type": "relation", **row} for row in fresh])
    return _told(fresh, {"relations": fresh})


def _add_observations(memory: Operations, given: Arguments) -> NodeAnswer:
    known, results = _going_by(memory, _field(given["observations"], "entityName")), []
    for item in given["observations"]:
        name = item["entityName"]
        if name_key(name) not in known:
            return NodeAnswer(cleaned(f"Entity with name {name} not found"), failed=True)
        said = known[name_key(name)]["observations"]
        fresh = [text for text in item["contents"] if text not in said]
        results.append({"entityName": name, "addedObservations": list(dict.fromkeys(fresh))})
    for result in results:
        for text in result["addedObservations"]:
            memory.add_observation(result["entityName"], text)
    return _told(results, {"results": results})


def _delete_entities(memory: Operations, given: Arguments) -> NodeAnswer:
    for name in given["entityNames"]:
        with suppress(NotFound):
            memory.delete_entity(name)
    return _done("Entities deleted successfully")


def _delete_observations(memory: Operations, given: Arguments) -> NodeAnswer:
    for item in given["deletions"]:
        for text in item["observations"]:
            with suppress(NotFound):
                memory.delete_observation(item["entityName"], text)
    return _done("Observations deleted successfully")


def _delete_relations(memory: Operations, given: Arguments) -> NodeAnswer:
    for row in given["relations"]:
        with suppress(NotFound):
            memory.delete_relation(row["from"], row["relationType"], row["to"])
    return _done("Relations deleted successfully")


def _read_graph(memory: Operations, given: Arguments) -> NodeAnswer:
    del given
    return _graph(*_parted(memory.export_graph()))


def _search_nodes(memory: Operations, given: Arguments) -> NodeAnswer:
    query = given["query"]
    return _graph(*_parted(memory.export_graph(query=query if query.strip() else None)))


def _open_nodes(memory: Operations, given: Arguments) -> NodeAnswer:
    return _graph(*_open(memory, given["names"]))


def _open(memory: Operations, names: Iterable[str]) -> tuple[Rows, Rows]:
    """Return those of some entities that are known, and their relations."""
    known = _field(_going_by(memory, names).values(), "name")
    return _parted(memory.export_graph(known)) if known else ([], [])


def _going_by(memory: Operations, names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return by their keys those of some names that are known, with the entity each means."""
    known = {}
    for name in dict.fromkeys(names):
        with suppress(NotFound):
            (known[name_key(name)],) = _parted(memory.export_graph([name]))[0]
    return known


def _parted(lines: Iterable[str]) -> tuple[Rows, Rows]:
    entities: Rows = []
    relations: Rows = []
    for line in map(json.loads, lines):
        rows = entities if line.pop("type") == "entity" else relations
        rows.append(line)
    return entities, relations


def _graph(entities: Rows, relations: Rows) -> NodeAnswer:
    """Return entities and relations, as many as an answer can hold."""
    shown: dict[str, Any] = {"entities": entities, "relations": relations}
    while len(_text(shown)) > ANSWER_CHARS:
        shown = {key: rows[: len(rows) // 2] for key, rows in shown.items()}
    left = len(entities) + len(relations) - sum(map(len, shown.values()))
    shown = _harmless(shown | ({"leftOut": left} if left else {}))
    return NodeAnswer(_text(shown), shown)


def _told(rows: Rows, structured: dict[str, Any]) -> NodeAnswer:
    return NodeAnswer(_text(_harmless(rows)), _harmless(structured))


def _harmless(value: Any) -> Any:
    """Return data whose texts a model can be given; the JSON of them is as harmless."""
    if isinstance(value, str):
        return cleaned(value)
    if isinstance(value, list):
        return [_harmless(item) for item in value]
    if isinstance(value, dict):
        return {key: _harmless(item) for key, item in value.items()}
    return value


def _done(message: str) -> NodeAnswer:
    return NodeAnswer(message, {"success": True, "message": message})


def _text(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _field(rows: Iterable[Mapping[str, Any]], name: str) -> list[str]:
    return [row[name] for row in rows]


def _edges(rows: Iterable[Mapping[str, Any]]) -> Rows:
    return [{key: row[key] for key in ("from", "to", "relationType")} for row in rows]


def _edge(row: Mapping[str, Any], names: Mapping[str, str] | None = None) -> tuple[str, str, str]:
    """Return what makes an edge, by the names that the entities at its ends go by."""
    source, target = (name_key(row[end]) for end in ("from", "to"))
    called = [name_key((names or {}).get(key, key)) for key in (source, target)]
    return called[0], word_key(row["relationType"]), called[1]


_STRING = {"type": "string"}
_STRINGS = {"type": "array", "items": _STRING}


def _objects(**fields: Any) -> dict[str, Any]:
    item = {"type": "object", "properties": fields, "required": [*fields]}
    return {"type": "array", "items": item}


_ENTITIES = _objects(name=_STRING, entityType=_STRING, observations=_STRINGS)
_RELATIONS = _objects(**{"from": _STRING, "to": _STRING, "relationType": _STRING})

NODE_TOOLS = {
    "create_entities": NodeTool(
        "Create multiple new entities in the knowledge graph",
        {"entities": _ENTITIES},
        _create_entities,
    ),
    "create_relations": NodeTool(
        "Create multiple new relations between entities, in active voice",
        {"relations": _RELATIONS},
        _create_relations,
    ),
    "add_observations": NodeTool(
        "Add new observations to existing entities",
        {"observations": _objects(entityName=_STRING, contents=_STRINGS)},
        _add_observations,
    ),
    "delete_entities": NodeTool(
        "Delete entities and their relations",
        {"entityNames": _STRINGS},
        _delete_entities,
        destructive=True,
    ),
    "delete_observations": NodeTool(
        "Delete specific observations from entities",
        {"deletions": _objects(entityName=_STRING, observations=_STRINGS)},
        _delete_observations,
        destructive=True,
    ),
    "delete_relations": NodeTool(
        "Delete relations from the knowledge graph",
        {"relations": _RELATIONS},
        _delete_relations,
        destructive=True,
    ),
    "read_graph": NodeTool("Read the entire knowledge graph", {}, _read_graph, read_only=True),
    "search_nodes": NodeTool(
        "Search for nodes by names, types and observations",
        {"query": _STRING},
        _search_nodes,
        read_only=True,
    ),
    "open_nodes": NodeTool(
        "Open specific nodes by their names", {"names": _STRINGS}, _open_nodes, read_only=True
    ),
}
