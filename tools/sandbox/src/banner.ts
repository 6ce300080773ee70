// The text of `npm start` when everything answers. It shows secrets, so it goes to the terminal and to no log file.
import type { SandboxBank } from "./bank-merchants.ts";
import { DEFAULT_HOME } from "./options.ts";
import type { SandboxFile } from "./sandbox-file.ts";

/** The addresses, the people who may use them, and a first request to paste. */
export function banner(sandbox: SandboxFile, home: string, now = new Date()): string {
  const merchant = sandbox.merchants[0];
  return `
Holdfast is running.

  merchant API        ${sandbox.gatewayUrl}
  guides              ${sandbox.gatewayUrl}/docs/
  console             ${sandbox.consoleUrl} (sign in as ${sandbox.people.map(({ name }) => name).join(", ")}: one click each)
  operator API        ${sandbox.operatorUrl}
  staff API           ${sandbox.staffUrl}
  public pages        ${sandbox.publicUrl}
  acquirer simulator  ${sandbox.acquirerUrl}
  PostgreSQL          ${sandbox.databaseUrl}
  NATS                ${sandbox.natsUrl}
  logs                ${sandbox.logs}

Merchant ${merchant?.name} (${merchant?.merchantId})
  X-API-KEY     ${merchant?.apiKey}
  X-API-SECRET  ${merchant?.apiSecret}
  test mode     ${sandbox.testMode.apiKey}
                ${sandbox.testMode.apiSecret}
${(sandbox.banks ?? []).map(bankLines).join("")}
Operators, each with a bearer token for 24 hours from "npm run --silent token -- ${homeOption(home)}alice"
${sandbox.operators.map(({ name, roles }) => `  ${name.padEnd(6)} ${roles.join(", ")}`).join("\n")}

Authorize an amount on a test card:

${firstRequest(sandbox, now)}

Ctrl-C stops everything and keeps the data.
`;
}

/** The option with which a command finds this sandbox, for a shell. */
function homeOption(home: string): string {
  return home === DEFAULT_HOME ? "" : `--home '${home.replaceAll("'", String.raw`'\''`)}' `;
}

function bankLines({ protocol, url, ledgerUrl, accountId, merchant }: SandboxBank): string {
  return `
Merchant ${merchant.name} (${merchant.merchantId}), whose payments go to ${protocol}
  X-API-KEY     ${merchant.apiKey}
  X-API-SECRET  ${merchant.apiSecret}
  account       ${accountId}
  simulator     ${url}, ledger: ${ledgerUrl}
`;
}

function firstRequest({ gatewayUrl, merchants: [merchant] }: SandboxFile, now: Date): string {
  const body = {
    orderId: "order-1",
    amount: "AMOUNT",
    currency: "TRY",
    cardHolderName: "Ada Lovelace",
    pan: "4111111111111111",
    expiryMonth: "12",
    expiryYear: `${(now.getUTCFullYear() + 2) % 100}`.padStart(2, "0"),
    cvv: "123",
    requestIp: "127.0.0.1",
    requestPort: 443,
  };
  return [
    `curl -i ${gatewayUrl}/api/pre-authorization`,
    `-H 'X-API-KEY: ${merchant?.apiKey}'`,
    `-H 'X-API-SECRET: ${merchant?.apiSecret}'`,
    `-H 'Content-Type: application/json'`,
    // Written by hand, because a JavaScript number would lose its last zero.
    `-d '${JSON.stringify(body).replace('"AMOUNT"', "12.50")}'`,
  ].join(" \\\n  ");
}
