import type { ListPart, ListPlace } from "@holdfast/contracts";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Refusal } from "../http/refusal.ts";
import { readPage, readThrough, type ReadPart } from "./read-page.ts";

type Row = ListPlace & { part: number; matches: boolean };

/** A row at one of few times, so that many rows have the same time. */
function rowAt(part: number, time: number, number: number, matches: boolean): Row {
  return {
    part,
    matches,
    createdAt: `2026-11-01T00:00:00.${String(time).padStart(6, "0")}Z`,
    id: `0199aaaa-0000-7000-8000-${String(number).padStart(12, "0")}`,
  };
}

/**
 * A service as the contract has it: it reads so many rows from the place on, and gives those that match. Rows are added and
 * vanish between two readings.
 */
function partReader(rows: () => Row[], readMax: number): ReadPart<Row> {
  return async ({ after, limit }): Promise<ListPart<Row>> => {
    const behind = rows()
      .filter((row) => after === undefined || newestFirst(after, row) < 0)
      .sort(newestFirst);
    const read = behind.slice(0, readMax);
    const matching = read.filter(({ matches }) => matches);
    const items = matching
      .slice(0, limit)
      .map((row) => ({ createdAt: row.createdAt, id: row.id, item: row }));
    const last =
      matching.length > limit ? items.at(-1) : read.length < behind.length ? read.at(-1) : undefined;
    return { items, ...(last && { readTo: { createdAt: last.createdAt, id: last.id } }) };
  };
}

function newestFirst(a: ListPlace, b: ListPlace): number {
  const [left, right] = [`${a.createdAt} ${a.id}`, `${b.createdAt} ${b.id}`];
  return left < right ? 1 : Number(left > right) * -1;
}

const model = fc.record({
  rows: fc.array(fc.record({ part: fc.nat(1), time: fc.nat(20), matches: fc.boolean() }), { maxLength: 60 }),
  /** Rows that arrive while the list is read: at any time, since a row is committed later than its time says. */
  arrivals: fc.array(fc.record({ part: fc.nat(1), time: fc.nat(30) }), { maxLength: 60 }),
  limits: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
  readMax: fc.integer({ min: 1, max: 12 }),
  /** Reads as an export does, which keeps what it has for the next page. */
  isExport: fc.boolean(),
});

test("paging while rows arrive shows each that was there exactly once, none twice, and all in order", async () => {
  await fc.assert(
    fc.asyncProperty(model, async ({ rows, arrivals, limits, readMax, isExport }) => {
      const stored = rows.map(({ part, time, matches }, number) => rowAt(part, time, number, matches));
      const wanted = stored.filter(({ matches }) => matches).sort(newestFirst);
      const parts = [0, 1].map((part) =>
        partReader(() => stored.filter((row) => row.part === part), readMax),
      );
      const list = isExport ? readThrough({ parts }) : { parts };
      const seen: Row[] = [];
      let after: ListPlace | undefined;
      for (let page = 0; page === 0 || after; page++) {
        // A page of rows that none matches may be empty, and still continues.
        expect(page).toBeLessThan(200);
        const read = await readPage(list, { after, limit: limits[page % limits.length]! });
        if (read instanceof Refusal) throw new Error(read.code);
        seen.push(...read.items);
        after = read.next;
        const arrived = arrivals.splice(0, 3);
        stored.push(
          ...arrived.map(({ part, time }, index) => rowAt(part, time, 1_000 + page * 10 + index, true)),
        );
      }
      expect(seen).toEqual(seen.toSorted(newestFirst));
      expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
      const shown = new Set(seen.map(({ id }) => id));
      expect(wanted.filter(({ id }) => !shown.has(id))).toEqual([]);
    }),
    { numRuns: 1_000 },
  );
});

test("a part that refuses refuses the page, whatever the others have", async () => {
  const refusal = new Refusal("service_unavailable");
  const parts: ReadPart<Row>[] = [async () => ({ items: [] }), async () => refusal];
  expect(await readPage({ parts }, { limit: 10 })).toBe(refusal);
});

test("a page ends after ten rounds without a match, and goes on where it has read to", async () => {
  let readings = 0;
  const place = (number: number) => rowAt(0, 999_999 - number, number, false);
  const parts: ReadPart<Row>[] = [
    async () => {
      const { createdAt, id } = place(++readings);
      return { items: [], readTo: { createdAt, id } };
    },
  ];
  const { createdAt, id } = place(10);
  expect(await readPage({ parts }, { limit: 10 })).toEqual({ items: [], next: { createdAt, id } });
});

test("what a part has given is not asked for again as long as a page to come has some of it", async () => {
  const asked: number[] = [0, 0];
  const rows = Array.from({ length: 40 }, (_, number) =>
    rowAt(number % 20 === 0 ? 1 : 0, 100 - number, number, true),
  );
  const parts = [0, 1].map((part): ReadPart<Row> => {
    const read = partReader(() => rows.filter((row) => row.part === part), 40);
    return async (options) => {
      asked[part]!++;
      return await read(options);
    };
  });
  const list = readThrough({ parts });
  let after: ListPlace | undefined;
  const seen: Row[] = [];
  do {
    const page = await readPage(list, { after, limit: 4 });
    if (page instanceof Refusal) throw new Error(page.code);
    seen.push(...page.items);
    after = page.next;
  } while (after);
  expect(seen).toEqual(rows);
  expect(asked).toEqual([10, 1]);
});
