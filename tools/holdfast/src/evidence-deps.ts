import { gatewayKeys } from "@holdfast/api-gateway/keys";
import { checkPage } from "@holdfast/api-gateway/check-page";
import { configSchema as gateway } from "@holdfast/api-gateway/config";
import { retentionPolicy as gatewayTables } from "@holdfast/api-gateway/retention-policy";
import { assetPath } from "@holdfast/assets";
import { configSchema as consoleConfig } from "@holdfast/console/config";
import { retentionPolicy as consoleTables } from "@holdfast/console/retention-policy";
import type { EvidenceDeps } from "@holdfast/installation/evidence";
import { configSchema as payments } from "@holdfast/payments/config";
import { paymentsKeys } from "@holdfast/payments/keys";
import { retentionPolicy as paymentsTables } from "@holdfast/payments/retention-policy";
import { keysCommand } from "@holdfast/postgres";
import { configSchema as refunds } from "@holdfast/refunds/config";
import { retentionPolicy as refundsTables } from "@holdfast/refunds/retention-policy";
import { configSchema as settlement } from "@holdfast/settlement/config";
import { retentionPolicy as settlementTables } from "@holdfast/settlement/retention-policy";
import { configSchema as webhooks } from "@holdfast/webhook-dispatcher/config";
import { webhookKeys } from "@holdfast/webhook-dispatcher/keys";
import { retentionPolicy as webhooksTables } from "@holdfast/webhook-dispatcher/retention-policy";

/** The settings, tables and keys of each service, for `holdfast evidence`. */
export function evidenceDeps(): EvidenceDeps {
  return {
    services: {
      gateway: {
        config: gateway,
        retention: gatewayTables,
        keyStatus: (env) => captured((out) => keysCommand(gatewayKeys, STATUS, env, out)),
      },
      payments: {
        config: payments,
        retention: paymentsTables,
        keyStatus: (env) => captured((out) => keysCommand(paymentsKeys, STATUS, env, out)),
      },
      refunds: { config: refunds, retention: refundsTables },
      settlement: { config: settlement, retention: settlementTables },
      "webhook-dispatcher": {
        config: webhooks,
        retention: webhooksTables,
        keyStatus: (env) => captured((out) => keysCommand(webhookKeys, STATUS, env, out)),
      },
      console: { config: consoleConfig, retention: consoleTables },
    },
    checkPage,
    lockfile: assetPath("package-lock.json"),
  };
}

const STATUS = ["status", "--json"];

async function captured(command: (out: (text: string) => void) => Promise<number>): Promise<string> {
  let text = "";
  await command((piece) => (text += piece));
  return text;
}
