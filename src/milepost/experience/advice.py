"""What past episodes taught that bears on the work at hand, a line each."""

from milepost.experience.entries import SALIENT, episode_space, find
from milepost.experience.summaries import TASK_CHARS, lesson
from milepost.memory.context import Context
from milepost.memory.values import Filter
from milepost.text.lines import clip

# An episode must be this likely to bear on the work, or nothing is said of it.
LEAST = 0.1


def advice(context: Context, work: str, count: int) -> list[str]:
    """Return how the episodes ended that resemble some work, and what they taught."""
    where = Filter(episode_space(context.space), context.clock(), tags=(SALIENT,), match_all=True)
    if not work.strip() or not context.store.candidates.page(where, 1).ids:
        return []
    near = find(context, context.texts.probe(work, whole=True), where, count, LEAST)
    episodes = context.store.episodes.named(context.space, [name for name, _ in near])
    return [
        f"{episode.id} {episode.outcome}: {clip(episode.task, TASK_CHARS)} -> {taught}"
        for episode in episodes
        if episode.outcome is not None and (taught := lesson(episode))
    ]
