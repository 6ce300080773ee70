import { z } from "zod";

/**
 * A list is read in parts: each service answers with its own items, from a place in the order of time, and the gateway
 * merges them. The place is the same for all parts, so that one cursor names it.
 */

/** A place in a list: ISO 8601 in UTC with the database's microseconds, and the id, which orders items of one time. */
export const listPlaceSchema = z.object({
  createdAt: z.string().regex(/^\d{4}-[\dT:.-]+Z$/),
  id: z.uuid(),
});
export type ListPlace = z.infer<typeof listPlaceSchema>;

/** The most items of one part, which a message on the bus can carry. */
export const LIST_PART_MAX = 500;

/** The place that a part is read from, and its size. */
export const partOfListSchema = z.object({
  limit: z.int().min(1).max(LIST_PART_MAX),
  after: listPlaceSchema.optional(),
});

/** One service's items from there on. */
export function listPartSchema<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(z.object({ createdAt: z.string(), id: z.uuid(), item })),
    /** The place up to which the items are complete; absent at the end of the list. */
    readTo: listPlaceSchema.optional(),
  });
}
export type ListPart<Item> = {
  items: (ListPlace & { item: Item })[];
  readTo?: ListPlace | undefined;
};
