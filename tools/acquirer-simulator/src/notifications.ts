import { createHmac } from "node:crypto";

import { z } from "zod";

import { invalid } from "./operation-request.ts";
import type { Parsed } from "./read-request.ts";

/**
 * `on`: when the bank has decided; `early`: when a call has arrived, before anything is known of it; `twice`: both;
 * `forged`: signed with another key.
 */
export const notificationModes = ["on", "early", "twice", "forged"] as const;

/** The address for notifications, and the key that signs them. */
export type NotificationTarget = { url: string; key: string; mode: (typeof notificationModes)[number] };

/** Checks the body of `PUT /notifications`. */
export function parseNotificationTarget(body: unknown): Parsed<NotificationTarget> {
  const parsed = targetBody.safeParse(body);
  return parsed.success ? { kind: "valid", request: parsed.data } : invalid(parsed.error);
}

const targetBody = z.object({
  url: z.url({ protocol: /^https?$/ }).max(2_048),
  key: z.string().min(16).max(256),
  mode: z.enum(notificationModes).default("on"),
});

/**
 * Notifies a gateway of the outcome of a reference. Each notification is tried once, in the background, and is in
 * memory only: they are hints.
 */
export class Notifications {
  #target: NotificationTarget | undefined;
  readonly #stopping: AbortSignal;
  #underWay = 0;

  constructor(stopping: AbortSignal) {
    this.#stopping = stopping;
  }

  /** Sends further notifications there; undefined sends none. */
  sendTo(target: NotificationTarget | undefined): void {
    this.#target = target;
  }

  arrived(reference: string): void {
    const { mode } = this.#target ?? {};
    if (mode === "early" || mode === "twice") this.#send({ reference, outcome: "received" });
  }

  judged(reference: string, outcome: string): void {
    if (this.#target && this.#target.mode !== "early") this.#send({ reference, outcome });
  }

  #send(notification: { reference: string; outcome: string }): void {
    if (!this.#target || this.#underWay >= UNDER_WAY_MAX) return;
    const { url, key, mode } = this.#target;
    const body = JSON.stringify(notification);
    const signature = createHmac("sha256", mode === "forged" ? `${key}?` : key)
      .update(body)
      .digest("hex");
    this.#underWay += 1;
    fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", "x-sim-signature": signature },
      body,
      redirect: "manual",
      signal: AbortSignal.any([this.#stopping, AbortSignal.timeout(TRY_MS)]),
    })
      .then((response) => response.body?.cancel())
      .catch(() => undefined)
      .finally(() => (this.#underWay -= 1));
  }
}

const TRY_MS = 10_000;
/** More are dropped. */
const UNDER_WAY_MAX = 64;
