import type { Endpoint } from "../http/endpoint.ts";
import { operations } from "./operations.ts";
import { STAFF_ENDPOINTS } from "./staff-endpoints.ts";

/** Every HTTP operation there is, in the order of the document. */
export const ENDPOINTS: readonly Endpoint[] = [...Object.values(operations), ...STAFF_ENDPOINTS];
