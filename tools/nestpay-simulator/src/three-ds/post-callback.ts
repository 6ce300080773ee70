import type { Parameter } from "./ver3-hash.ts";

/**
 * Posts a return's fields from server to server (Nestpay protocol, callbackUrl). A merchant that answers FAILURE, or not
 * at all, gets them twice more; what becomes of it does not matter to the browser's return.
 */
export async function postCallback(
  url: string,
  fields: readonly Parameter[],
  stopping: AbortSignal,
): Promise<void> {
  const body = new URLSearchParams(fields.map(([name, value]) => [name, value]));
  for (let attempt = 0; attempt < ATTEMPTS_MAX && !stopping.aborted; attempt += 1) {
    if (await isTaken(url, body, stopping)) return;
  }
}

async function isTaken(url: string, body: URLSearchParams, stopping: AbortSignal): Promise<boolean> {
  try {
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(TIMEOUT_MS)]);
    const response = await fetch(url, { method: "POST", body, redirect: "error", signal });
    const answer = await firstBytes(response);
    return response.ok && !answer.includes("FAILURE");
  } catch {
    return false;
  }
}

/** The answer is a word; of a long one the rest is left unread. */
async function firstBytes(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const first = await reader?.read();
  await reader?.cancel();
  return Buffer.from(first?.value ?? [])
    .toString("latin1")
    .slice(0, ANSWER_BYTES_MAX);
}

const ATTEMPTS_MAX = 3;
const TIMEOUT_MS = 5_000;
const ANSWER_BYTES_MAX = 256;
