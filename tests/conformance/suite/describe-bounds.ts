import { expect, test } from "vitest";

import type { Bench } from "./bench.ts";
import { kindOf } from "./kind-of.ts";

/** Tests that every wait ends, and that nothing begins after its expiry. */
export function describeBounds(bench: () => Bench): void {
  test("a call past its expiry is not begun", async () => {
    const { acquirer, calls } = bench();
    const request = calls.card({ expiresAt: new Date(Date.now() - 1) });
    expect(await kindOf(acquirer.authorize(request))).toBeOneOf(["not_sent", "declined"]);
    expect(await kindOf(calls.verdict(acquirer, request))).toBeOneOf(["not_found", "declined"]);
  });

  test("a wait ends, and not before the expiry", async () => {
    const { acquirer, calls, setup } = bench();
    const request = calls.card({ card: setup.cards.ignoredAndSilent, expiresAt: calls.verySoon() });
    // The bank is silent for longer than a test may take.
    await acquirer.authorize(request);
    expect(Date.now()).toBeGreaterThanOrEqual(request.expiresAt.getTime() - TIMER_SLACK_MS);
  });

  test("a close lets the call under way end, and then refuses calls", async () => {
    const { calls, setup } = bench();
    const closing = setup.openAnother();
    const { approvedAndSilent } = setup.cards;
    const underWay = closing.authorize(calls.card({ card: approvedAndSilent, expiresAt: calls.verySoon() }));
    const closed = closing.close();
    expect(await underWay).toEqual({ kind: "unknown", reason: "timeout" });
    await closed;
    expect(await closing.authorize(calls.card())).toEqual({ kind: "not_sent" });
    await closing.close();
  });
}

/** Node's timers count whole milliseconds and may end one early by the wall clock. */
const TIMER_SLACK_MS = 5;
