import { z } from "zod";

/** The rules that differ from bank to bank. A merchant's own options win over `PUT /modes`. */
export const rulesSchema = z.strictObject({
  sameDayCredit: z.boolean(),
  voidHoldsAfterDay: z.boolean(),
  voidReturnsHold: z.boolean(),
  voidedFreesOrderId: z.boolean(),
  captureOverHold: z.boolean(),
  installmentOneRefused: z.boolean(),
  halfSecure: z.boolean(),
  oneCallAnOrder: z.boolean(),
  transIdAfterCapture: z.enum(["capture", "hold"]),
  installmentPayout: z.enum(["monthly", "lump_sum"]),
});
export type Rules = z.output<typeof rulesSchema>;

/** The bank's modes; `README.md` describes each. */
export const modesSchema = rulesSchema.extend({
  access: z.enum([
    "open",
    "wrong_password",
    "password_expired",
    "address_not_allowed",
    "address_not_allowed_for_reversals",
    "locked",
    "closed",
  ]),
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
  unsignedReturnFields: z.boolean(),
  returnCharset: z.enum(["utf-8", "iso-8859-9"]),
  hashCharset: z.enum(["utf-8", "iso-8859-9"]),
});
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
  unsignedReturnFields: false,
  returnCharset: "utf-8",
  hashCharset: "utf-8",
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
