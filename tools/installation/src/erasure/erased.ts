import { testIdOf } from "@holdfast/contracts";
import { sql, type RawBuilder } from "kysely";

/** Replaces a person: long enough for a cardholder's name, and no customer's id. */
export const ERASED = "erased";
/** Replaces a web address that was made for one person. */
export const ERASED_URL = "https://erased.invalid/";

/** The ids under which a merchant's rows are kept: a person may be in what was made in test mode, too. */
export function idsOf({ merchantId }: { merchantId: string }): string[] {
  return [merchantId, testIdOf(merchantId)];
}

/** `words`: the words to look for in texts that people have written. */
export type Person = { customerId: string; words: string[] };

/** The text, or the marker if the text contains one of the person's words, in upper or lower case. */
export function withoutPerson(column: string, { words }: Person): RawBuilder<string | null> {
  const text = sql.ref(column);
  return sql`case when exists (
    select from unnest(${words}::text[]) as word where position(lower(word) in lower(${text})) > 0
  ) then ${ERASED} else ${text} end`;
}

/**
 * JSON as bytes, with the marker for the fields that name the person. The text is changed in place: parsed
 * and written again it might show an amount otherwise. A quote within a JSON string has a backslash before
 * it, so that only fields match.
 */
export function withoutPersonInJson(column: string): RawBuilder<Buffer> {
  return sql`convert_to(regexp_replace(convert_from(${sql.ref(column)}, 'UTF8'),
    ${PERSONAL_FIELD}, ${`"\\1":"${ERASED}"`}, 'g'), 'UTF8')`;
}

const PERSONAL_FIELD = String.raw`"(customerId|cardHolderName)":"(?:[^"\\]|\\.)*"`;
