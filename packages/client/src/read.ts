import { backoffMs, pause } from "./carry-out.ts";
import { HoldfastError } from "./holdfast-error.ts";
import { judgeSending } from "./judge-sending.ts";
import type { Settings } from "./options.ts";
import { answeredOf, fetchAnswer, readWhole, sendRequest, silenceOf, type Sending } from "./send-request.ts";

/**
 * Reads, and retries failures that may pass. A read changes nothing, so any failure can be retried.
 *
 * @throws HoldfastError of the last attempt.
 */
export async function read(settings: Settings, path: string): Promise<object> {
  return await untilRead(settings, async () => {
    const verdict = judgeSending(await sendRequest(settings, { method: "GET", path }));
    return verdict.kind === "done" ? { value: verdict.body } : verdict;
  });
}

/**
 * Reads a body that is not JSON, such as an image, in the same way.
 *
 * @param mediaType the only accepted media type.
 * @throws HoldfastError of the last attempt; `unexpected_answer` for another type.
 */
export async function readText(settings: Settings, path: string, mediaType: string): Promise<string> {
  return await untilRead(settings, async () => {
    const sent = await askForText(settings, path, mediaType);
    if ("value" in sent) return sent;
    const verdict = judgeSending(sent);
    return verdict.kind === "done" ? { error: notOfType(mediaType) } : verdict;
  });
}

type Read<Value> = { value: Value } | { error: HoldfastError; waitMs?: number };

async function untilRead<Value>(settings: Settings, once: () => Promise<Read<Value>>): Promise<Value> {
  for (let attempts = 1; ; attempts++) {
    const found = await once();
    if ("value" in found) return found.value;
    if (!found.error.retryable || attempts > settings.retries) throw found.error;
    await pause(found.waitMs ?? backoffMs(attempts));
  }
}

async function askForText(
  settings: Settings,
  path: string,
  mediaType: string,
): Promise<{ value: string } | Sending> {
  const accept = `${mediaType}, application/problem+json`;
  const signal = AbortSignal.timeout(settings.timeoutMs);
  try {
    const answer = await fetchAnswer(settings, { method: "GET", path }, { accept, signal });
    const isWanted = answer.headers.get("Content-Type")?.split(";")[0]?.trim() === mediaType;
    if (answer.status !== 200 || !isWanted) return await answeredOf(answer);
    const value = await readWhole(answer);
    return value === undefined ? silenceOf(undefined) : { value };
  } catch (cause) {
    return silenceOf(cause);
  }
}

function notOfType(mediaType: string): HoldfastError {
  const facts = { code: "unexpected_answer", status: 200, retryable: false };
  return new HoldfastError(`the answer is not ${mediaType}`, facts);
}
