import { purgeIdempotencyKeys } from "@holdfast/idempotency";
import { purgeOutbox } from "@holdfast/outbox";
import type { RetentionLine } from "@holdfast/service-runtime";
import type { Kysely } from "kysely";
import type { PaymentsDatabase } from "../database.ts";
import { purgeRuleCounts } from "../accept/rules/rule-queries.ts";
import { purgeRefusals } from "../follow-up/refund-reservation/purge-refusals.ts";
import { forgetChallenges } from "../accept/three-ds/forget-challenges.ts";
import { forgetAddresses } from "./forget-addresses.ts";
import { purgeCheckouts, purgeEvidence, purgeSessions } from "./purge-ended.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** The time that each table of the schema `payments` is kept, and the purges that end it. */
export const retentionPolicy: RetentionLine<Kysely<PaymentsDatabase>>[] = [
  {
    table: "payment",
    kept: { years: 10 },
    because: "The payments are the books.",
  },
  {
    table: "payment",
    rows: "request_ip and request_port",
    kept: { setting: "REQUEST_IP_RETENTION" },
    because: "The address is evidence in a dispute. Merchant rules count addresses in rule_counter.",
    purge: {
      task: "forget addresses",
      intervalMs: HOUR_MS,
      round: (db, olderThanMs) => forgetAddresses(db, { olderThanMs }),
    },
  },
  {
    table: "payment_history",
    kept: { with: "payment" },
    because: "It proves how the payment came to its state.",
  },
  {
    table: "bank_call",
    kept: { with: "payment" },
    because: "It says what may be at the bank, and which references are spent there.",
  },
  {
    table: "payment_operation",
    kept: { with: "payment" },
    because: "Captures and cancellations are the books, and settlement asks for them.",
  },
  {
    table: "payment_resolution",
    kept: "in use",
    because: "A proposal is deleted when the payment is settled.",
  },
  {
    table: "payment_watch",
    kept: { with: "payment" },
    because: "It says what a late look at the bank found.",
  },
  {
    table: "refund_reservation",
    kept: { with: "payment" },
    because: "The amounts count against the payment, and an end is a tombstone for late copies of a request.",
  },
  {
    table: "refund_reservation",
    rows: "with the state REFUSED",
    kept: { ms: DAY_MS },
    because: "A copy of the refused request is under way for seconds at most.",
    purge: {
      task: "purge refused reservations",
      intervalMs: HOUR_MS,
      round: (db, olderThanMs) => purgeRefusals(db, { olderThanMs }),
    },
  },
  {
    table: "chargeback",
    kept: { with: "payment" },
    because: "Its amount counts against the payment, and the case is the books.",
  },
  {
    table: "chargeback_line",
    kept: { with: "payment" },
    because: "A line of a bank's file that comes again must not count twice.",
  },
  {
    table: "chargeback_evidence",
    kept: { with: "payment" },
    because:
      "It says what was shown to the bank. A file that was cut off is deleted when the next one of its case comes.",
  },
  {
    table: "chargeback_evidence_part",
    kept: { with: "chargeback_evidence" },
    because: "It is the file.",
  },
  {
    table: "outbox",
    rows: "that are confirmed",
    kept: { setting: "OUTBOX_RETENTION" },
    because:
      "The periodic comparison with the dispatcher goes back a quarter of an hour; the command for a restored dispatcher finds what is kept here. Rows that are not confirmed stay.",
    purge: {
      task: "purge the outbox",
      intervalMs: HOUR_MS,
      round: (db, olderThanMs) => purgeOutbox(db, { olderThanMs }),
    },
  },
  {
    table: "idempotency_key",
    kept: { setting: "IDEMPOTENCY_RETENTION" },
    because: "A repetition of a request gets its first answer.",
    purge: {
      task: "purge idempotency keys",
      intervalMs: HOUR_MS,
      round: (db, olderThanMs) => purgeIdempotencyKeys(db, { olderThanMs }),
    },
  },
  {
    table: "checkout",
    rows: "and checkout_payment, after the checkout's end",
    kept: { setting: "CHECKOUT_RETENTION" },
    because:
      "Merchants and buyers read how it ended. A checkout whose payment is not settled stays; the payments of all stay.",
    purge: {
      task: "purge checkouts",
      intervalMs: HOUR_MS,
      round: (db, olderThanMs) => purgeCheckouts(db, { olderThanMs }),
    },
  },
  {
    table: "payment_link",
    kept: "in use",
    because:
      "Who opens an old link reads what became of it, and one for a single payment is never paid again.",
  },
  { table: "checkout_payment", kept: { with: "checkout" }, because: "It numbers the checkout's attempts." },
  {
    table: "three_ds_session",
    rows: "after the session's end, without an authentication",
    kept: { setting: "THREE_DS_RETENTION" },
    because:
      "A buyer who comes back late sees how the payment ended. The session of a payment that is not settled stays.",
    purge: {
      task: "purge 3-D Secure sessions",
      intervalMs: HOUR_MS,
      round: (db, olderThanMs) => purgeSessions(db, { olderThanMs }),
    },
  },
  {
    table: "three_ds_session",
    rows: "after the session's end, with the result of an authentication",
    kept: { setting: "THREE_DS_EVIDENCE_RETENTION" },
    because: "The result says who is liable in a dispute.",
    purge: {
      task: "purge 3-D Secure evidence",
      intervalMs: HOUR_MS,
      round: (db, olderThanMs) => purgeEvidence(db, { olderThanMs }),
    },
  },
  {
    table: "three_ds_session",
    rows: "their challenges, after the session's end",
    kept: { ms: MINUTE_MS },
    because: "Nobody can be shown a challenge of a session that has ended.",
    purge: { task: "forget challenges", intervalMs: MINUTE_MS, round: (db) => forgetChallenges(db) },
  },
  {
    table: "rule_counter",
    rows: "and rule_attempt",
    kept: { ms: DAY_MS },
    because: "No merchant rule looks back further.",
    purge: { task: "purge rule counts", intervalMs: 5 * MINUTE_MS, round: (db) => purgeRuleCounts(db) },
  },
  { table: "rule_attempt", kept: { with: "rule_counter" }, because: "It is what declines are counted by." },
  {
    table: "pan_fingerprint_key",
    kept: "in use",
    because: "It has a row for each key that has made fingerprints.",
  },
  {
    table: "bin_import",
    kept: "in use",
    because: "It has a row for each import, and the numbers of imports never repeat.",
  },
  { table: "bin_range", kept: "in use", because: "An import replaces all rows." },
  {
    table: "acquirer_account",
    kept: "in use",
    because: "Payments name their account as long as they are kept.",
  },
  {
    table: "acquirer_account_version",
    kept: "in use",
    because: "It is evidence of who could act for whom at a bank.",
  },
  {
    table: "acquirer_call_slot",
    kept: "in use",
    because: "It has a row for each call that an account may make in a minute.",
  },
  { table: "merchant_route", kept: "in use", because: "It is evidence of where payments went." },
  { table: "audit_entry", kept: "in use", because: "A hash chain is kept whole, or it proves nothing." },
  { table: "purge_progress", kept: "in use", because: "It has one row for each task that goes by time." },
];
