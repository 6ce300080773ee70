import { expect, test } from "vitest";

import type { Bench } from "./bench.ts";
import { kindOf } from "./kind-of.ts";

/** Tests that a cancel covers the whole amount and is the last operation on its parent. */
export function describeCancels(bench: () => Bench): void {
  test("a cancel ends an authorization, whole or in what releases have left", async () => {
    const { acquirer, calls } = bench();
    const whole = await calls.approved(acquirer, "authorize", 10_000n);
    const rest = await calls.approved(acquirer, "authorize", 10_000n);
    expect(await kindOf(acquirer.release(calls.followUp(rest, { amountMinor: 4_000n })))).toBe("approved");
    expect(await kindOf(acquirer.cancel(calls.followUp(whole, { amountMinor: 9_999n })))).toBe("declined");
    expect(await kindOf(acquirer.cancel(calls.followUp(whole)))).toBe("approved");
    expect(await kindOf(acquirer.capture(calls.followUp(whole)))).toBe("declined");
    expect(await kindOf(acquirer.cancel(calls.followUp(rest, { amountMinor: 6_000n })))).toBe("approved");
    expect(await kindOf(acquirer.release(calls.followUp(rest, { amountMinor: 1n })))).toBe("declined");
  });

  test("a sale can be cancelled until it is refunded, and not refunded after", async () => {
    const { acquirer, calls } = bench();
    const cancelled = await calls.approved(acquirer, "sale", 10_000n);
    const refunded = await calls.approved(acquirer, "sale", 10_000n);
    expect(await kindOf(acquirer.capture(calls.followUp(cancelled)))).toBe("declined");
    expect(await kindOf(acquirer.cancel(calls.followUp(cancelled)))).toBe("approved");
    expect(await kindOf(acquirer.refund(calls.followUp(cancelled)))).toBe("declined");
    expect(await kindOf(acquirer.refund(calls.followUp(refunded, { amountMinor: 100n })))).toBe("approved");
    expect(await kindOf(acquirer.cancel(calls.followUp(refunded)))).toBe("declined");
  });
}
