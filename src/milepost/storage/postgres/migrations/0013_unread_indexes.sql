-- expands
-- Indexes that nothing reads: changes are told by `homes.version` to who keeps answers, and by
-- `touched` to who follows a space that moves. Each cost a writer its share of a store.
DROP INDEX memories_by_change;
DROP INDEX removals_by_change;
