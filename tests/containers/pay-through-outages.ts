import { setTimeout as delay } from "node:timers/promises";
import { preAuthorization, type Answer, type Client } from "../e2e/running-sandbox.ts";
import { eventually } from "../support/index.ts";
import { untilAnswered, wholeTime, type SteadyLoad } from "./steady-load.ts";
import type { SteadyPayment } from "./steady-payments.ts";

/** Sales that go on until they are stopped, and the outages that their merchant sees in each step. */
export type PaymentsThroughOutages = Pick<SteadyLoad<SteadyPayment>, "stop"> & {
  /** Does something, and waits until six sales more are among those that are done. */
  step(name: string, act: () => Promise<unknown>): Promise<void>;
  /** A row for each step: how long it took, how long payments were refused, and the slowest of them, in seconds. */
  table(): string;
};

/** Makes two sales a second, each repeated until it succeeds. @param withinMs in which payments have to be back after a step. */
export function payThroughOutages(merchant: Client, withinMs: number): PaymentsThroughOutages {
  const rows = ["| step | took (s) | refused for (s) | slowest (s) |", "| --- | --- | --- | --- |"];
  const watched = watchRequests();
  const load = wholeTime(2, async (name) => {
    const key = `steady-${name}`;
    const body = preAuthorization({ amount: 100, orderId: key });
    const once = () => watched.ask(() => merchant("POST", "/api/payment", body, { "Idempotency-Key": key }));
    const [{ answer, statuses }] = await Promise.all([
      untilAnswered(key, once, ({ status, body: payment }) => status === 201 && payment.status === "SUCCESS"),
      delay(1_000),
    ]);
    return { key, paymentId: answer.body.paymentId as string, statuses };
  });
  return {
    async step(name, act) {
      watched.forget();
      const begun = performance.now();
      await act();
      const took = performance.now() - begun;
      const before = load.done.length;
      await eventually(() => load.done.length > before + 6, { withinMs });
      const { outage, slowest } = watched.seen();
      const cells = [took, outage, slowest].map((each) => (each / 1_000).toFixed(1));
      rows.push(`| ${[name, ...cells].join(" | ")} |`);
    },
    stop: () => load.stop(),
    table: () => `${rows.join("\n")}\n`,
  };
}

/** The time for which requests were refused, and the slowest one that was answered; anything but 201 is a refusal. */
function watchRequests() {
  // Beginnings and ends of requests that were refused.
  let refused: number[] = [];
  let slowest = 0;
  return {
    async ask(request: () => Promise<Answer>): Promise<Answer> {
      const begun = performance.now();
      let isRefused = true;
      try {
        const answer = await request();
        isRefused = answer.status !== 201;
        slowest = Math.max(slowest, performance.now() - begun);
        return answer;
      } finally {
        if (isRefused) refused.push(begun, performance.now());
      }
    },
    seen: () => ({
      outage: refused.length === 0 ? 0 : Math.max(...refused) - Math.min(...refused),
      slowest,
    }),
    forget() {
      refused = [];
      slowest = 0;
    },
  };
}
