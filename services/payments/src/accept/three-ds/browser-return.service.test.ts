import { randomUUID } from "node:crypto";
import { armFailpoints } from "@holdfast/service-runtime";
import { captureLog, eventually } from "@holdfast/tests/support";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ReturnedFields } from "../../../test/cardholder.ts";
import { startPaymentsHarness, type PaymentsHarness } from "../../../test/payments-harness.ts";
import { threeDs, type ThreeDsSteps } from "../../../test/three-ds-harness.ts";

/**
 * A bank whose completion needs the issuer's fields from the browser; every other field that a browser brings
 * is forged.
 */
let payments: PaymentsHarness;
let steps: ThreeDsSteps;
const { log, lines } = captureLog("payments");

beforeAll(async () => {
  payments = await startPaymentsHarness(
    { RECOVERY_INTERVAL: "20ms", RECOVERY_SCHEDULE: "50ms", REVERSE_UNSEEN_AFTER: "100ms" },
    { returns: "proven", log: () => log },
  );
  steps = threeDs(payments);
});
beforeEach(() => void lines.splice(0));
afterEach(() => void armFailpoints(undefined));
afterAll(() => payments.close());

const NOT_GENUINE = {
  outcome: "pending",
  result: { payment: { status: "ENROLLED" }, returnWas: "not_genuine" },
};
const SUCCESS = { outcome: "done", result: { payment: { status: "SUCCESS" } } };
/** The time that a return waits for one that holds the payment. */
const TURN_WITHIN_MS = 3_000;

/** A payment whose cardholder has passed the challenge, and the fields that the browser brings back. */
async function passed() {
  const payment = await steps.challenged();
  return { payment, proof: await steps.answer(payment.challenge, "right") };
}

/** True if recovery leaves the payment alone until its session ends. */
async function leaseOf(paymentId: string) {
  const [row] = await payments.query(
    `select lease_token is null and lease_until is null as "isFree",
       recover_at = expires_at and recovery_from = expires_at as "isLeftToTheSession",
       claims_order as "claimsItsOrder"
     from payments.payment join payments.three_ds_session using (payment_id) where payment_id = $1`,
    [paymentId],
  );
  return row;
}

const withoutProof = (fields: ReturnedFields): ReturnedFields => fields.filter(([name]) => name !== "proof");

describe("a return that proves nothing", () => {
  test("to the acquirer changes nothing: the right one afterwards pays, once", async () => {
    const { payment, proof } = await passed();
    for (const forged of [
      [],
      withoutProof(proof),
      [...withoutProof(proof), ["proof", randomUUID()]],
      // The repetition is handed on, and not the last or the first of the two.
      [...proof, ["proof", randomUUID()]],
    ] as ReturnedFields[]) {
      expect(await steps.comeBack(payment, forged)).toMatchObject({
        ...NOT_GENUINE,
        result: { ...NOT_GENUINE.result, challenge: payment.challenge },
      });
    }
    expect(await steps.ledger(payment.paymentId)).toEqual([]);
    expect(await leaseOf(payment.paymentId)).toEqual({
      isFree: true,
      isLeftToTheSession: true,
      claimsItsOrder: false,
    });
    expect(await steps.comeBack(payment, proof)).toMatchObject(SUCCESS);
    const attempt = ["AUTHORIZING", "ENROLLED"];
    expect(await steps.ended(payment.paymentId)).toMatchObject({
      history: [
        "ENROLLING",
        "ENROLLED",
        ...Array.from({ length: 4 }, () => attempt).flat(),
        "AUTHORIZING",
        "SUCCESS",
      ],
      ledger: ["sale approved"],
      events: ["SUCCESS"],
    });
  });

  test("to the adapter does not even take the payment", async () => {
    const { payment, proof } = await passed();
    const other = await passed();
    expect(await steps.comeBack(payment, other.proof)).toMatchObject(NOT_GENUINE);
    expect(await steps.history(payment.paymentId)).toEqual(["ENROLLING", "ENROLLED"]);
    expect(await steps.comeBack(payment, proof)).toMatchObject(SUCCESS);
    expect(await steps.ledger(payment.paymentId)).toEqual(["sale approved"]);
  });

  test("together with the right one leaves that one its turn: paid once, whichever is first", async () => {
    const all = await Promise.all(Array.from({ length: 6 }, passed));
    await Promise.all(
      all.flatMap(({ payment, proof }, index) => {
        const both = [proof, withoutProof(proof), [], proof];
        return (index % 2 ? both : both.toReversed()).map(async (fields) => {
          const sentAt = Date.now();
          const reply = await steps.comeBack(payment, fields);
          if (reply.outcome === "done") return;
          expect(reply).toMatchObject({ outcome: "pending", result: { payment: { status: "ENROLLED" } } });
          // The right one gives up for no other reason than that its time is over.
          if (fields === proof) expect(Date.now() - sentAt).toBeGreaterThanOrEqual(TURN_WITHIN_MS);
        });
      }),
    );
    for (const { payment, proof } of all) {
      // On a busy machine the genuine return may have run out of time: then the cardholder comes again.
      await eventually(async () => expect(await steps.comeBack(payment, proof)).toMatchObject(SUCCESS));
      expect(await steps.ended(payment.paymentId)).toMatchObject({
        state: "SUCCESS",
        ledger: ["sale approved"],
        events: ["SUCCESS"],
      });
    }
  });

  test("is followed by the session's end, if nothing else is", async () => {
    const { payment, proof } = await passed();
    await steps.comeBack(payment, withoutProof(proof));
    await steps.expire(payment.paymentId);
    expect(await steps.comeBack(payment, proof)).not.toMatchObject(SUCCESS);
    expect(await steps.ended(payment.paymentId)).toMatchObject({
      state: "CANCELLED",
      ledger: ["reverse approved"],
      events: ["CANCELLED"],
    });
  });

  test("is not undone by a process that was overtaken meanwhile", async () => {
    const { payment } = await passed();
    const hits = armFailpoints("payments.after_completion:delay(1500ms)@1");
    const reply = steps.comeBack(payment, []);
    await eventually(() => hits("payments.after_completion") === 1);
    const [overtaken] = await payments.query(
      `update payments.payment set lease_token = gen_random_uuid(), lease_until = now() + interval '1 minute'
       where payment_id = $1 and state = 'AUTHORIZING' returning lease_token, version`,
      [payment.paymentId],
    );
    expect(overtaken).toBeDefined();
    expect(await reply).toMatchObject({ outcome: "pending", result: { returnWas: "not_used" } });
    expect(
      await payments.query("select lease_token, version from payments.payment where payment_id = $1", [
        payment.paymentId,
      ]),
    ).toEqual([overtaken]);
    expect((await steps.history(payment.paymentId)).at(-1)).toBe("AUTHORIZING");
  });

  test("is not sent to the bank once the payment has ended", async () => {
    const { payment, proof } = await passed();
    await steps.comeBack(payment, proof);
    expect(await steps.comeBack(payment, [])).toMatchObject(SUCCESS);
    expect(await steps.ledger(payment.paymentId)).toEqual(["sale approved"]);
  });
});

test("while something else has the payment a return is to come again, with its fields", async () => {
  const { payment, proof } = await passed();
  await payments.query(
    `update payments.payment set lease_token = gen_random_uuid(), lease_until = now() + interval '20 seconds'
     where payment_id = $1`,
    [payment.paymentId],
  );
  expect(await steps.comeBack(payment, proof)).toMatchObject({
    outcome: "pending",
    result: { returnWas: "not_used" },
  });
  await payments.query(
    "update payments.payment set lease_token = null, lease_until = null where payment_id = $1",
    [payment.paymentId],
  );
  expect(await steps.comeBack(payment, proof)).toMatchObject(SUCCESS);
});

test("nothing that a browser brings is stored or logged", async () => {
  const { payment, proof } = await passed();
  const marks = ["md-7f3c21", "cavv-AAABBZEEBgAAAAAAAAQGAAAAAAA=", "expiry-1230"];
  const more = marks.map((mark): [string, string] => [`field-${mark}`, mark]);
  expect(await steps.comeBack(payment, [...withoutProof(proof), ...more])).toMatchObject(NOT_GENUINE);
  expect(await steps.comeBack(payment, [...more, ...proof, ...more])).toMatchObject(SUCCESS);
  await steps.ended(payment.paymentId);

  const tables = await payments.query<{ name: string }>(
    "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'payments'",
  );
  const rows = await Promise.all(
    tables.map(async ({ name }) => JSON.stringify(await payments.query(`select t::text from ${name} as t`))),
  );
  const kept = [...rows, JSON.stringify(lines)].join("\n");
  expect(kept).toContain(payment.paymentId);
  expect(lines.map(({ msg }) => msg)).toContain("a return from a 3-D Secure challenge proves nothing");
  for (const mark of [...marks, proof.find(([name]) => name === "proof")![1]]) {
    expect(kept).not.toContain(mark);
  }
});
