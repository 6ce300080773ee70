import { randomUUID } from "node:crypto";

import { expect, test } from "vitest";

import {
  ago,
  ahead,
  bodyFor,
  cardBody,
  reversalBody,
  startTestSimulator,
  threeDsFields,
} from "./test/test-simulator.ts";

const followUps = ["capture", "cancel", "release", "refund"] as const;
const operations = ["authorize", "sale", ...followUps] as const;

test.each([...followUps, "reverse"])("%s needs no expiry, and is then never too late", async (operation) => {
  await using bank = await startTestSimulator();
  const body = await bodyFor(bank, operation);
  expect(await bank.post(`/v1/${operation}`, body)).toMatchObject({
    status: 200,
    body: { resultCode: "00" },
  });
});

test.each(["authorize", "sale", "3ds/enrol", "3ds/complete"])("%s needs one", async (operation) => {
  await using bank = await startTestSimulator();
  const body = { ...cardBody(), ...threeDsFields(), session: randomUUID(), expiresAt: undefined };
  expect(await bank.post(`/v1/${operation}`, body)).toEqual({
    status: 400,
    body: { error: "invalid_request", fields: ["expiresAt"] },
  });
});

test.each(["late", "late_effect"])(
  "%s without an expiry is counted from the arrival of the request",
  async (behaviour) => {
    await using bank = await startTestSimulator({ lateAfterMs: 400, latenessMs: 50 });
    const body = await bodyFor(bank, "capture");
    await bank.post("/faults", { operation: "capture", behaviour });
    const sentAtMs = Date.now();
    const earliestMs = sentAtMs + 450 - TIMER_SLACK_MS;
    expect((await bank.post("/v1/capture", body)).body).toMatchObject({ outcome: "approved" });
    expect(Date.now()).toBeGreaterThanOrEqual(earliestMs);
    const line = (await bank.ledger()).find(({ operation }) => operation === "capture");
    if (behaviour === "late_effect") expect(Date.parse(line?.at ?? "")).toBeGreaterThanOrEqual(earliestMs);
  },
);

test.each(
  operations.flatMap((operation) => [
    [operation, "that arrives too late"],
    [operation, "with the fault expire"],
  ]),
)("%s %s expires, and stays expired", async (operation, way) => {
  await using bank = await startTestSimulator();
  const body = await bodyFor(bank, operation);
  const isFault = way.endsWith("expire");
  if (isFault) await bank.fault(operation, "expire");
  const expired = {
    reference: body.reference,
    outcome: "expired",
    amountMinor: 1_000,
    currency: "EUR",
    externalTransactionId: expect.any(String),
    resultCode: "expired_request",
    resultMessage: expect.any(String),
  };
  const first = await bank.post(`/v1/${operation}`, { ...body, expiresAt: isFault ? ahead() : ago() });
  expect(first).toEqual({ status: 200, body: expired });
  expect(await bank.post(`/v1/${operation}`, { ...body, expiresAt: ahead() })).toEqual(first);
  await bank.restart();
  expect(await bank.inquire(body.reference)).toMatchObject({ ...first.body, operation });
  const lines = (await bank.ledger()).filter(({ reference }) => reference === body.reference);
  expect(lines).toMatchObject([{ operation, outcome: "declined", resultCode: "expired_request" }]);
});

test("an enrolment that arrives too late expires and binds nothing", async () => {
  await using bank = await startTestSimulator();
  const body = { ...cardBody(), ...threeDsFields() };
  expect((await bank.post("/v1/3ds/enrol", { ...body, expiresAt: ago() })).body).toMatchObject({
    outcome: "expired",
    resultCode: "expired_request",
  });
  expect((await bank.post("/v1/3ds/enrol", body)).body).toMatchObject({ outcome: "authenticated" });
});

test.each<{ expiresAt?: string }>([{ expiresAt: ago() }, {}])(
  "a reversal that is too late expires and binds nothing: %j",
  async (late) => {
    await using bank = await startTestSimulator();
    const body = reversalBody(randomUUID());
    if (!late.expiresAt) await bank.fault("reverse", "expire");
    const expired = { outcome: "expired", resultCode: "expired_request" };
    expect((await bank.post("/v1/reverse", { ...body, ...late })).body).toMatchObject(expired);
    expect(await bank.ledger()).toEqual([]);
    expect(await bank.inquire(body.reference)).toMatchObject({ outcome: "not_found" });
    expect((await bank.post("/v1/reverse", body)).body).toMatchObject({ outcome: "reversed" });
  },
);

test("the fault expire makes a completion too late, under the enrolment's reference", async () => {
  await using bank = await startTestSimulator();
  const body = { ...cardBody(), ...threeDsFields() };
  const { session } = (await bank.post("/v1/3ds/enrol", body)).body;
  await bank.post("/faults", { operation: "complete", behaviour: "expire" });
  for (let repeat = 0; repeat < 2; repeat += 1) {
    expect((await bank.post("/v1/3ds/complete", { ...body, session })).body).toMatchObject({
      outcome: "expired",
    });
  }
  expect(await bank.ledger()).toMatchObject([{ operation: "sale", outcome: "declined" }]);
});

test.each([...operations, "reverse"])(
  "the fault expire is answered to a repeat of %s, too, whose outcome stands",
  async (operation) => {
    await using bank = await startTestSimulator();
    const body = await bodyFor(bank, operation);
    const first = await bank.post(`/v1/${operation}`, body);
    await bank.post("/faults", { operation, behaviour: "expire" });
    expect((await bank.post(`/v1/${operation}`, body)).body).toMatchObject({
      outcome: "expired",
      resultCode: "expired_request",
    });
    expect(await bank.post(`/v1/${operation}`, body)).toEqual(first);
    expect((await bank.inquire(body.reference)).outcome).toBe(first.body.outcome);
  },
);

/** Node's timers count whole milliseconds and may end one early by the wall clock. */
const TIMER_SLACK_MS = 5;
