import { amountText, type Amount } from "./amount.ts";
import { invalidArgument } from "./holdfast-error.ts";
import { mentions, type Settings } from "./options.ts";
import type { CallOptions } from "./requests.ts";

/**
 * The JSON text of a request, with its amount as the caller wrote it.
 *
 * @throws HoldfastError `inexact_amount`, `invalid_argument` or `secret_in_url`.
 */
export function requestBody(request: object, { apiKey, apiSecret }: Settings): string {
  if (typeof request !== "object" || request === null || Array.isArray(request)) {
    throw invalidArgument("invalid_argument", "the request must be an object");
  }
  const members = Object.entries(request).flatMap(([name, value]: [string, unknown]) => {
    if (value === undefined) return [];
    if (name.endsWith("Url") && typeof value === "string" && mentions(value, [apiKey, apiSecret])) {
      throw invalidArgument("secret_in_url", `${name} must not contain your API key or secret`);
    }
    const text = name === "amount" ? amountText(value as Amount) : JSON.stringify(value);
    return [`${JSON.stringify(name)}:${text}`];
  });
  return `{${members.join(",")}}`;
}

/** The caller's key, which an earlier call may have had, or a new one. */
export function keyOf({ idempotencyKey, neverSent = false }: CallOptions): {
  idempotencyKey: string;
  mayBeSentBefore: boolean;
} {
  if (idempotencyKey === undefined) {
    return { idempotencyKey: globalThis.crypto.randomUUID(), mayBeSentBefore: false };
  }
  if (/^[\x20-\x7e]{1,255}$/.test(idempotencyKey) && idempotencyKey.trim() !== "") {
    return { idempotencyKey, mayBeSentBefore: !neverSent };
  }
  throw invalidArgument("invalid_argument", "idempotencyKey must have 1 to 255 printable ASCII characters");
}

/** An id as part of a path. */
export function idInPath(id: string): string {
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)) return id;
  throw invalidArgument("invalid_argument", "the id must be a UUID, as the gateway gave it");
}
