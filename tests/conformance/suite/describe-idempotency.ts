import { expect, test } from "vitest";

import type { Bench } from "./bench.ts";
import { kindOf } from "./kind-of.ts";

/** Tests that one reference has one effect. */
export function describeIdempotency(bench: () => Bench): void {
  test("a repeat returns the first outcome, of an approval and of a decline", async () => {
    const { acquirer, calls, setup } = bench();
    for (const card of [setup.cards.approved, setup.cards.declined]) {
      const request = calls.card({ card });
      const first = await acquirer.authorize(request);
      expect(await acquirer.authorize({ ...request, expiresAt: calls.soon() })).toEqual(first);
    }
  });

  test("ten copies of an authorization at once are one authorization", async () => {
    const { acquirer, calls } = bench();
    const request = calls.card();
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => acquirer.authorize(request)));
    expect(outcomes[0]?.kind).toBe("approved");
    expect(outcomes).toEqual(outcomes.map(() => outcomes[0]));
  });

  test("ten copies of a refund at once pay back once", async () => {
    const { acquirer, calls } = bench();
    const sale = await calls.approved(acquirer, "sale", 10_000n);
    const refund = calls.followUp(sale, { amountMinor: 3_000n });
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => acquirer.refund(refund)));
    expect(outcomes[0]?.kind).toBe("approved");
    expect(outcomes).toEqual(outcomes.map(() => outcomes[0]));
    expect(await kindOf(acquirer.refund(calls.followUp(sale, { amountMinor: 7_001n })))).toBe("declined");
    expect(await kindOf(acquirer.refund(calls.followUp(sale, { amountMinor: 7_000n })))).toBe("approved");
  });

  test("a reference that returns with another amount, currency or operation has no effect", async () => {
    const { acquirer, calls } = bench();
    const request = await calls.approved(acquirer, "authorize", 5_000n);
    expect(await kindOf(acquirer.authorize({ ...request, amountMinor: 6_000n }))).not.toBe("approved");
    expect(await kindOf(acquirer.authorize({ ...request, currency: "USD" }))).not.toBe("approved");
    expect(await kindOf(acquirer.sale(request))).not.toBe("approved");
    const found = await calls.verdict(acquirer, request);
    expect(found).toMatchObject({ kind: "approved", amountMinor: 5_000n, currency: "EUR" });
    expect(await kindOf(acquirer.refund(calls.followUp(request, { amountMinor: 1n })))).toBe("declined");
  });

  test("a refund's reference that returns for another parent has no effect", async () => {
    const { acquirer, calls } = bench();
    const sale = await calls.approved(acquirer, "sale", 5_000n);
    const other = await calls.approved(acquirer, "sale", 5_000n);
    const refund = calls.followUp(sale);
    expect(await kindOf(acquirer.refund(refund))).toBe("approved");
    const misdirected = { ...refund, parentReference: other.reference };
    expect(await kindOf(acquirer.refund(misdirected))).not.toBe("approved");
    expect(await kindOf(acquirer.refund(calls.followUp(other)))).toBe("approved");
  });
}
