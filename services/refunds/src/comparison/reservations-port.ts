import { randomUUID } from "node:crypto";
import { listRefundReservations } from "@holdfast/contracts";
import { request, type Bus } from "@holdfast/messaging";
import type { z } from "zod";
import type { ReservationsPort } from "./find-differences.ts";

/** `payments` cannot be asked, so nothing can be compared. */
export class ReservationsUnreadableError extends Error {
  override name = "ReservationsUnreadableError";
  readonly code = "reservations_unreadable";
}

/** Reads the reservations of `payments` over the bus. */
export function createReservationsPort(bus: Bus, { timeoutMs }: { timeoutMs: number }): ReservationsPort {
  const ask = async (asked: z.infer<typeof listRefundReservations.request>) => {
    const deadlineAt = Date.now() + timeoutMs;
    const context = { requestId: randomUUID(), deadlineAt, service: { name: "refunds" } };
    const reply = await request(bus, listRefundReservations, context, asked, {
      waitUntil: deadlineAt,
      traceparent: "",
    });
    if (reply.outcome !== "done") throw new ReservationsUnreadableError(`payments answered ${reply.outcome}`);
    return reply.result.items;
  };
  return {
    page: ({ after, limit }) => ask({ limit, ...(after !== undefined && { after }) }),
    of: async (refundIds) => (refundIds.length === 0 ? [] : await ask({ refundIds })),
  };
}
