-- Whatever a statement is made of is noted when it changes, in the same transaction and whoever changes it: this version or
-- the one before beside it, the command that takes files, a person with psql. So nothing is found by searching what is old.
set local lock_timeout = '3s';

-- The days of all lines about these facts: a payment's commission is spread over them, so that one line can change another's
-- part.
create function note_days_of_facts(facts uuid[]) returns void
language sql set search_path = settlement, pg_temp
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  insert into statement_change (merchant_id, currency, day)
  select distinct merchant_id, currency, coalesce(settles_on, transacted_at::date) from line
  where fact_id = any(facts) and merchant_id is not null and coalesce(settles_on, transacted_at::date) is not null
$$;

-- A line has found its fact, or counts, or counts no more.
create function note_changed_lines() returns trigger
language plpgsql set search_path = settlement, pg_temp as $$
begin
  perform note_days_of_facts(array(
    select fact_id from old_line where fact_id is not null union select fact_id from new_line where fact_id is not null));
  -- Where it was before, if it was elsewhere.
  insert into statement_change (merchant_id, currency, day)
  select merchant_id, currency, coalesce(settles_on, transacted_at::date) from old_line
  where merchant_id is not null and coalesce(settles_on, transacted_at::date) is not null
  except
  select merchant_id, currency, coalesce(settles_on, transacted_at::date) from new_line;
  return null;
end $$;

create trigger line_changed after update on line
  referencing old table as old_line new table as new_line
  for each statement execute function note_changed_lines();

-- A fact has another commission, or refunds give another part of it back; or the bank is not waited for because of it any more.
-- The two are compared by a hash: a plan that was made for one fact would compare each of a thousand with every other.
create function note_changed_facts() returns trigger
language plpgsql set search_path = settlement, pg_temp
  set enable_seqscan = off set enable_nestloop = off as $$
declare
  priced uuid[];
  parents uuid[];
begin
  select array_agg(is_now.fact_id), array_agg(coalesce(is_now.parent_id, is_now.fact_id)) into priced, parents
  from new_fact as is_now join old_fact as was on was.fact_id = is_now.fact_id
  where (is_now.standing, is_now.amount_minor, is_now.occurred_at, is_now.commission_minor, is_now.refunds_commission)
    is distinct from (was.standing, was.amount_minor, was.occurred_at, was.commission_minor, was.refunds_commission);
  if priced is not null then
    perform note_days_of_facts(priced || array(select fact_id from fact where parent_id = any(parents)));
  end if;
  insert into statement_change (merchant_id, currency)
  select distinct is_now.merchant_id, is_now.currency
  from new_fact as is_now join old_fact as was on was.fact_id = is_now.fact_id
  where was.standing = 'DONE' and not was.reported
    and (is_now.reported or (is_now.standing, is_now.occurred_at, is_now.account_id)
      is distinct from (was.standing, was.occurred_at, was.account_id));
  return null;
end $$;

create trigger fact_changed after update on fact
  referencing old table as old_fact new table as new_fact
  for each statement execute function note_changed_facts();

-- A refund that is learnt of changes which part of the commission the later refunds of its payment give back.
create function note_new_refunds() returns trigger
language plpgsql set search_path = settlement, pg_temp as $$
declare
  parents constant uuid[] := array(select parent_id from new_fact where kind = 'REFUND' and standing = 'DONE');
begin
  if cardinality(parents) > 0 then
    perform note_days_of_facts(array(select fact_id from fact where parent_id = any(parents)));
  end if;
  return null;
end $$;

create trigger refund_added after insert on fact
  referencing new table as new_fact
  for each statement execute function note_new_refunds();

-- A difference is closed by people, or gone.
create function note_ended_differences() returns trigger
language plpgsql set search_path = settlement, pg_temp as $$
declare
  ended constant uuid[] := array(
    select fact_id from new_difference where fact_id is not null and state in ('CLOSED', 'RESOLVED'));
begin
  if cardinality(ended) > 0 then
    perform note_days_of_facts(ended);
    insert into statement_change (merchant_id, currency)
    select distinct merchant_id, currency from fact where fact_id = any(ended);
  end if;
  return null;
end $$;

create trigger difference_added after insert on difference
  referencing new table as new_difference
  for each statement execute function note_ended_differences();
create trigger difference_changed after update on difference
  referencing new table as new_difference
  for each statement execute function note_ended_differences();

-- From when on an account's files report, and by which clock its days end, is about all that await the bank.
create function note_changed_account() returns trigger
language plpgsql set search_path = settlement, pg_temp as $$
begin
  insert into statement_change (merchant_id, currency) select distinct merchant_id, currency from statement where awaits;
  return null;
end $$;

create trigger account_changed after update on account
  for each row when ((old.compared_since, old.time_zone) is distinct from (new.compared_since, new.time_zone))
  execute function note_changed_account();

revoke all on function note_days_of_facts(uuid[]), note_changed_lines(), note_changed_facts(), note_new_refunds(),
  note_ended_differences(), note_changed_account() from public;
grant execute on function note_days_of_facts(uuid[]) to settlement_app;
