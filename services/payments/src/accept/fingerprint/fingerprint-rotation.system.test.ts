import { randomBytes, randomUUID } from "node:crypto";
import { operations, type MerchantRules } from "@holdfast/contracts";
import { keysCommand } from "@holdfast/postgres";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startPaymentsHarness, type PaymentsHarness } from "../../../test/payments-harness.ts";
import { paymentsKeys } from "../../keys.ts";

const K0 = randomBytes(32).toString("base64");
const K1 = `1:${randomBytes(32).toString("base64")}`;
const SINGLE = { PAN_FINGERPRINT_KEYS: `0:${K0}` };
const ADDED = { PAN_FINGERPRINT_KEYS: `0:${K0},${K1}` };
const ROTATED = { PAN_FINGERPRINT_KEYS: `${K1},0:${K0}` };
const ALONE = { PAN_FINGERPRINT_KEYS: K1 };

let payments: PaymentsHarness;
beforeEach(async () => {
  payments = await startPaymentsHarness({ RECOVERY_INTERVAL: "1h" }, { alone: true });
});
afterEach(() => payments.close());

type Keys = Record<string, string>;

/** Does the work while only a process with these keys runs. */
async function during<Result>(keys: Keys, work: () => Promise<Result>): Promise<Result> {
  const service = await payments.startAnother(keys);
  try {
    return await work();
  } finally {
    await service.stop();
  }
}

const under = (key: string, scope = "POST /api/pre-authorization") =>
  payments.context({ idempotency: { key, scope } });

/** `npm run keys` in a container of payments. */
async function keys(ring: Keys, ...args: string[]): Promise<{ code: number; printed: string }> {
  let printed = "";
  const env = payments.environment("payments", ring);
  const code = await keysCommand(paymentsKeys, args, env, (text) => (printed += text));
  return { code, printed };
}

const keyIdOf = async (paymentId: string) => {
  const [row] = await payments.query<{ pan_fingerprint_key_id: string }>(
    "select pan_fingerprint_key_id from payments.payment where payment_id = $1",
    [paymentId],
  );
  return row!.pan_fingerprint_key_id;
};

test("a repetition after a rotation is the same request still, and new payments are under the new key", async () => {
  const [key, captureKey] = [randomUUID(), randomUUID()];
  const first = payments.command({ orderId: "order-1" });
  const capture = (operationId = randomUUID()) =>
    payments.request(operations.capture.command, under(captureKey, "capture"), {
      paymentId: first.paymentId,
      operationId,
      amount: "1.00",
    });
  const [answer, captured] = await during(SINGLE, async () => [
    await payments.send(first, under(key)),
    await capture(),
  ]);
  expect(await keyIdOf(first.paymentId)).toBe("0");
  await during(ROTATED, async () => {
    const again = payments.command({ orderId: "order-1" });
    expect(await payments.send(again, under(key))).toEqual({ ...answer, replayed: true });
    expect(await capture()).toEqual({ ...captured, replayed: true });
    expect(await payments.send(payments.command({ orderId: "another" }), under(key))).toMatchObject({
      code: "idempotency_key_reused",
    });
    const next = payments.command();
    await payments.send(next);
    expect(await keyIdOf(next.paymentId)).toBe("1");
  });
});

test("a rotation forgets no attempt of a card, in either direction", async () => {
  const rules: MerchantRules = { attemptsPerCard: { max: 3, windowSeconds: 3_600 } };
  const merchant = { merchantId: randomUUID(), rules };
  const pay = async () => {
    const command = payments.command({ ofMerchant: merchant.merchantId });
    const reply = await payments.send(command, payments.context({ merchant }));
    return reply.outcome === "done" ? reply.result.status : reply.outcome;
  };
  expect(await during(SINGLE, pay)).toBe("SUCCESS");
  expect(await during(ADDED, pay)).toBe("SUCCESS");
  expect(await during(ROTATED, pay)).toBe("SUCCESS");
  expect(await during(ROTATED, pay)).toBe("REJECTED");
  expect(await during(ADDED, pay)).toBe("REJECTED");
  const counters = await payments.query<{ attempts: number }>(
    "select cardinality(attempts) as attempts from payments.rule_counter where merchant_id = $1",
    [merchant.merchantId],
  );
  expect(counters).toEqual([{ attempts: 3 }]);
});

test("without a key that Idempotency-Keys were made under payments does not start, until they are too old", async () => {
  await during(SINGLE, async () => {
    for (let made = 0; made < 2; made++) await payments.send(payments.command(), under(randomUUID()));
  });
  await expect(payments.startAnother(ALONE)).rejects.toThrow(
    "PAN_FINGERPRINT_KEYS lacks 0, which 2 Idempotency-Keys and counters of cards still need: put it back into the list, or give it up in KEYS_ABANDONED (docs/keys.md)",
  );
  await during({ ...ALONE, KEYS_ABANDONED: "0" }, async () => {});
  await payments.query("update payments.idempotency_key set created_at = now() - interval '8 days'");
  await payments.query(
    `update payments.pan_fingerprint_key
     set first_used_at = now() - interval '9 days', last_used_at = now() - interval '8 days' where key_id = '0'`,
  );
  await during(ALONE, async () => {});
});

test("the status of the keys says which of them is needed, and by how much", async () => {
  await during(SINGLE, async () => void (await payments.send(payments.command(), under(randomUUID()))));
  expect(await keys(ROTATED, "status")).toMatchObject({
    code: 0,
    printed: expect.stringMatching(
      /^ACCOUNT_SECRET_KEYS\n  a1 +active +1 accounts' credentials need it\nPAN_FINGERPRINT_KEYS\n  1 +active +nothing needs it yet\n  0 +1 Idempotency-Keys and counters of cards need it\n/,
    ) as string,
  });
});

test("fingerprints under a key that has left can be removed, and no others", async () => {
  const [before, after] = [payments.command(), payments.command()];
  await during(SINGLE, () => payments.send(before));
  await during(ROTATED, () => payments.send(after));
  expect(await keys(ROTATED, "forget-fingerprints", "--key", "0")).toMatchObject({ code: 2 });
  expect(await keys(ALONE, "forget-fingerprints")).toMatchObject({ code: 2 });
  expect(await keys(ALONE, "forget-fingerprints", "--key", "0")).toEqual({
    code: 0,
    printed: "1 fingerprints under 0 removed\n",
  });
  const left = await payments.query<{ payment_id: string }>(
    "select payment_id from payments.payment where pan_fingerprint is not null",
  );
  expect(left).toEqual([{ payment_id: after.paymentId }]);
  expect(
    await payments.query(
      "select action, subject, detail from payments.audit_entry where action like 'fingerprints%'",
    ),
  ).toEqual([
    { action: "fingerprints.forgotten", subject: "PAN_FINGERPRINT_KEYS 0", detail: '{"forgotten":1}' },
  ]);
});
