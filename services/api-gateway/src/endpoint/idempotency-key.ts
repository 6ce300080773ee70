import type { IncomingMessage } from "node:http";
import { CARD_NUMBER_FAULT, isMadeOfCardNumber } from "@holdfast/contracts";
import { Refusal } from "../http/refusal.ts";

/** An Idempotency-Key with its scope, as merchants' commands carry it. */
export type IdempotencyKey = { key: string; scope: string };

/**
 * Reads the header `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header): one value of 1 to 255 printable ASCII
 * characters without a card number in it, quoted or bare. Its scope is method and path: the same key on another path is
 * another key.
 *
 * @param path the matched path with ids in lower case, so that one resource has one scope.
 */
export function readIdempotencyKey(
  request: IncomingMessage,
  path: string,
): IdempotencyKey | undefined | Refusal {
  const values = request.headersDistinct["idempotency-key"];
  if (values === undefined) return undefined;
  const [value = ""] = values;
  const key = /^"(.*)"$/.exec(value)?.[1] ?? value;
  if (values.length !== 1 || !/^[\x20-\x7E]{1,255}$/.test(key) || key.trim() === "") return INVALID;
  if (isMadeOfCardNumber(key)) return HOLDS_CARD;
  return { key, scope: `${request.method} ${path}` };
}

const INVALID = refusalOf({
  code: "invalid_format",
  message: "must be one value of 1 to 255 printable ASCII characters",
});
const HOLDS_CARD = refusalOf(CARD_NUMBER_FAULT);

function refusalOf(fault: { code: string; message: string }): Refusal {
  return new Refusal("validation_failed", {
    members: { errors: [{ field: "Idempotency-Key", ...fault }] },
  });
}
