import type { Endpoint } from "../http/endpoint.ts";
import { STAFF_CHANGES } from "./staff-changes.ts";
import { staffEndpoint } from "./staff-endpoint.ts";
import { STAFF_READS } from "./staff-reads.ts";

/** The staff's endpoints, each with the endpoint whose handler carries it out, in the order of the document. */
export const STAFF_PAIRS: readonly (readonly [Endpoint, Endpoint])[] = [
  ...STAFF_READS.map(([of, reading]) => [of, staffEndpoint(of, { ...reading, role: "support" })] as const),
  ...STAFF_CHANGES.map(([of, change]) => [of, staffEndpoint(of, change)] as const),
];

/** Every endpoint of the listener for merchants' staff. */
export const STAFF_ENDPOINTS: readonly Endpoint[] = STAFF_PAIRS.map(([, endpoint]) => endpoint);

/** The staff's version of an endpoint of operators or merchants; undefined if there is none. */
export function staffEndpointOf(endpoint: Endpoint): Endpoint | undefined {
  return STAFF_PAIRS.find(([of]) => of === endpoint)?.[1];
}
