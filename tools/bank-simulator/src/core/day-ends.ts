import type { BankClock } from "./bank-clock.ts";
import type { EndedDay, Movement, Order } from "./book.ts";
import { paidOut, payoutStatement, type BookedPayout } from "./payouts.ts";
import type { SettlementFile } from "./settlement-folder.ts";
import type { Unkindness } from "./unkindness.ts";

/** A chargeback, or a reversal of one. No call makes it, and the ledger does not have it. */
export type Dispute<Line> = {
  kind: "chargeback" | "reversal";
  order: Order<Line>;
  amountMinor: bigint;
};

/** A day as the bank's files report it. */
export type ReportedDay<Line> = EndedDay<Line> & { disputes: readonly Dispute<Line>[] };

/** Reports days as they end, with the additions of the bank's modes and its staff. */
export class DayEnds<Line> {
  readonly #modes: Readonly<Unkindness>;
  readonly #clock: Pick<BankClock, "wall">;
  readonly #paid: (() => BookedPayout[])[] = [];
  #disputes: Dispute<Line>[] = [];
  #last: Movement<Line> | undefined;

  constructor(modes: Readonly<Unkindness>, clock: Pick<BankClock, "wall">) {
    this.#modes = modes;
    this.#clock = clock;
  }

  /** Takes a dispute into the file of the day that is open; in memory only. */
  dispute(dispute: Dispute<Line>): void {
    this.#disputes.push(dispute);
  }

  report(day: EndedDay<Line>, filesOf: (day: ReportedDay<Line>) => SettlementFile[]): SettlementFile[] {
    const repeated = this.#modes.repeatsLines && this.#last ? [this.#last] : [];
    const disputes = this.#disputes;
    this.#last = day.movements.at(-1);
    this.#disputes = [];
    const files = filesOf({ ...day, movements: [...repeated, ...day.movements], disputes });
    // A line that comes again is paid once.
    const once = repeated.length === 0 ? files : filesOf({ ...day, disputes });
    const { payouts: mode } = this.#modes;
    const { date } = this.#clock.wall(day.endedAtMs);
    this.#paid.push(() =>
      once.flatMap(({ payouts }) => paidOut(payouts(), mode)).map((payout) => ({ ...payout, date })),
    );
    return files;
  }

  payoutStatement(): string {
    return payoutStatement(this.#paid.flatMap((paid) => paid()));
  }
}
