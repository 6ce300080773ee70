import { expect, test } from "vitest";

import type { Bench } from "./bench.ts";
import { kindOf } from "./kind-of.ts";

/** Tests that captures, releases and refunds never move more than was authorized. */
export function describeFollowUps(bench: () => Bench): void {
  test("a capture takes a part once, and what it took can be refunded", async () => {
    const { acquirer, calls } = bench();
    const parent = await calls.approved(acquirer, "authorize", 10_000n);
    const of = (amountMinor: bigint) => calls.followUp(parent, { amountMinor });
    expect(await kindOf(acquirer.refund(of(1n)))).toBe("declined");
    expect(await kindOf(acquirer.capture(of(10_001n)))).toBe("declined");
    const capture = of(6_000n);
    const captured = await acquirer.capture(capture);
    expect(captured).toMatchObject({ kind: "approved", amountMinor: 6_000n });
    expect(await acquirer.capture({ ...capture, waitUntil: calls.soon() })).toEqual(captured);
    expect(await kindOf(acquirer.capture(of(1n)))).toBe("declined");
    expect(await kindOf(acquirer.cancel(of(10_000n)))).toBe("declined");
    expect(await kindOf(acquirer.refund(of(6_001n)))).toBe("declined");
    expect(await kindOf(acquirer.refund(of(6_000n)))).toBe("approved");
    expect(await kindOf(acquirer.refund(of(1n)))).toBe("declined");
  });

  test("a release lowers what can be captured", async () => {
    const { acquirer, calls } = bench();
    const parent = await calls.approved(acquirer, "authorize", 10_000n);
    const of = (amountMinor: bigint) => calls.followUp(parent, { amountMinor });
    expect(await kindOf(acquirer.release(of(4_000n)))).toBe("approved");
    expect(await kindOf(acquirer.release(of(6_001n)))).toBe("declined");
    expect(await kindOf(acquirer.capture(of(6_001n)))).toBe("declined");
    expect(await kindOf(acquirer.capture(of(6_000n)))).toBe("approved");
    expect(await kindOf(acquirer.release(of(1n)))).toBe("declined");
  });

  const operations = ["capture", "cancel", "release", "refund"] as const;
  test.for(operations)("%s needs an approved parent in its currency", async (operation) => {
    const { acquirer, calls, setup } = bench();
    const declined = calls.card({ card: setup.cards.declined });
    await acquirer.authorize(declined);
    expect(await kindOf(acquirer[operation](calls.followUp(calls.card())))).toBe("declined");
    expect(await kindOf(acquirer[operation](calls.followUp(declined)))).toBe("declined");
    const parent = await calls.approved(acquirer, operation === "refund" ? "sale" : "authorize", 10_000n);
    const foreign = calls.followUp(parent, { currency: "USD" });
    expect(await kindOf(acquirer[operation](foreign))).toBe("declined");
    expect(await kindOf(acquirer[operation](calls.followUp(parent)))).toBe("approved");
  });
}
