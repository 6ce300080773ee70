import { expect, test } from "vitest";

import type { Bench } from "./bench.ts";
import { kindOf } from "./kind-of.ts";

/** Tests that after `reversed` no funds are, or ever will be, reserved or captured under the reference. */
export function describeReversals(bench: () => Bench): void {
  test.for(["authorize", "sale"] as const)("a reversal undoes %s, and repeats", async (operation) => {
    const { acquirer, calls } = bench();
    const request = await calls.approved(acquirer, operation, 10_000n);
    expect(await acquirer.reverse(calls.reversal(request))).toEqual({ kind: "reversed" });
    expect(await acquirer.reverse(calls.reversal(request))).toEqual({ kind: "reversed" });
    expect(await calls.verdict(acquirer, request)).toEqual({ kind: "reversed" });
    expect(await kindOf(acquirer.capture(calls.followUp(request)))).toBe("declined");
    expect(await kindOf(acquirer.refund(calls.followUp(request)))).toBe("declined");
  });

  test.for(["authorize", "sale"] as const)(
    "a reversal of the unseen refuses a later %s",
    async (operation) => {
      const { acquirer, calls } = bench();
      const request = calls.card();
      expect(await acquirer.reverse(calls.reversal(request))).toEqual({ kind: "reversed" });
      expect(await kindOf(acquirer[operation](request))).toBe("declined");
      expect(await calls.verdict(acquirer, request)).toEqual({ kind: "reversed" });
      expect(await acquirer.reverse(calls.reversal(request))).toEqual({ kind: "reversed" });
      expect(await kindOf(acquirer.refund(calls.followUp(request)))).toBe("declined");
    },
  );

  test("a reversal of what was declined binds the reference", async () => {
    const { acquirer, calls, setup } = bench();
    const request = calls.card({ card: setup.cards.declined });
    expect(await kindOf(acquirer.authorize(request))).toBe("declined");
    expect(await acquirer.reverse(calls.reversal(request))).toEqual({ kind: "reversed" });
    expect(await calls.verdict(acquirer, request)).toEqual({ kind: "reversed" });
  });

  test("a reversal of a captured authorization is refused and leaves it", async () => {
    const { acquirer, calls } = bench();
    const request = await calls.approved(acquirer, "authorize", 10_000n);
    expect(await kindOf(acquirer.capture(calls.followUp(request)))).toBe("approved");
    expect(await acquirer.reverse(calls.reversal(request))).toEqual({
      kind: "refused",
      resultCode: expect.stringMatching(/./),
      resultMessage: expect.any(String),
    });
    expect(await kindOf(calls.verdict(acquirer, request))).toBe("approved");
    expect(await kindOf(acquirer.refund(calls.followUp(request)))).toBe("approved");
  });

  test("a reversal of a sale that has been refunded is refused", async () => {
    const { acquirer, calls } = bench();
    const sale = await calls.approved(acquirer, "sale", 10_000n);
    expect(await kindOf(acquirer.refund(calls.followUp(sale, { amountMinor: 100n })))).toBe("approved");
    expect(await kindOf(acquirer.reverse(calls.reversal(sale)))).toBe("refused");
  });

  test("a reversal of another amount has no effect", async () => {
    const { acquirer, calls } = bench();
    const request = await calls.approved(acquirer, "authorize", 10_000n);
    const other = { ...calls.reversal(request), amountMinor: 9_999n };
    expect(await kindOf(acquirer.reverse(other))).not.toBe("reversed");
    expect(await kindOf(calls.verdict(acquirer, request))).toBe("approved");
  });
}
