// `npm run generate`: writes all generated files again.
import { readCommandLine, runProgram } from "@holdfast/service-runtime/command-line";

const HELP = `npm run generate

Writes all generated files again: OpenAPI documents, bus users, states, page scripts, settings, retention, network tables.
`;

const GENERATORS = [
  "packages/contracts/scripts/generate-openapi.ts",
  "packages/messaging/scripts/generate-nats-users.ts",
  "services/payments/scripts/generate-states.ts",
  "services/refunds/scripts/generate-states.ts",
  "services/api-gateway/scripts/generate-page-release.ts",
  "tests/deploy/scripts/generate-settings.ts",
  "tests/deploy/scripts/generate-retention.ts",
  "tests/deploy/scripts/generate-network-tables.ts",
];

await runProgram(
  "generate",
  async (args) => {
    if (!readCommandLine(args, { help: HELP, options: {} })) return;
    for (const generator of GENERATORS) await import(new URL(`../${generator}`, import.meta.url).href);
  },
  { trace: true },
);
