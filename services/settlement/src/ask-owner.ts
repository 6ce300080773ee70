import { randomUUIDv7 } from "node:crypto";
import type { Command, MovementOwner, ServiceContext } from "@holdfast/contracts";
import { request, type Bus } from "@holdfast/messaging";
import type { z } from "zod";
import type { BusinessEvents } from "./business-events.ts";

export type AskDeps = { bus: Bus; events: Pick<BusinessEvents, "ownerSilent"> };

/**
 * Sends a command of this service to the owner of movements. @returns undefined unless the owner has
 * answered; the caller asks again in its next round.
 */
export async function askOwner<Request extends z.ZodType, Result extends z.ZodType>(
  { bus, events }: AskDeps,
  owner: MovementOwner,
  command: Command<Request, Result, ServiceContext>,
  payload: z.input<Request>,
): Promise<z.infer<Result> | undefined> {
  const deadlineAt = Date.now() + ASK_TIMEOUT_MS;
  const context = { requestId: randomUUIDv7(), deadlineAt, service: { name: "settlement" } };
  const reply = await request(bus, command, context, payload, { waitUntil: deadlineAt, traceparent: "" });
  if (reply.outcome === "done") return reply.result;
  events.ownerSilent(owner, reply.outcome);
  return undefined;
}

const ASK_TIMEOUT_MS = 10_000;
