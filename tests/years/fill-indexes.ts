const SCHEMAS = "('gateway', 'payments', 'refunds', 'settlement', 'webhooks')";

/**
 * All indexes except those of primary keys, whose rows come in order. A partition's indexes are created with
 * its parent's.
 */
export const INDEXES = `
  select format('%I.%I', nspname, class.relname) as name,
    replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') as definition
  from pg_index join pg_class as class on class.oid = indexrelid join pg_namespace as namespace on namespace.oid = relnamespace
  where nspname in ${SCHEMAS} and not class.relispartition and not exists (select from pg_constraint where conindid = indexrelid)
  order by pg_table_size(indrelid) desc`;

/**
 * Commands that leave tables as autovacuum would, the largest first; a partitioned table needs an ANALYZE of
 * its own.
 */
export const TABLES = `
  select case relkind when 'p' then 'analyze only ' else 'vacuum (analyze) ' end || format('%I.%I', nspname, relname) as command
  from pg_class join pg_namespace as namespace on namespace.oid = relnamespace
  where nspname in ${SCHEMAS} and relkind in ('r', 'p')
  order by pg_table_size(pg_class.oid) desc`;
