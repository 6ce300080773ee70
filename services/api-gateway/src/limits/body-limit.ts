import { createFairRoom, type FairRoom } from "@holdfast/http-server";
import { networkOf } from "@holdfast/service-runtime";
import type { Config } from "../config.ts";
import type { Exchange } from "../http/exchange.ts";

/** The room for bodies while they arrive. */
export type BodyLimit = FairRoom;

/** The client whose body is read, and the limit that it counts in. */
export type BodySource = {
  limit: BodyLimit;
  /** A merchant, an operator, or an address. */
  client: string;
};

/** Browsers do not sign in: their forms count by the address (of IPv6 its /64). */
export function formSource(limit: BodyLimit, { clientAddress }: Exchange): BodySource {
  return { limit, client: networkOf(clientAddress) };
}

/** The room for the bodies of one listener. */
export function bodiesIn({ BODIES_IN_FLIGHT_MAX, BODIES_IN_FLIGHT_BYTES_MAX }: BodySettings): BodyLimit {
  return createFairRoom({ placesMax: BODIES_IN_FLIGHT_MAX, bytesMax: BODIES_IN_FLIGHT_BYTES_MAX });
}

type BodySettings = Pick<Config, "BODIES_IN_FLIGHT_MAX" | "BODIES_IN_FLIGHT_BYTES_MAX">;
