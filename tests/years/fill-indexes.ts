/** All but those of keys, whose rows come in their order. Those of partitions go with their parent's. */
export const DROP_INDEXES = `
  create temporary table dropped_index as
  select format('%I.%I', nspname, class.relname) as name,
    replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') as definition
  from pg_index join pg_class as class on class.oid = indexrelid join pg_namespace as namespace on namespace.oid = relnamespace
  where nspname in ('gateway', 'payments', 'refunds', 'settlement', 'webhooks') and not class.relispartition
    and not exists (select from pg_constraint where conindid = indexrelid);
  do $$ declare each record; begin
    for each in select name from dropped_index loop execute 'drop index ' || each.name; end loop;
  end $$`;

export const MAKE_INDEXES = `
  do $$ declare each record; begin
    for each in select definition from dropped_index loop execute each.definition; end loop;
  end $$;
  drop table dropped_index`;
