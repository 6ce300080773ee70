import type { FeedPlace, MovementOwner } from "@holdfast/contracts";
import type { JSONColumnType } from "kysely";

/** The state of reading one owner's feed. */
export type FeedTable = {
  owner: MovementOwner;
  place: JSONColumnType<FeedPlace> | null;
  complete_at: Date;
  aim: string | null;
  aimed_at: Date | null;
};
