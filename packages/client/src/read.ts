import { backoffMs, pause } from "./carry-out.ts";
import { judgeSending } from "./judge-sending.ts";
import type { Settings } from "./options.ts";
import { sendRequest } from "./send-request.ts";

/**
 * Reads, and repeats what can be repeated; a read changes nothing, so any failure can.
 *
 * @throws HoldfastError the last one.
 */
export async function read(settings: Settings, path: string): Promise<object> {
  for (let attempts = 1; ; attempts++) {
    const verdict = judgeSending(await sendRequest(settings, { method: "GET", path }));
    if (verdict.kind === "done") return verdict.body;
    if (!verdict.error.retryable || attempts > settings.retries) throw verdict.error;
    await pause(verdict.waitMs ?? backoffMs(attempts));
  }
}
