import type { Notice } from "@holdfast/contracts";
import { DrainingConnectionError, ClosedConnectionError } from "@nats-io/transport-node";
import type { z } from "zod";
import type { Bus } from "./connect.ts";

/** Sends a notice to all replicas that listen, this one included. It never fails: a notice may be lost. */
export function publishNotice<Payload extends z.ZodType>(
  { nats }: Bus,
  { subject }: Notice<Payload>,
  payload: z.input<Payload>,
): void {
  try {
    nats.publish(subject, JSON.stringify(payload));
  } catch (error) {
    if (!(error instanceof DrainingConnectionError) && !(error instanceof ClosedConnectionError)) throw error;
  }
}

/**
 * Calls `handle` for every notice that arrives until the bus is closed, also after reconnects. A notice that cannot be
 * parsed is dropped.
 */
export function onNotice<Payload extends z.ZodType>(
  { nats }: Bus,
  { subject, payload }: Notice<Payload>,
  handle: (notice: z.output<Payload>) => void,
): void {
  nats.subscribe(subject, {
    callback: (error, message) => {
      if (error) return;
      const parsed = payload.safeParse(readJson(message));
      if (parsed.success) handle(parsed.data);
    },
  });
}

function readJson(message: { json(): unknown }): unknown {
  try {
    return message.json();
  } catch {
    return undefined;
  }
}
