import type { ReceivedWebhook } from "@holdfast/webhook-signature";

/** The status of the merchant's own server, or the reason why there is none. */
export type Forwarded = { status: number } | { status?: undefined; error: string };

/**
 * Sends the bytes and headers of a webhook as they came to a merchant's own server, which can be plain http on this
 * machine. It waits no longer than the gateway does, and follows no redirect, as the gateway follows none.
 */
export async function forwardWebhook(url: string, { headers, body }: ReceivedWebhook): Promise<Forwarded> {
  const passed = Object.entries(headers).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string" && !OF_THE_CONNECTION.has(entry[0]),
  );
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: passed,
      body: new Uint8Array(body),
      redirect: "manual",
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    await response.body?.cancel();
    return { status: response.status };
  } catch (error) {
    const { cause = error } = error as Error;
    const { code, message } = cause as NodeJS.ErrnoException;
    return { error: code === "ECONNREFUSED" ? `nothing listens at ${url}` : message };
  }
}

const OF_THE_CONNECTION: ReadonlySet<string> = new Set([
  "host",
  "connection",
  "keep-alive",
  "content-length",
  "transfer-encoding",
  "expect",
]);
/** The time that the gateway gives a merchant's server. */
const ANSWER_WITHIN_MS = 5_000;
