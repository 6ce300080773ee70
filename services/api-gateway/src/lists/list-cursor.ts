import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { timeCursor, type ListPlace } from "@holdfast/contracts";
import type { KeyRing } from "@holdfast/service-runtime";

/**
 * Cursors that are signed to their query: the caller, the filter, and the place. With another query's cursor a list
 * would begin somewhere in its middle, without a sign of missing rows. Any replica can read them.
 */
export type ListCursors = {
  encode(query: ListIdentity, place: ListPlace): string;
  /** @returns undefined for anything that was not made for this query. */
  decode(query: ListIdentity, cursor: string): ListPlace | undefined;
};

/** The identity of a list; the size of its pages may change between pages. */
export type ListIdentity = {
  path: string;
  /** The merchant that asks, or `operators`. */
  audience: string;
  parameters: Record<string, string | undefined>;
};

/** @param ring the peppers of credentials; the keys derived here reveal nothing about them. */
export function createListCursors({ activeId, keys }: KeyRing): ListCursors {
  const derived = new Map(
    [...keys].map(([id, key]) => [
      id,
      Buffer.from(hkdfSync("sha256", key, "", "holdfast list cursor v1", 32)),
    ]),
  );
  return {
    encode(query, place) {
      const text = timeCursor.encode(place);
      return text + sign(derived.get(activeId)!, query, text);
    },
    decode(query, cursor) {
      const text = cursor.slice(0, -SIGNATURE_LENGTH);
      const given = Buffer.from(cursor.slice(-SIGNATURE_LENGTH));
      // Every key is tried, so that cursors outlive a rotation.
      const isOurs = [...derived.values()].some((key) => {
        const expected = Buffer.from(sign(key, query, text));
        return given.length === expected.length && timingSafeEqual(given, expected);
      });
      return isOurs ? timeCursor.decode(text) : undefined;
    },
  };
}

/** SHA-256 in base64url. */
const SIGNATURE_LENGTH = 43;

function sign(key: Buffer, { path, audience, parameters }: ListIdentity, place: string): string {
  const named = Object.entries(parameters)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHmac("sha256", key)
    .update(JSON.stringify([path, audience, named, place]))
    .digest("base64url");
}
