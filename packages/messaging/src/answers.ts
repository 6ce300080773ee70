import {
  DEFAULT_INBOX_PREFIX,
  inboxPrefix,
  OBSERVER,
  type Command,
  type CommandReply,
} from "@holdfast/contracts";
import { headers, type Msg, type PublishOptions } from "@nats-io/transport-node";
import type { Bus } from "./connect.ts";
import { FAILURE_HEADER } from "./wire.ts";

export type Answers = {
  /** Is rejected where the reply cannot leave: it is too long for the server, or the connection is closed for good. */
  respond: (reply: CommandReply<unknown>) => Promise<unknown>;
  fail: (kind: "rejected" | "failed") => void;
};

export function answersTo(bus: Bus, message: Msg): Answers {
  const publish = (data: string, options?: PublishOptions) =>
    bus.byTurn(() => message.respond(data, options));
  return {
    respond: (reply) => publish(JSON.stringify(reply)),
    fail(kind) {
      const failure = headers();
      failure.set(FAILURE_HEADER, kind);
      // Without any answer the sender's outcome would become unknown at its time-out.
      publish("", { headers: failure }).catch(() => {});
    },
  };
}

/**
 * True if the answer goes to an inbox of the command's own senders (or of the observer). NATS does not check
 * the reply subject of a message. Without this check a sender could make the handler publish to any subject
 * that the handler may use. The check also refuses messages that JetStream itself delivers, to any subject
 * that a stream or consumer was set up with: they have no reply subject, or one of JetStream's.
 */
export function mayBeAnswered({ senders }: Command, reply = ""): boolean {
  const prefixes = [...senders.map(inboxPrefix), inboxPrefix(OBSERVER), DEFAULT_INBOX_PREFIX];
  return prefixes.some((prefix) => reply.startsWith(`${prefix}.`));
}
