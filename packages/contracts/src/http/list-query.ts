import { z } from "zod";
import { cursorParameter, limitParameter } from "./endpoint.ts";

/** `limit` and `cursor` of every list. */
export const pageQuery = {
  limit: limitParameter,
  cursor: cursorParameter(1_000),
};

/** The page's fields in a command. */
export const pagePayload = { limit: z.int(), cursor: z.string().optional() };

/** One page of a list. */
export function pageOf<Row extends z.ZodType>(row: Row, order: string) {
  return z.object({
    items: z.array(row).meta({ description: `The entries of this page, ${order}` }),
    nextCursor: z
      .string()
      .optional()
      .meta({ description: "`cursor` of the next page; absent on the last one" }),
  });
}

/** The query of a list that is also answered as CSV. */
export const exportQuery = {
  bom: z.literal("1", { error: "must be 1" }).optional().meta({
    description: "Of CSV: the answer begins with a byte order mark, by which Excel recognizes UTF-8",
  }),
};

/** The sentence on rows in the description of such a list. */
export const WITH_ROWS =
  "With `Accept: text/csv` or `application/x-ndjson` all matching rows come in one answer, whose last line has their number.";

/** The media types of all matching rows in one answer, beside pages of JSON. */
export const ROW_MEDIA_TYPES = {
  "text/csv":
    "All matching rows, UTF-8, with a header row of the JSON's names. A cell that a spreadsheet would take for a formula begins with an apostrophe. The last row is `#rows` and their number.",
  "application/x-ndjson": 'All matching rows, one JSON object a line. The last line is `{"rows": number}`.',
} as const;
/** A page that people read or print. */
export const PAGE_MEDIA_TYPE = "text/html";

export type RowMediaType = keyof typeof ROW_MEDIA_TYPES;
