"""A persistent memory for AI agents: `from milepost import search, store`."""

__version__ = "0.2.0"

_OPERATIONS = """
    add_observation add_step add_steps alerts analyze_patterns apply_consolidation
    apply_retention audit backup_status brief calculate_savings check_alerts check_storage
    checkpoint_episode complete_episode confirm conflicts consolidate consolidation_status
    count_tokens create_backup create_entity create_episode create_key create_relation
    decay_patterns delete delete_batch delete_by_tag delete_entity delete_episode delete_events
    delete_observation delete_relation delete_where drill_backup drop_job episode_timeline erase
    erasure_receipts event_timeline execute_code explain explain_pattern explain_reward
    export_graph extract_graph extract_patterns find_path follow_events forget_document get
    get_by_hash get_consolidation get_episode get_metrics get_pattern graph_as_of graph_diff
    health import_graph ingest list_backups list_documents list_episodes list_holds list_jobs
    list_keys list_memories list_patterns list_retention list_spaces measure_history
    measure_recall merge_entities neighbours note_shown notice pattern_effectiveness pattern_fit
    pattern_risk plan_retention query_memory read_logs recall recall_events recommend
    record_commit record_event record_events relate_episodes release_hold remind resolve
    resume_episode retry_jobs review revoke_key rotate_key save_skill savings schedule_backup
    schedule_consolidation schedule_retention search search_by_tag search_episodes search_graph
    search_iter search_patterns set_alert set_hold set_retention similar similar_episodes stale
    stats storage_health storage_info store store_batch subgraph summarize sync_changes tags
    test_alerts timeline undo undo_consolidation undo_merge update update_episode
    validate_patterns verify_audit versions
""".split()
_NAMES = {
    "surfaces.reach": "connect",
    "app": "Milepost",
    "sessions.values": "Briefing",
    "experience.values": "Completion Episode EpisodeList Findings Handover Pattern PatternList "
    "Playbook Reward Validation",
    "knowledge.values": "Consolidation ConsolidationStatus Event EventTimeline Summary",
    "programs.values": "CodeResult",
    "documents.values": "DocumentList Ingested",
    "upkeep.values": "CompactHealthInfo LogLine MetricsReport Stats",
    "measuring.values": "RecallReport",
    "access.values": "AuditCheck AuditEntry Erased ErasureReceipt Key LegalHold NewKey "
    "Retention RetentionPlan",
    "memory.values": "CompactMemory CompactSearchResult Deleted Memory Placement TagList Undone",
    "errors": "Ambiguous ConfigError EmbedderError Forbidden Held InvalidInput MilepostError "
    "NotFound Overloaded SandboxUnavailable SpaceMoved StoreBusy StoreCorrupt StoreError "
    "StoreTooNew StoreUnavailable Unreachable Unreadable",
    "surfaces.client": "MilepostClient",
    "transport.tls": "Tls",
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names.split()}

__all__ = [*_OPERATIONS, *_HOMES]  # noqa: PLE0604

# Not imported from typing, which would be half of what importing this package costs.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from milepost.access.values import AuditCheck as AuditCheck
    from milepost.access.values import AuditEntry as AuditEntry
    from milepost.access.values import Erased as Erased
    from milepost.access.values import ErasureReceipt as ErasureReceipt
    from milepost.access.values import Key as Key
    from milepost.access.values import LegalHold as LegalHold
    from milepost.access.values import NewKey as NewKey
    from milepost.access.values import Retention as Retention
    from milepost.access.values import RetentionPlan as RetentionPlan
    from milepost.app import Milepost as Milepost
    from milepost.app import default as _default
    from milepost.documents.values import DocumentList as DocumentList
    from milepost.documents.values import Ingested as Ingested
    from milepost.errors import Ambiguous as Ambiguous
    from milepost.errors import ConfigError as ConfigError
    from milepost.errors import EmbedderError as EmbedderError
    from milepost.errors import Forbidden as Forbidden
    from milepost.errors import Held as Held
    from milepost.errors import InvalidInput as InvalidInput
    from milepost.errors import MilepostError as MilepostError
    from milepost.errors import NotFound as NotFound
    from milepost.errors import Overloaded as Overloaded
    from milepost.errors import SandboxUnavailable as SandboxUnavailable
    from milepost.errors import SpaceMoved as SpaceMoved
    from milepost.errors import StoreBusy as StoreBusy
    from milepost.errors import StoreCorrupt as StoreCorrupt
    from milepost.errors import StoreError as StoreError
    from milepost.errors import StoreTooNew as StoreTooNew
    from milepost.errors import StoreUnavailable as StoreUnavailable
    from milepost.errors import Unreachable as Unreachable
    from milepost.errors import Unreadable as Unreadable
    from milepost.experience.values import Completion as Completion
    from milepost.experience.values import Episode as Episode
    from milepost.experience.values import EpisodeList as EpisodeList
    from milepost.experience.values import Findings as Findings
    from milepost.experience.values import Handover as Handover
    from milepost.experience.values import Pattern as Pattern
    from milepost.experience.values import PatternList as PatternList
    from milepost.experience.values import Playbook as Playbook
    from milepost.experience.values import Reward as Reward
    from milepost.experience.values import Validation as Validation
    from milepost.knowledge.values import Consolidation as Consolidation
    from milepost.knowledge.values import ConsolidationStatus as ConsolidationStatus
    from milepost.knowledge.values import Event as Event
    from milepost.knowledge.values import EventTimeline as EventTimeline
    from milepost.knowledge.values import Summary as Summary
    from milepost.measuring.values import RecallReport as RecallReport
    from milepost.memory.values import CompactMemory as CompactMemory
    from milepost.memory.values import CompactSearchResult as CompactSearchResult
    from milepost.memory.values import Deleted as Deleted
    from milepost.memory.values import Memory as Memory
    from milepost.memory.values import Placement as Placement
    from milepost.memory.values import TagList as TagList
    from milepost.memory.values import Undone as Undone
    from milepost.programs.values import CodeResult as CodeResult
    from milepost.sessions.values import Briefing as Briefing
    from milepost.surfaces.client import MilepostClient as MilepostClient
    from milepost.surfaces.reach import connect as connect
    from milepost.transport.tls import Tls as Tls
    from milepost.upkeep.values import CompactHealthInfo as CompactHealthInfo
    from milepost.upkeep.values import LogLine as LogLine
    from milepost.upkeep.values import MetricsReport as MetricsReport
    from milepost.upkeep.values import Stats as Stats

    add_observation = _default.add_observation
    add_step = _default.add_step
    add_steps = _default.add_steps
    alerts = _default.alerts
    analyze_patterns = _default.analyze_patterns
    apply_consolidation = _default.apply_consolidation
    apply_retention = _default.apply_retention
    audit = _default.audit
    backup_status = _default.backup_status
    brief = _default.brief
    calculate_savings = _default.calculate_savings
    check_alerts = _default.check_alerts
    check_storage = _default.check_storage
    checkpoint_episode = _default.checkpoint_episode
    complete_episode = _default.complete_episode
    confirm = _default.confirm
    conflicts = _default.conflicts
    consolidate = _default.consolidate
    consolidation_status = _default.consolidation_status
    count_tokens = _default.count_tokens
    create_backup = _default.create_backup
    create_entity = _default.create_entity
    create_episode = _default.create_episode
    create_key = _default.create_key
    create_relation = _default.create_relation
    decay_patterns = _default.decay_patterns
    delete = _default.delete
    delete_batch = _default.delete_batch
    delete_by_tag = _default.delete_by_tag
    delete_entity = _default.delete_entity
    delete_episode = _default.delete_episode
    delete_events = _default.delete_events
    delete_observation = _default.delete_observation
    delete_relation = _default.delete_relation
    delete_where = _default.delete_where
    drill_backup = _default.drill_backup
    drop_job = _default.drop_job
    episode_timeline = _default.episode_timeline
    erase = _default.erase
    erasure_receipts = _default.erasure_receipts
    event_timeline = _default.event_timeline
    execute_code = _default.execute_code
    explain = _default.explain
    explain_pattern = _default.explain_pattern
    explain_reward = _default.explain_reward
    export_graph = _default.export_graph
    extract_graph = _default.extract_graph
    extract_patterns = _default.extract_patterns
    find_path = _default.find_path
    follow_events = _default.follow_events
    forget_document = _default.forget_document
    get = _default.get
    get_by_hash = _default.get
    get_consolidation = _default.get_consolidation
    get_episode = _default.get_episode
    get_metrics = _default.get_metrics
    get_pattern = _default.get_pattern
    graph_as_of = _default.graph_as_of
    graph_diff = _default.graph_diff
    health = _default.health
    import_graph = _default.import_graph
    ingest = _default.ingest
    list_backups = _default.list_backups
    list_documents = _default.list_documents
    list_episodes = _default.list_episodes
    list_holds = _default.list_holds
    list_jobs = _default.list_jobs
    list_keys = _default.list_keys
    list_memories = _default.list_memories
    list_patterns = _default.list_patterns
    list_retention = _default.list_retention
    list_spaces = _default.list_spaces
    measure_history = _default.measure_history
    measure_recall = _default.measure_recall
    merge_entities = _default.merge_entities
    neighbours = _default.neighbours
    note_shown = _default.note_shown
    notice = _default.notice
    pattern_effectiveness = _default.pattern_effectiveness
    pattern_fit = _default.pattern_fit
    pattern_risk = _default.pattern_risk
    plan_retention = _default.plan_retention
    query_memory = _default.query_memory
    read_logs = _default.read_logs
    recall = _default.recall
    recall_events = _default.recall_events
    recommend = _default.recommend
    record_commit = _default.record_commit
    record_event = _default.record_event
    record_events = _default.record_events
    relate_episodes = _default.relate_episodes
    release_hold = _default.release_hold
    remind = _default.remind
    resolve = _default.resolve
    resume_episode = _default.resume_episode
    retry_jobs = _default.retry_jobs
    review = _default.review
    revoke_key = _default.revoke_key
    rotate_key = _default.rotate_key
    save_skill = _default.save_skill
    savings = _default.savings
    schedule_backup = _default.schedule_backup
    schedule_consolidation = _default.schedule_consolidation
    schedule_retention = _default.schedule_retention
    search = _default.search
    search_by_tag = _default.search_by_tag
    search_episodes = _default.search_episodes
    search_graph = _default.search_graph
    search_iter = _default.search_iter
    search_patterns = _default.search_patterns
    set_alert = _default.set_alert
    set_hold = _default.set_hold
    set_retention = _default.set_retention
    similar = _default.similar
    similar_episodes = _default.similar_episodes
    stale = _default.stale
    stats = _default.stats
    storage_health = _default.storage_health
    storage_info = _default.storage_info
    store = _default.store
    store_batch = _default.store_batch
    subgraph = _default.subgraph
    summarize = _default.summarize
    sync_changes = _default.sync_changes
    tags = _default.tags
    test_alerts = _default.test_alerts
    timeline = _default.timeline
    undo = _default.undo
    undo_consolidation = _default.undo_consolidation
    undo_merge = _default.undo_merge
    update = _default.update
    update_episode = _default.update_episode
    validate_patterns = _default.validate_patterns
    verify_audit = _default.verify_audit
    versions = _default.versions
else:

    def __dir__():
        return sorted(__all__)

    def __getattr__(name):
        """Load what is asked for; importing the package alone loads nothing."""
        if name in _OPERATIONS or name in _ALIASES:
            from milepost.surfaces.reach import operation

            value = operation(_ALIASES.get(name, name))
        elif name in _HOMES:
            from importlib import import_module

            value = getattr(import_module(f"milepost.{_HOMES[name]}"), name)
        else:
            raise AttributeError(f"module 'milepost' has no attribute {name!r}")
        globals()[name] = value
        return value


# What other memories call the operations; they are understood, and not shown.
_ALIASES = {
    alias: name
    for name, aliases in {
        "add_step": "log_step",
        "checkpoint_episode": "checkpoint",
        "create_episode": "start_episode",
        "delete": "forget delete_memory",
        "delete_by_tag": "delete_by_tags",
        "delete_where": "delete_all delete_all_memories delete_by_timeframe delete_before_date",
        "execute_code": "eval run_code",
        "get": "get_by_hash get_memory",
        "get_episode": "view_episode",
        "get_pattern": "view_pattern",
        "health": "health_check check_database_health memory_health",
        "ingest": "ingest_document ingest_directory",
        "list_memories": "get_all get_all_memories get_memories recall_by_timeframe",
        "recall": "recall_memory",
        "resume_episode": "resume",
        "search": "retrieve_memory search_memory search_memories memory_search",
        "stats": "memory_stats",
        "store": "remember store_memory memory_store add_memory add_memories",
        "tags": "list_tags",
        "neighbours": "neighbors",
        "undo_merge": "undo_resolve",
        "consolidate": "consolidate_memories",
        "update": "update_memory",
    }.items()
    for alias in aliases.split()
}
