import type { EndpointState } from "../database.ts";

/** An endpoint as sending needs it, its secrets and headers still encrypted. */
export type StoredEndpoint = {
  endpoint_id: string;
  url: string;
  state: EndpointState;
  max_in_flight: number;
  secret: Buffer;
  secret_version: number;
  next_secret: Buffer | null;
  next_version: number | null;
  activates_at: Date | null;
  headers: Buffer | null;
};

export const STORED_ENDPOINT_COLUMNS = [
  "endpoint_id",
  "url",
  "state",
  "max_in_flight",
  "secret",
  "secret_version",
  "next_secret",
  "next_version",
  "activates_at",
  "headers",
] as const satisfies (keyof StoredEndpoint)[];
