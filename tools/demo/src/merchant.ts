import { Holdfast } from "@holdfast/client";
import { DemoError } from "./demo-error.ts";
import { printExchange } from "./print-exchange.ts";

/** A merchant's server, with the client that merchants have. Every request and answer is printed. */
export function createMerchant(
  { gatewayUrl, apiKey, apiSecret }: { gatewayUrl: string; apiKey: string; apiSecret: string },
  print: (text: string) => void,
): Holdfast {
  return new Holdfast({
    baseUrl: gatewayUrl,
    apiKey,
    apiSecret,
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      const answer = (await response.clone().json()) as object;
      const body = init.body === undefined ? undefined : (JSON.parse(init.body) as object);
      const { pathname } = new URL(url);
      const { method } = init;
      printExchange(print, {
        who: "merchant",
        method,
        path: pathname,
        body,
        status: response.status,
        answer,
      });
      return response;
    },
  });
}

/** @throws DemoError when a call ended in another way. */
export function expectOutcome<Ended extends { outcome: string }, Expected extends Ended["outcome"]>(
  ended: Ended,
  expected: Expected,
): Extract<Ended, { outcome: Expected }> {
  if (ended.outcome === expected) return ended as Extract<Ended, { outcome: Expected }>;
  throw new DemoError(`a call ended as ${ended.outcome} and should have ended as ${expected}`);
}
