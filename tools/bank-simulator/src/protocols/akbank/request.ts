import { z } from "zod";

import { TXN_CODES, type Entry } from "./ledger-line.ts";

/** The letters of currencies by their ISO 4217 numbers. */
export const currencies = new Map([
  [949, "TRY"],
  [840, "USD"],
  [978, "EUR"],
  [826, "GBP"],
  [392, "JPY"],
  [643, "RUB"],
]);

/** The card of a payment, or the authentication in its place after 3-D Secure. */
export type PaymentCard =
  | { kind: "pan"; pan: string; expiry: string; cvv: string }
  | { kind: "md"; md: string; id: string; eci: string; data: string };

/** A request that moves money. */
export type MoneyRequest = {
  operation: Entry["operation"];
  orderId: string;
  /** Means nothing in a cancellation. */
  amountMinor: bigint;
  /** ISO 4217 letters; undefined in a cancellation. */
  currency: string | undefined;
  installments: number;
  /** A payment's. */
  card: PaymentCard | undefined;
};

/** A decimal with two places, as text or as a number. */
const amount = z
  .union([z.string(), z.number().transform((value) => value.toFixed(2))])
  .pipe(z.string().regex(/^\d{1,10}\.\d\d$/))
  .transform((text) => BigInt(text.replace(".", "")));

const order = z.object({ orderId: z.string().regex(/^[\w-]{1,36}$/) });
const head = z.object({
  version: z.literal("1.00"),
  txnCode: z.string(),
  requestDateTime: z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/),
  randomNumber: z.string().regex(/^[0-9A-F]{128}$/),
  terminal: z.object({ merchantSafeId: z.string(), terminalSafeId: z.string() }),
});
const money = z.object({ amount, currencyCode: z.int().refine((code) => currencies.has(code)) });
const card = z.object({
  cardNumber: z.string().regex(/^\d{13,19}$/),
  expireDate: z.string().regex(/^(?:0[1-9]|1[0-2])\d\d$/),
  cvv2: z.string().regex(/^\d{3,4}$/),
});
const secure = z.object({
  secureId: z.string().max(64),
  secureEcomInd: z.string().regex(/^\d{0,2}$/),
  secureData: z.string().max(64),
  secureMd: z.string().max(128),
});
const payment = head
  .extend({
    order,
    transaction: money.extend({ motoInd: z.literal([0, 1]), installCount: z.int().min(1).max(99) }),
    card: card.optional(),
    secureTransaction: secure.optional(),
  })
  .refine((sent) => (sent.card === undefined) !== (sent.secureTransaction === undefined), {
    path: ["card"],
    error: "must be there, or secureTransaction",
  });

const SCHEMAS = {
  "1000": payment,
  "1004": payment,
  "1005": head.extend({ order, transaction: money }),
  "1002": head.extend({ order, transaction: money }),
  "1003": head.extend({ order }),
  "1010": head.extend({ order }),
};

const operations = new Map(
  (Object.keys(TXN_CODES) as Entry["operation"][]).map((operation) => [TXN_CODES[operation], operation]),
);

/** A request that has passed its validation; `money` is undefined for an inquiry. */
export type Asked = { txnCode: string; orderId: string; at: string; money: MoneyRequest | undefined };

/** @returns the messages of the validation where a body has faults. */
export function readAsked(body: unknown): Asked | { faults: string[] } {
  const { txnCode } = z.object({ txnCode: z.string() }).catch({ txnCode: "" }).parse(body);
  const schema = Object.hasOwn(SCHEMAS, txnCode) ? SCHEMAS[txnCode as keyof typeof SCHEMAS] : undefined;
  if (!schema) return { faults: ["txnCode"] };
  const read = schema.safeParse(body);
  if (!read.success) return { faults: read.error.issues.map(({ path }) => path.join(".")) };
  const data: Read = read.data;
  const { orderId } = data.order;
  const operation = operations.get(txnCode);
  const { amount: amountMinor = 0n, currencyCode, installCount = 1 } = data.transaction ?? {};
  const currency = currencyCode === undefined ? undefined : currencies.get(currencyCode);
  return {
    txnCode,
    orderId,
    at: data.requestDateTime,
    money: operation && {
      operation,
      orderId,
      amountMinor,
      currency,
      installments: installCount,
      card: cardOf(data),
    },
  };
}

/** The parts that some calls have, and others have not. */
type Read = z.output<typeof head> & {
  order: z.output<typeof order>;
  transaction?: z.output<typeof money> & { installCount?: number };
  card?: z.output<typeof card> | undefined;
  secureTransaction?: z.output<typeof secure> | undefined;
};

function cardOf({
  card: given,
  secureTransaction: proof,
}: Pick<Read, "card" | "secureTransaction">): PaymentCard | undefined {
  if (proof) {
    const { secureId: id, secureEcomInd: eci, secureData: data, secureMd: md } = proof;
    return { kind: "md", md, id, eci, data };
  }
  if (!given) return undefined;
  const expiry = given.expireDate.replace(/(..)(..)/, "20$2-$1");
  return { kind: "pan", pan: given.cardNumber, expiry, cvv: given.cvv2 };
}
