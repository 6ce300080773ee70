import { setGlobalProxyFromEnv, type ProxyEnv } from "node:http";

/**
 * The environment for a client that goes through the proxies that it names, if Node's own switch for them is on. Node
 * itself keeps to NO_PROXY alone, but a proxy could not reach this machine's loopback: it would ask its own.
 */
export function proxyEnvironment(env: NodeJS.ProcessEnv): ProxyEnv | undefined {
  if (env["NODE_USE_ENV_PROXY"] !== "1") return undefined;
  // The variable in lower case wins, as in Node.
  const given = env["no_proxy"] || env["NO_PROXY"];
  return { ...env, no_proxy: given ? `${given},${LOOPBACK}` : LOOPBACK };
}

/** Has the global `fetch`, and the programs that this one starts, call this machine without a proxy. */
export function callLoopbackDirectly(env: NodeJS.ProcessEnv = process.env): void {
  const proxies = proxyEnvironment(env);
  if (!proxies) return;
  env["no_proxy"] = proxies.no_proxy;
  setGlobalProxyFromEnv(proxies);
}

/** Agents write an IPv6 address bare, and `fetch` in brackets; only agents read ranges. */
const LOOPBACK = "localhost,*.localhost,127.0.0.1,127.0.0.0-127.255.255.255,::1,[::1]";
