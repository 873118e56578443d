"""What is done in the background, by topic."""

from collections.abc import Callable, Mapping

from milepost.model.job import Job
from milepost.services.completion import LEARN, UPKEEP
from milepost.services.context import Context
from milepost.services.digest import TOPIC, digest
from milepost.services.lessons import learn, look_after

JOBS: Mapping[str, Callable[[Context, Job], None]] = {
    TOPIC: digest,
    LEARN: learn,
    UPKEEP: look_after,
}
