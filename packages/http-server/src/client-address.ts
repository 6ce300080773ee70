import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import proxyAddr from "proxy-addr";

/**
 * The address of the client that sent a request, for logs and limits, never for authentication. An IPv4 address written
 * as IPv6 (`::ffff:192.0.2.1`) is given as IPv4. It is empty when the connection is gone already.
 */
export type ClientAddress = (request: Pick<IncomingMessage, "headers" | "socket">) => string;

/** The reason why X-Forwarded-For does not count: no proxy is trusted, or one that is trusted has written no address. */
export type UnreadForwarding = "undeclared" | "unreadable";

/**
 * Finds the client's address. Anybody can send X-Forwarded-For, so it counts only from a trusted peer, and
 * only its right-most hop that is not a trusted proxy itself: the client wrote everything to the left of that
 * hop. A hop may have a port. If the hop is no address (`unknown`, garbage), the socket's own address is
 * used.
 *
 * @param trustedProxies ranges in CIDR notation; without any, the header is never read.
 * @param onUnread called for each request whose header does not count although there may be a proxy.
 * @throws TypeError for a malformed range.
 */
export function createClientAddress(
  trustedProxies: readonly string[],
  onUnread: (why: UnreadForwarding) => void = () => {},
): ClientAddress {
  if (trustedProxies.length === 0) {
    return ({ headers, socket }) => {
      if (headers["x-forwarded-for"] !== undefined) onUnread("undeclared");
      return plain(socket.remoteAddress ?? "");
    };
  }
  const isTrusted = proxyAddr.compile([...trustedProxies]);
  return (request) => {
    const peer = request.socket.remoteAddress ?? "";
    if (peer === "") return peer;
    const hop = withoutPort(
      proxyAddr(request as IncomingMessage, (address, index) => isTrusted(withoutPort(address), index)),
    );
    if (isIP(hop) !== 0) return plain(hop);
    onUnread("unreadable");
    return plain(peer);
  };
}

/** Some proxies append the port (RFC 7239, section 6): `203.0.113.9:4711`, `[2001:db8::1]:4711`. */
function withoutPort(hop: string): string {
  const [, inBrackets, bare] = /^(?:\[([\da-f:.]+)\]|([\d.]+))(?::\d{1,5})?$/i.exec(hop) ?? [];
  return inBrackets ?? bare ?? hop;
}

/** One spelling for each address, since limits count by it. A link-local address may have a zone. */
function plain(address: string): string {
  // Node accepts one spelling of an IPv4 address only, so there is nothing to parse.
  return isIP(address) === 6 && ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;
}
