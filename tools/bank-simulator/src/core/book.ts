/** A line of a bank's ledger in the terms of the book. Each protocol's lines have names of their own. */
export type Posting = {
  operation: "authorize" | "sale" | "capture" | "release" | "void" | "refund" | "reverse";
  /** The merchant's id at the bank; empty at a bank with one merchant. */
  merchant: string;
  /** The id under which the bank keeps movements together. */
  order: string;
  /** The name of the movement, by which calls can find it. */
  id: string;
  /**
   * The name of the movement that a capture, a release, a void or a reversal changes; undefined for other
   * movements.
   */
  of: string | undefined;
  amountMinor: bigint;
  currency: string;
  isApproved: boolean;
  atMs: number;
  /** A void of a capture that leaves the hold as it was. */
  restoresHold?: boolean;
};

/**
 * A payment or a refund, as the bank's inquiries show it. Captures, releases and voids change it and are no rows of their
 * own.
 */
export type Row<Line> = {
  kind: "payment" | "refund";
  status: "declined" | "authorized" | "captured" | "settled" | "voided";
  /** True if it began as a hold. */
  isHold: boolean;
  id: string;
  captureId: string | undefined;
  amountMinor: bigint;
  /** 0 for an open hold. */
  capturedMinor: bigint;
  releasedMinor: bigint;
  currency: string;
  atMs: number;
  /** The bank's day in which it was made, and the one that settled it. */
  day: number;
  settledInDay: number | undefined;
  /** The movement's line of the ledger, which has everything that the protocol knows about it. */
  line: Line;
  capture: Line | undefined;
  void: Line | undefined;
};

export type Order<Line> = { merchant: string; id: string; rows: Row<Line>[] };

/** Everything under one name. */
export type Named<Line> = {
  order: Order<Line>;
  /** The row of a payment, of a refund, or of the hold that a capture of this name has captured. */
  row: Row<Line> | undefined;
  /** The last approval under the name, or else the last decline; undefined if only a reversal has come. */
  line: Line | undefined;
  isApproved: boolean;
  reversal: Line | undefined;
};

/** An approved movement of a day. `row` is the one that it made or changed. */
export type Movement<Line> = { posting: Posting; line: Line; row: Row<Line> | undefined };

export type EndedDay<Line> = { day: number; endedAtMs: number; movements: Movement<Line>[] };

/**
 * The bank's state. It is derived from the ledger's lines and the days' ends alone, so that a restart can rebuild it from
 * them. It applies what the rules have decided and judges nothing itself.
 */
export class Book<Line> {
  readonly #postingOf: (line: Line) => Posting | undefined;
  readonly #orders = new Map<string, Order<Line>>();
  readonly #names = new Map<string, Named<Line>>();
  #unsettled = new Set<Row<Line>>();
  #movements: Movement<Line>[] = [];
  #sequence = 0;
  #day = 1;

  /** @param postingOf returns undefined for a line that no inquiry shows and that changes nothing */
  constructor(postingOf: (line: Line) => Posting | undefined) {
    this.#postingOf = postingOf;
  }

  /** The ledger's sequence of the last line that was applied, 0 before the first. */
  get sequence(): number {
    return this.#sequence;
  }

  /** The number of the day that is open, 1 for the first. */
  get day(): number {
    return this.#day;
  }

  order(merchant: string, id: string): Order<Line> | undefined {
    return this.#orders.get(keyOf(merchant, id));
  }

  /** All orders of the merchant of a line that is not applied yet; none if the line shows nothing. */
  ordersBeside(line: Line): IteratorObject<Order<Line>> {
    const merchant = this.#postingOf(line)?.merchant;
    return this.#orders.values().filter((order) => order.merchant === merchant);
  }

  /**
   * An order by its id alone, for the bank's staff: the first one if several merchants have chosen the same
   * id.
   */
  orderOfAny(id: string): Order<Line> | undefined {
    return this.#orders.values().find((order) => order.id === id);
  }

  named(merchant: string, id: string): Named<Line> | undefined {
    return this.#names.get(keyOf(merchant, id));
  }

  apply(line: Line): void {
    this.#sequence += 1;
    const posting = this.#postingOf(line);
    if (!posting) return;
    const order = this.#openOrder(posting);
    const named = this.#openName(posting, order);
    if (posting.operation === "reverse") named.reversal = line;
    else if (posting.isApproved || !named.isApproved) {
      named.line = line;
      named.isApproved = posting.isApproved;
    }
    const row = isOfItsOwn(posting)
      ? this.#addRow(posting, order, named, line)
      : this.#change(posting, named, line);
    if (posting.isApproved) this.#movements.push({ posting, line, row });
  }

  /** Ends the day: captured and refunded money is settled, and can only be refunded from then on. */
  endDay(endedAtMs: number): EndedDay<Line> {
    const ended = { day: this.#day, endedAtMs, movements: this.#movements };
    for (const row of this.#unsettled) {
      if (row.status !== "captured") continue;
      row.status = "settled";
      row.settledInDay = this.#day;
    }
    this.#unsettled = new Set();
    this.#movements = [];
    this.#day += 1;
    return ended;
  }

  /** A bank that judges a repeat as if it were the first restates the payment under its name. */
  #addRow(posting: Posting, order: Order<Line>, named: Named<Line>, line: Line): Row<Line> {
    const known = posting.operation === "refund" ? undefined : named.row;
    if (known && known.status !== "declined") {
      if (posting.isApproved) restate(known, posting, line);
      return known;
    }
    const fresh = rowOf(posting, line, this.#day);
    const row = known ? Object.assign(known, fresh) : fresh;
    if (!known) order.rows.push(row);
    named.row = row;
    if (row.status === "captured") this.#unsettled.add(row);
    return row;
  }

  #change(posting: Posting, named: Named<Line>, line: Line): Row<Line> | undefined {
    if (!posting.isApproved || posting.of === undefined) return undefined;
    const row = this.named(posting.merchant, posting.of)?.row;
    if (!row) throw new Error("a line changes a movement that the ledger does not have");
    switch (posting.operation) {
      case "capture":
        row.status = "captured";
        row.captureId = posting.id;
        row.capturedMinor += posting.amountMinor;
        row.capture = line;
        named.row = row;
        this.#unsettled.add(row);
        break;
      case "release":
        row.releasedMinor += posting.amountMinor;
        break;
      case "void":
      case "reverse":
        undo(row, posting, line);
        break;
      case "authorize":
      case "sale":
      case "refund":
        throw new Error(`${posting.operation} changes no other movement`);
      default:
        posting.operation satisfies never;
    }
    return row;
  }

  #openOrder({ merchant, order: id }: Posting): Order<Line> {
    const key = keyOf(merchant, id);
    const known = this.#orders.get(key);
    if (known) return known;
    const order: Order<Line> = { merchant, id, rows: [] };
    this.#orders.set(key, order);
    return order;
  }

  #openName({ merchant, id }: Posting, order: Order<Line>): Named<Line> {
    const key = keyOf(merchant, id);
    const known = this.#names.get(key);
    if (known) return known;
    const named: Named<Line> = {
      order,
      row: undefined,
      line: undefined,
      isApproved: false,
      reversal: undefined,
    };
    this.#names.set(key, named);
    return named;
  }
}

/** The captured amount of an order, minus its refunds that stand. */
export function netMinor<Line>({ rows }: Order<Line>): bigint {
  return rows
    .filter(({ status }) => status === "captured" || status === "settled")
    .reduce((net, row) => net + (row.kind === "refund" ? -row.amountMinor : row.capturedMinor), 0n);
}

function isOfItsOwn({ operation }: Posting): boolean {
  return operation === "authorize" || operation === "sale" || operation === "refund";
}

function rowOf<Line>(posting: Posting, line: Line, day: number): Row<Line> {
  const { operation, id, amountMinor, currency, isApproved, atMs } = posting;
  const isHold = operation === "authorize";
  return {
    kind: operation === "refund" ? "refund" : "payment",
    status: isApproved ? (isHold ? "authorized" : "captured") : "declined",
    isHold,
    id,
    captureId: undefined,
    amountMinor,
    capturedMinor: isApproved && !isHold ? amountMinor : 0n,
    releasedMinor: 0n,
    currency,
    atMs,
    day,
    settledInDay: undefined,
    line,
    capture: undefined,
    void: undefined,
  };
}

function restate<Line>(row: Row<Line>, { amountMinor, atMs }: Posting, line: Line): void {
  Object.assign(row, { amountMinor, atMs, line });
  if (!row.isHold) row.capturedMinor = amountMinor;
}

function undo<Line>(row: Row<Line>, { restoresHold }: Posting, line: Line): void {
  if (!restoresHold) {
    row.status = "voided";
    row.void = line;
    return;
  }
  row.status = "authorized";
  row.captureId = undefined;
  row.capturedMinor = 0n;
  row.capture = undefined;
}

function keyOf(merchant: string, id: string): string {
  return `${merchant}/${id}`;
}
