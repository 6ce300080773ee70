import {
  cellsOf,
  csvRow,
  decimalAmount,
  type Cells,
  type EndedDay,
  type Movement,
  type SettlementFile,
  type ShownTimes,
  type Unkindness,
} from "../../core/index.ts";
import { cardBin } from "./cards.ts";
import { sumOf } from "./fees.ts";
import type { Entry, PaymentLine } from "./ledger-line.ts";
import { itemsOf, type Item, type Payments } from "./payments.ts";
import { UNITS_PER_MINOR } from "./wire/decimal.ts";
import { wallTime } from "./wire/wall-time.ts";

export type EndedDays = EndedDay<Entry>[];

/** One basket item in the payout of a day (iyzico protocol, settlement files). Amounts are minor units. */
export type SettlementLine = {
  kind: "PAYMENT" | "REFUND";
  /** The line of the movement, and of its payment. */
  movement: Entry;
  line: PaymentLine;
  item: Item;
  /** The paid or refunded amount, never negative. */
  grossMinor: bigint;
  rateMinor: bigint;
  feeMinor: bigint;
  /** The merchant's amount: negative for a refund. */
  netMinor: bigint;
};

/** The lines of one merchant and day: captured and sold items that were not cancelled, and refunds. */
export function settlementLines(
  payments: Payments,
  { movements }: EndedDay<Entry>,
  merchantId: string,
): SettlementLine[] {
  return movements
    .filter(({ line }) => line.merchantId === merchantId)
    .flatMap((movement) => {
      const known = payments.ofId(movement.line.paymentId);
      return known ? linesOf(movement, known.line) : [];
    });
}

function linesOf({ line: movement, row }: Movement<Entry>, line: PaymentLine): SettlementLine[] {
  const { operation, refunds = [] } = movement;
  switch (operation) {
    case "sale":
    case "capture": {
      if (row?.status === "voided") return [];
      const paidMinor = BigInt(movement.amountMinor);
      return itemsOf({ line, paidMinor, order: undefined }).map((item) => {
        const { paidMinor: grossMinor } = item;
        const [rateMinor, feeMinor] = [roundedMinor(item.rateUnits), roundedMinor(item.feeUnits)];
        const netMinor = grossMinor - rateMinor - feeMinor;
        return { kind: "PAYMENT", movement, line, item, grossMinor, rateMinor, feeMinor, netMinor };
      });
    }
    case "refund":
      // The whole refund is deducted: the commission stays with iyzico.
      return itemsOf({ line, paidMinor: 0n, order: undefined }).flatMap((item) =>
        refunds
          .filter((part) => part.paymentTransactionId === item.paymentTransactionId)
          .map((part) => {
            const grossMinor = BigInt(part.amountMinor);
            const fees = { rateMinor: 0n, feeMinor: 0n };
            return { kind: "REFUND", movement, line, item, grossMinor, ...fees, netMinor: -grossMinor };
          }),
      );
    case "authorize":
    case "void":
      return [];
    default:
      return operation satisfies never;
  }
}

/** Half a minor unit is rounded up. */
function roundedMinor(units: bigint): bigint {
  return (units + UNITS_PER_MINOR / 2n) / UNITS_PER_MINOR;
}

/**
 * The settlement file of each merchant for a day: UTF-8, commas, decimal points, times of Istanbul, and a
 * last row with the total (iyzico protocol, settlement files). Amounts are in `settlementCurrency`, even if
 * the column's name says TRY. The day's number distinguishes days that end on one date.
 */
export function filesOf(
  { payments, merchantIds, modes, clock }: Report,
  day: EndedDay<Entry>,
): SettlementFile[] {
  return merchantIds.map((merchantId) => {
    const date = clock.wall(day.endedAtMs).date.replaceAll("-", "");
    const id = `${merchantId}-${date}-${day.day}`;
    // A day that ends today is paid out tomorrow.
    const resolvedAt = wallTime(clock.wall(day.endedAtMs + DAY_MS));
    const head = { code: `S-${id}`, resolvedAt, clock, cells: cellsOf(modes) };
    const lines = () => settlementLines(payments, day, merchantId);
    return {
      name: `settlement-${id}.csv`,
      content: () => settlementCsv(head, lines()),
      payouts: () => payoutsOf(head, lines()),
    };
  });
}

const DAY_MS = 86_400_000;

type Report = {
  payments: Payments;
  merchantIds: readonly string[];
  modes: Readonly<Unkindness>;
  clock: ShownTimes;
};
type Head = { code: string; resolvedAt: string; clock: ShownTimes; cells: Cells };

function payoutsOf({ code: id }: Head, lines: readonly SettlementLine[]) {
  const currencies = [...new Set(lines.map(({ line }) => line.currency))];
  return currencies.map((currency) => {
    const own = lines.filter(({ line }) => line.currency === currency);
    return { id, currency, netMinor: sumOf(own.map(({ netMinor }) => netMinor)) };
  });
}

function settlementCsv(head: Head, lines: readonly SettlementLine[]): string {
  const totalMinor = sumOf(lines.map(({ netMinor }) => netMinor));
  const total = columns.map(([name], index) =>
    name === TOTAL ? head.cells.amount(decimalAmount(totalMinor, "TRY")) : index === 0 ? "TOTAL" : "",
  );
  return [
    columns.map(([name]) => name),
    ...lines.map((line) => columns.map(([, value]) => value(line, head))),
    total,
  ]
    .map((row) => csvRow(row, ","))
    .join("");
}

const TOTAL = "totalMerchantPayoutAmount";

const columns: readonly (readonly [name: string, value: (line: SettlementLine, head: Head) => string])[] = [
  ["transactionDate", ({ movement }, { clock }) => wallTime(clock.wall(Date.parse(movement.at)))],
  ["transactionStatus", ({ kind }) => kind],
  ["afterSettlement", ({ movement }) => (movement.isAfterSettlement ? "1" : "0")],
  ["paymentTxId", ({ item }) => item.paymentTransactionId],
  [
    "conversationId",
    ({ kind, movement, line }) => (kind === "REFUND" ? movement.conversationId : line.orderId),
  ],
  ["paymentIP", ({ line }) => line.payment.ip],
  ["paymentGid", ({ line }) => line.paymentId],
  ["price", ({ item, line }) => decimalAmount(item.priceMinor, line.currency)],
  ["paidPrice", ({ grossMinor, line }, { cells }) => cells.amount(decimalAmount(grossMinor, line.currency))],
  [
    "installment",
    ({ line: { payment } }, { cells }) => cells.count(payment.installment, payment.installment === 1),
  ],
  ["binNumber", ({ line }) => line.pan.slice(0, 6)],
  ["cardFamily", ({ line }) => cardBin(line.pan).cardFamily],
  ["cardAssoc", ({ line }) => cardBin(line.pan).cardAssociation],
  ["cardType", ({ line }) => cardBin(line.pan).cardType],
  ["isThreeD", ({ line }) => (line.payment.isThreeDs ? "1" : "0")],
  // The simulator stores no names: these values show that an import drops the columns.
  ["buyerId", ({ line }) => line.payment.buyerId],
  ["buyerName", () => "BUYER-NAME"],
  ["buyerSurname", () => "BUYER-SURNAME"],
  ["buyerEmail", () => "buyer@example.com"],
  ["buyerPhone", () => "+905350000000"],
  ["paymentTxOwner", ({ line }) => line.merchantId],
  ["iyziCommissionRate", ({ rateMinor, line }) => decimalAmount(rateMinor, line.currency)],
  ["iyziCommissionFee", ({ feeMinor, line }) => decimalAmount(feeMinor, line.currency)],
  ["paidPriceTRY", ({ grossMinor, line }) => decimalAmount(grossMinor, line.currency)],
  [
    "settlementPriceTRY",
    ({ netMinor, line }, { cells }) => cells.amount(decimalAmount(netMinor, line.currency)),
  ],
  ["basketId", ({ line }) => line.basketId],
  ["settlementCurrency", ({ line }) => line.currency],
  ["settlementReferenceCode", (_line, { code }) => code],
  ["settlementResolveDate", (_line, { resolvedAt }) => resolvedAt],
  [TOTAL, () => ""],
];
