import type { Endpoint } from "./endpoint.ts";
import { STAFF_CHANGES } from "./staff-changes.ts";
import { staffEndpoint } from "./staff-endpoint.ts";
import { STAFF_READS } from "./staff-reads.ts";

/** Each with the endpoint whose handler carries it out, in the order of the document. */
const PAIRS: readonly (readonly [Endpoint, Endpoint])[] = [
  ...STAFF_READS.map(([of, reading]) => [of, staffEndpoint(of, { ...reading, role: "support" })] as const),
  ...STAFF_CHANGES.map(([of, change]) => [of, staffEndpoint(of, change)] as const),
];

/** Every endpoint of the face for merchants' staff. */
export const STAFF_ENDPOINTS: readonly Endpoint[] = PAIRS.map(([, endpoint]) => endpoint);

/** The endpoint by which staff do what operators or merchants do by this one; undefined where they may not. */
export function staffEndpointOf(endpoint: Endpoint): Endpoint | undefined {
  return PAIRS.find(([of]) => of === endpoint)?.[1];
}
