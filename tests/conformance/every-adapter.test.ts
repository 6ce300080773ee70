import { randomUUIDv7 } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  inquireAbout,
  orderIdOf,
  type Approved,
  type CardOperation,
  type CardRequest,
  type FollowUpRequest,
  type MovementKind,
  type ProbedAcquirer,
  type ReversalRequest,
} from "@holdfast/acquirer";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ADAPTERS } from "./bank-protocols.ts";
import { playBank, type PlayedBank } from "./played-banks.ts";
import { withoutHeard } from "./suite/without-heard.ts";

/**
 * The guarantees that the core needs of any bank, and the promises of each adapter's capabilities beyond that. The bank's
 * own ledger is the witness.
 */
describe.each(ADAPTERS)("%s, as every adapter", (name) => {
  let dir: string;
  let bank: PlayedBank;
  let acquirer: ProbedAcquirer;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "holdfast-conformance-"));
    bank = await playBank(name, dir);
    acquirer = bank.connect();
  });
  afterAll(async () => {
    await acquirer.close();
    await bank.close();
    await rm(dir, { recursive: true });
  });

  async function approved(operation: CardOperation): Promise<{ request: CardRequest; outcome: Approved }> {
    const request = cardRequest();
    const outcome = await acquirer[operation](request);
    if (outcome.kind !== "approved") throw new Error(`the ${operation} to begin with is ${outcome.kind}`);
    return { request, outcome };
  }
  const verdict = async (request: CardRequest, kind: MovementKind) => {
    const { reference, orderId, amountMinor, currency } = request;
    const order = { orderId, operation: kind as CardOperation };
    const attempt = { reference, kind, amountMinor, currency };
    return (await inquireAbout(acquirer, order, attempt, soon())).verdict;
  };

  test("an approval is whole, and is found again under the same names", async () => {
    const { request, outcome } = await approved("sale");
    expect(outcome).toMatchObject({ amountMinor: 10_000n, currency: "TRY", resultCode: expect.any(String) });
    expect(outcome.externalTransactionId).not.toBe("");
    const { externalTransactionId, amountMinor } = outcome;
    expect(await verdict(request, "sale")).toMatchObject({
      kind: "approved",
      externalTransactionId,
      amountMinor,
    });
  });

  test("a decline has the bank's code, and moves nothing", async () => {
    const request = cardRequest({ card: { ...CARD, pan: "4000000000000002" } });
    expect(await acquirer.sale(request)).toMatchObject({
      kind: "declined",
      resultCode: expect.stringMatching(/./),
    });
    expect(await bank.ledger(request.reference)).toEqual(["sale declined 10000"]);
    expect((await verdict(request, "sale")).kind).toBeOneOf(["declined", "not_found"]);
  });

  test.each(["http_500", "garbage", "reset", "hang"])(
    "an answer that is lost (%s) is unknown, and the inquiry finds what was done",
    async (behaviour) => {
      await bank.will("sale", behaviour);
      const request = cardRequest();
      expect(await acquirer.sale(request)).toMatchObject({ kind: "unknown" });
      expect(await verdict(request, "sale")).toMatchObject({ kind: "approved", amountMinor: 10_000n });
    },
  );

  test("what the bank has not done is not found, and no decline", async () => {
    await bank.will("sale", "hang_before");
    const request = cardRequest();
    expect(await acquirer.sale(request)).toMatchObject({ kind: "unknown" });
    expect(await verdict(request, "sale")).toEqual({ kind: "not_found" });
  });

  test("a part that is approved is never taken for the whole", async () => {
    await bank.will("sale", "partial");
    const request = cardRequest();
    expect(withoutHeard(await acquirer.sale(request))).toEqual({ kind: "unknown", reason: "mismatch" });
    expect(await verdict(request, "sale")).toMatchObject({ kind: "approved", amountMinor: 5_000n });
  });

  test("a call whose time is over is not begun", async () => {
    const request = cardRequest({ expiresAt: new Date(Date.now() - 1) });
    expect((await acquirer.sale(request)).kind).toBe("not_sent");
    expect(await bank.ledger(request.reference)).toEqual([]);
  });

  test("where no connection is made nothing was sent", async () => {
    const unreachable = bank.connect({ url: "http://127.0.0.1:1" });
    const request = cardRequest();
    const outcomes = await Promise.all([
      unreachable.authorize(request),
      unreachable.sale(request),
      unreachable.capture(followUp(request)),
      unreachable.cancel(followUp(request)),
      unreachable.refund(followUp(request)),
      unreachable.reverse(reversal(request)),
    ]);
    expect(outcomes).toEqual(outcomes.map(() => ({ kind: "not_sent" })));
    expect((await unreachable.probe(soon())).kind).toBe("unreachable");
    await unreachable.close();
  });

  test("a probe moves nothing, and tells wrong credentials where there are any", async () => {
    expect((await acquirer.probe(soon())).kind).toBe("ok");
    const stranger = bank.connect({ wrongSecrets: true });
    const hasCredentials = name !== "sim";
    expect((await stranger.probe(soon())).kind).toBe(hasCredentials ? "credentials" : "ok");
    const request = cardRequest();
    const outcome = await stranger.sale(request);
    await stranger.close();
    if (!hasCredentials) return;
    expect(outcome).toMatchObject({ kind: "not_sent", reason: "credentials" });
    expect(await bank.ledger(request.reference)).toEqual([]);
  });

  test("a capture takes a part, once", async () => {
    const { request, outcome } = await approved("authorize");
    const capture = followUp(request, outcome, { amountMinor: 6_000n });
    expect(await acquirer.capture(capture)).toMatchObject({ kind: "approved", amountMinor: 6_000n });
    const again = followUp(request, outcome, { amountMinor: 1_000n });
    expect((await acquirer.capture(again)).kind).not.toBe("approved");
    const captures = (await bank.ledger(request.reference)).filter((line) =>
      line.includes("capture approved"),
    );
    expect(captures).toEqual(["capture approved 6000"]);
  });

  test("a cancellation ends a sale on its day", async () => {
    const { request, outcome } = await approved("sale");
    expect((await acquirer.cancel(followUp(request, outcome))).kind).toBe("approved");
    const [, ended, ...more] = await bank.ledger(request.reference);
    expect(ended).toMatch(/^(?:cancel|void) approved 10000$/);
    expect(more).toEqual([]);
  });

  test("a hold that is captured in the bank's panel, and not here, is not cancelled", async () => {
    const { request, outcome } = await approved("authorize");
    const hold = { ...followUp(request, outcome).target, capturedMinor: 0n };
    const panel = bank.connect();
    const capture = await panel.capture(followUp(request, outcome, { target: hold }));
    await panel.close();
    expect(capture).toMatchObject({ kind: "approved" });
    expect(await acquirer.cancel(followUp(request, outcome, { target: hold }))).toMatchObject({
      kind: "declined",
      // The first bank's own refusal says it.
      resultCode: name === "sim" ? expect.any(String) : "CAPTURED",
    });
    const lines = await bank.ledger(request.reference);
    expect(lines.filter((line) => line.includes("approved"))).toEqual([
      "authorize approved 10000",
      "capture approved 10000",
    ]);
  });

  test("a reversal undoes what stands, and a second one has nothing to do", async () => {
    const { request } = await approved("sale");
    expect(await acquirer.reverse(reversal(request))).toEqual({ kind: "reversed" });
    expect((await verdict(request, "sale")).kind).toBe("reversed");
    expect((await acquirer.reverse(reversal(request))).kind).toBeOneOf(["reversed", "nothing_found"]);
  });

  test("a reversal of what the bank has not seen is bound, or says that nothing was found", async () => {
    const request = cardRequest();
    const { kind } = await acquirer.reverse(reversal(request));
    expect(kind).toBeOneOf(["reversed", "nothing_found"]);
    const late = await acquirer.sale(request);
    // A call that is reported reversed never takes effect; a call that was not found still can.
    expect(late.kind).toBe(kind === "reversed" ? "declined" : "approved");
  });

  test("a repeat has the effect that the capabilities say", async () => {
    const { request, outcome } = await approved("sale");
    const repeat = await acquirer.sale({ ...request, expiresAt: soon() });
    const sales = (await bank.ledger(request.reference)).filter((line) => line === "sale approved 10000");
    switch (acquirer.capabilities.repetition) {
      case "replay":
        expect(repeat).toEqual(outcome);
        expect(sales).toHaveLength(1);
        break;
      case "refuses_second_success":
        expect(repeat.kind).not.toBe("approved");
        expect(sales).toHaveLength(1);
        break;
      case "none":
        expect(sales).toHaveLength(2);
        break;
    }
  });

  test("a release is carried out, or said to be none", async () => {
    const { request, outcome } = await approved("authorize");
    const released = await acquirer.release(followUp(request, outcome, { amountMinor: 4_000n }));
    if (acquirer.capabilities.release) expect(released).toMatchObject({ kind: "approved" });
    else expect(released).toEqual({ kind: "not_sent", reason: "unsupported" });
  });

  test("after the day's end a sale is refunded in parts, up to its amount, and not reversed", async () => {
    const { request, outcome } = await approved("sale");
    await bank.closeDay();
    // One bank answers with an unlisted code, which only a repetition makes certain.
    const repeated = { ...reversal(request), isRepeated: true } as const;
    expect((await acquirer.reverse(repeated)).kind).toBe("settled");
    const part = (amountMinor: bigint) => acquirer.refund(followUp(request, outcome, { amountMinor }));
    expect(await part(4_000n)).toMatchObject({ kind: "approved", amountMinor: 4_000n });
    expect(await part(6_000n)).toMatchObject({ kind: "approved", amountMinor: 6_000n });
    expect((await part(1n)).kind).toBe("declined");
  });

  test("sale, refund, cancel: the cancellation never undoes the refund", async () => {
    const { request, outcome } = await approved("sale");
    await bank.closeDay();
    expect((await acquirer.refund(followUp(request, outcome, { amountMinor: 4_000n }))).kind).toBe(
      "approved",
    );
    // A bank that would void the refund with the sale is not asked: the money may have been given back without us.
    expect((await acquirer.cancel(followUp(request, outcome))).kind).toBeOneOf(["declined", "unknown"]);
    const lines = await bank.ledger(request.reference);
    expect(lines.filter((line) => line.includes("approved"))).toEqual([
      "sale approved 10000",
      "refund approved 4000",
    ]);
  });
});

const CARD = { pan: "4111111111111111", expiryMonth: "12", expiryYear: "35", cvv: "123" };
const soon = () => new Date(Date.now() + 60_000);

function cardRequest(overrides: Partial<CardRequest> = {}): CardRequest {
  const reference = randomUUIDv7();
  return {
    reference,
    orderId: orderIdOf(reference),
    amountMinor: 10_000n,
    currency: "TRY",
    card: CARD,
    cardHolderName: "Ada Lovelace",
    installmentCount: 1,
    customer: { ip: "203.0.113.7" },
    expiresAt: soon(),
    ...overrides,
  };
}

function followUp(
  { reference: parentReference, orderId, amountMinor, currency, installmentCount }: CardRequest,
  outcome?: Approved,
  overrides: Partial<FollowUpRequest> = {},
): FollowUpRequest {
  const id = outcome && { externalTransactionId: outcome.externalTransactionId };
  const target = { amountMinor, installmentCount, at: new Date(), ...id };
  const reference = `${randomUUIDv7()}:follow-up`;
  return {
    reference,
    orderId,
    parentReference,
    target,
    amountMinor,
    currency,
    waitUntil: soon(),
    ...overrides,
  };
}

function reversal({ reference, orderId, amountMinor, currency }: CardRequest): ReversalRequest {
  const target = { amountMinor, at: new Date() };
  return { reference, orderId, operation: "sale", target, amountMinor, currency, waitUntil: soon() };
}
