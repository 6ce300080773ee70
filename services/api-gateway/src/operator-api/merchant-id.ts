import { z } from "zod";
import type { Exchange } from "../http/exchange.ts";

/** The merchant an operator's request is about, or undefined where the path has no UUID and so names none. */
export function merchantIdOf({
  path,
  exchange,
}: {
  path: Record<string, string>;
  exchange: Exchange;
}): string | undefined {
  const merchantId = idSchema.safeParse(path["merchantId"]).data;
  exchange.merchantId = merchantId;
  return merchantId;
}

const idSchema = z.uuid();
