import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import proxyAddr from "proxy-addr";

/**
 * The address of the client that sent a request, for logs and limits, never for authentication. An IPv4 address written
 * as IPv6 (`::ffff:192.0.2.1`) is given as IPv4. It is empty when the connection is gone already.
 */
export type ClientAddress = (request: Pick<IncomingMessage, "headers" | "socket">) => string;

/**
 * Anybody can send X-Forwarded-For, so it counts only from a trusted peer, and only its right-most hop that is not a
 * trusted proxy itself: the client wrote everything to the left of that. If that hop is no address (`unknown`, one with a
 * port, garbage), the socket's own address stands.
 *
 * @param trustedProxies ranges in CIDR notation; with none the header is never read.
 * @param onUnread called for each request that has the header where no proxy is trusted: there may be one.
 * @throws TypeError for a range that is none.
 */
export function createClientAddress(
  trustedProxies: readonly string[],
  onUnread: () => void = () => {},
): ClientAddress {
  if (trustedProxies.length === 0) {
    return ({ headers, socket }) => {
      if (headers["x-forwarded-for"] !== undefined) onUnread();
      return plain(socket.remoteAddress ?? "");
    };
  }
  const isTrusted = proxyAddr.compile([...trustedProxies]);
  return (request) => {
    const peer = request.socket.remoteAddress ?? "";
    const hop = peer === "" ? peer : proxyAddr(request as IncomingMessage, isTrusted);
    return plain(isIP(hop) === 0 ? peer : hop);
  };
}

/** One spelling for each address, since limits count by it. A link-local address may have a zone. */
function plain(address: string): string {
  // Node accepts one spelling of an IPv4 address only, so there is nothing to parse.
  return isIP(address) === 6 && ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;
}
