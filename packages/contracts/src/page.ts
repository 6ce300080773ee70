import type { z } from "zod";
import type { FieldFault } from "./problem.ts";

/**
 * Cuts a page from rows that were read with one more than requested: the additional row shows that there is a
 * next page.
 */
export function cutPage<Row>(
  rows: Row[],
  limit: number,
  cursorAfter: (last: Row, page: Row[]) => string,
): { page: Row[]; next: { nextCursor?: string } } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const isEnd = rows.length <= limit || last === undefined;
  return { page, next: isEnd ? {} : { nextCursor: cursorAfter(last, page) } };
}

/** A position in a list as text that only its own service reads; clients send it back unchanged. */
export type Cursor<Position> = {
  encode(position: Position): string;
  /** @returns undefined for anything that `encode` did not make. */
  decode(cursor: string): Position | undefined;
};

/** The cursor of a list in the order of ids. */
export const idCursor: Cursor<string> = {
  encode: (id) => Buffer.from(id.replaceAll("-", ""), "hex").toString("base64url"),
  decode(cursor) {
    if (!/^[\w-]{22}$/.test(cursor)) return undefined;
    const hex = Buffer.from(cursor, "base64url").toString("hex");
    const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
    return idCursor.encode(id) === cursor ? id : undefined;
  },
};

/**
 * A place in a list in the order of time; the id distinguishes rows of the same microsecond. The time is ISO
 * 8601 in UTC with the database's microseconds, so that the list can be read in the order of an index on the
 * column itself.
 */
export type TimePosition = { createdAt: string; id: string };

/** The cursor of a list in the order of time. */
export const timeCursor: Cursor<TimePosition> = {
  encode: ({ createdAt, id }) => Buffer.from(`${createdAt} ${id}`).toString("base64url"),
  decode(cursor) {
    const [, at, id] =
      /^(\d{4}-[\dT:.-]+Z) ([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/.exec(
        Buffer.from(cursor, "base64url").toString("latin1"),
      ) ?? [];
    if (at === undefined || id === undefined || Number.isNaN(Date.parse(at))) return undefined;
    return { createdAt: at, id };
  },
};

/** The cursor of a list whose position is its own type of value. */
export function jsonCursor<Position>(schema: z.ZodType<Position>): Cursor<Position> {
  return {
    encode: (position) => Buffer.from(JSON.stringify(position)).toString("base64url"),
    decode(cursor) {
      try {
        return schema.safeParse(JSON.parse(Buffer.from(cursor, "base64url").toString())).data;
      } catch {
        return undefined;
      }
    },
  };
}

/** `errors` of the problem for a cursor that is not of the list. */
export const INVALID_CURSOR_ERRORS: FieldFault[] = [
  { field: "cursor", code: "invalid_cursor", message: "must be the nextCursor of a page of this list" },
];
