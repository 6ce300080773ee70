import { unnested } from "@holdfast/postgres";

/** The counts to check for one payment before its claim; a rule without a limit is off. */
export type RuleQuestion = {
  /** Identifies a question within its batch. */
  lease_token: string;
  payment_id: string;
  merchant_id: string;
  idempotency_scope: string | null;
  idempotency_key: string | null;
  decline_percent: number | null;
  decline_minimum: number | null;
  /** Windows in seconds. */
  decline_window: number | null;
  ip: string | null;
  ip_max: number | null;
  ip_window: number | null;
  card: string | null;
  card_max: number | null;
  card_window: number | null;
};

/** `known` payments, by their id or their Idempotency-Key, are not counted again. */
export type RuleVerdict = "known" | "decline_rate" | "attempts_per_ip" | "attempts_per_card" | "pass";

export const QUESTION_COLUMNS = [
  ["lease_token", "uuid"],
  ["payment_id", "uuid"],
  ["merchant_id", "uuid"],
  ["idempotency_scope", "text"],
  ["idempotency_key", "text"],
  ["decline_percent", "integer"],
  ["decline_minimum", "integer"],
  ["decline_window", "integer"],
  ["ip", "text"],
  ["ip_max", "integer"],
  ["ip_window", "integer"],
  ["card", "text"],
  ["card_max", "integer"],
  ["card_window", "integer"],
] as const satisfies [keyof RuleQuestion, string][];

/**
 * The share of declines among the bank's answers to the merchant's latest payments. A payment without an answer, or not
 * sent because the bank was out of reach, proves nothing about the merchant's cards. It is counted once for each merchant
 * in a batch, over a bounded number of payments (1.2 ms): a busy merchant's whole window would take longer than the
 * payment.
 */
const DECLINING = `
  select rule.* from (
    select distinct merchant_id, decline_percent, decline_minimum, decline_window
    from fresh where decline_percent is not null
  ) as rule, lateral (
    select count(*) as given, count(*) filter (where cause in ('declined', 'inquiry_declined')) as declines
    from (
      select payment_id from rule_attempt
      where rule_attempt.merchant_id = rule.merchant_id
        and attempted_at > now() - rule.decline_window * interval '1 second'
      order by attempted_at desc limit 500
    ) as latest join payment_history using (payment_id)
    where cause in ('approved', 'inquiry_approved', 'declined', 'inquiry_declined')
  ) as answers
  where answers.given >= rule.decline_minimum
    and answers.declines * 100 >= answers.given * rule.decline_percent`;

/**
 * Takes from the counters of one kind the attempts that `from` asks for, and returns the payments that got
 * them. All statements lock the rows in one order, kind after kind and by key within a kind, so two batches
 * never deadlock. A statement that waited for another batch sees the counter as that batch left it, because
 * the update reads the row again.
 */
const taken = (name: "ip" | "card", from: string) => `
  ${name}_wanted as (
    select merchant_id, ${name} as subject, ${name}_max as attempts_max, ${name}_window as window_seconds,
      count(*)::integer as wanted
    from ${from} where ${name}_max is not null
    group by merchant_id, ${name}, ${name}_max, ${name}_window
  ), ${name}_taken as (
    insert into rule_counter as counter
      (merchant_id, kind, subject, attempts, granted, attempts_max, window_seconds, expires_at)
    select merchant_id, '${name.toUpperCase()}', subject, array_fill(now(), array[least(wanted, attempts_max)]),
      least(wanted, attempts_max), attempts_max, window_seconds, now() + window_seconds * interval '1 second'
    from ${name}_wanted order by merchant_id, subject
    on conflict (merchant_id, kind, subject) do update set
      (attempts, granted, attempts_max, window_seconds, expires_at) = (
        select kept.attempts || array_fill(now(), array[kept.room]), kept.room,
          excluded.attempts_max, excluded.window_seconds, excluded.expires_at
        from (
          select recent.attempts,
            least(excluded.granted, greatest(excluded.attempts_max - cardinality(recent.attempts), 0)) as room
          from (select array(
            select attempt from unnest(counter.attempts) as attempt
            where attempt > now() - excluded.window_seconds * interval '1 second'
          ) as attempts) as recent
        ) as kept)
    returning merchant_id, subject, granted
  ), ${name}_passed as (
    select numbered.* from (
      select ${from}.*, row_number() over (partition by merchant_id, ${name} order by lease_token) as ${name}_place
      from ${from}
    ) as numbered
    left join ${name}_taken as taken on taken.merchant_id = numbered.merchant_id and taken.subject = numbered.${name}
    where numbered.${name}_max is null or numbered.${name}_place <= taken.granted
  )`;

/**
 * Checks any number of payments against the rules in one statement, and counts the ones that pass. Only
 * payments that go to the bank are counted, so no window ever has more attempts than the rule allows. A
 * payment that is never made may be counted (the process dies before the claim, or a copy of a request is
 * counted before it is recognized), but none is missed.
 */
export const ASK_RULES = {
  name: "ask-merchant-rules",
  text: `
  with given as (select * from ${unnested(QUESTION_COLUMNS, 1)}),
  fresh as (
    select * from given
    where not exists (select from payment where payment.payment_id = given.payment_id)
      and not exists (
        select from idempotency_key as used
        where used.merchant_id = given.merchant_id and used.scope = given.idempotency_scope
          and used.key = given.idempotency_key)
  ), declining as materialized (${DECLINING}
  ), asked as (
    select * from fresh where not exists (
      select from declining
      where declining.merchant_id = fresh.merchant_id and declining.decline_percent = fresh.decline_percent
        and declining.decline_minimum = fresh.decline_minimum and declining.decline_window = fresh.decline_window)
  ), ${taken("ip", "asked")}, ${taken("card", "ip_passed")},
  attempt as (
    insert into rule_attempt (merchant_id, payment_id)
    select merchant_id, payment_id from card_passed where decline_percent is not null
    on conflict do nothing
  )
  select lease_token, now() as asked_at,
    case
      when lease_token in (select lease_token from card_passed) then 'pass'
      when lease_token in (select lease_token from ip_passed) then 'attempts_per_card'
      when lease_token in (select lease_token from asked) then 'attempts_per_ip'
      when lease_token in (select lease_token from fresh) then 'decline_rate'
      else 'known'
    end as verdict
  from given`,
};
