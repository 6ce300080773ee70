import { join } from "node:path";
import type { BuyerDeps } from "../client/buyer.ts";
import { VisitHistory } from "../client/client-history.ts";
import type { System } from "./system.ts";

/** What buyers' browsers need of a system, and the history of what they ask of it. */
export function browsersOf({ dir, gateways: [first, second] }: System): {
  buyers: BuyerDeps;
  visits: VisitHistory;
} {
  const visits = new VisitHistory(join(dir, "visits.jsonl"));
  return { buyers: { origins: [first.publicUrl, second.publicUrl], visits }, visits };
}
