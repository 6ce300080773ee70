import { z } from "zod";

/** Properties of this bank that last until they are changed; `README.md` describes each. */
export const modesSchema = z.strictObject({
  failureHttpStatus: z.union([z.literal(200), z.literal(400)]).default(200),
  decimals: z.enum(["zeros", "plain"]).default("zeros"),
  types: z.enum(["usual", "swapped"]).default("usual"),
  answers: z.enum(["right", "other_payment", "other_amount"]).default("right"),
  answerSignatures: z.enum(["right", "wrong", "missing"]).default("right"),
  returns: z.enum(["right", "other_payment"]).default("right"),
  returnSignatures: z.enum(["right", "wrong", "missing"]).default("right"),
  mdStatus: z
    .string()
    .regex(/^[0-8]$/)
    .nullable()
    .default(null),
  conversationData: z.string().max(200).default(""),
  keys: z.enum(["right", "unknown_key", "wrong_signature"]).default("right"),
  account: z.enum(["open", "frozen"]).default("open"),
  limitPerMinute: z.int().min(1).max(10_000).nullable().default(null),
  fraudStatus: z.union([z.literal(1), z.literal(0), z.literal(-1)]).default(1),
  reviews: z.enum(["open", "accepted", "refused"]).default("open"),
  failedPaymentStatus: z.union([z.literal(0), z.literal(2)]).default(0),
  unknownPayment: z.enum(["empty", "failure"]).default("empty"),
  webhooks: z.enum(["on", "off", "late", "twice", "wrong_signature"]).default("on"),
  captures: z.enum(["accepted", "refused"]).default("accepted"),
  captureAmounts: z.enum(["lower", "equal", "higher"]).default("lower"),
  holdCancel: z.enum(["any_day", "same_day", "refused"]).default("any_day"),
  sameDayRefunds: z.enum(["accepted", "refused"]).default("accepted"),
  refundNames: z.enum(["both", "answer_only", "record_only", "differ"]).default("both"),
});

export type Modes = z.output<typeof modesSchema>;

export const defaultModes: Modes = modesSchema.parse({});
