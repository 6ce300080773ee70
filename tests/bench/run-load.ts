import type { LoadResult } from "./load.ts";
import { runProgram } from "./programs.ts";

/**
 * Pre-authorizations that the acquirer approves, at `rate` a second, or as many as
 * are answered. The load generator is a process of its own.
 */
export async function runLoad(options: {
  url: string;
  headers: Record<string, string>;
  connections: number;
  seconds: number;
  rate?: number;
}): Promise<LoadResult> {
  const { url, headers, connections, seconds, rate = 0 } = options;
  return await runProgram<LoadResult>("load.ts", {
    timeoutMs: seconds * 1_000 + STARTED_WITHIN_MS,
    args: [
      `--url=${url}`,
      `--headers=${JSON.stringify(headers)}`,
      `--body=${JSON.stringify(PAYMENT_BODY)}`,
      `--connections=${connections}`,
      `--seconds=${seconds}`,
      `--rate=${rate}`,
    ],
  });
}

/** The gateway's address for a merchant's requests, and the headers with its credentials. */
export function asMerchant(
  { gatewayUrl }: { gatewayUrl: string },
  { apiKey, apiSecret }: { apiKey: string; apiSecret: string },
): { url: string; headers: Record<string, string> } {
  return {
    url: `${gatewayUrl}/api/pre-authorization`,
    headers: { "x-api-key": apiKey, "x-api-secret": apiSecret },
  };
}

/** A machine that is busy with other things takes its time to start a process and to end the last requests. */
const STARTED_WITHIN_MS = 180_000;

const PAYMENT_BODY = {
  // The load generator puts an id of its own into each request.
  orderId: "[<id>]",
  amount: 12.5,
  currency: "TRY",
  cardHolderName: "Ada Lovelace",
  // A card that is approved.
  pan: "4111111111111111",
  expiryMonth: "12",
  expiryYear: String((new Date().getUTCFullYear() + 2) % 100),
  cvv: "123",
  requestIp: "203.0.113.7",
  requestPort: 443,
};
