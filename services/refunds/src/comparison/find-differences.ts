/**
 * Compares all refunds with all reservations of `payments`, after one of the two databases was restored to an
 * earlier point. Both are read page by page in the order of the refunds' ids and merged, so the memory that
 * it needs does not grow with the tables. Both services may run meanwhile: a difference is reported only if
 * it is still there at the last of several reads.
 */
import type { StoredReservation } from "@holdfast/contracts";
import { pause } from "@holdfast/service-runtime";
import type { Kysely } from "kysely";
import type { RefundsDatabase } from "../database.ts";
import { judgeReservation, type ComparedRefund, type Difference } from "./judge-reservation.ts";

export type ReservationsPort = {
  /** A page in the order of ids. @throws where payments cannot be asked. */
  page(asked: { after: string | undefined; limit: number }): Promise<StoredReservation[]>;
  /** Reservations of these refunds, in any order. */
  of(refundIds: string[]): Promise<StoredReservation[]>;
};

export type CompareDeps = {
  db: Kysely<RefundsDatabase>;
  reservations: ReservationsPort;
  /** The pause between two looks at a suspected difference. */
  lookAgainAfterMs: number;
  pageSize?: number;
};

export type Compared = { refunds: number; reservations: number };

/** @param found gets each difference, in the order of the refunds' ids. */
export async function findDifferences(
  deps: CompareDeps,
  found: (difference: Difference) => Promise<void>,
): Promise<Compared> {
  const { pageSize = PAGE_SIZE } = deps;
  const refunds = createReader(
    (after) => readRefunds(deps.db, { after, limit: pageSize }),
    ({ refund_id }) => refund_id,
  );
  const reservations = createReader(
    (after) => deps.reservations.page({ after, limit: pageSize }),
    ({ refundId }) => refundId,
  );
  let suspects: string[] = [];
  const lookAgain = async () => {
    for (const difference of await confirm(deps, suspects)) await found(difference);
    suspects = [];
  };
  for (;;) {
    const [refundId, reservedId] = [await refunds.next(), await reservations.next()];
    if (refundId === undefined && reservedId === undefined) break;
    const id = smaller(refundId, reservedId);
    const refund = refundId === id ? refunds.take() : undefined;
    const reservation = reservedId === id ? reservations.take() : undefined;
    if (judgeReservation(refund, reservation)) suspects.push(id);
    if (suspects.length === pageSize) await lookAgain();
  }
  await lookAgain();
  return { refunds: refunds.count(), reservations: reservations.count() };
}

const PAGE_SIZE = 500;
const LOOKS = 3;

/** The differences that remain at each of the next looks. */
async function confirm(deps: CompareDeps, refundIds: string[]): Promise<Difference[]> {
  let differences: Difference[] = [];
  let suspects = refundIds;
  for (let look = 1; look < LOOKS && suspects.length > 0; look++) {
    await pause(deps.lookAgainAfterMs);
    differences = await lookAt(deps, suspects);
    suspects = differences.map(({ refundId }) => refundId);
  }
  return suspects.length === 0 ? [] : differences;
}

/** The differences about these refunds, as both services have them now. */
export async function lookAt(
  { db, reservations }: Pick<CompareDeps, "db" | "reservations">,
  refundIds: string[],
): Promise<Difference[]> {
  const reserved = new Map((await reservations.of(refundIds)).map((each) => [each.refundId, each]));
  const rows = await selectRefunds(db).where("refund_id", "in", refundIds).execute();
  const refunds = new Map(rows.map((row) => [row.refund_id, row]));
  return refundIds.flatMap((refundId) => {
    const [refund, reservation] = [refunds.get(refundId), reserved.get(refundId)];
    const kind = judgeReservation(refund, reservation);
    return kind ? [{ kind, refundId, refund, reservation }] : [];
  });
}

/** Ids are lower-case UUIDs, which text and the database order alike. */
function smaller(one: string | undefined, other: string | undefined): string {
  if (one === undefined || other === undefined) return (one ?? other)!;
  return one < other ? one : other;
}

/** Reads one item after the other, a page at a time. */
function createReader<Item>(
  readPage: (after: string | undefined) => Promise<Item[]>,
  idOf: (item: Item) => string,
) {
  let page: Item[] = [];
  let at = 0;
  let last: string | undefined;
  let isEnd = false;
  let taken = 0;
  return {
    /** The id of the next item, which `take` then returns. */
    async next(): Promise<string | undefined> {
      if (at === page.length && !isEnd) {
        [page, at] = [await readPage(last), 0];
        isEnd = page.length === 0;
      }
      const item = page[at];
      return item === undefined ? undefined : idOf(item);
    },
    take(): Item {
      const item = page[at++]!;
      last = idOf(item);
      taken++;
      return item;
    },
    count: () => taken,
  };
}

async function readRefunds(
  db: Kysely<RefundsDatabase>,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<ComparedRefund[]> {
  return await selectRefunds(db)
    .$if(after !== undefined, (query) => query.where("refund_id", ">", after!))
    .orderBy("refund_id")
    .limit(limit)
    .execute();
}

function selectRefunds(db: Kysely<RefundsDatabase>) {
  return db
    .selectFrom("refund")
    .select([
      "refund_id",
      "payment_id",
      "merchant_id",
      "state",
      "amount_minor",
      "currency",
      "kind",
      "traceparent",
    ]);
}
