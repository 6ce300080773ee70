import type { Endpoint, FieldFault } from "@holdfast/contracts";
import type { z } from "zod";
import type { SignedInMerchant } from "../merchant/sign-in.ts";
import type { Exchange, Operator, Staff } from "../http/exchange.ts";
import type { Refusal } from "../http/refusal.ts";

/** An endpoint of the contract with its handler, whose types come from the contract. */
export type Route = {
  endpoint: Endpoint;
  check?: CrossFieldCheck | undefined;
  /**
   * True if the service that carries the request out stores the Idempotency-Key itself, as for merchants'
   * requests.
   */
  keyIsKept?: true;
  handle(call: Call<Endpoint>): Promise<Answer<number> | Refusal>;
};

/** A request that is signed in, allowed, and parsed. */
export type Call<E extends Endpoint> = {
  exchange: Exchange;
  caller: Callers[E["listener"]];
  path: Parsed<E["pathParameters"]>;
  query: Parsed<E["queryParameters"]>;
  body: Parsed<E["request"]>;
};

type Callers = { merchant: SignedInMerchant; operator: Operator; staff: Staff };
type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** An answer with one of the statuses the contract lists. */
export type Answer<Status extends number> = {
  status: Status;
  headers?: Record<string, string>;
  body?: object;
  /** Replaces the body: its text or bytes, piece by piece, read as fast as the client takes it. */
  rows?: () => AsyncIterable<string | Buffer>;
};

/**
 * Finds faults between the fields of a body. It gets the raw fields, so its faults are reported together with
 * the schema's.
 */
export type CrossFieldCheck = (
  fields: Record<string, unknown>,
  now: Date,
  addFault: (field: string, code: FieldFault["code"], message: FieldFault["message"]) => void,
  caller: { livemode: boolean },
) => void;

export function defineRoute<E extends Endpoint, Status extends keyof E["responses"] & number>(
  endpoint: E,
  handle: (call: Call<E>) => Promise<Answer<Status> | Refusal>,
  check?: CrossFieldCheck,
): Route {
  return { endpoint, check, handle };
}
