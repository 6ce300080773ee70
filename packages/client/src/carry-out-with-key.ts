import { carryOut, type Ending } from "./carry-out.ts";
import type { Settings } from "./options.ts";
import type { Call } from "./outcomes.ts";
import { keyOf } from "./request-body.ts";
import type { CallOptions } from "./requests.ts";

/**
 * Carries out a change of a checkout or a payment link, under the caller's key or a new one. After a 504 there is no
 * record to look up, so the end is `unknown` until the change is repeated.
 */
export async function carryOutWithKey(
  settings: Settings,
  { path, body }: { path: string; body: string | undefined },
  options: CallOptions,
): Promise<{ ending: Ending; call: Call }> {
  const key = keyOf(options);
  const ending = await carryOut(settings, {
    method: "POST",
    path,
    ...(body !== undefined && { body }),
    ...key,
    createsRecord: false,
  });
  return { ending, call: { idempotencyKey: key.idempotencyKey, attempts: ending.attempts } };
}
