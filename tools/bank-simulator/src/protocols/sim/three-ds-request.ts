import { z } from "zod";

import { invalid, type Parsed } from "../../core/index.ts";
import { cardBody, commonFields, EXPIRY_AHEAD_MAX_MS } from "./operation-request.ts";

/** The operation to carry out once the cardholder is authenticated. */
export type EnrolmentRequest = {
  operation: "authorize" | "sale";
  reference: string;
  amountMinor: bigint;
  currency: string;
  /** The whole card number, in memory for the length of the session. The CVV is dropped at the parse. */
  pan: string;
  loyaltyCode?: string | undefined;
  returnUrl: string;
  sessionExpiresAtMs: number;
  expiresAtMs: number;
};

/** A completion names only the session; the card is the enrolment's. */
export type CompletionRequest = Omit<
  EnrolmentRequest,
  "pan" | "loyaltyCode" | "returnUrl" | "sessionExpiresAtMs"
> & {
  session: string;
  /** The fields that the caller says the cardholder's browser brought. */
  returned: readonly (readonly [string, string])[];
};

/** Checks the body of `POST /v1/3ds/enrol`. */
export function parseEnrolmentRequest(body: unknown, nowMs: number): Parsed<EnrolmentRequest> {
  const parsed = enrolmentBody.safeParse(body);
  if (!parsed.success) return invalid(parsed.error);
  const { card, loyaltyCode, returnUrl, sessionExpiresAt, operation, reference, currency } = parsed.data;
  const expiresAtMs = Date.parse(parsed.data.expiresAt);
  const sessionExpiresAtMs = Date.parse(sessionExpiresAt);
  const latestMs = nowMs + EXPIRY_AHEAD_MAX_MS;
  if (expiresAtMs > latestMs) return { kind: "invalid", fields: ["expiresAt"] };
  if (sessionExpiresAtMs > latestMs) return { kind: "invalid", fields: ["sessionExpiresAt"] };
  const amountMinor = BigInt(parsed.data.amountMinor);
  const request = { operation, reference, amountMinor, currency, returnUrl, sessionExpiresAtMs, expiresAtMs };
  return { kind: "valid", request: { ...request, pan: card.pan, loyaltyCode } };
}

/** Checks the body of `POST /v1/3ds/complete`. */
export function parseCompletionRequest(body: unknown, nowMs: number): Parsed<CompletionRequest> {
  const parsed = completionBody.safeParse(body);
  if (!parsed.success) return invalid(parsed.error);
  const { operation, reference, currency, session, returned = [] } = parsed.data;
  const expiresAtMs = Date.parse(parsed.data.expiresAt);
  if (expiresAtMs > nowMs + EXPIRY_AHEAD_MAX_MS) return { kind: "invalid", fields: ["expiresAt"] };
  const amountMinor = BigInt(parsed.data.amountMinor);
  const request = { operation, reference, amountMinor, currency, session, returned, expiresAtMs };
  return { kind: "valid", request };
}

const operation = z.enum(["authorize", "sale"]);

const enrolmentBody = cardBody.extend({
  operation,
  returnUrl: z.url({ protocol: /^https?$/ }).max(2_048),
  sessionExpiresAt: z.iso.datetime(),
});

const returned = z.array(z.tuple([z.string().max(256), z.string().max(32_768)])).max(200);

const completionBody = z.object({
  ...commonFields,
  operation,
  session: z.uuid(),
  returned: returned.optional(),
});
