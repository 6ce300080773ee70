import { isIP, type BlockList } from "node:net";
import { mayBeCalled } from "./public-address.ts";

/** The ports and addresses that may be called. */
export type TargetRules = { allowedPorts: "any" | ReadonlySet<number>; allowedCidrs: BlockList };

/** A target that may be called, judged by its URL alone. */
export type WebhookTarget = {
  /** A name, or an address without brackets. */
  host: string;
  isAddress: boolean;
  port: number;
  /** The value of the Host header. */
  authority: string;
  /** The path with the query. */
  path: string;
};

export type TargetFault =
  | "invalid_url"
  | "not_https"
  | "has_credentials"
  | "has_fragment"
  | "port_not_allowed"
  | "address_not_allowed"
  | "too_long";

/**
 * Checks a merchant's URL against the rules. The URL parser turns every spelling of an address (decimal, hex,
 * octal, short, full-width digits) into the usual one, so the checked address is the one that would be
 * called.
 */
export function parseTarget(url: string, rules: TargetRules): WebhookTarget | TargetFault {
  if (url.length > URL_LENGTH_MAX) return "too_long";
  // The parser drops some of these characters, so the stored address would differ from the called one.
  if (/[\p{C}\p{Zl}\p{Zp}]/u.test(url) || !URL.canParse(url)) return "invalid_url";
  const {
    protocol,
    username,
    password,
    hash,
    hostname,
    port: portText,
    host: authority,
    pathname,
    search,
  } = new URL(url);
  if (protocol !== "https:") return "not_https";
  if (username !== "" || password !== "") return "has_credentials";
  if (hash !== "") return "has_fragment";
  const port = portText === "" ? HTTPS_PORT : Number(portText);
  if (rules.allowedPorts !== "any" && !rules.allowedPorts.has(port)) return "port_not_allowed";
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const isAddress = isIP(host) !== 0;
  if (isAddress && !mayBeCalled(host, rules.allowedCidrs)) return "address_not_allowed";
  return { host, isAddress, port, authority, path: pathname + search };
}

/** {@link parseTarget} under one set of rules. Recent judgements are kept: each delivery has its endpoint's URL. */
export function createTargetParser(rules: TargetRules): (url: string) => WebhookTarget | TargetFault {
  const judged = new Map<string, WebhookTarget | TargetFault>();
  return (url) => {
    const known = judged.get(url);
    if (known !== undefined) return known;
    const target = parseTarget(url, rules);
    if (judged.size >= JUDGED_MAX) judged.clear();
    judged.set(url, target);
    return target;
  };
}

/** The number of judged URLs that are kept. */
const JUDGED_MAX = 1_000;

const URL_LENGTH_MAX = 2_048;
const HTTPS_PORT = 443;
