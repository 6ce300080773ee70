import { createHmac } from "node:crypto";

import { z } from "zod";

import { parse, type NotificationControl, type Notifier } from "../../core/index.ts";

/**
 * `on`: when the bank has decided. `early`: when a call has arrived, before anything is decided. `twice`: at
 * both times. `forged`: signed with another key.
 */
export const notificationModes = ["on", "early", "twice", "forged"] as const;

const targetBody = z.object({
  url: z.url({ protocol: /^https?$/ }).max(2_048),
  key: z.string().min(16).max(256),
  mode: z.enum(notificationModes).default("on"),
});

/** The address for notifications, and the key that signs them. */
type NotificationTarget = z.output<typeof targetBody>;

/** Notifies a gateway of the outcome of a reference. Each notification is tried once. */
export class Notifications implements NotificationControl<NotificationTarget> {
  readonly #notifier: Notifier;
  #target: NotificationTarget | undefined;

  constructor(notifier: Notifier) {
    this.#notifier = notifier;
  }

  parse(body: unknown) {
    return parse(targetBody, body);
  }

  /** Sends further notifications to this target; undefined sends none. */
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
    if (!this.#target) return;
    const { url, key, mode } = this.#target;
    const body = JSON.stringify(notification);
    const signature = createHmac("sha256", mode === "forged" ? `${key}?` : key)
      .update(body)
      .digest("hex");
    const headers = { "content-type": "application/json", "x-sim-signature": signature };
    this.#notifier.send({ url, headers, body });
  }
}
