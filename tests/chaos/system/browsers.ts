import { join } from "node:path";
import type { BuyerDeps } from "../client/buyer.ts";
import { VisitHistory } from "../client/client-history.ts";
import type { System } from "./system.ts";

/** The parameters of buyers' browsers, and the history of their requests. */
export function browsersOf({ dir, gateways: [first, second] }: System): {
  buyers: BuyerDeps;
  visits: VisitHistory;
} {
  const visits = new VisitHistory(join(dir, "visits.jsonl"));
  return { buyers: { origins: [first.publicUrl, second.publicUrl], visits }, visits };
}
