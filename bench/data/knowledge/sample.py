"""Draw the memories to label by a fixed seed, their length and whether a question asks for them."""

import gzip
import json
import random
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
from entity_labels import digest, records

SEED = 15
SHORTEST, LONGEST = 60, 480
LENGTHS = {"meetings": 180, "month": 80, "changes-long": 250, "histories-long": 130}
LONGMEMEVAL = "longmemeval_dev/longmemeval_s_dev190.json.gz"
REFLEXION = "reflexion_episodes/"

# Split, set, language, how many, files.
PLAN = [
    ("dev", "changes", "en", 18, [
        "changes.aio-libs+aiohttp", "changes.mesonbuild+meson", "changes.psf+black",
    ]),
    ("dev", "faq", "en", 18, ["faq.borgbackup+borg", "faq.curl+curl", "faq.benoitc+gunicorn"]),
    ("dev", "meetings-icsi", "en", 10, []),
    ("dev", "reflexion", "en", 8, [
        "mbpp-py._reflexion_5_gpt-4_pass_at_k_1_py.jsonl",
        "leetcode-hard-py-40-uncontaminated._reflexion_5_gpt-4_pass_at_k_1_py.jsonl",
    ]),
    ("dev", "hotpotqa", "en", 8, ["100_questions_5_trials.txt"]),
    ("dev", "histories", "en", 22, ["team-notes", "coding-sessions", "pair-programming"]),
    ("dev", "histories", "de", 16, ["werkstatt-de"]),
    ("test", "changes", "en", 50, [
        "changes.encode+httpx", "changes.etcd-io+etcd", "changes.prometheus+prometheus",
        "changes.python-attrs+attrs", "changes.python-poetry+poetry", "changes.rust-lang+cargo",
        "changes.scikit-learn+scikit-learn", "changes.scrapy+scrapy", "changes.tokio-rs+tokio",
        "changes.urllib3+urllib3",
    ]),
    ("test", "faq", "en", 28, [
        "faq.Homebrew+brew", "faq.git-lfs+git-lfs", "faq.google+googletest",
        "faq.prometheus+docs", "faq.sqlalchemy+sqlalchemy",
        "faq.typescript-eslint+typescript-eslint", "faq.etcd-io+website",
    ]),
    ("test", "meetings-ami", "en", 8, []),
    ("test", "meetings-committee", "en", 10, []),
    ("test", "longmemeval", "en", 24, [LONGMEMEVAL]),
    ("test", "longmemeval", "zh", 3, [LONGMEMEVAL]),
    ("test", "longmemeval", "de", 2, [LONGMEMEVAL]),
    ("test", "longmemeval", "fr", 2, [LONGMEMEVAL]),
    ("test", "longmemeval", "es", 2, [LONGMEMEVAL]),
    ("test", "locomo", "en", 16, ["locomo/locomo_dev5.json"]),
    ("test", "histories", "en", 32, ["team-channel", "engineer-notes", "updates", "maintainers"]),
    ("test", "histories", "es", 14, ["equipo-es"]),
    ("test", "histories", "zh", 14, ["xiangmu-zh"]),
    # A second draw, of longer texts and of memories about code.
    ("dev", "briefing", "en", 14, ["emberfall", "trailmark-android"]),
    ("dev", "month", "en", 8, ["dev1"]),
    ("test", "briefing", "en", 24, ["ferrosync", "harbor-docs", "orderflow-dw", "parcelo-api"]),
    ("test", "month", "en", 6, ["dev2"]),
    ("test", "month", "de", 10, ["dev3"]),
    ("test", "month", "mixed", 14, ["dev4"]),
    ("test", "changes-long", "en", 15, [
        "changes.encode+httpx", "changes.etcd-io+etcd", "changes.prometheus+prometheus",
        "changes.python-attrs+attrs", "changes.rust-lang+cargo", "changes.tokio-rs+tokio",
    ]),
    ("test", "histories-long", "en", 14, ["support", "club"]),
    # A third draw, of notes that say how things hang together.
    ("dev", "histories-long", "en", 10, ["team-notes"]),
    ("test", "histories-long", "en", 40, [
        "updates", "engineer-notes", "maintainers", "team-channel",
    ]),
    ("test", "histories-long", "es", 6, ["equipo-es"]),
]  # fmt: skip
COMMON = {
    "de": set("der die das und ist nicht ich wir mit für auf ein eine waren sich".split()),
    "fr": set("le la les des est une dans pour vous je nous sur avec qui que".split()),
    "es": set("el los las una por para con que como está del se su".split()),
}


def language(text: str) -> str:
    if len(re.findall("[\u4e00-\u9fff]", text)) > 20 and not re.search("[\u3040-\u30ff]", text):
        return "zh"
    words = re.findall(r"\w+", text.lower())
    shares = {name: sum(w in ws for w in words) / (len(words) or 1) for name, ws in COMMON.items()}
    best = max(shares, key=shares.__getitem__)
    return best if shares[best] > 0.18 else "en"


def files_of(kind: str, names: list[str], data: Path) -> list[str]:
    if kind in ("changes", "changes-long", "faq"):
        return [f"developer/{name}.json.gz" for name in names]
    if kind in ("histories", "histories-long"):
        return [f"histories/{name}.txt" for name in names]
    if kind in ("reflexion", "hotpotqa"):
        return [REFLEXION + name for name in names]
    if kind == "briefing":
        return [f"briefing/dev.json#{name}" for name in names]
    if kind == "month":
        return [f"month/{name}.json" for name in names]
    if kind.startswith("meetings"):
        return [f"meetings/{path.name}" for path in sorted((data / "meetings").glob("*.gz"))]
    return names


def belongs(kind: str, record: str) -> bool:
    """Tell the three sources of QMSum apart by the names of their meetings."""
    if kind == "meetings-icsi":
        return re.match(r"B[a-z]{2}\d", record) is not None
    if kind == "meetings-ami":
        return re.match(r"[A-Z]{2}\d", record) is not None
    if kind == "meetings-committee":
        return re.match(r"(education|covid)_", record) is not None
    return True


def asked(kind: str, spoken: str, file: str, data: Path) -> set[str] | None:
    """Name the records that answer a question of the set; None for all, where chat is not meant.

    Most turns of chats are pleasantries that nobody would store.
    """
    if spoken != "en" or kind not in (
        "longmemeval",
        "locomo",
        "meetings-ami",
        "meetings-committee",
    ):
        return None
    content = (data / file).read_bytes()
    content = json.loads(gzip.decompress(content) if file.endswith(".gz") else content)
    if kind == "longmemeval":
        sessions = content["sessions"].items()
        return {
            f"{s}/{i}" for s, turns in sessions for i, t in enumerate(turns) if t.get("has_answer")
        }
    if kind == "locomo":
        return {
            f"{talk['sample_id']}/{e}"
            for talk in content
            for q in talk["qa"]
            for e in q["evidence"]
        }
    return {gold for question in content["questions"] for gold in question["gold"]}


def pieces(kind: str, text: str) -> list[tuple[int, int]]:
    """Cut a record into memories: a paragraph of long chats, the beginning of anything else."""
    if kind in ("longmemeval", "hotpotqa"):
        pattern = (
            r"Observation \d+: (?!Answer|Could not|The last page)(.+)"
            if kind == "hotpotqa"
            else r"([^\n]+(?:\n[^\n]+)*)"
        )
        return [cut(text, *m.span(1)) for m in re.finditer(pattern, text)]
    return [cut(text, 0, len(text))]


def cut(text: str, start: int, end: int) -> tuple[int, int]:
    if end - start <= LONGEST:
        return start, end
    ends = [
        m.end(1)
        for m in re.finditer(
            r"([.!?。！？])(?=\s|$|[^\x00-\x7f])|(?=\n)", text[start : start + LONGEST]
        )
        if m.group(1)
    ]
    return start, start + (max(ends) if ends and max(ends) >= SHORTEST else LONGEST)


def candidates(kind: str, spoken: str, file: str, data: Path) -> list[tuple[str, int, int]]:
    # Most turns of meetings are fillers; Chinese says more in fewer characters.
    shortest = (
        20
        if spoken == "zh"
        else LENGTHS.get(kind.partition("-")[0] if kind.startswith("meetings") else kind, SHORTEST)
    )
    found = []
    wanted = asked(kind, spoken, file, data)
    file, _, project = file.partition("#")
    for record, text in records(data, file).items():
        if not record.startswith(project):
            continue
        if not belongs(kind, record) or (wanted is not None and record not in wanted):
            continue
        for start, end in pieces(kind, text):
            if end - start >= shortest and (
                kind != "longmemeval" or language(text[start:end]) == spoken
            ):
                found.append((record, start, end))
    return found


def main() -> None:
    data, out = Path(sys.argv[1]), Path(sys.argv[2])
    chance = random.Random(SEED)
    lines: list[dict[str, object]] = []
    drawn: set[tuple[str, str, int]] = set()
    for split, kind, spoken, wanted, names in PLAN:
        files = files_of(kind, names, data)
        if len(files) > wanted:
            files = sorted(chance.sample(files, wanted))
        pools = {file: candidates(kind, spoken, file, data) for file in files}
        for file in files:
            chance.shuffle(pools[file])
        taken = 0
        while taken < wanted and any(pools.values()):
            for file in files:
                if taken < wanted and pools[file]:
                    record, start, end = pools[file].pop()
                    path = file.partition("#")[0]
                    if (path, record, start) in drawn:
                        continue
                    drawn.add((path, record, start))
                    text = records(data, path)[record][start:end]
                    lines.append({
                        "split": split, "set": kind.removesuffix("-long"),
                        "language": language(text) if spoken == "mixed" else spoken,
                        "file": path, "record": record, "span": [start, end],
                        "digest": digest(text),
                    })  # fmt: skip
                    taken += 1
    with out.open("w") as sink:
        for number, line in enumerate(lines):
            sink.write(json.dumps({"id": f"m{number:03}", **line}) + "\n")


if __name__ == "__main__":
    main()
