import { shownMessage, word } from "@holdfast/acquirer/kit";
import { isSafeWebUrl } from "@holdfast/service-runtime";
import { z } from "zod";

/** Many times a page that takes a browser to the issuer. */
const HTML_LENGTH_MAX = 65_536;
const message = z.string().transform((text) => shownMessage(text));

const about = {
  reference: z.string().min(1).max(128),
  amountMinor: z.int().positive().transform(BigInt),
  currency: z.string().length(3),
};

const approvedFields = {
  ...about,
  outcome: z.literal("approved"),
  externalTransactionId: word,
  authCode: word,
  resultCode: word,
  resultMessage: message,
};

const declinedFields = {
  ...about,
  outcome: z.literal("declined"),
  externalTransactionId: word,
  resultCode: word,
  resultMessage: message,
};

/** Accepted; an inquiry shows the result later. */
const pendingFields = { ...about, outcome: z.literal("pending") };

const expiredFields = { ...about, outcome: z.literal("expired") };

const authentication = z.object({
  transStatus: z.enum(["Y", "A", "N", "R", "U"]),
  eci: z.string().length(2).exactOptional(),
  dsTransId: word.exactOptional(),
});
const session = z.string().min(1).max(128);

/**
 * The answer of `POST /v1/3ds/enrol`. Values that go into a page are bounded, and its URL can only be a web address: over
 * https, unless plain text is allowed or it is this machine's.
 */
export function enrolmentAnswer({ allowPlaintext }: { allowPlaintext: boolean }) {
  const url = z
    .url({ protocol: /^https?$/ })
    .max(2_048)
    .refine((text) => allowPlaintext || isSafeWebUrl(text));
  return z.discriminatedUnion("outcome", [
    z.object({ ...about, outcome: z.literal("challenge"), session, url, fields }),
    z.object({ ...about, outcome: z.literal("challenge_page"), session, html }),
    z.object({ ...about, outcome: z.literal("authenticated"), session, authentication }),
    z.object({ ...declinedFields, authentication: authentication.exactOptional() }),
    z.object(expiredFields),
  ]);
}

const html = z.string().min(1).max(HTML_LENGTH_MAX);

const fields = z
  .record(z.string().min(1).max(64), z.string().max(8_192))
  .refine((given) => Object.keys(given).length <= 16);

/** The answer of `POST /v1/3ds/complete`; `not_genuine` if the given return proves nothing. */
export const completionAnswer = z.discriminatedUnion("outcome", [
  z.object({ ...approvedFields, authentication: authentication.exactOptional() }),
  z.object({ ...declinedFields, authentication: authentication.exactOptional() }),
  z.object(expiredFields),
  z.object(pendingFields),
  z.object({ ...about, outcome: z.literal("not_genuine") }),
]);

/** The answer of `POST /v1/{operation}`, except for a reversal. */
export const operationAnswer = z.discriminatedUnion("outcome", [
  z.object(approvedFields),
  z.object(declinedFields),
  z.object(expiredFields),
  z.object(pendingFields),
]);
export type ApprovedAnswer = Extract<z.output<typeof operationAnswer>, { outcome: "approved" }>;
export type DeclinedAnswer = Extract<z.output<typeof operationAnswer>, { outcome: "declined" }>;

/**
 * The answer of `POST /v1/reverse`. Our reversals carry no expiry, so the simulator's outcome `expired` says nothing of
 * the money. In a mode that does not bind unseen references it answers `not_found`.
 */
export const reversalAnswer = z.object({
  ...about,
  outcome: z.enum(["reversed", "settled", "refused", "not_found"]),
  resultCode: word,
  resultMessage: message,
});

/** The answer of `GET /v1/operations/{reference}`. */
export const inquiryAnswer = z.discriminatedUnion("outcome", [
  z.object({ ...approvedFields, authentication: authentication.exactOptional() }),
  z.object({ ...declinedFields, authentication: authentication.exactOptional() }),
  z.object({ reference: about.reference, outcome: z.literal("expired") }),
  z.object({ reference: about.reference, outcome: z.literal("reversed") }),
  z.object({ reference: about.reference, outcome: z.literal("not_found") }),
  z.object(pendingFields),
]);
