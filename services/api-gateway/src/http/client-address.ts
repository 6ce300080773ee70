import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import proxyAddr from "proxy-addr";

/**
 * The address of the client that sent a request, for logs and limits; never for deciding who somebody is. An IPv4
 * address in IPv6 clothes (`::ffff:192.0.2.1`) is told as what it is. Empty where the connection is gone already.
 */
export type ClientAddress = (request: Pick<IncomingMessage, "headers" | "socket">) => string;

/**
 * Anybody can send X-Forwarded-For, so it counts only from a peer that is trusted, and of its hops only the right-most
 * that is not a trusted proxy itself: everything to the left of it was written by the client. Where that hop is no
 * address (`unknown`, a port behind it, garbage) the socket's own address stands.
 *
 * @param trustedProxies ranges in CIDR notation; with none the header is never looked at.
 * @throws TypeError for a range that is none.
 */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  if (trustedProxies.length === 0) return ({ socket }) => plain(socket.remoteAddress ?? "");
  const isTrusted = proxyAddr.compile([...trustedProxies]);
  return (request) => {
    const peer = request.socket.remoteAddress ?? "";
    const hop = peer === "" ? peer : proxyAddr(request as IncomingMessage, isTrusted);
    return plain(isIP(hop) === 0 ? peer : hop);
  };
}

/** One spelling for each address: limits are counted by it. One of this machine's own links may have a zone. */
function plain(address: string): string {
  // Of an IPv4 address Node knows one spelling only: there is nothing to parse.
  return isIP(address) === 6 && ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;
}
