import type { GatewayListener } from "@holdfast/contracts";
import type { Config } from "./config.ts";

/** Each listener of the gateway, the port that turns it on, its name in ALLOW_PLAINTEXT, and what it needs. */
export const LISTENERS = [
  {
    listener: "gateway-merchant",
    port: "MERCHANT_API_PORT",
    name: "merchant-api",
    needs: ["CARD_SEALING_KEYS", "CREDENTIAL_PEPPERS", "PUBLIC_URL", "THREE_DS_STATE_KEYS"],
  },
  {
    listener: "gateway-operator",
    port: "OPERATOR_API_PORT",
    name: "operator-api",
    needs: ["CREDENTIAL_PEPPERS", "OPERATOR_JWKS", "OPERATOR_JWT_ISSUER", "OPERATOR_JWT_AUDIENCE"],
  },
  {
    listener: "gateway-public",
    port: "PUBLIC_PAGES_PORT",
    name: "public-pages",
    needs: ["CARD_SEALING_KEYS", "PUBLIC_URL", "THREE_DS_STATE_KEYS"],
  },
  {
    listener: "gateway-staff",
    port: "STAFF_API_PORT",
    name: "staff-api",
    needs: ["CREDENTIAL_PEPPERS", "PUBLIC_URL", "STAFF_JWKS", "STAFF_JWT_ISSUER", "STAFF_JWT_AUDIENCE"],
  },
] as const;

/** The listener of a gateway with these settings. */
export function listenerOf(config: Config): GatewayListener {
  return LISTENERS.find(({ port }) => config[port] !== undefined)!.listener;
}
