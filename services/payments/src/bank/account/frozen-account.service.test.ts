import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { operations, type MessageContext } from "@holdfast/contracts";
import { eventually, startTestBank, startTestLink, type TestBank } from "@holdfast/tests/support";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { accountOperators } from "../../../test/account-operators.ts";
import { startPaymentsHarness, type PaymentsHarness } from "../../../test/payments-harness.ts";

/**
 * One merchant with two accounts. One bank accepts calls and never answers, which must not affect the other
 * account.
 */
let payments: PaymentsHarness;
let frozen: TestBank;
let end: () => Promise<void>;
let merchantId: string;

/** A call that hangs waits until the line is cut. */
const FOREVER_MS = 600_000;
/** The issuer of this card does not answer. */
const HANGS = { cardData: { pan: "4000000000000119" } };

beforeAll(async () => {
  const dir = await mkdtemp(join(tmpdir(), "holdfast-frozen-"));
  frozen = await startTestBank(dir, { hangMs: FOREVER_MS });
  const line = await startTestLink(frozen.acquirer.url);
  payments = await startPaymentsHarness({
    ACCOUNT_SECRET_KEYS: `a1:${randomBytes(32).toString("base64")}`,
    ACQUIRER_TIMEOUT: "99s",
    LEASE_DURATION: "10m",
    RECOVERY_SCHEDULE: "50ms,100ms,200ms,400ms,1h",
    RECOVERY_INTERVAL: "20ms",
    RECOVERY_IN_FLIGHT_MAX: "2",
  });
  const operators = accountOperators(payments, () => line.url);
  const connectionsMax = 8;
  merchantId = await operators.merchantRoutedTo(
    { currency: "TRY", accountId: await operators.account({ connectionsMax }) },
    {
      accountId: await operators.account({
        connectionsMax,
        currencies: ["EUR"],
        settings: { url: payments.acquirer.url },
      }),
    },
  );
  end = async () => {
    // The service would otherwise wait for the hanging calls.
    line.cut();
    await payments.close();
    await line.close();
    await frozen.acquirer.close();
    await rm(dir, { recursive: true });
  };
});
afterAll(() => end());
beforeEach(() => payments.acquirerWillBehave());

const context = (): MessageContext => payments.context({ merchant: { merchantId } });
const command = (currency: "TRY" | "EUR", change = {}) =>
  payments.command({ ofMerchant: merchantId, currency, ...change });

async function stateOf(paymentId: string): Promise<{ state: string; attempts: number }> {
  const [row] = await payments.query<{ state: string; attempts: number }>(
    "select state, recovery_attempts as attempts from payments.payment where payment_id = $1",
    [paymentId],
  );
  return row!;
}

test("what is unknown at a bank that answers no inquiry takes no worker of another's", async () => {
  await frozen.acquirerWill("inquire", "hang", 1_000);
  for (let lost = 0; lost < 6; lost++) {
    await frozen.acquirerWill("authorize", "reset");
    expect(await payments.send(command("TRY"), context())).toMatchObject({ outcome: "pending" });
  }
  const working = async () => {
    const [row] = await payments.query<{ count: number }>(
      "select count(*)::int as count from payments.payment where currency = 'TRY' and lease_token is not null",
    );
    return row!.count;
  };
  await eventually(async () => expect(await working()).toBe(2));

  await payments.acquirerWill("authorize", "reset");
  const lost = command("EUR");
  expect(await payments.send(lost, context())).toMatchObject({ outcome: "pending" });
  await eventually(async () => expect(await stateOf(lost.paymentId)).toMatchObject({ state: "SUCCESS" }));
  expect(await working()).toBe(2);
});

test("payments that hang at one account leave the merchant's places at another free", async () => {
  const authorized = command("TRY");
  expect(await payments.send(authorized, context())).toMatchObject({ result: { status: "SUCCESS" } });
  const hanging = async () => (await frozen.wholeLedger()).filter(({ pan }) => pan?.endsWith("0119")).length;
  for (let sent = 0; sent < 4; sent++) void payments.send(command("TRY", HANGS), context()).catch(() => {});
  await eventually(async () => expect(await hanging()).toBe(1));

  const paid = command("EUR");
  expect(await payments.send(paid, context())).toMatchObject({ result: { status: "SUCCESS" } });
  const capture = ({ paymentId }: { paymentId: string }) =>
    payments.call(
      operations.capture.command,
      { paymentId, operationId: randomUUID() },
      { merchant: { merchantId } },
    );
  expect(await capture(paid)).toMatchObject({ result: { status: "CAPTURED" } });
  // A merchant has a quarter of the account's connections for payments, which are half of all: one of eight.
  expect(await capture(authorized)).toEqual({ outcome: "not_started" });
  expect(await hanging()).toBe(1);
});
