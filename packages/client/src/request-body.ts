import { amountText, type Amount } from "./amount.ts";
import { invalidArgument } from "./holdfast-error.ts";
import { mentions, type Settings } from "./options.ts";
import type { CallOptions } from "./requests.ts";

/**
 * The JSON text of a request, with its amounts as the caller wrote them.
 *
 * @throws HoldfastError `inexact_amount`, `invalid_argument` or `secret_in_url`.
 */
export function requestBody(request: object, { apiKey, apiSecret }: Settings): string {
  if (typeof request !== "object" || request === null || Array.isArray(request)) {
    throw invalidArgument("invalid_argument", "the request must be an object");
  }
  const members = Object.entries(request).flatMap(([name, value]: [string, unknown]) => {
    if (value === undefined) return [];
    if (/url$/i.test(name) && typeof value === "string" && mentions(value, [apiKey, apiSecret])) {
      throw invalidArgument("secret_in_url", `${name} must not contain your API key or secret`);
    }
    return [`${JSON.stringify(name)}:${memberText(name, value)}`];
  });
  return `{${members.join(",")}}`;
}

/** Applies to the amounts of the request and of its basket items. */
function memberText(name: string, value: unknown): string {
  if (name === "amount" || name === "installmentTotal") return amountText(value as Amount);
  return name === "basket" && Array.isArray(value) ? `[${value.map(itemText).join(",")}]` : jsonOf(value);
}

function itemText(item: unknown): string {
  if (typeof item !== "object" || item === null) return jsonOf(item);
  const members = Object.entries(item).filter(([, value]) => value !== undefined);
  const texts = members.map(([name, value]: [string, unknown]) => {
    return `${JSON.stringify(name)}:${name === "amount" ? amountText(value as Amount) : jsonOf(value)}`;
  });
  return `{${texts.join(",")}}`;
}

/** A function or a symbol has no text, so the gateway could not judge it. */
function jsonOf(value: unknown): string {
  return JSON.stringify(value) ?? "null";
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
