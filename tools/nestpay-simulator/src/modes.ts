import { z } from "zod";

/** The bank's access for the API user, or the fault that refuses it. */
export const accessNames = [
  "open",
  "wrong_password",
  "password_expired",
  "address_not_allowed",
  "address_not_allowed_for_reversals",
  "locked",
  "closed",
] as const;

/** The rules that differ from bank to bank. A merchant's own options win over `PUT /modes`. */
export const rulesSchema = z.strictObject({
  /** A sale or a capture can be refunded before the day's end. */
  sameDayCredit: z.boolean(),
  /** A hold can be voided after the day on which it was made. */
  voidHoldsAfterDay: z.boolean(),
  /** Voiding a PostAuth leaves the hold as it was; otherwise the hold is gone with it. */
  voidReturnsHold: z.boolean(),
  /** An order whose movements are all voided takes another sale or hold. */
  voidedFreesOrderId: z.boolean(),
  /** A PostAuth may exceed the hold by 15 % where it sends PREAMT. */
  captureOverHold: z.boolean(),
  /** `Taksit` 1 is refused; otherwise it means one payment. */
  installmentOneRefused: z.boolean(),
  /** mdStatus 2, 3 and 4 suffice. */
  halfSecure: z.boolean(),
  /** A call for an order that has one running is refused. */
  oneCallAnOrder: z.boolean(),
  /** The movement whose TransId the row of a captured hold shows. */
  transIdAfterCapture: z.enum(["capture", "hold"]),
  /** The payout of a sale in installments, month by month or in one sum. */
  installmentPayout: z.enum(["monthly", "lump_sum"]),
});
export type Rules = z.output<typeof rulesSchema>;

const modesSchema = rulesSchema.extend({
  access: z.enum(accessNames),
  language: z.enum(["tr", "en"]),
  errorCodeBesideExtra: z.boolean(),
  bareDeclines: z.boolean(),
  emptyOrderIdInErrors: z.boolean(),
  unprefixedErrorCodes: z.boolean(),
  declinedRefusals: z.boolean(),
  transIdInRefusals: z.boolean(),
  saleShownAuthorized: z.boolean(),
  returnHash: z.enum(["right", "wrong", "missing"]),
  callback: z.boolean(),
});

/** The bank's present modes. `README.md` describes each. */
export type Modes = z.output<typeof modesSchema>;

export const defaultModes: Modes = {
  access: "open",
  language: "tr",
  errorCodeBesideExtra: false,
  bareDeclines: false,
  emptyOrderIdInErrors: false,
  unprefixedErrorCodes: false,
  declinedRefusals: false,
  transIdInRefusals: true,
  saleShownAuthorized: false,
  returnHash: "right",
  callback: false,
  sameDayCredit: false,
  voidHoldsAfterDay: true,
  voidReturnsHold: false,
  voidedFreesOrderId: true,
  captureOverHold: false,
  installmentOneRefused: false,
  halfSecure: false,
  oneCallAnOrder: true,
  transIdAfterCapture: "capture",
  installmentPayout: "monthly",
};

/** The body of `PUT /modes`: a mode that it leaves out stays as it is. */
export const modesBody = modesSchema.partial();
