import type { IncomingMessage } from "node:http";

/** The address a request comes from: the other end of its connection. Empty when that is already gone. */
export function clientAddress(request: IncomingMessage): string {
  return request.socket.remoteAddress ?? "";
}
