import { sellPaymentSchema } from "../messages/payment-requests.ts";
import { z } from "zod";
import { apiPaymentResponseSchema } from "../http/api-payment-response.ts";
import { threeDsTransactionTypeSchema } from "../http/three-ds.ts";
import { defineServiceCommand } from "./message.ts";

/**
 * 3-D Secure: a merchant's request enrols the card, and the cardholder's browser, which is not signed in, brings the
 * payment to its end through the public pages. `sessionId` is generated with the payment's id and travels in the signed
 * state of the return URL: it ties a browser's return to this one enrolment.
 */

/** A cardholder's way to the issuer's challenge. */
const challengeWaySchema = z.object({
  /** Our own public page that leads there. */
  pageUrl: z.string(),
  /** The end of the challenge. */
  expiresAt: z.iso.datetime(),
});
export type ChallengeWay = z.infer<typeof challengeWaySchema>;

/** The issuer's address and the form fields it wants posted. */
const challengeFormSchema = challengeWaySchema.extend({
  url: z.string(),
  fields: z.record(z.string(), z.string()),
});
export type ChallengeForm = z.infer<typeof challengeFormSchema>;

/** A form, or a page of the bank's own. */
const challengeSchema = z.union([challengeFormSchema, challengeWaySchema.extend({ html: z.string() })]);
export type Challenge = z.infer<typeof challengeSchema>;

/**
 * The record, with the way to the challenge if the cardholder had one to pass, and with its form while it is open. The
 * stored answer of a request has the way only, so that no challenge is kept longer than its session.
 */
export const enrolledPaymentSchema = apiPaymentResponseSchema.extend({
  challenge: challengeFormSchema.optional(),
  challengeWay: challengeWaySchema.optional(),
});
export type EnrolledPayment = z.infer<typeof enrolledPaymentSchema>;

/** The fields that a payment with 3-D Secure needs besides a sale's, which the service that starts it generates. */
export const threeDsTermsSchema = z.object({
  transactionType: threeDsTransactionTypeSchema,
  sessionId: z.uuid(),
  /** The cardholder's browser is sent to one of these in the end; the command's sender has checked them. */
  successUrl: z.string().max(2_048),
  failureUrl: z.string().max(2_048),
  /**
   * Our public pages for this session: the one the acquirer sends the browser back to, and the way to the challenge.
   */
  returnUrl: z.string().max(2_048),
  pageUrl: z.string().max(2_048),
});
export type ThreeDsTerms = z.infer<typeof threeDsTermsSchema>;

/**
 * Hands the card to the acquirer, which decides whether its holder has to pass a challenge; without a
 * challenge the payment continues to its end.
 */
export const enrolPaymentSchema = sellPaymentSchema.extend(threeDsTermsSchema.shape);
export type EnrolPayment = z.infer<typeof enrolPaymentSchema>;

const session = { paymentId: z.uuid(), sessionId: z.uuid() };

/**
 * The payment's present state, and the destination of its cardholder's browser once it is no longer ENROLLED.
 */
export const sessionStateSchema = z.object({
  payment: apiPaymentResponseSchema,
  /** The merchant's id in the payment's mode. */
  merchantId: z.string(),
  successUrl: z.string(),
  failureUrl: z.string(),
  /** Present while it can still be passed. */
  challenge: challengeSchema.optional(),
  /**
   * The outcome of a return that completed nothing. `not_genuine`: it proves nothing, and the session is
   * unchanged. `not_used`: another process worked on the payment, and the same fields have to come again.
   */
  returnWas: z.enum(["not_genuine", "not_used"]).optional(),
});
export type SessionState = z.infer<typeof sessionStateSchema>;

/**
 * Bounds of a browser's return from the issuer: the number of fields, and the length of a name and of a value in UTF-16
 * code units. Banks send up to 60 fields, and messages of EMV 3-D Secure of some thousand characters.
 */
export const BROWSER_RETURN_BOUNDS = { fields: 200, name: 256, value: 32_768 } as const;

/**
 * The fields as they came, with their order and repetitions. They may be used in place of the card: they are
 * neither stored nor logged.
 */
export const browserReturnSchema = z.object({
  fields: z
    .array(z.tuple([z.string().max(BROWSER_RETURN_BOUNDS.name), z.string().max(BROWSER_RETURN_BOUNDS.value)]))
    .max(BROWSER_RETURN_BOUNDS.fields),
});
export type BrowserReturn = z.infer<typeof browserReturnSchema>;

/**
 * Asks the acquirer once for the challenge's result when the browser is back, and authorizes. A repetition
 * changes nothing and answers with the payment's present state; `pending` while that is not known,
 * `three_ds_session_not_found` for another session.
 */
export const completePayment = defineServiceCommand({
  service: "payments",
  name: "complete",
  senders: ["gateway-public"],
  request: z.object({
    ...session,
    /** The fields that the browser brought. The acquirer's adapter judges whether they prove anything. */
    returned: browserReturnSchema,
  }),
  result: sessionStateSchema,
});
export type CompletePayment = z.infer<typeof completePayment.request>;

/** Serves the public page that leads to the challenge. It changes nothing and asks no bank. */
export const readSession = defineServiceCommand({
  service: "payments",
  name: "read-session",
  work: "read",
  senders: ["gateway-public"],
  request: z.object(session),
  result: sessionStateSchema,
});
