"""`milepost sync`: make this store and others of the same person hold the same."""

from contextlib import closing
from pathlib import Path

from milepost.documents.markdown.base import is_notes
from milepost.documents.syncing.exchange import sync_server
from milepost.documents.syncing.folder import Synced, sync_folder
from milepost.documents.syncing.meeting import sync_stores
from milepost.errors import ConfigError
from milepost.location import is_database, is_server, shown
from milepost.opening import open_context
from milepost.surfaces.cli.command import Call, Misuse
from milepost.surfaces.cli.commands.exports import where_it_lies
from milepost.surfaces.cli.commands.notes import sync_notes
from milepost.surfaces.cli.dry_run import Rehearsed
from milepost.surfaces.reach import memory_of
from milepost.unlocking import lines_beside


def sync(call: Call) -> object:
    """Sync with a folder that others sync with, with another store, or with one on a server."""
    settings, target = where_it_lies(call), call.values["target"]
    folder = Path(target).expanduser()
    is_elsewhere = is_database(target) or is_server(target)
    if not is_elsewhere and is_notes(folder):
        return sync_notes(call, folder)
    if call.values["delete"]:
        raise Misuse("--delete is for a folder of notes, which `milepost export` makes")
    if call.dry_run:
        return Rehearsed((f"sync {settings.space} with {shown(target)}",))
    with closing(open_context(settings)) as here:
        if is_server(target):
            with closing(memory_of(settings.alone_at(target))) as server:
                return sync_server(here, server)
        if not is_elsewhere and folder.is_dir():
            return sync_folder(here, folder, lines_beside(settings))
        if not is_elsewhere and not folder.is_file():
            raise ConfigError(
                f"There is neither a folder nor a store at {target}; make the folder first."
            )
        with closing(open_context(settings.alone_at(str(target)))) as there:
            done: Synced = sync_stores(here, there)
            return done
