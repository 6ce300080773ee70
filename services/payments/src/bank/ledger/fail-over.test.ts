import type { AcquirerOutcome, DeclineClass } from "@holdfast/acquirer";
import { expect, test } from "vitest";
import { createDatabase, DatabaseUnavailableError } from "@holdfast/postgres";
import { Pool } from "pg";
import type { PaymentsDatabase } from "../../database.ts";
import { afterFailedMove, routeAfter, withFailover } from "./fail-over.ts";

const ROUTE = [
  { accountId: "a", retriesAt: ["c"] },
  { accountId: "b", retriesAt: [] },
  { accountId: "c", retriesAt: ["a"] },
];

/** The answer of a bank that another one may be asked after. */
const SOFT = { kind: "declined", declineClass: "soft", resultCode: "05", resultMessage: "" } as const;

const after = (outcome: { kind: string; reason?: string; declineClass?: string }, mayRetry = true) =>
  routeAfter(outcome, ROUTE, { mayRetry }).map(({ accountId }) => accountId);

test("an account that was not reached is followed by all others, whether a decline may be tried again or not", () => {
  for (const mayRetry of [true, false]) expect(after({ kind: "not_sent" }, mayRetry)).toEqual(["b", "c"]);
});

test("a soft decline is followed by the accounts at which it may be tried again, once", () => {
  const soft = { kind: "declined", declineClass: "soft" };
  expect(after(soft)).toEqual(["c"]);
  expect(after(soft, false)).toEqual([]);
  expect(routeAfter(soft, ROUTE.slice(2), { mayRetry: true })).toEqual([]);
});

test.each<DeclineClass | undefined>(["hard", "stolen", "limit", "sca_required", "technical", undefined])(
  "a decline of class %s is the end",
  (declineClass) => {
    expect(after({ kind: "declined", ...(declineClass && { declineClass }) })).toEqual([]);
  },
);

test.each<{ kind: AcquirerOutcome["kind"]; reason?: string }>([
  { kind: "unknown", reason: "timeout" },
  { kind: "unknown", reason: "mismatch" },
  { kind: "approved" },
  { kind: "expired" },
  { kind: "not_sent", reason: "limit" },
  { kind: "not_sent", reason: "credentials" },
])("an outcome of $kind $reason is the end", (outcome) => {
  expect(after(outcome)).toEqual([]);
});

test("a decline that leaves the bank less than its whole time is the end: nothing is written", async () => {
  const payment = { payment_id: "p", merchant_id: "m", lease_token: "l", account_id: "a" };
  const given = { route: ROUTE, deadlineAt: 100, retryUntil: 10 };
  // The database is never connected.
  const db = createDatabase<PaymentsDatabase>(new Pool());
  const deps = { db, events: { writeFailed: () => {} }, now: () => 11 };
  const answered = withFailover(deps, payment, given, () => Promise.resolve(SOFT));
  expect(await answered).toEqual({ outcome: SOFT });
  expect(payment.account_id).toBe("a");
});

test("a payment that could not be moved ends by its decline, unless it may have been moved all the same", () => {
  const [refused, cut] = [new DatabaseUnavailableError("no connection"), new Error("connection lost")];
  expect(afterFailedMove({ outcome: SOFT }, refused)).toEqual({ outcome: SOFT });
  expect(afterFailedMove({ outcome: SOFT }, cut)).toEqual({
    outcome: { kind: "unknown", reason: "connection_lost" },
  });
  // Nothing was sent to the account of this call, nor to the next one's.
  const notSent = { outcome: { kind: "not_sent" } as const, declined: SOFT };
  for (const error of [refused, cut]) expect(afterFailedMove(notSent, error)).toEqual(notSent);
});
