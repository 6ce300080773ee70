import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { operations } from "@holdfast/contracts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accountOperators } from "../../services/payments/test/account-operators.ts";
import { startPaymentsHarness, type PaymentsHarness } from "../../services/payments/test/payments-harness.ts";
import { playBank, type PlayedBank } from "../conformance/played-banks.ts";
import { captureLog, dayEndFarAway, eventually } from "../support/index.ts";

/** Akbank releases a hold on its day only, also one that it shows for the first time after that. */
let payments: PaymentsHarness;
let bank: PlayedBank;
let dir: string;
let merchantId: string;
const { log, lines } = captureLog("payments");

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "holdfast-late-hold-"));
  bank = await playBank("akbank", dir);
  payments = await startPaymentsHarness(
    {
      ACCOUNT_SECRET_KEYS: `a1:${randomBytes(32).toString("base64")}`,
      RECOVERY_SCHEDULE: "20ms,40ms,60ms,80ms",
      RECOVERY_INTERVAL: "20ms",
      WATCH_INTERVAL: "50ms",
      REVERSE_UNSEEN_AFTER: "50ms",
    },
    { log: () => log },
  );
  const { account, merchantRoutedTo } = accountOperators(payments, () => "");
  const terms = { businessDay: dayEndFarAway(), lateArrivalSeconds: 0 };
  merchantId = await merchantRoutedTo({ accountId: await account({ ...bank.account, ...terms }) });
});
afterAll(async () => {
  await payments.close();
  await bank.close();
  await rm(dir, { recursive: true });
});

/** An authorization that the bank did not show until the horizon, and shows from here on. */
async function heldUnseen(): Promise<string> {
  await bank.mode({ historyLagSeconds: 86_400 });
  await bank.will("authorize", "http_500");
  const command = payments.command({ ofMerchant: merchantId, amountMinor: "10000" });
  const { paymentId } = command;
  const reply = await payments.call(operations.preAuthorize.command, command, { merchant: { merchantId } });
  expect(reply).toMatchObject({ outcome: "pending" });
  await eventually(async () => {
    await payments.query(
      "update payments.bank_call set sent_at = now() - interval '2 days' where payment_id = $1",
      [paymentId],
    );
    const [row] = await payments.query<{ state: string }>(
      `update payments.payment set recover_at = now(), created_at = now() - interval '2 days'
       where payment_id = $1 and lease_token is null returning state`,
      [paymentId],
    );
    return row?.state === "FAILED";
  });
  await bank.mode({ historyLagSeconds: 0 });
  return paymentId;
}

/** The watch need not wait for its next look. @returns its end. */
const watched = (paymentId: string) =>
  eventually(async () => {
    await payments.query(
      `update payments.payment_watch set due_at = now()
       where payment_id = $1 and due_at > now() + interval '10 minutes'`,
      [paymentId],
    );
    const looks = await payments.query<{ last_inquiry: string }>(
      "select last_inquiry from payments.payment_watch where payment_id = $1 and ended_at is not null",
      [paymentId],
    );
    return looks[0] ?? false;
  });

test("a hold that is seen late, and that the bank no longer releases, lapses: nobody is woken for it", async () => {
  const paymentId = await heldUnseen();
  await bank.closeDay();
  expect(await watched(paymentId)).toMatchObject({ last_inquiry: "hold_lapses" });
  const refused = await payments.query(
    "select from payments.bank_call where payment_id = $1 and kind = 'reverse' and outcome = 'refused'",
    [paymentId],
  );
  expect(refused).toHaveLength(3);
  const reasons = lines.flatMap(({ msg, paymentId: id, reason }) =>
    id === paymentId && msg === "what the bank has taken late is not given back yet" ? [reason] : [],
  );
  expect(reasons).toContain("hold_stands");
  expect(reasons).not.toContain("reversal_refused");
  expect((await bank.ledger(paymentId)).filter((line) => line.includes("approved"))).toEqual([
    "authorize approved 10000",
  ]);
});
