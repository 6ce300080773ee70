import { Holdfast } from "@holdfast/client";
import type { HistoryEntry } from "../../checker/index.ts";

/** One sending of the merchants' client, which becomes one entry of the history. */
export type ClientSending = { method: string; paymentId: string; body: string; key: string; sending: number };

/**
 * The merchants' client, over connections that record every request. The client decides on repetitions; each
 * sending goes to the next gateway, as behind a load balancer.
 */
export function holdfastOver(send: (sending: ClientSending) => Promise<HistoryEntry>): Holdfast {
  let sendings = 0;
  return new Holdfast({
    baseUrl: "http://127.0.0.1",
    // The senders have the real credentials.
    apiKey: "key",
    apiSecret: "secret",
    retries: RETRIES,
    fetch: async (url, { method, body = "", headers }) => {
      const paymentId = new URL(url).pathname.split("/")[3] ?? "";
      const key = headers["Idempotency-Key"] ?? "";
      const entry = await send({ method, paymentId, body, key, sending: sendings++ });
      return answerOf(entry);
    },
  });
}

/** Enough retries for an outage of a few seconds. */
const RETRIES = 8;

function answerOf({ status, body, bytesSent, replayed, retryAfter, error }: HistoryEntry): Response {
  if (status === undefined) {
    const code = bytesSent ? "ECONNRESET" : "ECONNREFUSED";
    throw new TypeError("fetch failed", { cause: Object.assign(new Error(error), { code }) });
  }
  const headers = new Headers();
  // A run's deadlines are a fraction of the real ones, and so is the wait that an answer asks for.
  if (retryAfter !== undefined) headers.set("Retry-After", retryAfter === "0" ? "0" : "1");
  if (replayed) headers.set("Idempotent-Replayed", "true");
  return new Response(body ?? null, { status, headers });
}
