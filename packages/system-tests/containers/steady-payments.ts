import { setTimeout as delay } from "node:timers/promises";
import { preAuthorization, type Answer, type Client } from "../e2e/running-sandbox.ts";

/** One payment as a patient merchant sees it: repeated under its Idempotency-Key until it is answered for good. */
export type SteadyPayment = { key: string; paymentId: string; statuses: (number | "no answer")[] };

/** Pays all the time, a few at once, until `stop`, which answers what has been paid. */
export function payTheWholeTime(merchant: Client): {
  paid: readonly SteadyPayment[];
  stop(): Promise<SteadyPayment[]>;
} {
  const paid: SteadyPayment[] = [];
  const stopping = new AbortController();
  const payer = async (name: number) => {
    for (let count = 0; !stopping.signal.aborted; count++) {
      paid.push(await pay(merchant, `steady-${name}-${count}`));
      await delay(PAUSE_MS);
    }
  };
  const payers = Promise.all(Array.from({ length: PAYERS }, (_, name) => payer(name)));
  return {
    paid,
    async stop() {
      stopping.abort();
      await payers;
      return paid;
    },
  };
}

const PAYERS = 4;
const PAUSE_MS = 25;
const PATIENCE_MS = 60_000;

async function pay(merchant: Client, key: string): Promise<SteadyPayment> {
  const statuses: SteadyPayment["statuses"] = [];
  for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline;) {
    const body = preAuthorization({ orderId: key });
    const answer: Answer | undefined = await merchant("POST", "/api/pre-authorization", body, {
      "Idempotency-Key": key,
    }).catch(() => undefined);
    statuses.push(answer?.status ?? "no answer");
    if (answer?.status === 201) return { key, paymentId: answer.body.paymentId as string, statuses };
    await delay(250);
  }
  throw new Error(`${key} was not answered for good: ${statuses.join(", ")}`);
}
