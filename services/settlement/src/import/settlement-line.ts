/** The movement that a line of a bank's file reports. */
export const LINE_KINDS = [
  "SALE",
  "CAPTURE",
  "REFUND",
  "VOID",
  "CHARGEBACK",
  "CHARGEBACK_REVERSAL",
  "FEE",
  "ADJUSTMENT",
  "PAYOUT",
] as const;
export type LineKind = (typeof LINE_KINDS)[number];

/**
 * A line of a bank's file in the one form that every format is read into. Amounts are minor units of its
 * currency from the merchant's view: an amount that the merchant pays back is negative, and `grossMinor`
 * minus `feeMinor` should be `netMinor`. A time is the bank's wall clock, without a zone.
 */
export type SettlementLine = {
  /** The line's number, counted from 1 with the header; in XML, the number of the entry. */
  lineNo: number;
  kind: LineKind;
  /** Our reference as the bank shows it, and the payment or refund that it begins with. */
  reference?: string;
  referenceId?: string;
  bankReference?: string;
  authCode?: string;
  /** The first six and last four digits, with asterisks between them. */
  maskedPan?: string;
  /** The bank's id of the basket item, if a payment has a line for each. */
  item?: string;
  /** The part's number and the number of parts, for a sale that is paid out in parts. */
  installment?: number;
  installments?: number;
  grossMinor: bigint;
  feeMinor: bigint;
  netMinor: bigint;
  currency: string;
  /** `2026-11-20T13:00:00`. */
  transactedAt?: string;
  /** `2026-11-23`. */
  settlesOn?: string;
  payoutId?: string;
  /** The cells that could not be read and were left out, and why; never their content. */
  note?: string;
};

/**
 * An unreadable line and the reason, but never its content, which may be a card number or a buyer's name. Its
 * readable parts say whose money it may be, and how much.
 */
export type LineFault = { lineNo: number; reason: string; read?: ReadParts };

export type ReadParts = Partial<
  Pick<SettlementLine, "kind" | "referenceId" | "grossMinor" | "currency" | "payoutId"> & {
    /** The size of the gross amount, also where its sign is not known. */
    stakeMinor: bigint;
    /** The day of its settlement, or else of the movement. */
    day: string;
  }
>;

/** A part of a file, in its order. */
export type LineBatch = { lines: SettlementLine[]; faults: LineFault[] };

/** The file cannot be taken. */
export class SettlementFileError extends Error {
  override name = "SettlementFileError";
  readonly code: FileFault;

  constructor(code: FileFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export type FileFault =
  /** The file is empty, or has only its header. */
  | "empty"
  /** Another encoding than the mapping's, such as UTF-16. */
  | "encoding"
  /** Columns that the mapping names are not there, or no line could be read by it. */
  | "mapping_does_not_fit"
  /** The bank's own last line, with the totals, is not there. */
  | "truncated"
  /** The bank's own totals are not the sums of the lines. */
  | "totals_differ"
  | "not_well_formed"
  | "too_large"
  | "too_many_faults";
