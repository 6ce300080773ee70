/** What was found after a run: the bank's ledger, and rows of the two schemas as they stand. No service's code is used. */
export type ObservedRefunds = {
  ledger: LedgerLine[];
  payments: ObservedPayment[];
  reservations: ObservedReservation[];
  refunds: ObservedRefund[];
  history: { refundId: string; version: number; from: string; to: string; xactId: bigint }[];
  approvals: { refundId: string; approvedBy: string; at: Date }[];
  audit: { actor: string; action: string; subject: string }[];
  /** Minor units by currency; what is above takes two people. */
  twoApproversAbove: Readonly<Record<string, bigint>>;
};

export type LedgerLine = {
  at: string;
  operation: string;
  reference: string;
  parentReference: string | null;
  amountMinor: number;
  currency: string;
  outcome: string;
};

export type ObservedPayment = {
  paymentId: string;
  merchantId: string;
  transactionType: string;
  state: string;
  currency: string;
  amountMinor: bigint;
  capturedMinor: bigint;
  releasedMinor: bigint;
  reservedMinor: bigint;
  refundedMinor: bigint;
};

export type ObservedReservation = { refundId: string; paymentId: string; amountMinor: bigint; state: string };

export type ObservedRefund = {
  refundId: string;
  paymentId: string;
  merchantId: string;
  state: string;
  kind: string | null;
  currency: string;
  amountMinor: bigint;
  requestedBy: string | null;
  rejectedBy: string | null;
};

type Query = <Row>(text: string) => Promise<Row[]>;

/** @param query as a role that may read both schemas. */
export async function observeRefunds(
  query: Query,
  ledger: LedgerLine[],
  twoApproversAbove: Readonly<Record<string, bigint>> = {},
): Promise<ObservedRefunds> {
  const [payments, reservations, refunds, history, approvals, audit] = await Promise.all([
    query<Record<string, string>>("select * from payments.payment"),
    query<Record<string, string>>("select * from payments.refund_reservation"),
    query<Record<string, string | null>>("select * from refunds.refund"),
    query<Record<string, string>>("select *, xact_id::text as xact from refunds.refund_history"),
    query<{ refund_id: string; approved_by: string; at: Date }>("select * from refunds.refund_approval"),
    query<ObservedRefunds["audit"][0]>("select actor, action, subject from refunds.audit_entry"),
  ]);
  return {
    ledger,
    payments: payments.map((row) => ({
      paymentId: row["payment_id"]!,
      merchantId: row["merchant_id"]!,
      transactionType: row["transaction_type"]!,
      state: row["state"]!,
      currency: row["currency"]!,
      amountMinor: BigInt(row["amount_minor"]!),
      capturedMinor: BigInt(row["captured_minor"]!),
      releasedMinor: BigInt(row["released_minor"]!),
      reservedMinor: BigInt(row["reserved_minor"]!),
      refundedMinor: BigInt(row["refunded_minor"]!),
    })),
    reservations: reservations.map((row) => ({
      refundId: row["refund_id"]!,
      paymentId: row["payment_id"]!,
      amountMinor: BigInt(row["amount_minor"]!),
      state: row["state"]!,
    })),
    refunds: refunds.map((row) => ({
      refundId: row["refund_id"]!,
      paymentId: row["payment_id"]!,
      merchantId: row["merchant_id"]!,
      state: row["state"]!,
      kind: row["kind"] ?? null,
      currency: row["currency"]!,
      amountMinor: BigInt(row["amount_minor"]!),
      requestedBy: row["requested_by"] ?? null,
      rejectedBy: row["rejected_by"] ?? null,
    })),
    history: history.map((row) => ({
      refundId: row["refund_id"]!,
      version: Number(row["version"]),
      from: row["from_state"]!,
      to: row["to_state"]!,
      xactId: BigInt(row["xact"]!),
    })),
    approvals: approvals.map(({ refund_id, approved_by, at }) => ({
      refundId: refund_id,
      approvedBy: approved_by,
      at,
    })),
    audit,
    twoApproversAbove,
  };
}
