import { TEST_ACCOUNT_ID } from "../support/index.ts";

/** The lists of operators that have cursors of their own, with rows written straight into the tables. */

type Query = (text: string, values?: unknown[]) => Promise<unknown>;
type Item = Record<string, unknown>;

/** More rows than two of the largest pages. */
export const COUNT = 450;

export type ExportedList = {
  path: string;
  /** The header row of its CSV, which is all that an empty file has. */
  header: string;
  /** Begins the name of its file. */
  file: string;
  /** The columns that identify an item; its rows begin with them. */
  key: string[];
  /** Filters, with the items that each matches; each matches some and leaves some out. */
  filters: [query: string, matches: (item: Item) => boolean][];
  /**
   * A cell with text of people or banks, as a spreadsheet must get it; absent if the list has no such text.
   */
  formula?: string;
  insert: (query: Query, merchantIds: string[]) => Promise<unknown>;
};

export const EXPORTED_LISTS: ExportedList[] = [
  {
    path: "webhook-deliveries",
    header:
      "eventId,eventType,merchantId,livemode,paymentId,paymentStatus,orderId,endpointId,status,occurredAt,deadlineAt,remainingSeconds,attemptCount,lastError,lastStatusCode,nextAttemptAt,resolvedAt,merchantName",
    file: "webhook-deliveries-",
    key: ["eventId"],
    filters: [["status=failed", ({ status }) => status === "failed"]],
    formula: ",'=order-10,",
    insert: (query, merchantIds) => insertDeliveries(query, merchantIds, COUNT),
  },
  {
    path: "differences",
    header:
      "differenceId,accountId,class,state,amount,currency,ours.amount,ours.currency,theirs.amount,theirs.currency,detail,paymentId,payoutId,merchantId,day,importId,line,assignee,proposedBy,closedBy,decision,acceptedAmount,acceptedCurrency,reason,openedAt,endedAt,ageSeconds,notes,merchantName",
    file: "differences-",
    key: ["differenceId"],
    filters: [
      ["class=LATE", (item) => item["class"] === "LATE"],
      [
        "class=LATE&accountId=second",
        ({ class: kind, accountId }) => kind === "LATE" && accountId === "second",
      ],
    ],
    formula: ",'=late,",
    insert: insertDifferences,
  },
  {
    path: "audit-log",
    header: "service,sequence,at,actor,action,subject,detail,hash",
    file: "audit-log-",
    key: ["service", "sequence"],
    filters: [
      ["actor=%40bora", ({ actor }) => actor === "@bora"],
      ["service=refunds", ({ service }) => service === "refunds"],
      ["service=refunds&actor=%40bora", ({ actor, service }) => service === "refunds" && actor === "@bora"],
    ],
    formula: ",'@bora,",
    insert: insertAudit,
  },
  {
    path: "settlements",
    header:
      "importId,accountId,mapping,mappingVersion,fileName,importedBy,confirmedBy,sha256,state,reason,detail,senderConfirms,lines,faults,createdAt,comparedAt",
    file: "settlements-",
    key: ["importId"],
    filters: [["accountId=second", ({ accountId }) => accountId === "second"]],
    formula: ",'+bank-10.csv,",
    insert: insertImports,
  },
  {
    path: "merchants",
    header:
      "merchantId,name,status,commission.ratePercent,commission.fixed,commission.currency,commission.rules,commission.mayExceedAmount,commission.refundsCommission,rules.largestAmounts,rules.attemptsPerCard.max,rules.attemptsPerCard.windowSeconds,rules.attemptsPerIp.max,rules.attemptsPerIp.windowSeconds,rules.declineRate.percent,rules.declineRate.minimumCount,rules.declineRate.windowSeconds,version,createdAt,credentials",
    file: "merchants-",
    key: ["merchantId"],
    filters: [],
    formula: ",'=Shop 10,",
    insert: (query) =>
      query(
        "insert into gateway.merchant (name) select '=Shop ' || number from generate_series(1, $1::int) as number",
        [COUNT],
      ),
  },
];

/** Events of these merchants in turn, a millisecond apart; every fifth delivery has failed. */
export async function insertDeliveries(query: Query, merchantIds: string[], count: number): Promise<void> {
  await query(
    `with made as (
       insert into webhooks.event (occurred_at, event_id, source, event_type, merchant_id, payment_id, status, body)
       select uuid_extract_timestamp(id), id, 'payments', 'payment.status_changed',
         ($1::uuid[])[number % cardinality($1::uuid[]) + 1], gen_random_uuid(), 'SUCCESS',
         convert_to(format('{"cardHolderName":"Ada Lovelace","orderId":"=order-%s"}', number), 'UTF8')
       from generate_series(1, $2::int) as number, uuidv7(make_interval(secs => number * -0.001)) as id
       returning occurred_at, event_id, merchant_id
     )
     insert into webhooks.outcome (endpoint_id, occurred_at, event_id, outcome)
     select merchant_id, occurred_at, event_id, case row_number() over (order by event_id) % 5 when 0 then 'failed' else 'delivered' end
     from made`,
    [merchantIds, count],
  );
}

/**
 * Inserts open differences, each about a payment, and some closed ones; every third is LATE, and every second
 * belongs to the account `second`.
 */
async function insertDifferences(query: Query, [merchantId]: string[]): Promise<void> {
  await query("insert into settlement.account (account_id) values ('second') on conflict do nothing");
  await query(
    `with made as (
       insert into settlement.fact (fact_id, account_id, merchant_id, kind, standing, amount_minor, currency, occurred_at,
         version, order_id, masked_pan, reported, verdict, commission_minor)
       select uuidv7(), '${TEST_ACCOUNT_ID}', $1, 'SALE', 'DONE', 1000 + number, 'TRY', now(), 1, 'order-' || number, '411111******1111',
         true, 'LATE', 2
       from generate_series(1, $2::int + 20) as number
       returning fact_id, amount_minor - 1000 as number
     )
     insert into settlement.difference (account_id, class, fact_id, amount_minor, currency, detail, state, closed_by, decision, reason, ended_at)
     select (array['${TEST_ACCOUNT_ID}', 'second'])[number % 2 + 1], (array['LATE', 'AMOUNT_DIFFERS', 'FEE_DIFFERS'])[number % 3 + 1], fact_id,
       1000 + number, 'TRY', '=late', case when number > $2 then 'CLOSED' else 'OPEN' end, case when number > $2 then 'olga' end,
       case when number > $2 then 'ACCEPT_BANK' end,
       case when number > $2 then 'written off' end, case when number > $2 then now() end
     from made`,
    [merchantId, COUNT],
  );
  await query(
    `insert into settlement.difference_note (difference_id, actor, note)
     select difference_id, 'olga', 'asked, and "answered"' from settlement.difference order by difference_id limit 30`,
  );
}

/**
 * Inserts entries in three services' logs, at the same times; every fifth is by bora, whose name looks like a
 * formula.
 */
async function insertAudit(query: Query): Promise<void> {
  const now = new Date();
  for (const schema of ["payments", "refunds", "settlement"])
    await query(
      `insert into ${schema}.audit_entry (sequence, at, actor, action, subject, detail, hash)
       select number, $1::timestamptz + (number - $2) * interval '1 second',
         case number % 5 when 0 then '@bora' else 'olga' end, 'tested.thing', 'thing-' || number, '{"why":"a, \\"b\\""}',
         sha256(convert_to(number::text, 'UTF8'))
       from generate_series(1, $2::int) as number`,
      [now, COUNT / 3],
    );
}

/** Inserts refused imports; every second belongs to the account `second`. */
async function insertImports(query: Query): Promise<void> {
  await query("insert into settlement.account (account_id) values ('second') on conflict do nothing");
  await query(
    `insert into settlement.import (account_id, mapping, file_name, imported_by, state, reason, detail, ended_at)
     select (array['${TEST_ACCOUNT_ID}', 'second'])[number % 2 + 1], 'generic', '+bank-' || number || '.csv', 'olga', 'REFUSED', 'empty',
       'no line, "none"', now()
     from generate_series(1, $1::int) as number`,
    [COUNT],
  );
}
