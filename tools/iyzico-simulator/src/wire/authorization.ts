import { createHmac, timingSafeEqual } from "node:crypto";

export type Credentials = { apiKey: string; secretKey: string };

/** The code of a refusal: 1000 is a signature that does not match, 1001 an unknown key. */
export type AuthorizationResult<Merchant> =
  | { kind: "verified"; merchant: Merchant }
  | { kind: "refused"; code: "1000" | "1001" };

/**
 * Verifies an `Authorization` header of the form IYZWSv2 over the bytes that arrived (iyzico protocol, transport and
 * authentication). The random text is taken from the header itself, because not every client sends `x-iyzi-rnd`.
 */
export function verifyAuthorization<Merchant extends Credentials>(
  merchants: readonly Merchant[],
  header: string | undefined,
  /** The path without the query. */
  path: string,
  body: Uint8Array,
): AuthorizationResult<Merchant> {
  const claim = parseHeader(header);
  if (!claim) return { kind: "refused", code: "1000" };
  const merchant = merchants.find(({ apiKey }) => apiKey === claim.apiKey);
  if (!merchant) return { kind: "refused", code: "1001" };
  const right = Buffer.from(requestSignature(merchant.secretKey, claim.random, path, body));
  const sent = Buffer.from(claim.signature);
  const isRight = sent.length === right.length && timingSafeEqual(sent, right);
  return isRight ? { kind: "verified", merchant } : { kind: "refused", code: "1000" };
}

/** hex(HMAC-SHA256(secretKey, random + path + body)) */
export function requestSignature(secretKey: string, random: string, path: string, body: Uint8Array): string {
  return createHmac("sha256", secretKey).update(random).update(path).update(body).digest("hex");
}

function parseHeader(header: string | undefined) {
  const [, encoded] = /^IYZWSv2 ([A-Za-z0-9+/=]{1,2000})$/.exec(header ?? "") ?? [];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const [, apiKey, random, signature] =
    /^apiKey:([^&]+)&randomKey:([^&]+)&signature:([0-9a-f]+)$/.exec(text) ?? [];
  if (apiKey === undefined || random === undefined || signature === undefined) return undefined;
  return { apiKey, random, signature };
}
