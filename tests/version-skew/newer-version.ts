/**
 * Makes the service that loads this first (`node --import`) a newer version of itself, as its peers see it: each
 * message that it sends on the bus (commands, replies, events, notices) has a field more in each of its objects, and a
 * header more. Messages that NATS itself reads are left alone.
 */
import { ProtocolHandler } from "@nats-io/nats-core/internal";
import { headers } from "@nats-io/nats-core";
import { NEWER_FIELD, withNewerFields } from "./newer-fields.ts";

// Everything a connection publishes goes through here, and nothing else does.
// oxlint-disable-next-line typescript/unbound-method -- called with its own receiver below
const publish = ProtocolHandler.prototype.publish;

ProtocolHandler.prototype.publish = function (subject, payload = "", options) {
  const content = subject.startsWith("$") ? undefined : jsonObject(payload);
  if (content === undefined) return publish.call(this, subject, payload, options);
  const bearing = options?.headers ?? headers();
  bearing.set("Holdfast-Newer", NEWER_FIELD);
  return publish.call(this, subject, JSON.stringify(withNewerFields(content)), {
    ...options,
    headers: bearing,
  });
};

function jsonObject(payload: Uint8Array | string): object | undefined {
  const text = typeof payload === "string" ? payload : Buffer.from(payload).toString("utf8");
  if (!text.startsWith("{")) return undefined;
  return JSON.parse(text) as object;
}
