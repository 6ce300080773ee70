import { z } from "zod";

/** `limit` and `cursor` of every list. */
export const pageQuery = {
  limit: z
    .string()
    .regex(/^([1-9]\d?|1\d\d|200)$/, { error: "must be 1 to 200" })
    .optional()
    .meta({ override: { type: "integer", minimum: 1, maximum: 200, default: 50 } }),
  cursor: z.string().max(1_000).optional(),
};

/** Of a list that is also answered as CSV. */
export const exportQuery = {
  bom: z.literal("1", { error: "must be 1" }).optional().meta({
    description: "Of CSV: the answer begins with a byte order mark, by which Excel recognizes UTF-8",
  }),
};

/** What a list may be answered as, beside pages of JSON; all matching rows in one answer. */
export const ROW_MEDIA_TYPES = {
  "text/csv":
    "All matching rows, UTF-8, with a header row of the JSON's names. A cell that a spreadsheet would take for a formula begins with an apostrophe. The last row is `#rows` and their number.",
  "application/x-ndjson": 'All matching rows, one JSON object a line. The last line is `{"rows": number}`.',
} as const;
export type RowMediaType = keyof typeof ROW_MEDIA_TYPES;
